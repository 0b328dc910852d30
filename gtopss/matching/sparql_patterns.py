"""Write SPARQL's algebra as the text of a query, so that a SPARQL engine evaluates it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gtopss.errors import UnsupportedSubscription
from gtopss.matching.sparql import TAXONOMY, ExpressionWriter
from gtopss.model import Call, Expression, Term
from gtopss.model.algebra import FORMS, GRAPH_FORMS, UNDEFINED, as_call, as_term, edges_of, text_of
from gtopss.model.expressions import leaf_terms
from gtopss.model.terms import is_variable, literal
from gtopss.semantics.lenient_literals import LiteralRules

NOT_TAXONOMY = re.compile(rf" FILTER\(\?\w+ != {re.escape(TAXONOMY)}\)")
"""The test that keeps a variable from being the graph of the taxonomy, which is no graph of a publication."""


class QueryText(NamedTuple):
    """A query for a SPARQL engine, whose columns are ?v0, ?v1, ... ."""

    text: str
    columns: tuple[Term, ...]
    has_limit: bool
    """Whether it ends with a LIMIT or OFFSET."""


def write_query(subscription_id: str, query: Call, select: Iterable[Term], literals: LiteralRules) -> QueryText:
    """Write a query. The columns of a CONSTRUCT or DESCRIBE query are the variables that its graph is made of.

    Raises UnsupportedSubscription.
    """
    columns = tuple(dict.fromkeys(select))
    pattern = as_call(query.arguments[0]) if query.function in FORMS else query
    if query.function in GRAPH_FORMS:
        used = (term for each in query.arguments[1:] for term in leaf_terms(each))
        columns = tuple(dict.fromkeys(name for name in used if is_variable(name)))
    names = {name: f"?v{number}" for number, name in enumerate(columns)}
    for name in leaf_terms(query):
        if is_variable(name):
            names.setdefault(name, f"?x{len(names)}")
    writer = PatternWriter(subscription_id, names, literals)
    selected = columns if query.function in GRAPH_FORMS or query.function == "ASK" else None
    return QueryText(writer.query(pattern, selected), columns, pattern.function == "SLICE")


class PatternWriter(ExpressionWriter):
    """Write patterns as SPARQL text."""

    def query(self, pattern: Call, selected: Iterable[Term] | None = None) -> str:
        """Write a pattern as a SELECT query. `selected` are the variables of a pattern that is no projection."""
        tail, distinct = "", ""
        if pattern.function == "SLICE":
            pattern_, offset, most = pattern.arguments
            tail = f" OFFSET {text_of(offset)}" + ("" if most == UNDEFINED else f" LIMIT {text_of(most)}")
            pattern = as_call(pattern_)
        if pattern.function == "DISTINCT":
            distinct, pattern = "DISTINCT ", as_call(pattern.arguments[0])
        if pattern.function == "SELECT":
            selected = [as_term(name) for name in as_call(pattern.arguments[1]).arguments]
            pattern = as_call(pattern.arguments[0])
        if pattern.function == "ORDER":
            keys = (
                f"{each.function}({self.expression(each.arguments[0])})" for each in map(as_call, pattern.arguments[1:])
            )
            tail = f" ORDER BY {' '.join(keys)}{tail}"
            pattern = as_call(pattern.arguments[0])
        if pattern.function == "AGGREGATES" and selected is None:
            return self._aggregates(pattern) + tail
        columns = " ".join(map(self.term, selected or ()))
        return f"SELECT {distinct}{columns or '*'} WHERE {self.group(pattern)}{tail}"

    def group(self, pattern: Call) -> str:
        """Write a pattern in braces."""
        if pattern.function != "GROUP":
            return f"{{ {{ {self.query(pattern)} }} }}"
        return f"{{ {self._steps(pattern)} }}"

    def expression(self, tree: Expression) -> str:
        if isinstance(tree, Call) and tree.function == "EXISTS":
            return f"EXISTS {self.group(as_call(tree.arguments[0]))}"
        return super().expression(tree)

    def _aggregates(self, pattern: Call) -> str:
        inner, keys, *aggregates = pattern.arguments
        names, groups = [], []
        for tree, name in (as_call(key).arguments for key in as_call(keys).arguments):
            names.append(self.term(as_term(name)))
            groups.append(names[-1] if tree == name else f"({self.expression(tree)} AS {names[-1]})")
        for call, name in (as_call(each).arguments for each in aggregates):
            names.append(f"({self._aggregate(as_call(call))} AS {self.term(as_term(name))})")
        if not names:
            raise UnsupportedSubscription(self.subscription_id, "sparql", "a group without keys and aggregates")
        by = f" GROUP BY {' '.join(groups)}" if groups else ""
        return f"SELECT {' '.join(names)} WHERE {self.group(as_call(inner))}{by}"

    def _aggregate(self, call: Call) -> str:
        name, kind, argument, *separator = call.arguments
        inside = "*" if argument == Call("ALL", ()) else self.expression(argument)
        if text_of(kind) == "distinct":
            inside = f"DISTINCT {inside}"
        if separator:
            inside += f"; SEPARATOR={literal(text_of(separator[0]))}"
        return f"{text_of(name)}({inside})"

    def _steps(self, group: Call) -> str:
        return " ".join(self._step(as_call(step)) for step in group.arguments)

    def _step(self, step: Call) -> str:
        match step.function:
            case "ROWS":
                return self._steps(step)
            case "TRIPLES":
                return " ".join(" ".join(map(self.term, edge)) + " ." for edge in edges_of(step))
            case "PATH":
                subject, path, object_ = step.arguments
                return f"{self.term(as_term(subject))} {self._path(path)} {self.term(as_term(object_))} ."
            case "JOIN":
                return self.group(as_call(step.arguments[0]))
            case "UNION":
                return " UNION ".join(self.group(as_call(arm)) for arm in step.arguments)
            case "OPTIONAL":
                return self._optional(as_call(step.arguments[0]), step.arguments[1])
            case "MINUS":
                return f"MINUS {self.group(as_call(step.arguments[0]))}"
            case "GRAPH":
                name = as_term(step.arguments[0])
                hidden = f" FILTER({self.term(name)} != {TAXONOMY})" if is_variable(name) else ""
                return f"GRAPH {self.term(name)} {self.group(as_call(step.arguments[1]))}{hidden}"
            case "BIND":
                return f"BIND({self.expression(step.arguments[0])} AS {self.term(as_term(step.arguments[1]))})"
            case "VALUES":
                return self._values(step)
            case "FILTER":
                return f"FILTER({self.expression(step.arguments[0])})"
        raise UnsupportedSubscription(self.subscription_id, "sparql", f"{step.function} has no form in SPARQL")

    def _optional(self, pattern: Call, condition: Expression) -> str:
        """Write OPTIONAL. Filters of its own group are the condition; those of a group in it stay there."""
        has_filter = any(as_call(step).function == "FILTER" for step in pattern.arguments if isinstance(step, Call))
        inside = self._steps(pattern) if pattern.function == "GROUP" and not has_filter else self.group(pattern)
        test = "" if condition == UNDEFINED else f" FILTER({self.expression(condition)})"
        return f"OPTIONAL {{ {inside}{test} }}"

    def _values(self, step: Call) -> str:
        names, *rows = (as_call(each).arguments for each in step.arguments)
        heading = " ".join(self.term(as_term(name)) for name in names)
        cells = (" ".join("UNDEF" if cell == UNDEFINED else self.term(as_term(cell)) for cell in row) for row in rows)
        return f"VALUES ({heading}) {{ {' '.join(f'({row})' for row in cells)} }}"

    def _path(self, path: Expression) -> str:
        if not isinstance(path, Call):
            return self.term(path)
        match path.function:
            case "INVERSE":
                return f"^({self._path(path.arguments[0])})"
            case "SEQUENCE" | "ALTERNATIVE":
                sign = "/" if path.function == "SEQUENCE" else "|"
                return f"({sign.join(map(self._path, path.arguments))})"
            case "NOT":
                ahead, back = (as_call(each).arguments for each in path.arguments)
                parts = [self.term(as_term(each)) for each in ahead] + [f"^{self.term(as_term(each))}" for each in back]
                return f"!({'|'.join(parts)})"
        return f"({self._path(path.arguments[0])}){text_of(path.arguments[1])}"
