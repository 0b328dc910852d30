"""Run changes of the broker's database in groups that one thread commits, and reads beside them.

    write(change) ──> waiting changes ──> one thread: BEGIN, each change, COMMIT ──> results

Callers that write at the same time share one commit (group commit), because a durable commit costs the same for one
change as for a hundred. A change that raises an error is undone by itself and does not affect the others: the group is
run again with a savepoint for each change. Savepoints are not made before they are needed, because two statements for
each change cost as much as a simple change, and more than 64 savepoints slow down all connections of PostgreSQL.

An error of the database itself ends the transaction of the whole group. After a conflict with another broker or a lost
connection the group is run again, at most `MAX_GROUP_ATTEMPTS` times; if it still fails, or the disk is full, its
changes are run one by one, so that the callers of those that succeed get their results, and the others
`StoreUnavailable`. The next group tries again, so that a store works as soon as the cause is gone.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from gtopss.broker.errors import InvalidStore, NewerStore, OutcomeUnknown, StoreClosed, StoreError, StoreUnavailable
from gtopss.broker.store.database import Database, Failure
from gtopss.errors import GtopssError

T = TypeVar("T")
Item = TypeVar("Item")
Change = Callable[[Connection], T]
"""Reads and writes rows in a transaction. It may run more than once, so it has no effect outside the database."""
BulkChange = Callable[[Connection, Sequence[Item]], Sequence[T]]
"""Does the same for several items and returns one result for each of them, in their order."""

MAX_GROUP_CHANGES = 256
"""Changes that are committed together."""
MAX_WAITING_CHANGES = 16_384
"""Changes that wait for a commit; above this `submit` waits."""
MAX_GROUP_ATTEMPTS = 6
"""Runs of a group that conflicts with another broker, or whose connection is lost."""
FIRST_PAUSE_SECONDS = 0.05
"""The pause before the second run of a group; each further one is twice as long."""


@dataclass(slots=True, eq=False)
class _Task:
    """One submitted change, or one item of a bulk change."""

    call: Callable[..., Any]
    item: Any
    is_item: bool
    future: Future[Any] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class _Outcome:
    result: Any = None
    error: BaseException | None = None


class _ChangeFailed(Exception):
    """A change failed in a group without savepoints."""


class _CommitInterrupted(Exception):
    """The connection was lost during COMMIT. Carries the outcomes that are valid if the server has committed."""

    def __init__(self, outcomes: list[_Outcome]) -> None:
        self.outcomes = outcomes


class Store:
    """Run changes and reads on a database. Thread-safe.

    Row operations are functions that take a `Connection` (`subscription_rows`, `publication_rows` and so on); a caller
    composes them into one change, which is done whole or not at all.
    """

    def __init__(self, database: Database, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Start the thread that writes. The store owns the database and closes it."""
        self._database, self._pause = database, pause
        self._turn: AbstractContextManager[Any] = threading.RLock() if database.has_one_connection else nullcontext()
        self._waiting: deque[_Task] = deque()
        self._monitor = threading.Condition()
        self._closing = False
        self._newer: NewerStore | None = None
        self._group_number = 0
        self._thread = threading.Thread(target=self._run, name="gtopss-store", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The store's name in messages, without a password."""
        return self._database.name

    @property
    def durable(self) -> bool:
        """Whether what `write` has returned survives the end of the process and a power failure."""
        return self._database.durable

    def write(self, change: Change[T]) -> T:
        """Run a change and return its result when it is committed, and so durable if the store is."""
        return self.submit(change).result()

    def write_item(self, change: BulkChange[Item, T], item: Item) -> T:
        """Run a bulk change on an item, and return its result when it is committed."""
        return self.submit_item(change, item).result()

    def submit(self, change: Change[T]) -> Future[T]:
        """Run a change in the next group. The future has its result when the group is committed."""
        return self._add(_Task(change, None, is_item=False))

    def submit_item(self, change: BulkChange[Item, T], item: Item) -> Future[T]:
        """Run a bulk change on an item, in one call with the items that others submit for the same change.

        If the bulk change fails, it is run on each item alone, so that one bad item affects no other.
        """
        return self._add(_Task(change, item, is_item=True))

    def read(self, query: Change[T]) -> T:
        """Run a query on one consistent state of the database, beside the writing thread. It cannot write.

        A query whose connection is lost is run again, so it has no effect outside the database.
        """
        self._check_thread()
        for attempt in range(MAX_GROUP_ATTEMPTS):
            try:
                with self._turn, self._database.readers.connect() as connection, connection.begin():
                    return query(connection)
            except PoolTimeout as error:
                raise StoreUnavailable(self.name, "too many reads at the same time: try again later") from error
            except DBAPIError as error:
                failure = self._database.failure(error)
                if failure is Failure.CHANGE:
                    raise
                if failure not in (Failure.DISCONNECTED, Failure.CONFLICT) or attempt == MAX_GROUP_ATTEMPTS - 1:
                    raise self._store_error(error, failure) from error
                self._pause(FIRST_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("unreachable")

    def check(self) -> None:
        """Raise the error that a change would raise: StoreUnavailable, NewerStore and the like."""
        self.write(lambda connection: None)

    def close(self) -> None:
        """Commit what was submitted and close the database."""
        self._check_thread()
        with self._monitor:
            self._closing = True
            self._monitor.notify_all()
        self._thread.join()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a change must use its connection; it waits for itself if it uses the store")

    def _add(self, task: _Task) -> Future[Any]:
        self._check_thread()
        with self._monitor:
            while len(self._waiting) >= MAX_WAITING_CHANGES and not self._closing:
                self._monitor.wait()
            if self._newer is not None:
                raise self._newer
            if self._closing:
                raise StoreClosed(self.name)
            self._waiting.append(task)
            if len(self._waiting) == 1:
                self._monitor.notify_all()
        return task.future

    def _run(self) -> None:
        while group := self._next_group():
            try:
                self._settle(group)
            except BaseException as error:  # the callers must not wait forever, whatever went wrong
                for task in group:
                    if not task.future.done():
                        task.future.set_exception(error)

    def _next_group(self) -> list[_Task]:
        """Wait for changes and take a group of them; an empty one when the store is closed and all is done."""
        while True:
            with self._monitor:
                while not self._waiting and not self._closing:
                    self._monitor.wait()
                if not self._waiting:
                    return []
                count = min(len(self._waiting), MAX_GROUP_CHANGES)
                group = [self._waiting.popleft() for _ in range(count)]
                self._monitor.notify_all()
            # From here on a future cannot be cancelled.
            if group := [task for task in group if task.future.set_running_or_notify_cancel()]:
                return group

    def _settle(self, group: list[_Task]) -> None:
        """Run a group until it is committed or must be given up, and complete its futures."""
        try:
            outcomes = self._commit(group)
        except StoreError as error:
            if isinstance(error, NewerStore):
                self._newer = error
            cause = error.__cause__
            failure = self._database.failure(cause) if isinstance(cause, DBAPIError) else None
            if len(group) > 1 and failure in (Failure.CONFLICT, Failure.REFUSED):
                for task in group:
                    self._settle([task])
                return
            outcomes = [_Outcome(error=_copy(error)) for _ in group]
        for task, outcome in zip(group, outcomes, strict=True):
            if outcome.error is None:
                task.future.set_result(outcome.result)
            else:
                task.future.set_exception(outcome.error)

    def _commit(self, group: list[_Task]) -> list[_Outcome]:
        """Commit a group and return what became of its changes. Raises StoreError if nothing was stored."""
        uses_savepoints = False
        attempt = 0
        while True:
            self._group_number += 1
            try:
                return self._run_transaction(group, uses_savepoints)
            except _ChangeFailed:
                uses_savepoints = True
                continue
            except _CommitInterrupted as interrupted:
                if self._was_committed(interrupted.__cause__):
                    return interrupted.outcomes
            except DBAPIError as error:
                failure = self._database.failure(error)
                again = failure in (Failure.CONFLICT, Failure.DISCONNECTED)
                if not again or attempt + 1 >= MAX_GROUP_ATTEMPTS:
                    raise self._store_error(error, failure) from error
            # Two brokers that met in a deadlock do not pause for the same time.
            self._pause(FIRST_PAUSE_SECONDS * 2**attempt * random.uniform(0.5, 1))
            attempt += 1

    def _run_transaction(self, group: list[_Task], uses_savepoints: bool) -> list[_Outcome]:
        with self._turn, self._database.writer.connect() as connection:
            with connection.begin() as transaction:
                self._database.start_group(connection, self._group_number)
                outcomes: list[_Outcome] = []
                for run in _runs(group):
                    outcomes += self._run_change(connection, run, uses_savepoints)
                try:
                    transaction.commit()
                except DBAPIError as error:
                    if self._database.failure(error) is Failure.DISCONNECTED:
                        raise _CommitInterrupted(outcomes) from error
                    raise
            return outcomes

    def _run_change(self, connection: Connection, tasks: list[_Task], uses_savepoints: bool) -> list[_Outcome]:
        """Run one change, or one bulk change with its items. Raises errors that concern the whole group."""
        if uses_savepoints:
            connection.exec_driver_sql("SAVEPOINT change")
        try:
            results = _call(connection, tasks)
        except BaseException as error:
            if isinstance(error, NewerStore):
                raise
            if isinstance(error, DBAPIError) and self._database.failure(error) is not Failure.CHANGE:
                raise
            if not uses_savepoints:
                raise _ChangeFailed from error
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT change")
            if len(tasks) > 1:
                return [outcome for task in tasks for outcome in self._run_change(connection, [task], True)]
            outcomes = [_Outcome(error=error)]
        else:
            outcomes = [_Outcome(result) for result in results]
        if uses_savepoints:
            connection.exec_driver_sql("RELEASE SAVEPOINT change")
        return outcomes

    def _was_committed(self, cause: BaseException | None) -> bool:
        """Ask the server for the outcome of a group whose connection was lost during COMMIT."""
        reason: object = cause
        for attempt in range(MAX_GROUP_ATTEMPTS):
            self._pause(FIRST_PAUSE_SECONDS * 2**attempt)
            try:
                with self._database.writer.connect() as connection, connection.begin():
                    return self._database.was_committed(connection, self._group_number)
            except DBAPIError as error:
                reason = error.orig
        raise OutcomeUnknown(self.name, f"{_one_line(reason)}; repeat the change if it may be done twice") from cause

    def _store_error(self, error: DBAPIError, failure: Failure) -> GtopssError:
        if failure is Failure.DAMAGED:
            return InvalidStore(self.name, f"{_one_line(error.orig)}; restore it from a backup")
        return StoreUnavailable(self.name, _one_line(error.orig))


def _runs(group: list[_Task]) -> list[list[_Task]]:
    """Split a group into changes, and sequences of items of the same bulk change."""
    runs: list[list[_Task]] = []
    for task in group:
        if task.is_item and runs and runs[-1][0].is_item and runs[-1][0].call == task.call:
            runs[-1].append(task)
        else:
            runs.append([task])
    return runs


def _call(connection: Connection, tasks: list[_Task]) -> Sequence[Any]:
    call = tasks[0].call
    if not tasks[0].is_item:
        return [call(connection)]
    results: Sequence[Any] = call(connection, [task.item for task in tasks])
    if len(results) != len(tasks):
        raise RuntimeError(f"a bulk change returned {len(results)} results for {len(tasks)} items")
    return results


def _copy(error: StoreError) -> StoreError:
    """Return an equal error: each caller raises its own, in its own thread."""
    made = copy(error)
    made.__cause__ = error.__cause__
    return made


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split())
