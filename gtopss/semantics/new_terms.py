"""BNODE, UUID and STRUUID (SPARQL 1.1, section 17.4.2): terms that are new for each solution.

No chance is involved: a new term is a hash of the publication, the place of the call in its query and the number of the
solution. A query that is evaluated again over the same publication makes the same terms, so that explanations and
repeated deliveries agree.

`gtopss.language.algebra` writes `BNODE()` as `NEW("BNODE", ?n, "place")` and `BNODE(?label)` as
`NEW("BNODE", ?n, "query", ?label)`, where `?n` has the number of the solution: `BIND(SOLUTION() AS ?n)` stands before.
So a call of NEW is a function of its arguments and the publication, and BNODE with the same label is the same blank
node within one solution.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable

from gtopss.model.algebra import text_of
from gtopss.model.expressions import Call
from gtopss.model.terms import Term
from gtopss.semantics.context import EvaluationContext, Evaluator, RowValues
from gtopss.semantics.special_forms import Compiler
from gtopss.semantics.strings import bytes_of, plain_text_of
from gtopss.semantics.values import TypeMismatch, Value, ValueKind, string_value, value_of

NEW_TERM_FUNCTIONS = frozenset(("BNODE", "UUID", "STRUUID"))


def written_only_in_queries(call: Call, compile_argument: Compiler) -> Evaluator:
    """Refuse BNODE, UUID and STRUUID outside of the text of a query. Raises ValueError."""
    raise ValueError(f"{call.function} stands only in the text of a query, which numbers its solutions")


def solution_number(call: Call, compile_argument: Compiler) -> Evaluator:
    """SOLUTION: a number that no other solution of this evaluation has."""

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        if context.solution_numbers is None:
            raise TypeMismatch("solutions are numbered only within a query")
        return Value(ValueKind.INTEGER, next(context.solution_numbers))

    return evaluate


def new_term(call: Call, compile_argument: Compiler) -> Evaluator:
    """NEW: a term that no other solution has, and no other place of the query."""
    kind, number, place, *labels = call.arguments
    if text_of(kind) not in NEW_TERM_FUNCTIONS:
        raise ValueError(f"{text_of(kind)} makes no new term")
    make, place_bytes = _MAKERS[text_of(kind)], bytes_of(text_of(place))
    evaluate_number, evaluate_labels = compile_argument(number), [compile_argument(label) for label in labels]

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        made = hashlib.sha256(context.publication_digest + place_bytes)
        made.update(b" %d " % evaluate_number(values, context).data)
        for label in evaluate_labels:
            made.update(bytes_of(plain_text_of(label(values, context))))
        return make(made.digest())

    return evaluate


def _blank_node(digest: bytes) -> Value:
    return value_of(Term(f"_:new{digest.hex()[:32]}"))


def _uuid_text(digest: bytes) -> str:
    return str(uuid.UUID(bytes=digest[:16], version=5))


_MAKERS: dict[str, Callable[[bytes], Value]] = {
    "BNODE": _blank_node,
    "UUID": lambda digest: Value(ValueKind.IRI, f"urn:uuid:{_uuid_text(digest)}"),
    "STRUUID": lambda digest: string_value(_uuid_text(digest)),
}
