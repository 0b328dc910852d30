"""Compilation of expressions: what is refused at registration, and what is shared."""

from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.errors import InvalidSubscription
from gtopss.model import Branch, Call
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.semantics import CompiledTest, EvaluationContext, compile_expressions
from gtopss.semantics.evaluate import RowValues


@pytest.mark.parametrize(
    ("tree", "problem"),
    [
        (call("NOSUCH", "?x"), "no function 'NOSUCH'"),
        (call("CONTAINS", "?x"), "takes 2 arguments, not 1"),
        (call("isA", "?x"), "takes 2 arguments, not 1"),
        (call("REGEX", "?x", literal("(")), "malformed"),
        (call("REGEX", "?x", literal(r"(a)\1")), "linear time"),
        (call("REGEX", "?x", literal("a"), literal("x")), "flag 'x'"),
        (call("BOUND", literal("a")), "BOUND takes a variable"),
        (call("!", call("NOSUCH", "?x")), "no function 'NOSUCH'"),
    ],
    ids=str,
)
def test_expressions_refused_at_registration(tree: Call, problem: str) -> None:
    with pytest.raises(InvalidSubscription, match=problem.replace("(", r"\(")):
        compile_expressions("s", Branch([("?x", "<urn:p>", "?y")], [tree]))


def test_a_constraint_of_many_subscriptions_is_evaluated_once_for_each_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-ToPSS, section 6: "only evaluating unique constraint once by exploiting the overlap among constraints"."""
    evaluated: list[object] = []
    holds = CompiledTest.holds

    def counting(test: CompiledTest, values: RowValues, context: EvaluationContext) -> bool:
        evaluated.append(values["?t"])  # type: ignore[index]
        return holds(test, values, context)

    monkeypatch.setattr(CompiledTest, "holds", counting)
    engine = Engine()
    for number in range(20):
        engine.add(f"SELECT ?t {{ ?x <urn:p> ?t ; <urn:q> {number} FILTER(STRLEN(?t) > 3) }}", id=f"s{number}")
    item = [("<urn:a>", "<urn:p>", literal(text)) for text in ("a long title", "abc")]
    report = engine.match([*item, *(("<urn:a>", "<urn:q>", number) for number in range(20))])
    assert len(report.subscription_ids) == 20
    assert sorted(map(str, evaluated)) == ['"a long title"', '"abc"']
