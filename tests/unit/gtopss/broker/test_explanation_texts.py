from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import about, memory_broker, says

from gtopss.broker import explanation_texts
from gtopss.broker.broker import Broker

RSS, ITEM = "http://purl.org/rss/1.0/", "<urn:item:1>"
STAR = [
    (ITEM, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{RSS}item>"),
    (ITEM, f"<{RSS}title>", '"Star City"'),
]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with memory_broker() as made:
        yield made


def test_a_short_form_is_explained_condition_by_condition(broker: Broker) -> None:
    mine = broker.subscribe("star -author:bot", form="short")
    broker.publish([STAR])
    broker.run_pending()
    tried = broker.check("star -author:bot", form="short").dry_run.matches[0]
    notified = broker.notifications(mine.id, mine.ticket)[0].why()
    for why in (tried.why, notified):
        assert why is not None
        assert [line.split()[:2] for line in why.splitlines()[1:]] == [["✔", "star"], ["✔", "-author:bot"]]


def test_a_near_miss_of_a_short_form_names_the_condition(broker: Broker) -> None:
    broker.publish([STAR])
    near = broker.check("star author:bot", form="short").dry_run.nearest[0]
    assert "✔ star" in near.why
    assert "✘ author:bot" in near.why


def test_a_long_short_form_is_explained_as_its_query(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.publish([STAR])
    monkeypatch.setattr(explanation_texts, "MAX_SHORT_FORM_CHARACTERS", 3)
    assert "rss:title" in broker.check("star", form="short").dry_run.matches[0].why


@pytest.mark.parametrize("form", ["sparql", "short"])
def test_a_long_explanation_is_cut(broker: Broker, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    text = about("a") if form == "sparql" else "star"
    broker.publish([says("p", "a"), STAR])
    whole = broker.check(text, form=form).dry_run.matches[0].why  # type: ignore[arg-type]
    monkeypatch.setattr(explanation_texts, "MAX_WHY_CHARACTERS", 20)
    assert len(broker.check(text, form=form).dry_run.matches[0].why) < len(whole)  # type: ignore[arg-type]
