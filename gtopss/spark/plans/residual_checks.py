"""The last step of a plan that may use Python: tests and values that SQL cannot say, on the rows that came so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from gtopss.model import Branch, Publication, Subscription, Term
from gtopss.model.terms import RDF_TYPE
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from gtopss.spark.plans.compilation import CompiledBranch, asks_is_a
from gtopss.spark.plans.triple_graphs import ScopedTriples
from ontology import Taxonomy

_PAIRS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
_OUT = pa.schema([("scope", pa.string()), ("number", pa.int32()), ("pairs", _PAIRS)])
_OUT_SQL = "scope string, number int, pairs array<struct<name: string, value: string>>"


@dataclass(frozen=True, slots=True)
class _Check:
    """What is left to ask of an entry's rows; travels to the executors, where its rules are compiled."""

    subscription: Subscription
    left: Branch
    variables: tuple[Term, ...]


def check_residuals(
    rows: DataFrame, entries: Iterable[CompiledBranch], graph: ScopedTriples, taxonomy: Taxonomy
) -> DataFrame:
    """Rows (scope, number, values) that pass what is left of their entry, with what it reports of them as `pairs`."""
    kept = list(entries)
    checks = {
        entry.member.number: _Check(
            entry.member.subscription,
            Branch([], entry.unsaid, entry.member.branch.binds),
            entry.member.variables,
        )
        for entry in kept
    }
    if any(asks_is_a(entry.unsaid) for entry in kept):
        stated = graph.triples.where(F.col("p") == RDF_TYPE).groupBy("scope")
        rows = rows.join(stated.agg(F.collect_list(F.struct("s", "o")).alias("types")), "scope", "left")
    else:
        rows = rows.selectExpr("*", "CAST(NULL AS ARRAY<STRUCT<s: STRING, o: STRING>>) AS types")

    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rules: dict[int, BranchExpressions] = {}
        for batch in batches:
            yield _checked_batch(batch, checks, rules, taxonomy)

    return rows.select("scope", "number", "values", "types").mapInArrow(check, _OUT_SQL)


def _checked_batch(
    batch: pa.RecordBatch, checks: Mapping[int, _Check], rules: dict[int, BranchExpressions], taxonomy: Taxonomy
) -> pa.RecordBatch:
    columns = batch.to_pydict()
    scopes: dict[str, EvaluationContext] = {}
    kept: list[tuple[str, int, list[dict[str, str]]]] = []
    for name, number, values, types in zip(
        *(columns[each] for each in ("scope", "number", "values", "types")), strict=True
    ):
        check = checks[number]
        if number not in rules:
            rules[number] = compile_expressions(check.subscription.id, check.left)
        if name not in scopes:
            triples = [(each["s"], RDF_TYPE, each["o"]) for each in types or ()]
            scopes[name] = EvaluationContext(Publication.trusted(name, triples), taxonomy)
        row = dict(zip(check.variables, values, strict=True))
        rules[number].bind(row, scopes[name])
        if all(test.holds(row, scopes[name]) for test in rules[number].tests):
            reported = [(each, row[each]) for each in check.subscription.select if each in row]
            kept.append((name, number, [{"name": each[1:], "value": value} for each, value in reported]))
    arrays = [pa.array([row[place] for row in kept], field.type) for place, field in enumerate(_OUT)]
    return pa.RecordBatch.from_arrays(arrays, schema=_OUT)
