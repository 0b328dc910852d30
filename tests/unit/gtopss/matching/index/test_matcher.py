"""The fast index: what the contract does not ask of every matcher."""

from __future__ import annotations

import threading

import pytest
from support.index_publications import P, clique, node, ring

from gtopss import Engine, Publication, Subscription
from gtopss.errors import GtopssError
from gtopss.matching.index import matcher
from gtopss.model.expressions import compare
from gtopss.model.terms import Term


def test_a_subscription_that_is_too_much_work_is_named_and_the_others_are_answered() -> None:
    engine = Engine(work_limit=10_000)
    path = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d")]
    engine.add(Subscription("four", path, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("one", [(node(0), P, "?x")]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("one",)
    ((name, work, limit),) = report.exceeded
    assert (name, limit) == ("four", "work_limit")
    assert work > 10_000
    assert next(iter(engine.costs())) == "four"


def test_rows_found_before_the_limit_are_reported_as_truncated() -> None:
    engine = Engine(work_limit=1_000, row_limit=10**6)
    engine.add(Subscription("s", [("?a", P, "?b"), ("?b", P, "?c")]))
    report = engine.match(clique(40))
    (match,) = report
    assert match.truncated
    assert 0 < len(match.solutions) < 40**3
    assert [each.subscription_id for each in report.exceeded] == ["s"]


def test_costs_belong_to_the_fast_index() -> None:
    with pytest.raises(GtopssError, match="needs the matcher 'gm'"):
        Engine(matcher="naive").costs()
    with pytest.raises(GtopssError, match="steps"):
        Engine(work_limit=0)


def test_threads_add_remove_and_match_at_once() -> None:
    """What is registered throughout is always found; what comes and goes is found only while it is there."""
    engine = Engine()
    for number in range(50):
        engine.add(Subscription(f"stays{number}", [("?x", P, node(number))]))
    publication = Publication("p", [(node(0), P, node(i)) for i in range(60)])
    stop, wrong = threading.Event(), list[object]()

    def come_and_go(name: str) -> None:
        for number in range(150):
            engine.add(Subscription(f"{name}{number}", [("?x", P, node(number % 60)), ("?x", P, node(1))]))
            if name + str(number) not in engine.match(publication).subscription_ids:
                wrong.append((name, number, "missing"))
            engine.remove(f"{name}{number}")
            if name + str(number) in engine.match(publication).subscription_ids:
                wrong.append((name, number, "still there"))

    def watch() -> None:
        while not stop.is_set():
            found = engine.match(publication, bindings=False).subscription_ids
            if sum(each.startswith("stays") for each in found) != 50 or len(set(found)) != len(found):
                wrong.append(found)

    workers = [threading.Thread(target=come_and_go, args=(name,)) for name in ("a", "b")]
    watchers = [threading.Thread(target=watch) for _ in range(2)]
    for thread in (*workers, *watchers):
        thread.start()
    for thread in workers:
        thread.join()
    stop.set()
    for thread in watchers:
        thread.join()
    assert not wrong
    assert len(engine) == 50


@pytest.mark.parametrize("bindings", [True, False])
def test_other_subscriptions_do_not_change_the_rows_of_one(bindings: bool) -> None:
    """One that must see every row shares its pattern with one that wants few."""
    engine = Engine(row_limit=10, work_limit=20_000)
    engine.add(Subscription("few", [("?a", P, "?b"), ("?b", P, "?c")]))
    engine.add(Subscription("all", [("?a", P, "?b"), ("?b", P, "?c")], where=[compare("a", ">", "?c")]))
    report = engine.match(clique(40), bindings=bindings)
    (match,) = report
    assert match.subscription_id == "few"
    assert len(match.solutions) == (10 if bindings else 0)
    assert [each.subscription_id for each in report.exceeded] == ["all"]


def test_a_cheap_subscription_is_answered_beside_expensive_ones() -> None:
    engine = Engine()
    engine._matcher._publication_work_limit = 1_000
    for number in range(12):
        edges = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d"), ("?d", P, node(number))]
        engine.add(Subscription(f"dear{number}", edges, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("cheap", [(node(1), P, node(2))]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("cheap",)
    assert len(report.exceeded) == 12


def test_arguments_that_make_no_sense() -> None:
    for wrong in (0, -1, "x", True):
        with pytest.raises(GtopssError, match="batch"):
            Engine().match_many([], batch=wrong)
    with pytest.raises(GtopssError, match="steps"):
        Engine(work_limit=10**30)
    with pytest.raises(GtopssError, match="path"):
        Engine.open(None)  # type: ignore[arg-type]


def test_a_line_break_in_one_publication_is_its_own_error() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y")]))
    torn = Publication.trusted("torn", [(Term("<urn:a\nb>"), P, node(1))])
    one, other = engine.match_many([torn, ring(3)])
    assert "line break" in str(one.error)
    assert other.subscription_ids == ("s",)


@pytest.mark.parametrize(("limit", "truncated"), [("MAX_MATCH_VALUES", 5), ("MAX_PUBLICATION_VALUES", 4)])
def test_values_are_limited_as_rows_are(limit: str, truncated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, limit, 40)
    engine = Engine()
    for number in range(5):
        engine.add(Subscription(f"s{number}", [(node(number), P, "?b"), ("?b", P, "?c")]))
    report = engine.match(clique(20))
    assert len(report) == 5
    assert sum(match.truncated for match in report) >= truncated
    assert sum(len(match.solutions) for match in report) <= 5 * 40
