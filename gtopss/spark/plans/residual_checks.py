"""Evaluate in Python the filters and values that SQL cannot express, on the rows that are left after the joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from gtopss.model import Branch, Exceeded, Publication, Subscription, Term
from gtopss.model.terms import RDF_TYPE
from gtopss.semantics import BranchExpressions, BudgetExceeded, EvaluationContext, compile_expressions
from gtopss.spark.plans.compilation import CompiledBranch, uses_taxonomy
from gtopss.spark.plans.triple_graphs import ScopedTriples
from ontology import Taxonomy

_PAIRS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
_OUT = pa.schema([("scope", pa.int64()), ("number", pa.int32()), ("pairs", _PAIRS), ("error", pa.string())])
_OUT_SQL = "scope bigint, number int, pairs array<struct<name: string, value: string>>, error string"


@dataclass(frozen=True, slots=True)
class _Check:
    """The filters and values of a branch that are left. It is sent to the executors, which compile it."""

    subscription: Subscription
    residual: Branch
    variables: tuple[Term, ...]


def check_residuals(
    rows: DataFrame, branches: Iterable[CompiledBranch], graph: ScopedTriples, taxonomy: Taxonomy
) -> DataFrame:
    """Filter rows (scope, number, values) by the residual filters of their branch, and compute what it reports.

    The result is (scope, number, pairs, error). A row that reaches a limit of evaluation has an error and no pairs.
    """
    branches = list(branches)
    checks = {
        branch.member.number: _Check(
            branch.member.subscription,
            Branch([], branch.residual_filters, branch.member.branch.binds),
            branch.member.variables,
        )
        for branch in branches
    }
    if any(uses_taxonomy(branch.residual_expressions()) for branch in branches):
        stated = graph.triples.where(F.col("p") == RDF_TYPE).groupBy("scope")
        rows = rows.join(stated.agg(F.collect_list(F.struct("s", "o")).alias("types")), "scope", "left")
    else:
        taxonomy = Taxonomy()  # every task receives it, and none reads it
        rows = rows.selectExpr("*", "CAST(NULL AS ARRAY<STRUCT<s: STRING, o: STRING>>) AS types")

    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        compiled: dict[int, BranchExpressions] = {}
        for batch in batches:
            yield _check_batch(batch, checks, compiled, taxonomy)

    return rows.select("scope", "number", "values", "types").mapInArrow(check, _OUT_SQL)


def _check_batch(
    batch: pa.RecordBatch, checks: Mapping[int, _Check], compiled: dict[int, BranchExpressions], taxonomy: Taxonomy
) -> pa.RecordBatch:
    columns = batch.to_pydict()
    contexts: dict[int, EvaluationContext] = {}
    passed: list[tuple[int, int, list[dict[str, str]] | None, str | None]] = []
    for scope, number, values, types in zip(
        *(columns[each] for each in ("scope", "number", "values", "types")), strict=True
    ):
        check = checks[number]
        if number not in compiled:
            compiled[number] = compile_expressions(check.subscription.id, check.residual)
        if scope not in contexts:
            triples = [(each["s"], RDF_TYPE, each["o"]) for each in types or ()]
            contexts[scope] = EvaluationContext(Publication.trusted(str(scope), triples), taxonomy)
        row = dict(zip(check.variables, values, strict=True))
        contexts[scope].budget.start_subscription()  # a task sees some of the rows: each has a budget of its own
        try:
            if not compiled[number].check(row, contexts[scope]):
                continue
        except BudgetExceeded as reached:
            passed.append((scope, number, None, str(Exceeded(check.subscription.id, reached.amount, reached.limit))))
            continue
        reported = [(each, row[each]) for each in check.subscription.select if each in row]
        passed.append((scope, number, [{"name": each[1:], "value": value} for each, value in reported], None))
    arrays = [pa.array([row[place] for row in passed], field.type) for place, field in enumerate(_OUT)]
    return pa.RecordBatch.from_arrays(arrays, schema=_OUT)
