from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.checking import nearest
from gtopss.checking.nearest import nearest_item, nearest_subscriptions
from gtopss.errors import GtopssError
from gtopss.model import Publication

ITEMS = [
    Publication(f"urn:{n}", [("<urn:x>", "<urn:p>", '"a"'), ("<urn:x>", "<urn:n>", n), ("<urn:x>", "<urn:q>", '"b"')])
    for n in range(3)
]


@pytest.fixture
def engine() -> Engine:
    made = Engine(matcher="naive")
    made.add("ASK { ?x <urn:p> ?a ; <urn:q> ?b }", id="matches")
    made.add("ASK { ?x <urn:p> ?a ; <urn:r> ?b }", id="one missing")
    made.add("ASK { ?x <urn:p> ?a ; <urn:q> ?b ; <urn:n> ?n FILTER(?n > 7) }", id="wrong value")
    made.add("ASK { ?x <urn:z> ?a }", id="far")
    return made


def test_the_nearest_subscriptions_of_an_item(engine: Engine) -> None:
    assert [each.subscription_id for each in nearest_subscriptions(engine, ITEMS[0], 5)] == [
        "wrong value",
        "one missing",
    ]
    assert [each.subscription_id for each in nearest_subscriptions(engine, ITEMS[0], 1)] == ["wrong value"]


def test_the_nearest_item_of_a_subscription(engine: Engine) -> None:
    worse = Publication("urn:worse", [("<urn:x>", "<urn:q>", '"b"')])
    found = nearest_item(engine, "wrong value", [worse, *ITEMS])
    assert found is not None
    assert found.publication_id == "urn:0"
    assert nearest_item(engine, "wrong value", []) is None


def test_too_many_subscriptions_are_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "MAX_EXPLAINED_SUBSCRIPTIONS", 3)
    with pytest.raises(GtopssError, match="MAX_EXPLAINED_SUBSCRIPTIONS"):
        nearest_subscriptions(engine, ITEMS[0], 5)
