"""The matcher that starts without compiled code and changes to `gm` when a job is large."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from gtopss import Engine, Publication
from gtopss.errors import DuplicateSubscription, SubscriptionNotFound
from gtopss.matching import auto
from gtopss.matching.auto import AutoMatcher
from gtopss.matching.index import warmup

TO_B = "SELECT ?x { ?x <urn:p> <urn:b> }"
EVENT = [("<urn:a>", "<urn:p>", "<urn:b>"), ("<urn:a>", "<urn:q>", "<urn:c>")]


@pytest.fixture
def engine() -> Engine:
    engine = Engine(matcher="auto")
    engine.add(TO_B, id="to-b")
    return engine


def uses(engine: Engine) -> str:
    matcher = engine._core.matcher
    assert isinstance(matcher, AutoMatcher)
    return matcher.uses


def tick_each(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let matching one publication take so many seconds."""
    ticks = itertools.count()
    monkeypatch.setattr(auto, "perf_counter", lambda: next(ticks) * seconds)


def test_a_small_job_loads_neither_numba_nor_numpy() -> None:
    code = """if True:
        import sys
        from gtopss import Engine, Publication
        engine = Engine(matcher="auto")
        engine.add("SELECT ?x { ?x <urn:p> <urn:b> }")
        assert len(engine.match([("<urn:a>", "<urn:p>", "<urn:b>")])) == 1
        print(*{"numba", "numpy", "gtopss.compiled"} & set(sys.modules))
    """
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_a_long_job_continues_with_compiled_code(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "has_compiled_code", lambda: True)
    tick_each(monkeypatch, auto.LOADING_SECONDS / 2)
    reports = list(engine.match_many([EVENT] * 5))
    assert [report.subscription_ids for report in reports] == [("to-b",)] * 5
    assert uses(engine) == "gm"
    assert [report.subscription_ids for report in engine.match_many([EVENT] * 2)] == [("to-b",)] * 2


def test_kernels_that_are_not_compiled_are_compiled_only_for_a_longer_job(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "has_compiled_code", lambda: False)
    tick_each(monkeypatch, auto.COMPILING_SECONDS / 3)
    list(engine.match_many([EVENT] * 2))
    assert uses(engine) == "reference"
    list(engine.match_many([EVENT] * 2))
    assert uses(engine) == "gm"


def test_many_subscriptions_start_compiled_code_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "has_compiled_code", lambda: True)
    monkeypatch.setattr(auto, "MAX_SMALL_JOB_SUBSCRIPTIONS", 2)
    engine = Engine(matcher="auto")
    engine.add(TO_B, id="to-b")
    engine.add(TO_B, id="again")
    assert uses(engine) == "reference"
    engine.add(TO_B, id="third")
    assert uses(engine) == "gm"
    assert set(engine.match(EVENT).subscription_ids) == {"to-b", "again", "third"}


def test_kernels_that_are_not_compiled_are_compiled_only_for_very_many_subscriptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(warmup, "has_compiled_code", lambda: False)
    monkeypatch.setattr(auto, "MAX_SMALL_JOB_SUBSCRIPTIONS", 2)
    monkeypatch.setattr(auto, "MAX_UNCOMPILED_SUBSCRIPTIONS", 4)
    engine = Engine(matcher="auto")
    for number in range(4):
        engine.add(TO_B, id=str(number))
        assert uses(engine) == "reference"
    engine.add(TO_B, id="fifth")
    assert uses(engine) == "gm"
    assert len(engine.match(EVENT)) == 5


def test_a_subscription_that_reaches_a_limit_is_matched_again_by_gm(engine: Engine) -> None:
    """All edges have triples. The join tries two million rows, and none of them closes the circle."""
    engine.add("ASK { ?a <urn:e> ?b . ?b <urn:f> ?c . ?c <urn:g> ?a }", id="dead end")
    names = range(130)
    circle = [
        *((f"<urn:a{a}>", "<urn:e>", f"<urn:b{b}>") for a in names for b in names),
        *((f"<urn:b{b}>", "<urn:f>", f"<urn:c{c}>") for b in names for c in names),
        *((f"<urn:c{c}>", "<urn:g>", "<urn:elsewhere>") for c in names),
    ]
    (report,) = engine._core.matcher._matcher.match_many([Publication("circle", circle)])
    assert [each.subscription_id for each in report.exceeded] == ["dead end"]
    assert engine.match([*EVENT, *circle]).subscription_ids == ("to-b",)
    assert uses(engine) == "gm"


def test_subscriptions_can_be_removed_and_read_before_and_after_the_change(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = engine.subscription("to-b")
    monkeypatch.setattr(warmup, "has_compiled_code", lambda: True)
    monkeypatch.setattr(auto, "MAX_SMALL_JOB_SUBSCRIPTIONS", 1)
    engine.add("SELECT ?x { ?x <urn:q> <urn:c> }", id="to-c")
    assert uses(engine) == "gm"
    assert engine.subscription("to-b") == written
    with pytest.raises(DuplicateSubscription):
        engine.add(TO_B, id="to-b")
    engine.remove("to-b")
    assert engine.match(EVENT).subscription_ids == ("to-c",)
    with pytest.raises(SubscriptionNotFound):
        engine.remove("to-b")
