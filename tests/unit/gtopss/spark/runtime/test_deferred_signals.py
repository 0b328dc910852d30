"""Signals wait until the end of a block."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from threading import Thread

import pytest

from gtopss.spark.runtime import deferred_signals
from gtopss.spark.runtime.deferred_signals import signals_deferred


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """The signals that a handler has got."""
    numbers: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, frame: numbers.append(number))
    yield numbers
    signal.signal(signal.SIGHUP, before)


def test_a_signal_is_handled_at_the_end_once(handled: list[int]) -> None:
    with signals_deferred():
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
        assert handled == []
    assert handled == [signal.SIGHUP]
    signal.raise_signal(signal.SIGHUP)
    assert handled == [signal.SIGHUP] * 2


def test_a_second_signal_some_time_later_is_handled_at_once(
    handled: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deferred_signals, "URGENT_SECONDS", -1.0)
    with signals_deferred():
        signal.raise_signal(signal.SIGHUP)
        assert handled == []
        signal.raise_signal(signal.SIGHUP)
        assert handled == [signal.SIGHUP]


def test_an_interruption_is_raised_after_the_block() -> None:
    done = []

    def run() -> None:
        with signals_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("block")

    with pytest.raises(KeyboardInterrupt):
        run()
    assert done == ["block"]


def test_other_threads_may_use_it() -> None:
    done = []

    def run() -> None:
        with signals_deferred():
            done.append("block")

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert done == ["block"]
