from __future__ import annotations

import pytest

from gtopss.engine.preparation import prepare_subscription
from gtopss.language import subscription_from_text
from gtopss.matching.index.branch_plan import plan_branches
from gtopss.matching.index.query_plan import CountColumns, QueryPlan, count_holds
from gtopss.model import Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.model.terms import XSD, literal
from gtopss.operators import REGISTRY

TERMS: list[Term] = []
CODEC = SubscriptionCodec(lambda term: TERMS.append(term) or len(TERMS) - 1, TERMS.__getitem__, plan_branches)  # type: ignore[func-returns-value]


def encoded(text: str) -> EncodedSubscription:
    written = subscription_from_text(text, "q")
    made = prepare_subscription(written, text, REGISTRY, allow_cartesian=True, evaluates_queries=True)
    assert made.normal is not None
    return CODEC.encode(made.normal)


def plan(text: str) -> QueryPlan:
    made: QueryPlan = encoded(text).template.query_plan
    return made


def test_queries_that_differ_in_constants_of_their_rows_share_the_rest() -> None:
    text = "SELECT ?x ?n {{ ?x <urn:p> <urn:{}> OPTIONAL {{ ?x <urn:n> ?n }} }}"
    one, other = encoded(text.format("a")), encoded(text.format("b"))
    assert one.template is other.template
    made: QueryPlan = one.template.query_plan
    assert made.query(CODEC.constants(one)) is made.query(CODEC.constants(other))
    third = encoded("SELECT ?x ?n { ?x <urn:p> <urn:a> OPTIONAL { ?x <urn:m> ?n } }")
    assert third.template is one.template
    assert "<urn:m>" in str(made.query(CODEC.constants(third)).query)
    assert "<urn:b>" in str(made.whole_query(CODEC.constants(other)).query)


def test_aggregates_limits_and_repetitions_are_part_of_a_template() -> None:
    texts = (
        "SELECT (SUM(?y) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x",
        "SELECT (MAX(?y) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x",
        "SELECT ?x { ?x <urn:p> ?y } LIMIT 1",
        "SELECT ?x { ?x <urn:p> ?y } LIMIT 2",
        "SELECT ?x { ?x <urn:p> ?y . ?y <urn:q>* ?z }",
        "SELECT ?x { ?x <urn:p> ?y . ?y <urn:q>? ?z }",
    )
    assert len({encoded(text).template for text in texts}) == len(texts)


def test_what_decides_without_an_evaluation() -> None:
    assert plan("SELECT ?x ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }").is_decided_by_rows
    assert not plan("CONSTRUCT { ?x <urn:q> ?y } { ?x <urn:p> ?y }").is_decided_by_rows
    having = plan("SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(DISTINCT ?y) > 1)")
    assert having.count is not None
    assert (having.count.keys, having.count.counted) == ((0,), 1)
    assert plan("SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (SUM(?y) > 1)").count is None
    assert not plan("SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y }").uses_rows


@pytest.mark.parametrize(
    ("counted", "number", "expected"),
    [
        (-1, literal("3", XSD + "integer"), True),
        (-1, literal("4", XSD + "integer"), False),
        (1, literal("2", XSD + "integer"), True),
        (1, literal("3", XSD + "integer"), False),
        (-1, literal("3.0", XSD + "decimal"), None),
        (-1, literal("x"), None),
    ],
)
def test_counts_of_groups(counted: int, number: Term, expected: bool | None) -> None:
    test = CountColumns((0,), counted, int.__ge__, 0)
    assert count_holds(test, number, [7, 1, 7, 1, 7, 2, 8, 1], range(0, 8, 2)) is expected
