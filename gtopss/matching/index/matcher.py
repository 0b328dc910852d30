"""G-ToPSS made fast: the merged graph GM in flat arrays, matched by compiled loops, changed while it is read.

The idea is the paper's (WWW 2005, section 4): one index of all subscriptions' edges, binding tables, joins. What
differs from `reference.py`, and why, is in docs/engine.md. The walk:

    subscription ──> record + plan ──> buffer ──> small segment ──(merging)──> large segments
                                                        │
    publications ──> text ──> numbers ──> is-a ──> each segment ──> rows ──> Python's checks ──> reports

A segment never changes. What is added waits in a buffer until it is worth a segment, or until a publication comes that
has all constants of something in there. What is removed is marked in `alive`. Small segments are merged into larger
ones by a thread of its own, so that an addition is moved about as often as there are powers of MERGE_RATIO. Matching
works on a snapshot and waits for none of this.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Self

import numpy as np

from gtopss.errors import (
    DuplicateSubscription,
    MalformedPublication,
    SubscriptionNotFound,
    UnsupportedSubscription,
)
from gtopss.matching.index.array_files import read_arrays, write_arrays
from gtopss.matching.index.branch_plan import BranchPlan, fill, plan_of, targets
from gtopss.matching.index.buffer import Buffer
from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.encode import Arrival, Reading, arrive
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.buffered import BufferedConstants, may_match_buffered
from gtopss.matching.index.kernels.is_a_edges import Closure
from gtopss.matching.index.kernels.layout import MEMBER_SLOT, PATTERN_FIRST_EDGE, PATTERN_FIRST_MEMBER
from gtopss.matching.index.kernels.search import SearchLimits, SearchResult, search
from gtopss.matching.index.kernels.terms import TermTable
from gtopss.matching.index.results import CHECK_WORK, Answers
from gtopss.matching.index.segment import Level, addresses_of, empty_level, give_back, merged, new_entries
from gtopss.matching.index.storage import read_records, read_segment, write_records, write_segment
from gtopss.matching.index.type_closure import Classes
from gtopss.matching.index.warmup import compile_kernels
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Capabilities, Matcher
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.model.terms import RDF_TYPE, Term
from ontology import Taxonomy

MERGE_RATIO = 8
"""A segment is merged with those after it once they hold an eighth of its entries."""
AT_ONCE = 512
"""Entries that a flush merges on the spot; more are merged in the background."""
BUFFERED = 50_000
"""Entries that wait for a match, where none comes, before they become a segment anyway."""
LARGE = 100_000
"""Entries of a segment whose merging leaves enough memory free to be given back."""
BUSY = 1.0
"""Seconds after a match in which whoever fills the buffer makes the segment, so that the next match need not."""
COMPARED = 16
"""Publications that are compared with what waits in the buffer; for more of them it becomes a segment at once."""
LARGEST = 30_000
"""Branches of a subscription, and variables of a branch."""
MOST_LEVELS = 24
"""Segments at which whoever adds must help with the merging."""
SUBSCRIPTION_WORK = 10_000_000
PUBLICATION_WORK = 100_000_000
"""Steps that one pattern, and all patterns of a segment together, may take in a publication unless told otherwise; a
pattern is never refused its first thousand."""


class _Snapshot(NamedTuple):
    """What one batch is matched against, whatever is added or removed meanwhile."""

    levels: tuple[Level, ...]
    alive: UInt8Array
    table: TermTable
    closure: Closure | None
    bounded: bool
    edgeless: Mapping[int, tuple[int, ...]]
    waiting: BufferedConstants | None


class IndexMatcher(Matcher):
    """The merged graph of all subscriptions. May be used from several threads, which match at the same time."""

    name = "gm"
    capabilities = Capabilities(
        batches=True, threads=True, text=True, work_limits=True, saving=True, costs=True, segments=True,
        taxonomy_changes=True,
    )  # fmt: skip

    def __init__(
        self, taxonomy: Taxonomy, *, work_limit: int | None = None, publication_work: int = PUBLICATION_WORK
    ) -> None:
        super().__init__(taxonomy, work_limit=work_limit)
        self.subscription_work = SUBSCRIPTION_WORK if work_limit is None else work_limit
        self.publication_work = publication_work
        self._lock = threading.RLock()
        self._dictionary = Dictionary()
        self._codec = SubscriptionCodec(self._dictionary.number, self._dictionary.text)
        self._type = self._dictionary.number(RDF_TYPE)
        self._classes = Classes(taxonomy, self._dictionary)
        self._plans: dict[int, tuple[BranchPlan, ...]] = {}  # by the identity of templates, which the codec keeps
        self._slots: dict[str, int] = {}
        self._records: list[EncodedSubscription | None] = []
        self._answers = Answers(self._records, self._codec, self._plans, taxonomy)
        self._alive: UInt8Array = np.zeros(64, np.uint8)
        self._free: list[int] = []
        self._released: list[int] = []  # free as soon as no match can still see them
        self._dead = 0  # subscriptions removed, but still in a segment or the buffer
        self._readers = 0
        self._buffer = Buffer(0)
        self._edgeless: dict[int, tuple[int, ...]] = {}
        self._levels: tuple[Level, ...] = ()
        self._bounds = 0  # subscriptions with bounds
        self._otherwise: set[int] = set()  # slots with is-a questions that are no edges
        self._version = taxonomy.version
        self._busy_until = 0.0
        self._gathering = 0
        self._merger: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._slots)

    # --- registration --------------------------------------------------------------------------------------

    def add(self, subscription: Subscription) -> None:
        with self._lock:
            if subscription.id in self._slots:
                raise DuplicateSubscription(subscription.id)
            _refuse_large(subscription)
            record = self._codec.encode(subscription)
            plan, constants = self._plan(record), record.numbers()
            if not self._readers:
                self._recycle()
            slot = self._free.pop() if self._free else len(self._records)
            if slot == len(self._records):
                self._records.append(None)
                if slot == len(self._alive):
                    self._alive = np.concatenate([self._alive, np.zeros_like(self._alive)])
            texts = self._dictionary.texts()
            entries = [(number, fill(each, constants, texts)) for number, each in enumerate(plan) if each.edges]
            self._keep(slot, record)
            for number, filled in entries:
                self._buffer.add(slot, number, filled)
            busy = monotonic() < self._busy_until and not self._gathering
            if len(self._buffer) >= BUFFERED or (busy and self._buffer.full):
                self._flush()
            elif busy:
                self._dictionary.table()

    @contextmanager
    def adding_many(self) -> Iterator[None]:
        """While many are added: their segments are merged once, when all are there."""
        with self._lock:
            self._gathering += 1
        try:
            yield
        finally:
            with self._lock:
                self._gathering -= 1
                if self._caught_up() is not None:
                    self._merge_later()

    def _keep(self, slot: int, record: EncodedSubscription) -> None:
        """Note all that concerns a subscription beyond its entries."""
        plan = self._plan(record)
        self._ask(record, plan, 1)
        if any(branch.otherwise for branch in plan):
            self._otherwise.add(slot)
        without = tuple(number for number, branch in enumerate(plan) if not branch.edges)
        if without:
            self._edgeless = {**self._edgeless, slot: without}
        self._records[slot] = record
        self._alive[slot] = 1
        self._slots[record.id] = slot

    def _plan(self, record: EncodedSubscription) -> tuple[BranchPlan, ...]:
        plan = self._plans.get(id(record.template))
        if plan is None:
            plan = self._plans[id(record.template)] = plan_of(record.template)
        return plan

    def _ask(self, record: EncodedSubscription, plan: tuple[BranchPlan, ...], change: int) -> None:
        """Count the classes and bounds that the subscription brings (1) or takes away (-1)."""
        for branch in plan:
            if branch.classes:
                asked = targets(branch, record.numbers(), self._dictionary.texts())
                (self._classes.ask if change > 0 else self._classes.forget)(asked)
            if branch.comparisons:
                self._bounds += change

    def remove(self, subscription_id: str) -> None:
        with self._lock:
            slot = self._slots.pop(subscription_id, None)
            if slot is None:
                raise SubscriptionNotFound(subscription_id)
            record = self._records[slot]
            assert record is not None
            plan = self._plan(record)
            self._ask(record, plan, -1)
            self._alive[slot] = 0
            self._records[slot] = None
            self._otherwise.discard(slot)
            if slot in self._edgeless:
                self._edgeless = {other: numbers for other, numbers in self._edgeless.items() if other != slot}
            if any(branch.edges for branch in plan):
                self._dead += 1
                if self._dead > max(BUFFERED, len(self._slots)):
                    self._merge_later()
            else:
                self._released.append(slot)

    def ids(self) -> tuple[str, ...]:
        return tuple(self._slots)

    def subscription(self, subscription_id: str) -> Subscription:
        with self._lock:
            if subscription_id not in self._slots:
                raise SubscriptionNotFound(subscription_id)
            record = self._records[self._slots[subscription_id]]
            assert record is not None
            return self._codec.decode(record)

    # --- matching ------------------------------------------------------------------------------------------

    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        compile_kernels()
        flush = len(publications) > COMPARED
        try:
            while (reports := self._matched(publications, row_limit, flush)) is None:
                flush = True
        except MalformedPublication as error:
            if len(publications) == 1:
                return [MatchReport(publications[0].id, (), error=error)]
            return [report for each in publications for report in self.match_many([each], row_limit)]
        return reports

    def _matched(self, publications: Sequence[Publication], row_limit: int, flush: bool) -> list[MatchReport] | None:
        """The reports; None if something in the buffer, which was not to be flushed, may match."""
        snapshot = self._enter(flush)
        try:
            arrival = self._arrive(publications, snapshot)
            if snapshot.waiting is not None and may_match_buffered(arrival.batch, snapshot.waiting):
                return None
            found = self._search(arrival, snapshot, row_limit)
            checks = self.subscription_work // CHECK_WORK
            return self._answers.reports(arrival, found, snapshot.edgeless, row_limit, checks)
        finally:
            self._leave()

    def _search(self, arrival: Arrival, snapshot: _Snapshot, row_limit: int) -> SearchResult:
        limits = SearchLimits(row_limit, self.subscription_work, self.publication_work)
        found: SearchResult = search(
            addresses_of(snapshot.levels),
            empty_level().held,
            arrival.batch,
            arrival.values,
            snapshot.alive,
            limits,
        )
        return found

    def _enter(self, flush: bool) -> _Snapshot:
        with self._lock:
            if self._buffer and (flush or self._buffer.full):
                self._flush()
            waiting = self._buffer.waiting() if self._buffer else None
            closure = self._classes.closure() if self._classes else None
            table = self._dictionary.table()
            self._readers += 1
            self._busy_until = monotonic() + BUSY
            return _Snapshot(self._levels, self._alive, table, closure, self._bounds > 0, self._edgeless, waiting)

    def _leave(self) -> None:
        with self._lock:
            self._readers -= 1
            if not self._readers:
                self._recycle()

    def _recycle(self) -> None:
        """No match can see released slots any longer."""
        if self._released:
            self._free += self._released
            self._released.clear()

    def _arrive(self, publications: Sequence[Publication], snapshot: _Snapshot) -> Arrival:
        reading = Reading(snapshot.table, self._dictionary.seed, snapshot.closure, self._type, snapshot.bounded)
        return arrive(publications, reading)

    # --- segments ------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """The buffer becomes a segment, together with the small ones before it."""
        compile_kernels()
        small = self._small()
        self._merge(self._levels[small:] if len(self._buffer) <= AT_ONCE else ())
        if len(self._levels) > MOST_LEVELS:
            self._merge(self._levels)
        elif not self._gathering and self._caught_up() is not None:
            self._merge_later()

    def _small(self) -> int:
        """Where the small segments begin that the next flush may take in; the background leaves them alone."""
        first, entries = len(self._levels), 0
        while first and entries + len(self._levels[first - 1]) <= AT_ONCE:
            first -= 1
            entries += len(self._levels[first])
        return first

    def _merge(self, old: tuple[Level, ...]) -> None:
        """These levels, the last ones, and what waits in the buffer become one level."""
        waiting = [each for each in self._buffer.entries if self._alive[each[0]]]
        gone = {slot for slot, _, _ in self._buffer.entries if not self._alive[slot]}
        made, dead = merged(old, self._alive, new_entries(waiting))
        self._buffer = Buffer(len(self._slots))  # only now: whatever goes wrong before this loses nothing
        self._replace(old, made, gone | dead)

    def _replace(self, old: tuple[Level, ...], made: Level, gone: set[int]) -> None:
        """Put a merged level in the place of old ones, which stand together; the slots that went with them are free."""
        place = self._levels.index(old[0]) if old else len(self._levels)
        new = (made,) if len(made) else ()
        self._levels = self._levels[:place] + new + self._levels[place + len(old) :]
        self._dead -= len(gone)
        self._released += gone

    def optimise(self) -> None:
        """Make one segment of all, here and now: what is learned from traffic chooses the access edges anew."""
        with self._lock:
            merger = self._merger
        if merger is not None:
            merger.join()
        with self._lock:
            self._merge(self._levels)
        give_back()

    def _caught_up(self) -> int | None:
        """The first level, small ones aside, that those after it have caught up with; the first if half is dead."""
        levels = self._levels[: self._small()]
        if levels and self._dead > max(BUFFERED, len(self._slots)):
            return 0
        after, first = 0, None
        for number in range(len(levels) - 1, -1, -1):
            if after * MERGE_RATIO >= len(levels[number]):
                first = number if after else None
            after += len(levels[number])
        return first

    def _merge_later(self) -> None:
        if self._merger is None:
            merger = threading.Thread(target=self._merge_while_needed, name="gtopss-merge", daemon=True)
            with suppress(RuntimeError):  # no more threads: the next addition tries again
                merger.start()
                self._merger = merger

    def _merge_while_needed(self) -> None:
        """The background's work: outside the lock but for taking and giving back."""
        try:
            while self._merge_once():
                pass
        except BaseException:
            with self._lock:
                self._merger = None  # the next addition tries again
            raise

    def _merge_once(self) -> bool:
        """Merge what has been caught up with; False, and nobody merges any longer, if there is nothing more to do."""
        with self._lock:
            first = self._caught_up()
            if first is None:
                self._merger = None
                return False
            old, alive = self._levels[first : self._small()], self._alive
        made, gone = merged(old, alive.copy())  # who is removed meanwhile must be alive or dead throughout
        with self._lock:
            place = self._levels.index(old[0]) if old[0] in self._levels else -1
            if place >= 0 and self._levels[place : place + len(old)] == old:
                self._replace(old, made, gone)
            if len(old) == 1 and not gone:  # what is dead is elsewhere: in the buffer, or in small segments
                self._merger = None
                return False
        large = len(made) > LARGE
        del old, made
        if large:
            give_back()
        return True

    # --- what it holds -------------------------------------------------------------------------------------

    def segments(self) -> list[int]:
        """The number of entries in each segment."""
        return list(map(len, self._levels))

    def index_bytes(self) -> int:
        """The bytes of all arrays."""
        levels = sum(level.nbytes() for level in self._levels)
        return levels + self._dictionary.nbytes() + self._alive.nbytes

    def costs(self) -> dict[str, int]:
        """The steps that each subscription has taken since its segment was made; a shared pattern's count for all."""
        with self._lock:
            levels, records = self._levels, list(self._records)
        made: Counter[str] = Counter()
        for level in levels:
            segment = level.segment
            about = segment.patterns.about
            work = np.repeat(level.work[: len(about) - 1], np.diff(about[:, PATTERN_FIRST_MEMBER]))
            spent = np.flatnonzero(work)
            for slot, steps in zip(
                segment.members.about[spent, MEMBER_SLOT].tolist(), work[spent].tolist(), strict=True
            ):
                record = records[slot]
                if record is not None:
                    made[record.id] += steps
        return dict(made.most_common())

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """The subscriptions for which taxonomy edits made a difference since this was last asked, by their classes.

        Of those whose is-a questions are answered in Python (`ancestorOf`, a class that is a variable) it is not known
        whether an edit concerns them: after one, all of them are named.
        """
        with self._lock:
            if self._version == self._taxonomy.version:
                return ()
            if self._buffer:
                self._flush()
            self._version = self._taxonomy.version
            changed = self._classes.take_changed()
            slots = {slot for level in self._levels for slot in _askers(level, changed)}
            slots.update(self._otherwise)
            return tuple(record.id for slot in sorted(slots) if (record := self._records[slot]) is not None)

    # --- on disk -------------------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write all that is registered into an empty folder."""
        with self._lock:
            if self._buffer:
                self._flush()
            levels, records = self._levels, list(self._records)
            terms = "\n".join(self._dictionary.texts()).encode()
        write_arrays(folder / "terms", {"text": np.frombuffer(terms, np.uint8)})
        write_records(folder / "records", records)
        for number, level in enumerate(levels):
            segment = level.segment
            graph = segment.graph._replace(rate=level.rates())
            write_segment(folder / f"segment-{number}", segment._replace(graph=graph))

    @classmethod
    def load(cls, folder: Path, taxonomy: Taxonomy, *, work_limit: int | None = None) -> Self:
        """Read what `save` wrote; segments are mapped into memory, and read once for their checksums."""
        made = cls(taxonomy, work_limit=work_limit)
        made._dictionary.extend(map(Term, read_arrays(folder / "terms")["text"].tobytes().decode().split("\n")))
        records = read_records(folder / "records")
        made._records += records
        made._alive = np.zeros(2 * max(len(records), 32), np.uint8)
        for slot, record in enumerate(records):
            if record is not None:
                made._keep(slot, made._codec.with_shared_template(record))
        paths = sorted(folder.glob("segment-*"), key=lambda path: int(path.name.removeprefix("segment-")))
        made._levels = tuple(Level.of(read_segment(path)) for path in paths)
        listed = np.zeros(len(made._alive), np.bool_)
        for level in made._levels:
            listed[level.slots()] = True
        empty = [slot for slot, record in enumerate(records) if record is None]
        made._free = [slot for slot in empty if not listed[slot]]
        made._dead = len(empty) - len(made._free)
        return made


def _refuse_large(subscription: Subscription) -> None:
    """Stars and branches are numbered by 16 bits."""
    if len(subscription.branches) > LARGEST:
        reason = f"it has {len(subscription.branches)} branches, more than {LARGEST}"
        raise UnsupportedSubscription(subscription.id, "gm", reason)
    for branch in subscription.branches:
        if len(branch.tuples) > LARGEST // 3 and (count := len(branch.variables())) > LARGEST:
            raise UnsupportedSubscription(subscription.id, "gm", f"a branch has {count} variables, more than {LARGEST}")


def _askers(level: Level, changed: Iterable[tuple[int, int]]) -> list[int]:
    """The slots whose entries have one of these (relation, class) pairs for an edge."""
    graph, _, patterns, _ = level.segment
    edges = [
        np.flatnonzero((graph.labels == relation) & (graph.pairs[graph.edge_pair, 1] == cls))
        for relation, cls in changed
    ]
    if not edges:
        return []
    inside = np.isin(patterns.edges, np.concatenate(edges))
    of_pattern = np.repeat(np.arange(len(patterns.about) - 1), np.diff(patterns.about[:, PATTERN_FIRST_EDGE]))
    chosen = np.zeros(len(patterns.about) - 1, np.bool_)
    chosen[of_pattern[inside]] = True
    return level.slots()[np.repeat(chosen, np.diff(patterns.about[:, PATTERN_FIRST_MEMBER]))].tolist()  # type: ignore[no-any-return]
