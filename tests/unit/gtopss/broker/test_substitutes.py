from __future__ import annotations

import threading

from gtopss.broker.errors import StoreUnavailable
from gtopss.broker.substitutes import Substitutes


def test_a_substitute_works_while_a_task_takes_long() -> None:
    substitutes, done = Substitutes(0.001, 1, "more"), threading.Event()
    with substitutes.stand_by(done.set):
        assert done.wait(60)
    substitutes.close()


def test_a_short_task_needs_no_substitute() -> None:
    substitutes, done = Substitutes(3_600.0, 1, "more"), threading.Event()
    with substitutes.stand_by(done.set):
        pass
    substitutes.close()
    assert not done.is_set()


def test_no_more_substitutes_run_than_may() -> None:
    substitutes, begun, released = Substitutes(0.001, 1, "more"), threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert released.wait(60)

    with substitutes.stand_by(wait):
        assert begun.wait(60)
        refused = threading.Event()
        substitutes._start(refused.set)
        released.set()
    substitutes.close()
    assert not refused.is_set()


def test_a_store_that_is_away_ends_a_substitute_only() -> None:
    substitutes, done = Substitutes(0.001, 1, "more"), threading.Event()

    def fail() -> None:
        done.set()
        raise StoreUnavailable("sqlite:x", "away")

    with substitutes.stand_by(fail):
        assert done.wait(60)
    substitutes.close()
