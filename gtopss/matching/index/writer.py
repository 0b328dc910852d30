"""Add and remove subscriptions while others match.

    subscription ──> encoded + plan ──> buffer ──(flush)──> small segment ──(merging)──> large segments

A segment never changes. An added branch waits in the buffer until it is worth a segment, or until a publication has all
its constants. A removed subscription is marked in `SlotTable.alive`.

Locking: one lock protects everything here, the slots, the buffer and the list of segments. Adding and removing hold it
throughout. Matching holds it only to take a `ReadView` and to give it back. Merging holds it only to take segments and
to put the merged one in their place. Nobody calls foreign code or waits for a thread while holding it, but for the
compiler on first use.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from gtopss.errors import DuplicateSubscription, UnsupportedSubscription
from gtopss.matching.index.branch_plan import BranchPlan, encode_branch, is_a_targets, plan_branches
from gtopss.matching.index.buffer import Buffer
from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.encode import EncodingContext
from gtopss.matching.index.merging import SegmentMerger
from gtopss.matching.index.segment import IndexSegment, release_free_memory
from gtopss.matching.index.slots import SlotTable
from gtopss.matching.index.storage import IndexContents
from gtopss.matching.index.type_closure import TypeClosure
from gtopss.matching.index.view import ReadView
from gtopss.matching.index.warmup import compile_kernels
from gtopss.model import Subscription
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.model.terms import RDF_TYPE
from ontology import Taxonomy

MAX_BUFFERED_ENTRIES = 50_000
"""Entries that wait for a match, where none comes, before they become a segment anyway."""
RECENT_MATCH_SECONDS = 1.0
"""Seconds after a match in which whoever fills the buffer builds the segment, so that the next match need not."""
MAX_BRANCHES = MAX_VARIABLES = 30_000
"""Branches of a subscription, and variables of a branch: entries number both in 16 bits."""


class IndexWriter:
    """Own everything that changes when subscriptions come and go. Thread-safe."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._lock = threading.RLock()
        self.dictionary = Dictionary()
        self.codec = SubscriptionCodec(self.dictionary.number, self.dictionary.text)
        self.plans: dict[int, tuple[BranchPlan, ...]] = {}
        """By the identity of templates, which the codec keeps alive. Only grows."""
        self.slots = SlotTable()
        self.merger = SegmentMerger(self._lock, self.slots)
        self._buffer = Buffer(0)
        self._rdf_type = self.dictionary.number(RDF_TYPE)
        self._type_closure = TypeClosure(taxonomy, self.dictionary)
        self._taxonomy_version = taxonomy.version
        self._edgeless: dict[int, tuple[int, ...]] = {}  # replaced and never changed: views share it
        self._bounded_branches = 0  # branches that compare values
        self._python_is_a_slots: set[int] = set()  # slots whose is-a constraints are tested in Python
        self._recent_match_until = 0.0

    def __len__(self) -> int:
        return len(self.slots)

    # --- subscriptions --------------------------------------------------------------------------------------

    def add(self, subscription: Subscription) -> None:
        """Register a subscription. Raises DuplicateSubscription and UnsupportedSubscription."""
        with self._lock:
            if subscription.id in self.slots:
                raise DuplicateSubscription(subscription.id)
            _refuse_large(subscription)
            encoded = self.codec.encode(subscription)
            plans, constants, terms = self._plans_of(encoded), encoded.numbers(), self.dictionary.terms()
            slot = self.slots.allocate()
            branches = [
                (number, encode_branch(plan, constants, terms)) for number, plan in enumerate(plans) if plan.edges
            ]
            self._register(slot, encoded)
            for number, branch in branches:
                self._buffer.add(slot, number, branch)
            is_matching = monotonic() < self._recent_match_until and not self.merger.postponed
            if len(self._buffer) >= MAX_BUFFERED_ENTRIES or (is_matching and self._buffer.full):
                self._flush()
            elif is_matching:
                self.dictionary.table()

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription. Raises SubscriptionNotFound."""
        with self._lock:
            encoded = self.slots.get(subscription_id)
            plans = self._plans_of(encoded)
            self._count_constraints(encoded, plans, -1)
            slot = self.slots.remove(subscription_id, in_segments=any(plan.edges for plan in plans))
            self._python_is_a_slots.discard(slot)
            if slot in self._edgeless:
                self._edgeless = {other: numbers for other, numbers in self._edgeless.items() if other != slot}
            if self.slots.mostly_dead:
                self.merger.merge_in_background()

    def subscription(self, subscription_id: str) -> Subscription:
        with self._lock:
            return self.codec.decode(self.slots.get(subscription_id))

    @contextmanager
    def adding_many(self) -> Iterator[None]:
        """Postpone background merging until the block ends: the segments of all additions are merged once."""
        with self._lock:
            self.merger.postponed += 1
        try:
            yield
        finally:
            with self._lock:
                self.merger.postponed -= 1
                self.merger.merge_in_background()

    def _register(self, slot: int, encoded: EncodedSubscription) -> None:
        """Make a slot alive and note all that concerns the subscription beyond its entries."""
        plans = self._plans_of(encoded)
        self._count_constraints(encoded, plans, 1)
        if any(plan.has_python_is_a for plan in plans):
            self._python_is_a_slots.add(slot)
        edgeless = tuple(number for number, plan in enumerate(plans) if not plan.edges)
        if edgeless:
            self._edgeless = {**self._edgeless, slot: edgeless}
        self.slots.put(slot, encoded)

    def _plans_of(self, encoded: EncodedSubscription) -> tuple[BranchPlan, ...]:
        plans = self.plans.get(id(encoded.template))
        if plans is None:
            plans = self.plans[id(encoded.template)] = plan_branches(encoded.template)
        return plans

    def _count_constraints(self, encoded: EncodedSubscription, plans: tuple[BranchPlan, ...], change: int) -> None:
        """Count the is-a classes and value bounds that the subscription adds (1) or takes away (-1)."""
        for plan in plans:
            if plan.is_a:
                targets = is_a_targets(plan, encoded.numbers(), self.dictionary.terms())
                (self._type_closure.add_targets if change > 0 else self._type_closure.remove_targets)(targets)
            if plan.comparisons:
                self._bounded_branches += change

    # --- views ----------------------------------------------------------------------------------------------

    def open_view(self, *, flush: bool) -> ReadView:
        """Return the current state for one batch; the caller must call `close_view`. `flush` empties the buffer."""
        with self._lock:
            if self._buffer and (flush or self._buffer.full):
                self._flush()
            buffered = self._buffer.constants() if self._buffer else None
            encoding = EncodingContext(
                closure=self._type_closure.closure() if self._type_closure else None,
                terms=self.dictionary.table(),
                seed=self.dictionary.seed,
                rdf_type=self._rdf_type,
                reads_values=self._bounded_branches > 0,
            )
            self.slots.enter_reader()
            self._recent_match_until = monotonic() + RECENT_MATCH_SECONDS
            return ReadView(self.merger.segments, self.slots.alive, encoding, self._edgeless, buffered)

    def close_view(self) -> None:
        with self._lock:
            self.slots.leave_reader()

    # --- segments -------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Build a segment from the buffer, together with the small segments before it."""
        compile_kernels()
        self._merge_buffer(self.merger.merged_by_flush(len(self._buffer)))
        self.merger.after_flush()

    def _merge_buffer(self, last: tuple[IndexSegment, ...]) -> None:
        self.merger.merge_last(last, self._buffer.entries)
        self._buffer = Buffer(len(self.slots))  # only now: an error before this loses nothing

    def optimise(self) -> None:
        """Merge everything into one segment: what matching learned chooses the access edges anew."""
        self.merger.wait()
        with self._lock:
            self._merge_buffer(self.merger.segments)
        release_free_memory()

    def costs(self) -> dict[str, int]:
        """Return the steps per subscription since its segment was built; those of a shared pattern count for all."""
        with self._lock:
            segments, by_slot = self.merger.segments, list(self.slots.encoded)
        steps_by_id: Counter[str] = Counter()
        for segment in segments:
            for slot, steps in segment.work_by_slot():
                if (encoded := by_slot[slot]) is not None:
                    steps_by_id[encoded.id] += steps
        return dict(steps_by_id.most_common())

    def index_bytes(self) -> int:
        segments = sum(segment.nbytes() for segment in self.merger.segments)
        return segments + self.dictionary.nbytes() + self.slots.alive.nbytes

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions for whose classes taxonomy edits made a difference since the last call.

        Subscriptions whose is-a constraints are tested in Python (`ancestorOf`, a class that is a variable) are all
        named after any edit: it is not known whether it concerns them.
        """
        with self._lock:
            if self._taxonomy_version == self._taxonomy.version:
                return ()
            if self._buffer:
                self._flush()
            self._taxonomy_version = self._taxonomy.version
            changed = self._type_closure.take_changed_targets()
            slots = {slot for each in self.merger.segments for slot in each.slots_with_is_a_edges(changed)}
            slots.update(self._python_is_a_slots)
            return tuple(encoded.id for slot in sorted(slots) if (encoded := self.slots.encoded[slot]) is not None)

    # --- persistence ----------------------------------------------------------------------------------------

    def contents(self) -> IndexContents:
        """Return what is to be saved. Later changes do not affect it."""
        with self._lock:
            if self._buffer:
                self._flush()
            return IndexContents(tuple(self.dictionary.terms()), tuple(self.slots.encoded), self.merger.segments)

    def restore(self, contents: IndexContents) -> None:
        """Fill an empty index with saved contents."""
        with self._lock:
            self.dictionary.extend(contents.terms)
            self.slots.restore(contents.encoded)
            for slot, encoded in enumerate(contents.encoded):
                if encoded is not None:
                    self._register(slot, self.codec.with_shared_template(encoded))
            self.merger.segments = contents.segments
            self.slots.restore_free(segment.slots() for segment in contents.segments)


def _refuse_large(subscription: Subscription) -> None:
    if len(subscription.branches) > MAX_BRANCHES:
        reason = f"it has {len(subscription.branches)} branches, more than {MAX_BRANCHES}"
        raise UnsupportedSubscription(subscription.id, "gm", reason)
    for branch in subscription.branches:
        if len(branch.tuples) > MAX_VARIABLES // 3 and (count := len(branch.variables())) > MAX_VARIABLES:
            reason = f"a branch has {count} variables, more than {MAX_VARIABLES}"
            raise UnsupportedSubscription(subscription.id, "gm", reason)
