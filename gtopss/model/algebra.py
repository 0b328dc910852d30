"""SPARQL's algebra as data (SPARQL 1.1, section 18.2): the part of a query that is more than a union of conjunctions.

A pattern is a `Call` like any expression, so that it is printed, encoded, saved and compared like one. `EXISTS` is an
expression with a pattern as its argument. The names are in upper case, as those of functions:

| pattern                                        | meaning                                                          |
|------------------------------------------------|------------------------------------------------------------------|
| `GROUP(step, ...)`                             | the steps in their order, beginning with one empty solution      |
| `SELECT(pattern, VARIABLES(?x, ...))`          | projection                                                       |
| `AGGREGATES(pattern, KEYS(...), AS(...), ...)` | one solution per group: its keys and its aggregates              |
| `ORDER(pattern, ASC(expression), ...)`         | the solutions in an order; `DESC` for the opposite one           |
| `DISTINCT(pattern)`                            | each solution once                                               |
| `SLICE(pattern, offset, limit)`                | OFFSET and LIMIT; the limit is `UNDEF()` if there is none        |

| step of a group                                | meaning                                                          |
|------------------------------------------------|------------------------------------------------------------------|
| `TRIPLES(TRIPLE(s, p, o), ...)`                | a basic graph pattern                                            |
| `PATH(s, path, o)`                             | a path of any length                                             |
| `JOIN(pattern)`                                | the join with a pattern                                          |
| `UNION(pattern, ...)`                          | the join with the union of patterns                              |
| `OPTIONAL(pattern, condition)`                 | the left join; the condition is `UNDEF()` if there is none       |
| `MINUS(pattern)`                               | what has no compatible solution in the pattern                   |
| `GRAPH(name, pattern)`                         | the join with a pattern in named graphs                          |
| `BIND(expression, ?x)`                         | a computed value                                                 |
| `VALUES(VARIABLES(?x, ...), ROW(...), ...)`    | inline solutions; `UNDEF()` is no value                          |
| `FILTER(expression)`                           | the solutions for which the expression is true                   |
| `ROWS(step, ...)`                              | first steps whose solutions an index finds (`language.row_source`) |

`AS(expression, ?x)` names a key or an aggregate, which is `AGGREGATE(name, "distinct" or "all", expression[, text])`;
`ALL()` is the `*` of COUNT. A path is an IRI, `INVERSE(path)`, `SEQUENCE(path, ...)`, `ALTERNATIVE(path, ...)`,
`NOT(FORWARD(iri, ...), BACKWARD(iri, ...))` or `REPEAT(path, "?" or "*" or "+")`.

A whole query is one of the patterns, for SELECT, or `ASK(pattern)`, `CONSTRUCT(pattern, TRIPLE(...), ...)`,
`DESCRIBE(pattern, term, ...)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gtopss.model.expressions import Call, Expression, calls_in, is_operator
from gtopss.model.terms import Term, is_variable, literal, literal_parts

MAX_QUERY_DEPTH = 200
"""Nested calls in a query; recursion over it must not overflow the stack."""
MAX_QUERY_TERMS = 20_000
"""Terms of one query."""

UNDEFINED = Call("UNDEF", ())
FORMS = frozenset(("ASK", "CONSTRUCT", "DESCRIBE"))
GRAPH_FORMS = frozenset(("CONSTRUCT", "DESCRIBE"))
SELECTIONS = frozenset(("GROUP", "SELECT", "AGGREGATES", "ORDER", "DISTINCT", "SLICE"))
"""Patterns that stand for themselves; the others are steps of a group."""

PATTERNS = SELECTIONS | FORMS | {
    "TRIPLES", "TRIPLE", "PATH", "JOIN", "UNION", "OPTIONAL", "MINUS", "GRAPH", "BIND", "VALUES", "FILTER", "ROWS",
    "VARIABLES", "ROW", "KEYS", "AS", "AGGREGATE", "ALL", "ASC", "DESC", "UNDEF", "INVERSE", "SEQUENCE",
    "ALTERNATIVE", "NOT", "FORWARD", "BACKWARD", "REPEAT",
}  # fmt: skip


def group(steps: Iterable[Call]) -> Call:
    """Return the group of these steps; a group that is only one other pattern is that pattern."""
    made = tuple(steps)
    if len(made) == 1 and made[0].function == "JOIN":
        return as_call(made[0].arguments[0])
    return Call("GROUP", made)


def triples(edges: Iterable[tuple[Term, Term, Term]]) -> Call:
    """Return a basic graph pattern."""
    return Call("TRIPLES", tuple(Call("TRIPLE", edge) for edge in edges))


def edges_of(pattern: Call) -> list[tuple[Term, Term, Term]]:
    """Return the triple patterns among the arguments of a call."""
    return [
        each.arguments  # type: ignore[misc]  # a TRIPLE has three terms
        for each in pattern.arguments
        if isinstance(each, Call) and each.function == "TRIPLE"
    ]


def text_term(text: str | int) -> Term:
    """Return a word or a number of the algebra as a term."""
    return literal(str(text))


def text_of(tree: Expression) -> str:
    """Return the word or number of a term that `text_term` made."""
    return literal_parts(as_term(tree))[0]


def as_call(tree: Expression) -> Call:
    """Return the tree, which must be a call. Raises ValueError."""
    if not isinstance(tree, Call):
        raise ValueError(f"{tree} stands where a pattern must be")
    return tree


def as_term(tree: Expression) -> Term:
    """Return the tree, which must be a term. Raises ValueError."""
    if isinstance(tree, Call):
        raise ValueError(f"{tree.function} stands where a term must be")
    return tree


def variables_of(pattern: Call) -> tuple[Term, ...]:
    """Return the variables that a pattern can bind and that are visible around it, in their order."""
    return tuple(dict.fromkeys(_visible(pattern)))


def _visible(node: Call) -> Iterator[Term]:
    match node.function:
        case "FILTER" | "MINUS":
            return
        case "SELECT":
            yield from map(as_term, as_call(node.arguments[1]).arguments)
        case "AGGREGATES":
            for each in (*as_call(node.arguments[1]).arguments, *node.arguments[2:]):
                yield as_term(as_call(each).arguments[1])
        case "BIND":
            yield as_term(node.arguments[1])
        case "PATH":
            yield from (as_term(end) for end in (node.arguments[0], node.arguments[2]) if is_name(end))
        case "ORDER" | "SLICE" | "OPTIONAL":
            yield from _visible(as_call(node.arguments[0]))
        case "VALUES":
            yield from map(as_term, as_call(node.arguments[0]).arguments)
        case _:
            for each in node.arguments:
                if isinstance(each, Call):
                    yield from _visible(each)
                elif is_variable(each):
                    yield each


def is_name(tree: Expression) -> bool:
    """Return whether an expression is a variable."""
    return not isinstance(tree, Call) and is_variable(tree)


def operators_in(query: Call) -> list[str]:
    """Return the operators that a query calls."""
    return [call.function for call in calls_in([query]) if is_operator(call.function)]
