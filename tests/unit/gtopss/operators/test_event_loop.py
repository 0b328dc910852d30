"""Async operators that block the event loop: only the loop is lost."""

from __future__ import annotations

import asyncio
import threading

from support.operator_stages import check_bystander, stage_with_bystander

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import OperatorLimits, OperatorStage, Registry

NOTHING = Publication("p", [])


def test_later_calls_get_a_new_loop_if_one_is_blocked(registry: Registry, released: threading.Event) -> None:
    @registry.operator("bad", timeout=0.05)
    async def bad(publication: Publication) -> bool:
        released.wait(30)
        return True

    @registry.operator("fine", timeout=5)
    async def fine(publication: Publication) -> bool:
        return True

    stage = stage_with_bystander(registry, "bad")
    check_bystander(stage, "timeout", "bad")
    stage.add(("after", 0), [call("fine")])
    assert ("after", 0) in stage.evaluate(NOTHING, {("after", 0): [{}]}).matched


def test_reports_name_the_operator_that_blocks_the_loop(registry: Registry, released: threading.Event) -> None:
    waiting = asyncio.Event()

    @registry.operator("bad", timeout=0.1, selectivity=0.01)
    async def bad(publication: Publication) -> bool:
        await waiting.wait()
        released.wait(30)
        return True

    @registry.operator("innocent", timeout=0.2)
    async def innocent(publication: Publication) -> bool:
        waiting.set()
        await asyncio.Event().wait()
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=2))
    stage.add(("bad", 0), [call("bad")])
    stage.add(("innocent", 0), [call("innocent")])
    report = stage.evaluate(NOTHING, {("bad", 0): [{}], ("innocent", 0): [{}]})
    assert "bad blocks the event loop" in str(report.undecided["innocent", 0][0])
    assert "blocks" not in str(report.undecided["bad", 0][0])


def test_a_blocked_loop_is_replaced_before_the_deadline(registry: Registry, released: threading.Event) -> None:
    """The operator's timeout is never reached, since the publication's deadline is earlier."""

    @registry.operator("bad", timeout=30, selectivity=0.01)
    async def bad(publication: Publication) -> bool:
        released.wait(30)
        return True

    @registry.operator("fine", timeout=30)
    async def fine(publication: Publication) -> bool:
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(seconds=1))
    stage.add(("bad", 0), [call("bad")])
    stage.add(("fine", 0), [call("fine")])
    for _ in range(3):
        report = stage.evaluate(NOTHING, {("bad", 0): [{}], ("fine", 0): [{}]})
        assert set(report.matched) == {("fine", 0)}
        assert set(report.undecided) == {("bad", 0)}
