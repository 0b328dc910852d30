"""Run the steps of a broker in threads, until it is stopped.

    match      publications that wait, as soon as they are accepted        operators  their second step
    route      publications to shares, where there are several             shares     which ones are held
    expiry     notices and removals                                        deliver    what is due to be pushed
    feeds      feeds that are due                                          snapshot   the engine, now and then
    clean      old rows

A step is a function that does what is due and returns how much it has done. A worker calls its step again at once while
there is work; then it waits until it is woken, or until its pause is over, because other brokers may have made work. A
step that fails is logged, and called again after its pause: the store may be away for a while. If a newer program has
changed the tables of the store, all workers stop, with one line in the log.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from gtopss.broker.broker import Broker
from gtopss.broker.errors import NewerStore, StoreError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """A function that does the work that is due, and the longest pause between two calls without work, in seconds.

    A step that is woken more often than it has work has a `spacing`: after a call without work, so much time passes
    from its beginning until the next call. A call asks the store, which costs as much as to store a publication.
    """

    name: str
    run: Callable[[], int]
    pause: float
    spacing: float = 0.0


def broker_steps(broker: Broker, is_stopped: Callable[[], bool] = lambda: False) -> list[Step]:
    """Return the steps of a broker itself; deliveries and feeds have steps of their own."""
    return [
        Step("match", broker.matching.match_step, 0.5),
        Step("route", broker.routing.route_step, 0.5),
        Step("shares", lambda: broker.shares.refresh_if_due() + broker.resharing.reshare_step(), 1.0),
        Step("operators", lambda: broker.matching.operator_step(is_stopped), 0.5),
        # One thread asks the store often; the others are woken when there is something to do.
        *(
            Step("more operators", lambda: broker.matching.operator_step(is_stopped), 5.0)
            for _ in range(broker.config.operator_threads - 1)
        ),
        Step("expiry", lambda: broker.expiry.notice_step() + broker.expiry.removal_step(), 1.0),
        Step("snapshot", lambda: _no_more(broker.save_snapshots()), 5.0),
        Step("clean", lambda: _no_more(broker.delete_old(is_stopped)), 60.0),
    ]


def _no_more(_: int) -> int:
    return 0  # one call does all that is due


class Workers:
    """Threads that run the steps of a broker. A context manager: it starts them, and stops them at its end."""

    def __init__(self, broker: Broker, others: Iterable[Step] = ()) -> None:
        """Create the workers. `others` are the steps of deliveries and feeds: `Deliveries.steps`, `Feeds.steps`.

        Those that are named "deliver" and "followers" are woken when there are new notifications.
        """
        self._broker = broker
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self.stopped_by: NewerStore | None = None
        """Why the workers have stopped by themselves, if they have."""
        steps = (*broker_steps(broker, self._stopping.is_set), *others)
        self._workers = [_Worker(step, self._stopping, self._stop_by) for step in steps]

    def start(self) -> None:
        """Read the subscriptions, and start the threads."""
        self._broker.start()
        self._broker.when_published.append(self._wake_matching)
        self._broker.when_notified.append(self._wake_deliveries)
        self._broker.matching.when_operators_due.append(self._wake_operators)
        self._broker.matching.when_operators_claimed.append(self._wake_more_operators)
        for each in self._workers:
            each.thread.start()
        _log.info("the broker has started", extra={"broker": self._broker.id})

    def stop(self) -> None:
        """End the threads when the steps that run now are done. Nothing that was claimed is lost."""
        self._stopping.set()
        self._wake_all()
        for each in self._workers:
            if each.thread.ident is not None:
                each.thread.join()
        for calls, call in (
            (self._broker.when_published, self._wake_matching),
            (self._broker.when_notified, self._wake_deliveries),
            (self._broker.matching.when_operators_due, self._wake_operators),
            (self._broker.matching.when_operators_claimed, self._wake_more_operators),
        ):
            if call in calls:
                calls.remove(call)
        _log.info("the broker has stopped", extra={"broker": self._broker.id})

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _stop_by(self, error: NewerStore) -> None:
        with self._lock:
            if self.stopped_by is None:
                self.stopped_by = error
                _log.critical("the broker stops: %s", error, extra={"broker": self._broker.id})
        self._stopping.set()
        self._wake_all()

    def _wake_matching(self) -> None:
        self._wake("route", "match")

    def _wake_operators(self) -> None:
        self._wake("operators", "more operators")

    def _wake_more_operators(self) -> None:
        self._wake("more operators")

    def _wake_deliveries(self) -> None:
        self._wake("deliver", "followers")

    def _wake_all(self) -> None:
        self._wake(*(each.step.name for each in self._workers))

    def _wake(self, *names: str) -> None:
        for each in self._workers:
            if each.step.name in names:
                each.woken.set()


class _Worker:
    """One thread that runs one step."""

    def __init__(self, step: Step, stopping: threading.Event, stop_by: Callable[[NewerStore], None]) -> None:
        self.step, self._stopping, self._stop_by = step, stopping, stop_by
        self.woken = threading.Event()
        self.thread = threading.Thread(target=self._run, name=f"gtopss-{step.name}", daemon=True)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.woken.clear()
            began = time.monotonic()
            try:
                done = self.step.run()
            except NewerStore as error:
                self._stop_by(error)
                return
            except Exception as error:
                done = 0
                expected = isinstance(error, StoreError)  # it says all in one line
                _log.error("the step %s failed, and is tried again: %s", self.step.name, error, exc_info=not expected)
                self._stopping.wait(self.step.pause)
            if not done and not self._stopping.is_set():
                self.woken.wait(self.step.pause)
                self._stopping.wait(self.step.spacing - (time.monotonic() - began))
