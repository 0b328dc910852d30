"""Examine the text of a subscription, when it is registered or only checked.

    text ──> warnings ──> other subscriptions of the owner ──> dry run over retained publications ──> forecast

The dry run matches the newest retained publications in an engine of its own, with the limits of the broker's engine,
and explains a few that matched and a few that came near. Operators are not called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from gtopss.broker.config import DAY, BrokerConfig
from gtopss.broker.covering import covers
from gtopss.broker.explanation_texts import explanation_text, is_explained_by_conditions
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.owner_rows import ANONYMOUS
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.store import Store
from gtopss.broker.subscription_texts import ReadText, add_quietly, condition_queries, read_text
from gtopss.checking.nearest import nearest_items
from gtopss.checking.run_observer import RunObserver
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.explain import Explanation
from gtopss.explain.closeness import is_partly_met
from gtopss.feeds.entries import entry_of
from gtopss.matching.table import MATCHERS
from gtopss.model import Publication

MAX_COMPARED_SUBSCRIPTIONS = 200
"""Subscriptions of the same owner that a new one is compared with: the newest."""
MAX_DRY_RUN_BYTES = 16 * 2**20
"""Text of the publications of a dry run together; fewer publications are tried if they are large."""
MAX_EXPLAINED_MATCHES = 3
"""Publications that matched in a dry run and are explained: the newest."""
MAX_EXPLAINED_NEAR = 20
"""Publications that did not match among which the nearest to a query are looked for: the newest. For a short form, all
publications of the dry run are compared with each of its conditions."""
MAX_NEAR_CONDITIONS = 10
"""Conditions of a short form that are compared with all publications of the dry run. Further ones are ignored."""
MAX_SHOWN_NEAR = 3
"""Publications that came nearest and are explained."""
MIN_FORECAST_SECONDS = 3_600.0
"""Time that the publications of a dry run must span for a forecast."""


@dataclass(frozen=True, slots=True)
class TriedPublication:
    """A publication of a dry run, and why it matched or what it lacked."""

    id: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """Which of the newest retained publications a subscription matches."""

    publications: int
    matched: int
    since: float | None
    """When the oldest of the publications was received; None if there is none."""
    matches: tuple[TriedPublication, ...] = ()
    """The newest that matched."""
    nearest: tuple[TriedPublication, ...] = ()
    """Those of the newest that did not match and came nearest. If enough matched, they meet some conditions."""
    note: str | None = None
    """Why no publication was tried, if none was."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The result of examining the text of a subscription."""

    query: str
    """The query that is registered: what the short form means."""
    warnings: tuple[str, ...]
    """Mistakes, or what may be one."""
    equal: tuple[str, ...]
    """Subscriptions of the same owner that match the same publications."""
    covering: tuple[str, ...]
    """Subscriptions of the same owner that match all publications that this one matches, and maybe more."""
    covered: tuple[str, ...]
    """Subscriptions of the same owner that match only publications that this one matches too."""
    dry_run: DryRun
    per_day: float | None
    """Forecast of matches per day; None if too little is known."""
    steps: float
    """What it costs: the steps of the engine per publication in the dry run."""
    calls_operators: bool

    @property
    def forecast(self) -> str:
        """The forecast in words.

        >>> from dataclasses import replace
        >>> registration = Registration("", (), (), (), (), DryRun(0, 0, None), None, 0.0, False)
        >>> registration.forecast, replace(registration, per_day=11.7).forecast
        ('not known yet', 'about 12 a day')
        """
        if self.per_day is None:
            return "not known yet"
        if self.per_day >= 1:
            return f"about {self.per_day:,.0f} a day"
        return f"about {self.per_day * 30:,.0f} a month" if self.per_day * 30 >= 1 else "less than one a month"


@dataclass(frozen=True, slots=True)
class _Trial:
    """A text in an engine of its own."""

    engine: Engine
    read: ReadText
    text: str
    form: str

    def explained(self, item: Publication) -> TriedPublication:
        return self._tried(item, self.engine.explain(item, self.read.subscription.id))

    def nearest(self, missed: Sequence[Publication], *, partly_met: bool) -> tuple[TriedPublication, ...]:
        """Return those that came nearest. With `partly_met`, they meet some of the conditions."""
        by_conditions = is_explained_by_conditions(self.text, self.form)
        if by_conditions and (near := self._meeting_conditions(missed)):
            return tuple(map(self.explained, near))
        if by_conditions and partly_met:
            return ()
        newest = {each.id: each for each in missed[-MAX_EXPLAINED_NEAR:]}
        explained = nearest_items(self.engine, self.read.subscription.id, list(newest.values()), MAX_SHOWN_NEAR)
        return tuple(
            self._tried(newest[each.publication_id], each)
            for each in explained
            if any(is_partly_met(one) if partly_met else one.matched_edges for one in each.branches)
        )

    def _meeting_conditions(self, missed: Sequence[Publication]) -> list[Publication]:
        """Return the items that meet the most conditions of a short form; of equal ones, the newest first."""
        engine = self.engine.without_subscriptions()
        for number, query in enumerate(condition_queries(engine, self.text)[:MAX_NEAR_CONDITIONS]):
            add_quietly(engine, read_text(query, "sparql", str(number), engine).subscription)
        reports = engine.match_many(list(missed), bindings=False) if len(engine) else []
        counts = [(len(report), place) for place, report in enumerate(reports) if len(report)]
        return [missed[place] for _, place in sorted(counts, reverse=True)[:MAX_SHOWN_NEAR]]

    def _tried(self, item: Publication, explanation: Explanation) -> TriedPublication:
        why = explanation_text(self.engine, self.text, self.form, item, explanation)
        return TriedPublication(item.id, entry_of(item).title, why)


class Registrar:
    """Examines subscriptions. Thread-safe; it does not use the broker's engine, only its settings and taxonomy."""

    def __init__(self, store: Store, engine: Engine, config: BrokerConfig) -> None:
        self._store, self._config = store, config
        self._engine = engine.without_subscriptions()
        capabilities = MATCHERS[engine.config.matcher].capabilities
        self._has_costs, self._has_segments = capabilities.costs, capabilities.segments

    def examine(
        self, text: str, form: str, id: str, owner: str, *, now: float, replaced: str | None = None
    ) -> Registration:
        """Return what is known about a text. `replaced` is the subscription that it replaces.

        Raises InvalidSubscription if the text cannot be registered.
        """
        read = read_text(text, form, id, self._engine)
        trial = self._engine.without_subscriptions()
        add_quietly(trial, read.subscription)
        dry_run, findings, steps = self._try(_Trial(trial, read, text, form))
        equal, covering, covered = self._compare(read, owner, now, replaced)
        return Registration(
            read.query,
            (*read.warnings, *findings),
            equal,
            covering,
            covered,
            dry_run,
            _per_day(dry_run, now),
            steps,
            read.calls_operators,
        )

    def _try(self, tried: _Trial) -> tuple[DryRun, tuple[str, ...], float]:
        """Return the dry run, what the checks found, and the steps per publication."""
        trial, read = tried.engine, tried.read
        observer = RunObserver(trial)
        if read.calls_operators:
            note = "it calls operators, which a dry run does not do"
            return DryRun(0, 0, None, note=note), tuple(each.message for each in observer.findings()), 0.0
        rows = self._store.read(self._newest)
        if self._has_segments:
            trial.optimise()  # steps are counted in segments
        matched, missed = list[Publication](), list[Publication]()
        items = [row.publication() for row in rows]
        for item, report in zip(items, trial.match_many(items, bindings=False), strict=True):
            observer.observe(item, report)
            (matched if len(report) else missed).append(item)
        steps = trial.costs().get(read.subscription.id, 0) / len(items) if items and self._has_costs else 0.0
        dry_run = DryRun(
            len(items),
            len(matched),
            rows[0].received_at if rows else None,
            tuple(tried.explained(item) for item in matched[: -MAX_EXPLAINED_MATCHES - 1 : -1]),
            tried.nearest(missed, partly_met=len(matched) >= MAX_EXPLAINED_MATCHES),
        )
        return dry_run, tuple(each.message for each in observer.findings()), steps

    def _newest(self, connection: Connection) -> list[PublicationRow]:
        return publication_rows.newest(connection, self._config.dry_run_publications, bytes_limit=MAX_DRY_RUN_BYTES)

    def _compare(
        self, read: ReadText, owner: str, now: float, replaced: str | None
    ) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the owner's subscriptions that are equal, that cover this one, and that it covers."""
        if owner == ANONYMOUS or read.normal is None:
            return (), (), ()
        rows = self._store.read(
            lambda connection: subscription_rows.of_owner(connection, owner, limit=MAX_COMPARED_SUBSCRIPTIONS)
        )
        equal, covering, covered = list[str](), list[str](), list[str]()
        for row in rows:
            if row.id == replaced or row.calls_operators or not row.is_active(now):
                continue
            try:
                other = read_text(row.query, row.form, row.id, self._engine).normal
            except GtopssError:  # registered with other settings or another ontology
                continue
            if other is not None:
                is_covering, is_covered = covers(other, read.normal), covers(read.normal, other)
                kind = equal if is_covering and is_covered else covering if is_covering else covered
                if is_covering or is_covered:
                    kind.append(row.id)
        return tuple(equal), tuple(covering), tuple(covered)


def _per_day(dry_run: DryRun, now: float) -> float | None:
    """Return the matches per day since the oldest publication of the dry run was received."""
    if dry_run.since is None or now - dry_run.since < MIN_FORECAST_SECONDS:
        return None
    return dry_run.matched / (now - dry_run.since) * DAY
