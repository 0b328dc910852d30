"""Segments are merged in the background."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from support.index_publications import P, node

from gtopss import Engine, Publication, Subscription
from gtopss.matching.index import merging
from gtopss.matching.index.matcher import IndexMatcher
from ontology import Taxonomy


def test_merging_happens_behind_the_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", 2)
    engine = Engine()
    for number in range(400):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number))]))
        assert len(engine.match([(node(0), P, node(number))])) == 1
    merger = engine._core.matcher._writer.merger._thread
    if merger is not None:
        merger.join(60)
    assert len(engine._core.matcher.segments()) <= 8
    assert engine.match([(node(0), P, node(i)) for i in range(400)]).counters.matched == 400


def test_a_merge_reads_once_which_subscriptions_are_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is removed while the background merges would else keep one of its branches, and its slot be given away."""
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", 1)
    merge, shared = merging.merge_index_segments, list[bool]()

    def watched(segments: Any, alive: Any, *entries: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            shared.append(np.shares_memory(alive, matcher._writer.slots.alive))
        return merge(segments, alive, *entries)

    monkeypatch.setattr(merging, "merge_index_segments", watched)
    matcher = IndexMatcher(Taxonomy())
    for number in range(50):
        matcher.add(Subscription(f"s{number}", [("?x", P, node(number))]))
        matcher.match(Publication("p", [(node(0), P, node(number))]))
    matcher.optimise()
    assert shared
    assert not any(shared)
    assert matcher.segments() == [50]
