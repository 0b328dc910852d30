from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, memory_broker, says
from support.feed_samples import rss

from gtopss.broker import registration
from gtopss.broker.broker import Broker
from gtopss.errors import InvalidQuery
from gtopss.reading.documents import read_publications


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def broker(clock: TestClock) -> Iterator[Broker]:
    with memory_broker(clock=clock) as made:
        yield made


def test_the_dry_run_shows_what_matched_and_what_came_near(broker: Broker) -> None:
    broker.publish([says("far", "z", subject="y"), says("match", "a", "b"), says("near", "a")])
    found = broker.check("SELECT ?x { ?x <urn:p> <urn:a> . ?x <urn:p> <urn:b> }")
    assert (found.dry_run.publications, found.dry_run.matched) == (3, 1)
    assert [each.id for each in found.dry_run.matches] == ["match"]
    assert "urn:b" in found.dry_run.matches[0].why
    assert [each.id for each in found.dry_run.nearest] == ["near"]
    assert "urn:b" in found.dry_run.nearest[0].why


def test_the_dry_run_looks_at_the_newest_publications_only(clock: TestClock) -> None:
    with memory_broker(clock=clock, dry_run_publications=2) as broker:
        broker.publish([says("p1", "a"), says("p2", "b"), says("p3", "a")])
        found = broker.check(about("a"))
        assert (found.dry_run.publications, found.dry_run.matched) == (2, 1)


def test_the_forecast_counts_matches_since_the_oldest_publication(broker: Broker, clock: TestClock) -> None:
    broker.publish([says("p0", "a")])
    assert broker.check(about("a")).forecast == "not known yet"
    for hour in range(1, 13):
        clock.advance(3_600)
        broker.publish([says(f"p{hour}", "a" if hour % 2 else "b")])
    found = broker.check(about("a"))
    assert found.per_day == pytest.approx(14.0)
    assert found.forecast == "about 14 a day"
    assert broker.check(about("nothing")).forecast == "less than one a month"
    clock.advance(30 * 86_400)
    assert broker.check(about("a")).forecast == "about 7 a month"


def test_mistakes_are_named(broker: Broker) -> None:
    broker.publish([says("p", "a")])
    assert any("no item has the property" in each for each in broker.check("SELECT ?x { ?x <urn:pp> ?y }").warnings)
    assert any("?z" in each for each in broker.check("SELECT ?x ?z { ?x <urn:p> ?y }").warnings)
    never = broker.check("SELECT ?x { ?x <urn:p> ?y FILTER(?y = 1) FILTER(?y = 2) }")
    assert any("the subscription" in each for each in never.warnings)
    assert broker.check(about("a")).warnings == ()


def test_a_text_that_is_no_query_is_refused(broker: Broker) -> None:
    with pytest.raises(InvalidQuery):
        broker.check("SELECT")
    with pytest.raises(InvalidQuery):
        broker.check("nofield:x", form="short")


def test_the_short_form_shows_the_query_that_it_means(broker: Broker) -> None:
    found = broker.check("title:health", form="short")
    assert found.query.startswith("SELECT DISTINCT ?item")


def test_equal_and_covering_subscriptions_of_the_same_owner_are_named(broker: Broker, clock: TestClock) -> None:
    ann, bob = broker.create_owner("Ann"), broker.create_owner("Bob")
    equal = broker.subscribe("SELECT ?a { ?a <urn:p> <urn:a> . ?a <urn:q> ?z }", key=ann.key)
    wide = broker.subscribe("SELECT ?a { ?a <urn:p> ?b }", key=ann.key)
    narrow = broker.subscribe("SELECT * { ?a <urn:p> <urn:a> . ?a <urn:q> <urn:c> }", key=ann.key)
    broker.subscribe(about("other"), key=ann.key)
    broker.subscribe("SELECT ?a { ?a <urn:p> ?b }", key=bob.key)
    ended = broker.subscribe("SELECT ?a { ?a <urn:p> ?b }", key=ann.key, validity=5)
    clock.advance(5)
    text = "SELECT ?y { ?x <urn:q> ?y . ?x <urn:p> <urn:a> }"
    found = broker.check(text, key=ann.key)
    assert (found.equal, found.covering, found.covered) == ((equal.id,), (wide.id,), (narrow.id,))
    assert ended.id not in found.covering
    anonymous = broker.check(text)
    assert (anonymous.equal, anonymous.covering, anonymous.covered) == ((), (), ())
    again = broker.replace(equal.id, equal.ticket, text)
    assert again.equal == ()


def test_only_the_newest_subscriptions_are_compared(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "MAX_COMPARED_SUBSCRIPTIONS", 1)
    ann = broker.create_owner("Ann")
    for _ in range(2):
        broker.subscribe(about("a"), key=ann.key)
    assert len(broker.check(about("a"), key=ann.key).equal) == 1


def test_checking_registers_nothing(broker: Broker) -> None:
    broker.check(about("a"))
    broker.start()
    assert len(broker.followers()[0].engine) == 0


def test_the_dry_run_reads_a_limited_amount_of_text(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.publish([says(f"p{number}", "a") for number in range(5)])
    monkeypatch.setattr(registration, "MAX_DRY_RUN_BYTES", 60)  # a publication has 26
    assert broker.check(about("a")).dry_run.publications == 2


def test_few_publications_are_explained(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.publish([says(f"p{number}", "a" if number < 5 else "b") for number in range(10)])
    assert [each.id for each in broker.check(about("a")).dry_run.matches] == ["p4", "p3", "p2"]
    monkeypatch.setattr(registration, "MAX_EXPLAINED_NEAR", 2)
    text = "SELECT ?x { ?x <urn:p> <urn:b> . ?x <urn:q> ?y }"
    assert {each.id for each in broker.check(text).dry_run.nearest} == {"p8", "p9"}
    monkeypatch.setattr(registration, "MAX_SHOWN_NEAR", 1)
    assert len(broker.check(text).dry_run.nearest) == 1


def test_beside_enough_matches_only_what_meets_a_part_of_the_conditions_is_near(broker: Broker) -> None:
    broker.publish([says(f"p{number}", "a" if number < 5 else "b") for number in range(10)])
    ends_with = 'FILTER STRENDS(STR(?y), "{}")'.format
    one = broker.check(f"SELECT ?x {{ ?x <urn:p> ?y {ends_with('a')} }}").dry_run
    assert ([each.id for each in one.matches], one.nearest) == (["p4", "p3", "p2"], ())
    two = broker.check(f'SELECT ?x {{ ?x <urn:p> ?y {ends_with("a")} FILTER STRSTARTS(STR(?y), "urn") }}').dry_run
    assert [each.id for each in two.matches] == ["p4", "p3", "p2"]
    assert len(two.nearest) == 3
    assert {each.id for each in two.nearest} <= {f"p{number}" for number in range(5, 10)}


def test_items_that_meet_the_most_conditions_of_a_short_form_are_near(broker: Broker) -> None:
    titles = ["big red sun", "red", *["red moon"] * 3, *["earthquake"] * 30]
    items = (f"<item><guid>urn:{number}</guid><title>{each}</title></item>" for number, each in enumerate(titles))
    broker.publish(read_publications(rss("".join(items))))
    found = broker.check("red moon -sponsored", form="short").dry_run
    assert len(found.matches) == 3
    assert [each.title for each in found.nearest] == ["red", "big red sun"]
    first, *_ = broker.check("big red sun moon", form="short").dry_run.nearest
    assert first.title == "big red sun"
    assert broker.check("earthquake -sponsored", form="short").dry_run.nearest == ()


def test_only_the_first_conditions_of_a_short_form_are_compared(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = "".join(f"<item><guid>urn:{each}</guid><title>{each}</title></item>" for each in ("sun", "moon"))
    broker.publish(read_publications(rss(items)))
    monkeypatch.setattr(registration, "MAX_NEAR_CONDITIONS", 1)
    assert [each.title for each in broker.check("sun moon", form="short").dry_run.nearest] == ["sun"]
