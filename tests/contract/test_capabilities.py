"""Every matcher declares truthfully what it can do, and refuses the rest with an error that says so."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.matchers import every_matcher

from gtopss import MATCHERS, Engine, GtopssError, Publication, Subscription
from gtopss.errors import MalformedPublication
from gtopss.matching.matcher import Matcher
from gtopss.model.publication import TextPublication
from gtopss.model.terms import Term
from gtopss.snapshot_files import SnapshotReader, SnapshotWriter
from ontology import Taxonomy

SUBSCRIPTION = Subscription("s", [("?x", "<urn:p>", "?y")])
PUBLICATION = Publication("p", [("<urn:a>", "<urn:p>", "<urn:b>")])


@pytest.fixture(params=every_matcher("contract"))
def matcher(request: pytest.FixtureRequest) -> Matcher:
    made = MATCHERS[request.param](Taxonomy())
    made.add(SUBSCRIPTION)
    return made


def test_the_table_names_every_matcher_by_its_own_name() -> None:
    assert {name: cls.name for name, cls in MATCHERS.items()} == {name: name for name in MATCHERS}


def test_one_publication_is_a_batch_of_one(matcher: Matcher) -> None:
    (report,) = matcher.match_many([PUBLICATION])
    assert report == matcher.match(PUBLICATION)
    assert matcher.match_many([]) == []


def test_a_batch_is_answered_in_order(matcher: Matcher) -> None:
    empty = Publication("empty", [])
    reports = matcher.match_many([PUBLICATION, empty, PUBLICATION], row_limit=1)
    assert [report.publication_id for report in reports] == ["p", "empty", "p"]
    assert [report.subscription_ids for report in reports] == [("s",), (), ("s",)]


def test_text_and_triples_are_answered_alike(matcher: Matcher) -> None:
    text = TextPublication("p", b"<urn:a>\n<urn:p>\n<urn:b>\n", 1)
    assert matcher.match(text) == matcher.match(PUBLICATION)


def test_a_malformed_publication_does_not_stop_a_batch() -> None:
    """The index reads text, in which a term with a line break would become two."""
    matcher = MATCHERS["gm"](Taxonomy())
    matcher.add(SUBSCRIPTION)
    broken = Publication.trusted("broken", [(Term("<urn:a>"), Term("<urn:p>"), Term('"two\nlines"'))])
    reports = matcher.match_many([PUBLICATION, broken, PUBLICATION])
    assert [report.subscription_ids for report in reports] == [("s",), (), ("s",)]
    assert isinstance(reports[1].error, MalformedPublication)
    with pytest.raises(MalformedPublication):
        matcher.match(broken)


def test_work_limits_are_taken_or_refused(matcher: Matcher) -> None:
    if matcher.capabilities.work_limits:
        limited = type(matcher)(Taxonomy(), work_limit=1_000)
        triangle = [("?a", "<urn:p>", "?b"), ("?b", "<urn:p>", "?c"), ("?c", "<urn:p>", "?d")]
        limited.add(Subscription("big", triangle))
        nodes = [Term(f"<urn:n{number}>") for number in range(40)]
        clique = Publication.trusted("clique", [(a, Term("<urn:p>"), b) for a in nodes for b in nodes])
        assert [each.subscription_id for each in limited.match(clique, row_limit=10**6).exceeded] == ["big"]
    else:
        with pytest.raises(GtopssError, match="does not support work_limit"):
            type(matcher)(Taxonomy(), work_limit=1_000)


def test_saving_works_or_is_refused(matcher: Matcher, tmp_path: Path) -> None:
    writer = SnapshotWriter(tmp_path)
    if matcher.capabilities.saving:
        matcher.save(writer)
        reader = SnapshotReader(tmp_path, writer.finish())
        assert type(matcher).load(reader, Taxonomy()).match(PUBLICATION) == matcher.match(PUBLICATION)
    else:
        with pytest.raises(GtopssError, match=r"does not support save\(\)"):
            matcher.save(writer)
        with pytest.raises(GtopssError, match=r"does not support load\(\)"):
            type(matcher).load(SnapshotReader(tmp_path, writer.finish()), Taxonomy())


@pytest.mark.parametrize(
    ("method", "capability"),
    [
        ("costs", "costs"),
        ("optimise", "segments"),
        ("index_bytes", "segments"),
        ("affected_by_taxonomy", "taxonomy_changes"),
    ],
)
def test_optional_methods_work_or_are_refused(matcher: Matcher, method: str, capability: str) -> None:
    if getattr(matcher.capabilities, capability):
        matcher.match(PUBLICATION)
        getattr(matcher, method)()
    else:
        with pytest.raises(GtopssError, match=rf"does not support {method}\(\)"):
            getattr(matcher, method)()
        with pytest.raises(GtopssError, match=rf"{method}\(\) needs the matcher 'gm'"):
            getattr(Engine(matcher=matcher.name), method)()


def test_an_engine_may_be_used_by_several_threads(matcher: Matcher) -> None:
    """At once where the matcher declares threads; otherwise the engine makes them take turns."""
    engine = Engine(matcher=matcher.name)
    engine.add(SUBSCRIPTION)
    found: list[tuple[str, ...]] = []

    def work() -> None:
        found.extend(engine.match(PUBLICATION).subscription_ids for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [("s",)] * 80
