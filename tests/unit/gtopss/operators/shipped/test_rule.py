"""The operator that runs a Datalog program."""

from __future__ import annotations

import pytest
from support.operator_stages import evaluate_call

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term
from gtopss.operators import InvalidOperator, OperatorStage, Registry
from gtopss.operators.shipped.rule import rule

POLICY = """
    police(X)    :- triple(X, "<urn:type>", "<urn:PoliceCar>").
    chases(X, Y) :- police(X), triple(X, "<urn:follows>", Y), not police(Y).
    reaches(X, Y) :- triple(X, "<urn:follows>", Y).
    reaches(X, Y) :- reaches(X, Z), triple(Z, "<urn:follows>", Y).
    busy :- chases(X, Y).
"""


def test_rules_compute_all_arguments() -> None:
    registry = Registry(
        [
            rule("chases", POLICY, predicate="chases", arity=2),
            rule("reaches", POLICY, predicate="reaches", arity=2),
            rule("busy", POLICY, predicate="busy", arity=0),
        ]
    )
    street = Publication(
        "p",
        [
            ("<urn:a>", "<urn:type>", "<urn:PoliceCar>"),
            ("<urn:a>", "<urn:follows>", "<urn:b>"),
            ("<urn:b>", "<urn:follows>", "_:c"),
        ],
    )
    assert evaluate_call(registry, "chases", "?x", "?y", publication=street) == (
        {Term("?x"): "<urn:a>", Term("?y"): "<urn:b>"},
    )
    assert len(evaluate_call(registry, "reaches", "<urn:a>", "?y", publication=street)) == 2
    assert evaluate_call(registry, "busy", publication=street) == ({},)
    assert evaluate_call(registry, "busy") is None


@pytest.mark.parametrize(
    "program",
    ["p(X + 1) :- p(X).", "p(f(X)) :- q(X).", "{a}.", "a ; b.", "p(1..3).", "#script (python) x #end.", "p(X :- q.",
     "#external a.", ":~ a. [1]", "#program other.", "a :- 1 = #count { X : p(X) }.", "#const n = 5."],
)  # fmt: skip
def test_programs_beyond_datalog_are_refused(program: str) -> None:
    with pytest.raises(InvalidOperator):
        rule("r", program, predicate="p", arity=1)


def test_a_program_without_a_single_model_is_unknown() -> None:
    registry = Registry([rule("r", "a :- not b. b :- not a.", predicate="a", arity=0)])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("r")])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "2 models" in report.undecided["s", 0][0].detail
