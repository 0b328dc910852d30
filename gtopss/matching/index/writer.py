"""Add and remove subscriptions while others match.

    subscription ──> encoded + plan ──> buffer ──(flush)──> small segment ──(merging)──> large segments

A segment never changes. An added branch waits in the buffer until it is worth a segment, or until a publication has all
its constants. A removed subscription is marked in `SlotTable.alive`.

Locking: one lock protects everything here, the slots, the buffer and the list of segments. Adding and removing hold it
throughout. Matching holds it only to take a `ReadView` and to give it back. Merging holds it only to take segments and
to put the merged one in their place; renumbering terms in the same way, and for what was added meanwhile. Nobody calls
foreign code or waits for a thread while holding it, but for the compiler on first use.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.errors import DuplicateSubscription, GtopssError, UnsupportedSubscription
from gtopss.matching.index import renumbering
from gtopss.matching.index.branch_plan import (
    BranchPlan,
    EncodedBranch,
    encode_branch,
    is_a_targets,
    plan_branches,
    texts_of,
)
from gtopss.matching.index.buffer import Buffer
from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.encode import EncodingContext
from gtopss.matching.index.kernels.relations import RELATION_COUNT
from gtopss.matching.index.merging import SegmentMerger
from gtopss.matching.index.renumbering import MAX_USED_TO_RENUMBER, Renumbering, constants_of, in_chunks
from gtopss.matching.index.results import ReportBuilder
from gtopss.matching.index.segment import IndexSegment, merge_index_segments, release_free_memory
from gtopss.matching.index.slots import SlotTable
from gtopss.matching.index.storage import IndexContents
from gtopss.matching.index.term_uses import TermUses
from gtopss.matching.index.text_index import TextIndex
from gtopss.matching.index.type_closure import MAX_MEMBERS, Target, TypeClosure
from gtopss.matching.index.view import ReadView
from gtopss.matching.index.warmup import compile_kernels
from gtopss.model import Subscription
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec, Template
from gtopss.model.terms import RDF_TYPE
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

MAX_BUFFERED_ENTRIES = 50_000
"""Entries that wait for a match, where none comes, before they become a segment anyway."""
RECENT_MATCH_SECONDS = 1.0
"""Seconds after a match in which whoever fills the buffer builds the segment, so that the next match need not."""
MAX_BRANCHES = MAX_VARIABLES = 30_000
"""Branches of a subscription, and variables of a branch: entries number both in 16 bits."""


class IndexWriter:
    """Own everything that changes when subscriptions come and go. Thread-safe."""

    def __init__(
        self, taxonomy: Taxonomy, expansion_limit: int, text_steps: int, *, literals: LiteralRules = "sparql"
    ) -> None:
        """Create an empty index.

        `expansion_limit` is the number of triples that is-a constraints, and text constraints, may add to a
        publication; `text_steps` is the number of steps that looking for texts may take in it.
        """
        self._taxonomy, self._expansion_limit, self._text_steps = taxonomy, expansion_limit, text_steps
        self._literals = literals
        self._lock = threading.RLock()
        self.dictionary = Dictionary()
        self.codec = SubscriptionCodec(self.dictionary.number, self.dictionary.text, plan_branches)
        self.slots = SlotTable()
        self.reports = ReportBuilder(self.slots.encoded, self.codec, taxonomy)
        self.merger = SegmentMerger(self._lock, self.slots)
        self._buffer = Buffer(0)
        self._rdf_type = self.dictionary.number(RDF_TYPE)
        self._type_closure = TypeClosure(taxonomy, self.dictionary)
        self._text_index = TextIndex(self.dictionary.seed, taxonomy)
        self._taxonomy_version = taxonomy.version
        self._edgeless: dict[int, tuple[int, ...]] = {}  # replaced and never changed: views share it
        self._bounded_branches = 0  # branches that compare values
        self._python_is_a_slots: set[int] = set()  # slots whose classes are tested in Python
        self._recent_match_until = 0.0
        self._uses = TermUses()
        self._kept_unused = 0  # unused terms that the last renumbering kept, because the index itself has them
        self._changed_slots: set[int] | None = (
            None  # slots that changed since renumbering began; None if none is running
        )
        self._renumbering = threading.Lock()  # held while terms get new numbers; taken before `_lock`
        self._renumbering_thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self.slots)

    # --- subscriptions --------------------------------------------------------------------------------------

    def add(self, subscription: Subscription) -> None:
        """Register a subscription.

        Raises DuplicateSubscription, UnsupportedSubscription, and GtopssError if the index is full.
        """
        with self._lock:
            if subscription.id in self.slots:
                raise DuplicateSubscription(subscription.id)
            _refuse_large(subscription)
            terms_before = len(self.dictionary)
            try:
                encoded, branches = self._encode(subscription)
            except GtopssError:
                self._uses.note_unused(range(terms_before, len(self.dictionary)))
                raise
            slot = self.slots.allocate()
            self._register(slot, encoded)
            self._uses.add(encoded.numbers())
            for number, branch in branches:
                self._buffer.add(slot, number, branch)
            if self._changed_slots is not None:
                self._changed_slots.add(slot)
            is_matching = monotonic() < self._recent_match_until and not self.merger.postponed
            if len(self._buffer) >= MAX_BUFFERED_ENTRIES or (is_matching and self._buffer.full):
                self._flush()
            elif is_matching:
                self.dictionary.table()
            self._renumber_in_background()

    def _encode(self, subscription: Subscription) -> tuple[EncodedSubscription, list[tuple[int, EncodedBranch]]]:
        """Return a subscription and its branches as numbers; its texts and classes are in the index. An error changes
        nothing but the dictionary."""
        encoded = self.codec.encode(subscription)
        branches = self._encode_branches(encoded)
        texts = [text for _, branch in branches for text in branch.texts]
        self._text_index.add(texts)
        try:
            self._type_closure.add_targets(self._is_a_targets(encoded), max_members=MAX_MEMBERS)
        except GtopssError:
            self._text_index.remove(texts)
            raise
        return encoded, branches

    def _encode_branches(self, encoded: EncodedSubscription) -> list[tuple[int, EncodedBranch]]:
        """Return the branches that have edges, with their numbers."""
        plans, constants, dictionary = _plans_of(encoded), encoded.numbers(), self.dictionary
        return [(number, encode_branch(plan, constants, dictionary)) for number, plan in enumerate(plans) if plan.edges]

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription. Raises SubscriptionNotFound."""
        with self._lock:
            encoded = self.slots.get(subscription_id)
            plans = _plans_of(encoded)
            self._type_closure.remove_targets(self._is_a_targets(encoded))
            self._bounded_branches -= sum(bool(plan.comparisons) for plan in plans)
            self._text_index.remove(texts_of(encoded, self.dictionary))
            slot = self.slots.remove(subscription_id, in_segments=any(plan.edges for plan in plans))
            self.reports.forget(encoded)
            self._python_is_a_slots.discard(slot)
            if self._changed_slots is not None:
                self._changed_slots.add(slot)
            if self._buffer.note_removed(slot):
                self._buffer, removed = self._buffer.without_removed(len(self.slots))
                self.slots.dropped(removed)
            if slot in self._edgeless:
                self._edgeless = {other: numbers for other, numbers in self._edgeless.items() if other != slot}
            self._uses.remove(encoded.numbers())
            if self.slots.mostly_dead:
                self.merger.merge_in_background()
            self._renumber_in_background()

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
                self._renumber_in_background()

    def _register(self, slot: int, encoded: EncodedSubscription) -> None:
        """Make a slot alive and note all that concerns the subscription beyond its entries, texts and classes."""
        self._note(slot, _Traits.of(encoded.template))
        self.slots.put(slot, encoded)

    def _note(self, slot: int, traits: _Traits) -> None:
        self._bounded_branches += traits.bounded_branches
        if traits.python_uses_taxonomy:
            self._python_is_a_slots.add(slot)
        if traits.edgeless:
            self._edgeless = {**self._edgeless, slot: traits.edgeless}

    def _is_a_targets(self, encoded: EncodedSubscription) -> list[Target]:
        """Return the classes that is-a constraints of the subscription name, one for each constraint."""
        plans = [plan for plan in _plans_of(encoded) if plan.is_a]
        terms = self.dictionary.terms()
        return [target for plan in plans for target in is_a_targets(plan, encoded.numbers(), terms)]

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
                reads_plain_literals=self._literals == "lenient",
                text=self._text_index.search(),
                patterns=self._text_index.regex_search(),
                labels=self._text_index.label_search(),
                expansion_limit=self._expansion_limit,
                text_steps=self._text_steps,
            )
            self.slots.enter_reader()
            self._recent_match_until = monotonic() + RECENT_MATCH_SECONDS
            return ReadView(self.merger.segments, self.slots.alive, encoding, self._edgeless, buffered, self.reports)

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
        """Merge everything into one segment: what matching learned chooses the access edges anew.

        Terms that no subscription mentions are forgotten.
        """
        self.merger.wait()
        self.renumber_terms()
        with self._lock:
            self._merge_buffer(self.merger.segments)
        release_free_memory()

    # --- term numbers ---------------------------------------------------------------------------------------

    def renumber_terms(self, pause: float = 0.0) -> None:
        """Forget the terms that no subscription mentions, if there are many: the others get new numbers.

        Others match, add and remove meanwhile; `pause` is how long this thread sleeps now and then, so that they get
        their turn. Matches in progress keep the old numbers with all that uses them.
        """
        with self._renumbering:
            with self._lock:
                is_used = self._uses.is_used(len(self.dictionary)) | self._terms_of_index()
                if np.count_nonzero(is_used) > MAX_USED_TO_RENUMBER * len(is_used):
                    self._kept_unused = self._uses.unused
                    return
                if self._buffer:
                    self._flush()
                old, segments, alive = list(self.slots.encoded), self.merger.segments, self.slots.alive.copy()
                self._changed_slots = set()
                self.slots.enter_reader()  # no slot that a segment lists gets another subscription meanwhile
            try:
                made = Renumbering(self.dictionary, is_used, pause)
                encoded, uses = made.renumber_subscriptions(old), TermUses()
                for subscriptions in in_chunks(encoded, pause):
                    uses.add(constants_of(subscriptions).tolist())
                texts = TextIndex(made.dictionary.seed, self._taxonomy)
                for subscriptions in in_chunks(encoded, pause):
                    for each in subscriptions:
                        texts.add(texts_of(each, made.dictionary) if each is not None else ())
                segment, _ = merge_index_segments(segments, alive, numbers=made.numbers)
                with self._lock:
                    self._use_numbers(made, encoded, texts, uses, (segment,) if len(segment) else ())
            finally:
                with self._lock:
                    self._changed_slots = None
                    self.slots.leave_reader()
                while old:  # freeing all at once would make other threads wait for Python's lock
                    del old[-renumbering.CHUNK :]
                    if pause:
                        sleep(pause)

    def _use_numbers(
        self,
        made: Renumbering,
        encoded: list[EncodedSubscription | None],
        texts: TextIndex,
        uses: TermUses,
        segments: tuple[IndexSegment, ...],
    ) -> None:
        """Put everything with new term numbers in the place of the old. What was added meanwhile goes to the buffer."""
        changed = sorted(self._changed_slots or ())
        encoded += [None] * (len(self.slots.encoded) - len(encoded))
        now = made.renumber_subscriptions([self.slots.encoded[slot] for slot in changed])
        for slot, each in zip(changed, now, strict=True):
            if (before := encoded[slot]) is not None:
                texts.remove(texts_of(before, made.dictionary))
                uses.remove(before.numbers())
            if each is not None:
                texts.add(texts_of(each, made.dictionary))
                uses.add(each.numbers())
            encoded[slot] = each
        texts.labels.keep_changes_of(self._text_index.labels)
        self._text_index = texts
        self._uses, self._kept_unused = uses, 0
        self._rdf_type = int(made.renumber(np.array([self._rdf_type], np.int32))[0])
        self._type_closure = self._type_closure.renumbered(made.renumber, made.dictionary)
        self.dictionary = made.dictionary
        self.codec = self.codec.with_numbers(self.dictionary.number, self.dictionary.text)
        self.merger.segments = segments
        self.slots.replace(encoded, (segment.slots() for segment in segments))
        steps = self.reports.query_steps
        self.reports = ReportBuilder(encoded, self.codec, self._taxonomy, steps)
        self._buffer = Buffer(len(self.slots))
        for slot, each in zip(changed, now, strict=True):
            for number, branch in self._encode_branches(each) if each is not None else ():
                self._buffer.add(slot, number, branch)

    def _terms_of_index(self) -> npt.NDArray[np.bool_]:
        """Return by term number whether the index has a term even if no subscription mentions it."""
        is_used = np.zeros(len(self.dictionary), np.bool_)
        is_used[:RELATION_COUNT] = is_used[self._rdf_type] = is_used[self._type_closure.term_numbers()] = True
        is_used[self._text_index.term_numbers()] = True
        return is_used

    def _renumber_in_background(self) -> None:
        """Start a thread that renumbers the terms, if so many are unused that it is worth it."""
        if self._uses.unused - self._kept_unused <= max(renumbering.MIN_DEAD_TERMS, len(self.dictionary) // 2):
            return
        if self._renumbering_thread is None and not self.merger.postponed:
            thread = threading.Thread(target=self._renumber_once, name="gtopss-renumber", daemon=True)
            with suppress(RuntimeError):  # no more threads: the next addition tries again
                thread.start()
                self._renumbering_thread = thread

    def _renumber_once(self) -> None:
        try:
            self.renumber_terms(renumbering.PAUSE_SECONDS)
            release_free_memory()
        finally:
            with self._lock:
                self._renumbering_thread = None

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
        return segments + self.dictionary.nbytes() + self.slots.alive.nbytes + self._text_index.nbytes()

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions for whose classes taxonomy edits made a difference since the last call.

        Subscriptions whose classes are tested in Python (`ancestorOf`, a class that is a variable) are all
        named after any edit: it is not known whether it concerns them.
        """
        with self._lock:
            if self._taxonomy_version == self._taxonomy.version:
                return ()
            if self._buffer:
                self._flush()
            self._taxonomy_version = self._taxonomy.version
            changed = self._type_closure.take_changed_targets() | self._text_index.labels.take_changed_edges()
            slots = {slot for each in self.merger.segments for slot in each.slots_with_is_a_edges(changed)}
            slots.update(self._python_is_a_slots)
            return tuple(encoded.id for slot in sorted(slots) if (encoded := self.slots.encoded[slot]) is not None)

    # --- persistence ----------------------------------------------------------------------------------------

    def contents(self) -> IndexContents:
        """Return what is to be saved. Later changes do not affect it."""
        with self._lock:
            if self._buffer:
                self._flush()
            terms, encoded = tuple(self.dictionary.terms()), tuple(self.slots.encoded)
            return IndexContents(terms, encoded, self.merger.segments, self._text_index.saved())

    def restore(self, contents: IndexContents) -> None:
        """Fill an empty index with saved contents."""
        with self._lock:
            self.dictionary.extend(contents.terms)
            loaded = list(contents.encoded)
            known: dict[int, tuple[Template, _Traits]] = {}  # by loaded template: a million subscriptions have few
            for slot, encoded in enumerate(loaded):
                if encoded is None:
                    continue
                if (found := known.get(id(encoded.template))) is None:
                    own = self.codec.shared_template(encoded.template)
                    found = known[id(encoded.template)] = own, _Traits.of(own)
                template, traits = found
                if template is not encoded.template:
                    encoded = loaded[slot] = encoded._replace(template=template)
                if traits.has_is_a:
                    self._type_closure.add_targets(self._is_a_targets(encoded))
                self._note(slot, traits)
            self.slots.restore(loaded)
            self._text_index = TextIndex.restored(contents.texts, len(contents.terms), self._taxonomy)
            self.merger.segments = contents.segments
            self.slots.restore_free(segment.slots() for segment in contents.segments)
            self._uses = TermUses.of(constants_of(contents.encoded), len(contents.terms))
            is_used = self._uses.is_used(len(contents.terms)) | self._terms_of_index()
            self._uses.note_unused(np.flatnonzero(~is_used).tolist())


class _Traits(NamedTuple):
    """What the index notes of a subscription; equal for all subscriptions of one template."""

    bounded_branches: int
    python_uses_taxonomy: bool
    edgeless: tuple[int, ...]
    has_is_a: bool

    @classmethod
    def of(cls, template: Template) -> _Traits:
        plans: tuple[BranchPlan, ...] = template.plan
        return cls(
            sum(bool(plan.comparisons) for plan in plans),
            any(plan.python_uses_taxonomy for plan in plans),
            tuple(number for number, plan in enumerate(plans) if not plan.edges),
            any(plan.is_a for plan in plans),
        )


def _plans_of(encoded: EncodedSubscription) -> tuple[BranchPlan, ...]:
    plans: tuple[BranchPlan, ...] = encoded.template.plan
    return plans


def _refuse_large(subscription: Subscription) -> None:
    if len(subscription.branches) > MAX_BRANCHES:
        reason = f"it has {len(subscription.branches)} branches, more than {MAX_BRANCHES}"
        raise UnsupportedSubscription(subscription.id, "gm", reason)
    for branch in subscription.branches:
        if len(branch.tuples) > MAX_VARIABLES // 3 and (count := len(branch.variables())) > MAX_VARIABLES:
            reason = f"a branch has {count} variables, more than {MAX_VARIABLES}"
            raise UnsupportedSubscription(subscription.id, "gm", reason)
