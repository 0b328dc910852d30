"""Open a service in a thread, while the server answers that it starts.

The first start on a machine compiles the matching loops for a minute or more. A service with few subscriptions does not
wait for that: it begins with a broker whose matcher is `reference`, which needs no compiled code. When the loops are
compiled, a broker with the matcher `gm` takes over. Both use the same store, as several brokers may, so nothing is lost
and nothing is matched twice. Event streams end at that moment, and their clients connect again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from gtopss.broker.owners import NewOwner
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.statistics import read_statistics
from gtopss.broker.store.store import Store
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.http.app import create_app
from gtopss.http.server import freeze_memory
from gtopss.http.service import Progress, Service
from gtopss.http.settings import ServiceSettings
from gtopss.http.starting import StartingApp
from gtopss.matching.auto import MAX_SMALL_JOB_SUBSCRIPTIONS
from gtopss.matching.index.warmup import compile_kernels_elsewhere, has_compiled_code
from ontology import Taxonomy

FIRST_MATCHER = "reference"
"""Needs no compiled code."""


WhenOpen = Callable[[Service, NewOwner | None], None]
"""Called once, when the service is ready, with the administrator if one was created."""


class Opening:
    """Opens a service, and closes it. `starting` passes requests on to it as soon as that is possible."""

    def __init__(
        self,
        settings: ServiceSettings,
        starting: StartingApp,
        is_stopped: Callable[[], bool],
        *,
        progress: Progress = lambda message: None,
    ) -> None:
        """`is_stopped` is called while the loops are compiled: if it returns True, `open` returns soon."""
        self._settings, self._starting, self._is_stopped, self._progress = settings, starting, is_stopped, progress
        self._opened = ExitStack()

    def close(self) -> None:
        """Close the service, after `open` has returned."""
        self._opened.close()

    def open(self, when_open: WhenOpen) -> None:
        """Open the service. Raises a GtopssError."""
        store = self._opened.enter_context(open_store(self._settings.store))
        if has_compiled_code() or not _has_few_subscriptions(store):
            self._open_compiled(store, when_open)
        else:
            self._open_before_compiling(store, when_open)

    def _open_compiled(self, store: Store, when_open: WhenOpen) -> None:
        service = self._opened.enter_context(Service(self._settings, store=store, progress=self._progress))
        administrator = self._prepare(service)
        self._starting.waiting_for = "it compiles the matching loops, which takes about a minute at the first start"
        self._starting.pass_on(create_app(service), service.live.close)
        compile_kernels_elsewhere(self._is_stopped)
        if not self._is_stopped():
            self._run(service)
            when_open(service, administrator)

    def _open_before_compiling(self, store: Store, when_open: WhenOpen) -> None:
        settings = replace(
            self._settings,
            engine=replace(self._settings.engine, matcher=FIRST_MATCHER),
            broker=replace(self._settings.broker, snapshot_folder=None),  # snapshots are of the other matcher
        )
        with ExitStack() as opened:
            first = opened.enter_context(Service(settings, store=store, progress=self._progress))
            administrator = self._prepare(first)
            self._starting.pass_on(create_app(first), first.live.close)
            self._run(first)
            when_open(first, administrator)
            compile_kernels_elsewhere(self._is_stopped)
            try:
                if not self._is_stopped():
                    self._take_over(store, first.taxonomy)
                    return
            except GtopssError as error:
                self._progress(f"the service continues without compiled matching loops, which is slower: {error}")
            self._opened.push(opened.pop_all())

    def _take_over(self, store: Store, taxonomy: Taxonomy) -> None:
        engine = Engine(self._settings.engine, taxonomy=taxonomy)
        service = self._opened.enter_context(Service(self._settings, store=store, engine=engine))
        service.broker.start()
        self._run(service)
        self._starting.change_to(create_app(service), service.live.close)
        self._progress("the matching loops are compiled")

    def _prepare(self, service: Service) -> NewOwner | None:
        administrator = service.create_administrator() if self._settings.keys_required else None
        self._starting.waiting_for = "it publishes the example feeds"
        service.prepare(self._progress)
        return administrator

    def _run(self, service: Service) -> None:
        service.run_workers()
        freeze_memory()
        self._starting.waiting_for = None


def _has_few_subscriptions(store: Store) -> bool:
    now = time.time()
    return store.read(lambda connection: read_statistics(connection, now)).subscriptions <= MAX_SMALL_JOB_SUBSCRIPTIONS
