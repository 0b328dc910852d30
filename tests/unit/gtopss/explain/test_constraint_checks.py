"""Why a constraint fails, and how bound values are computed."""

from __future__ import annotations

from typing import Any

import pytest
from support.explanations import A, B, D, P, Y, explain_branch, failing_check, integer

from gtopss.explain import (
    explain,
)
from gtopss.model import Branch, Call, Publication, Subscription, Term
from gtopss.model.expressions import call, compare
from gtopss.model.terms import XSD, literal
from ontology import Taxonomy


@pytest.mark.parametrize(
    ("value", "test", "error"),
    [
        ('"2001"', compare("y", ">", 2000), "a plain string never compares as a number"),
        (B, compare("y", ">", 2000), "an IRI does not compare with a number"),
        (f'"x"^^{D}', compare("y", "=", 5), "a literal of an unknown datatype does not compare with a number"),
        (f'"2001-01-01T00:00:00"^^<{XSD}dateTime>', compare("y", "<", f'"2001-01-01T00:00:00Z"^^<{XSD}dateTime>'),
         "one side has no time zone, and the difference is too small to order them without it"),
        ("_:b", call("=", call("STR", Y), literal("b")), "a blank node has no text"),
    ],
)  # fmt: skip
def test_type_error_names_both_types(value: Any, test: Call, error: str) -> None:
    check = failing_check(explain_branch([(A, P, Y)], [(A, P, value)], where=[test]))
    assert (check.holds, check.error) == (False, error)


def test_failing_conjunction_names_the_failing_member() -> None:
    low, high = compare("y", ">", 1), compare("y", "<", 5)
    check = failing_check(explain_branch([(A, P, Y)], [(A, P, 8)], where=[call("&&", low, call("&&", low, high))]))
    assert check.deciding == high
    assert check.substituted == call("<", integer(8), integer(5))


def test_binds_are_shown_with_values_and_errors() -> None:
    branch = Branch(
        [(A, P, Y)], [compare("double", "<", 10)], [("?double", call("*", 2, Y)), ("?len", call("STRLEN", Y))]
    )
    made = explain(Subscription("s", branches=[branch]), Publication("p", [(A, P, 4)]), Taxonomy())
    (solution,) = made.solutions
    assert [(each.variable, each.value) for each in solution.computed] == [("?double", integer(8)), ("?len", None)]
    assert solution.computed[1].error == "it is not a string"
    assert dict(solution.bindings)[Term("?double")] == integer(8)
    assert "✔ ?double := 2 * 4       = 8" in str(made)


def test_a_long_value_in_many_places_is_not_decoded_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding a megabyte takes tens of milliseconds, and an expression may name it thousands of times."""
    decoded: list[int] = []

    def unescaped(text: str) -> str:
        decoded.append(len(text))
        return text

    test = call("||", *(compare(call("+", Y, Y), "=", number) for number in range(500)))
    subscription = Subscription("s", [(A, P, Y)], where=[test])
    for datatype in (None, XSD + "integer", "urn:d"):
        publication = Publication("p", [(A, P, literal("\n" * 50_000, datatype))])
        with monkeypatch.context() as patch:
            patch.setattr("gtopss.model.terms._unescaped", unescaped)
            str(explain(subscription, publication, Taxonomy()))
    assert len(decoded) > 1_000
    assert len([length for length in decoded if length > 20_000]) < 20
