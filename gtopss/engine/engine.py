"""The whole walk on one screen: what a caller hands in becomes a publication, is matched, and comes back as a report.

    graph, triples, bytes ──> Publication ──(entailment)──> Matcher ──> MatchReport

The engine adds nothing to the meaning: it opens doors (formats, ids, taxonomy files), keeps bad input from the
matcher, and chooses the matcher by name.
"""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import rdflib

from gtopss.engine.operator_subscriptions import Operated
from gtopss.engine.registry import Originals
from gtopss.errors import (
    CartesianSubscription,
    DuplicateSubscription,
    GtopssError,
    InvalidSnapshot,
    InvalidSubscription,
    InvalidTaxonomy,
    MalformedPublication,
    NeverMatches,
    SubscriptionNotFound,
    UnknownMatcher,
    short_repr,
)
from gtopss.explain import Explanation, explain
from gtopss.explain.explanation import OperatorCalls
from gtopss.language import (
    locate_invalid_expression,
    rewrite_for_explanation,
    rewrite_subscription,
    subscription_from_text,
)
from gtopss.matching.index.documents import read_publication
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.index.storage import current, new_snapshot, read_json, write_json
from gtopss.matching.matcher import ROW_LIMIT, Matcher
from gtopss.matching.naive import NaiveMatcher
from gtopss.matching.ops import OpsMatcher
from gtopss.matching.reference import ReferenceMatcher
from gtopss.matching.sparql import SparqlMatcher
from gtopss.matching.sparql_engines import Oxigraph, Rdflib
from gtopss.matching.vf2 import Vf2Matcher
from gtopss.model import Branch, MatchReport, Publication, Subscription
from gtopss.operators import REGISTRY, Limits, Parts, Plan, Registry, split
from gtopss.rdf.parse import read_document, read_triples
from gtopss.semantics import check_expressions, compile_error, entail, uses_now
from ontology import CyclicTaxonomy, OntologyError, Taxonomy
from ontology.load import load

PublicationLike: TypeAlias = "Publication | rdflib.Graph | Path | bytes | str | Iterable[tuple[Any, Any, Any]]"
TaxonomyLike: TypeAlias = "Taxonomy | rdflib.Graph | str | Path | None"

MAX_ROW_LIMIT = 1_000_000_000
MAX_WORK_LIMIT = 10**15
BATCH = 256

MATCHERS: dict[str, Callable[[Taxonomy], Matcher]] = {
    "gm": IndexMatcher,
    "reference": ReferenceMatcher,
    "naive": NaiveMatcher,
    "ops": OpsMatcher,
    "vf2": Vf2Matcher,
    "sparql": lambda taxonomy: SparqlMatcher(taxonomy, Oxigraph()),
    "sparql-rdflib": lambda taxonomy: SparqlMatcher(taxonomy, Rdflib()),
}
"""Every matcher by name. To add one: a file, a line here; the contract tests find it by themselves."""


class Engine:
    """Subscriptions in, publications through, matches out. May be used from several threads: with the matcher `gm` they
    match at the same time, else calls take turns.

    >>> engine = Engine()
    >>> _ = engine.add("SELECT ?who { ?who <urn:knows> <urn:bob> }")
    >>> [match.bindings for match in engine.match([("<urn:ann>", "<urn:knows>", "<urn:bob>")])]
    [({'who': rdflib.term.URIRef('urn:ann')},)]
    """

    def __init__(
        self,
        *,
        taxonomy: TaxonomyLike = None,
        matcher: str = "gm",
        entailment: Literal["rdfs"] | None = None,
        row_limit: int = ROW_LIMIT,
        work_limit: int | None = None,
        allow_cartesian: bool = False,
        operators: Registry = REGISTRY,
        strategy: str = "adaptive",
        operator_limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not isinstance(matcher, str) or matcher not in MATCHERS:
            raise UnknownMatcher(matcher if isinstance(matcher, str) else short_repr(matcher), MATCHERS)
        if entailment not in (None, "rdfs"):
            raise GtopssError(f"there is no entailment {entailment!r}: use None or 'rdfs'")
        if type(row_limit) is not int or not 1 <= row_limit <= MAX_ROW_LIMIT:
            reason = f"it must be from 1 to {MAX_ROW_LIMIT}; for no rows at all, see match(bindings=False)"
            raise GtopssError(f"row_limit is {short_repr(row_limit)}: {reason}")
        if work_limit is not None and (type(work_limit) is not int or not 1 <= work_limit <= MAX_WORK_LIMIT):
            raise GtopssError(
                f"work_limit is {short_repr(work_limit)}: it is a number of steps, from 1 to {MAX_WORK_LIMIT}"
            )
        self.taxonomy = read_taxonomy(taxonomy)
        self.entailment = entailment
        self.row_limit = row_limit
        self.allow_cartesian = allow_cartesian
        self._clock = clock
        self._clocked = False
        self._matcher = MATCHERS[matcher](self.taxonomy)
        if work_limit is not None:
            self._index("work_limit").subscription_work = work_limit
        self._originals = Originals()
        self.operators = operators
        self.strategy = strategy
        self.operator_limits = operator_limits
        self._operated = Operated(MATCHERS[matcher], self.taxonomy, operators, strategy, operator_limits, work_limit)
        self._numbers = itertools.count(1)
        self._asking = threading.RLock()  # of operators, which may take long: whoever asks none does not wait for it
        self._turn = threading.RLock()  # after the other one, where both are taken
        at_once = isinstance(self._matcher, IndexMatcher)  # it lets several threads match at the same time
        self._matching: AbstractContextManager[object] = nullcontext() if at_once else self._turn

    @property
    def work_limit(self) -> int | None:
        """The steps that a subscription may take in one publication; only the matcher `gm` counts them."""
        return self._matcher.subscription_work if isinstance(self._matcher, IndexMatcher) else None

    @property
    def clocked(self) -> bool:
        """Whether some subscription asks for NOW, so that a publication needs a time."""
        return self._clocked

    def __len__(self) -> int:
        """How many subscriptions are registered."""
        return len(self._matcher) + len(self._originals.never) + len(self._operated)

    def add(self, subscription: Subscription | str, *, id: str | None = None) -> Subscription:
        """Register a subscription, or the text of one; it takes part from the next publication on.

        A text needs no id: it gets one, which the subscription that is returned has. What can never match is
        registered with a `NeverMatches` warning, and costs nothing.
        """
        made = self._read(subscription, id)
        parts = [split(made.id, branch, self.operators) for branch in made.branches]
        if any(part.calls for part in parts):
            return self._add_operated(made, parts)
        try:
            check_expressions(made)
        except InvalidSubscription:
            if (
                isinstance(subscription, str)
                and (placed := locate_invalid_expression(subscription, made.id, compile_error)) is not None
            ):
                raise placed from None
            raise
        normal, impossible = rewrite_subscription(made)
        if normal is not None and not self.allow_cartesian:
            _refuse_boundless(normal)
        with self._turn:
            self._clocked |= uses_now(made)
            if (normal is None and self._is_registered(made.id)) or self._is_kept(made.id):
                raise DuplicateSubscription(made.id)
            if normal is not None:
                self._matcher.add(normal)
            if normal is not made:
                self._originals.keep(made, impossible, never=normal is None)
        for reason in impossible:
            whose = f"subscription {made.id!r}" if normal is None else f"a branch of subscription {made.id!r}"
            warnings.warn(f"{whose} {reason}", NeverMatches, stacklevel=2)
        return made

    def _add_operated(self, made: Subscription, parts: Sequence[Parts]) -> Subscription:
        """Register a subscription that asks operators."""
        with self._asking, self._turn:
            self._clocked |= uses_now(made)
            if self._is_registered(made.id):
                raise DuplicateSubscription(made.id)
            impossible = self._operated.add(made, parts, None if self.allow_cartesian else _refuse_boundless)
        for reason in impossible:
            warnings.warn(f"a branch of subscription {made.id!r} {reason}", NeverMatches, stacklevel=3)
        return made

    def _is_kept(self, subscription_id: str) -> bool:
        """Whether the engine itself, and not only the matcher, has a subscription of this id."""
        return subscription_id in self._originals or subscription_id in self._operated

    def _read(self, subscription: Subscription | str, id: str | None) -> Subscription:
        if isinstance(subscription, str):
            name = id if id is not None else f"subscription-{next(self._numbers)}"
            return subscription_from_text(subscription, name, operators=self.operators.arities())
        if not isinstance(subscription, Subscription):
            raise InvalidSubscription("?", f"a {type(subscription).__name__} is not a Subscription, nor its text")
        if id is not None and id != subscription.id:
            raise InvalidSubscription(subscription.id, f"it has an id already, and cannot be added as {id!r}")
        return subscription

    def add_many(self, subscriptions: Iterable[Subscription | str]) -> list[GtopssError]:
        """Register many; those that cannot be are returned as errors, and do not stop the others."""
        refused = []
        with self._matcher.gathering() if isinstance(self._matcher, IndexMatcher) else nullcontext():
            for subscription in subscriptions:
                try:
                    self.add(subscription)
                except GtopssError as error:
                    refused.append(error)
        return refused

    def remove(self, subscription_id: str) -> None:
        """Forget a subscription, as if it had never been."""
        if not isinstance(subscription_id, str):
            raise SubscriptionNotFound(subscription_id)
        if subscription_id in self._operated:
            with self._asking, self._turn:
                self._operated.remove(subscription_id)
            return
        with self._turn:
            if subscription_id not in self._originals.never:
                self._matcher.remove(subscription_id)
            self._originals.forget(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        """What is registered under an id, as it was registered."""
        if not isinstance(subscription_id, str):
            raise SubscriptionNotFound(subscription_id)
        with self._turn:
            if subscription_id in self._operated:
                return self._operated.subscription(subscription_id)
            return self._originals.get(subscription_id) or self._matcher.subscription(subscription_id)

    def subscriptions(self) -> Iterator[Subscription]:
        """All that is registered, as it was registered."""
        with self._turn:
            ids = (*self._matcher.ids(), *self._originals.never, *self._operated.ids())
        for id in ids:
            with suppress(SubscriptionNotFound):  # removed meanwhile
                yield self.subscription(id)

    def _is_registered(self, subscription_id: str) -> bool:
        try:
            self.subscription(subscription_id)
        except SubscriptionNotFound:
            return False
        return True

    def match(
        self,
        publication: PublicationLike,
        format: str | None = None,
        *,
        id: str | None = None,
        bindings: bool = True,
    ) -> MatchReport:
        """The subscriptions that a publication satisfies.

        `publication` is a Publication, an rdflib Graph, an iterable of triples, a file's Path, or RDF bytes (or text)
        with their `format`. With `bindings=False` matches come without solutions, which is all that routing needs.
        """
        made = self._arrived(publication, format, id)
        row_limit = self.row_limit if bindings else 0
        with self._matching:
            report = self._matcher.match(made, row_limit)
        return self._with_operators(made, report, row_limit)

    def _with_operators(self, publication: Publication, report: MatchReport, row_limit: int) -> MatchReport:
        """The report with the matches of those who ask operators."""
        if not len(self._operated):
            return report
        with self._asking:
            matches, undecided, exceeded, bill = self._operated.match(publication, row_limit)
        counters = replace(report.counters, matched=len(report) + len(matches))
        return MatchReport(
            report.publication_id,
            (*report.matches, *matches),
            counters,
            exceeded=(*report.exceeded, *exceeded),
            undecided=undecided,
            bill=bill,
        )

    def operated(self) -> tuple[str, ...]:
        """The ids of the subscriptions that ask operators."""
        with self._turn:
            return self._operated.ids()

    def asked_operators(self) -> Registry:
        """The operators that subscriptions ask: those of `operators` that are in use."""
        with self._asking:
            return Registry(self._operated.operators())

    def plan(self) -> Plan:
        """In which order operators would be asked, and what is known of them."""
        with self._asking:
            return self._operated.plan()

    def explain(self, publication: PublicationLike, subscription_id: str, format: str | None = None) -> Explanation:
        """Why a publication matches a subscription, or the largest part of it that does and what fails then."""
        branches: Sequence[Branch] = self.subscription(subscription_id).branches
        arrived, asked = self._arrived(publication, format, None), None
        if subscription_id in self._operated:
            with self._asking:
                branches = self._operated.pattern(subscription_id)
                asked = OperatorCalls(*self._operated.explain(arrived, subscription_id))
        made, branches = rewrite_for_explanation(branches, arrived)
        known = Subscription(subscription_id, branches=branches)
        impossible = self._originals.impossible.get(subscription_id, ())
        return replace(explain(known, made, self.taxonomy), impossible=impossible, operators=asked)

    def match_many(
        self,
        publications: Iterable[PublicationLike],
        format: str | None = None,
        *,
        bindings: bool = True,
        batch: int = BATCH,
    ) -> Iterator[MatchReport]:
        """One report per publication, in their order. One that cannot be read gets a report with its `error`.

        So many as `batch` are read before the first of them is matched: several times faster than one by one. Who
        cannot wait for them, because they come slowly, says `batch=1`.
        """
        if type(batch) is not int or batch < 1:
            raise GtopssError(f"batch is {short_repr(batch)}: it is a number of publications, 1 or more")
        return self._match_batches(iter(publications), format, self.row_limit if bindings else 0, batch)

    def _match_batches(
        self, waiting: Iterator[PublicationLike], format: str | None, row_limit: int, batch: int
    ) -> Iterator[MatchReport]:
        while some := list(itertools.islice(waiting, batch)):
            yield from self._match_batch(some, format, row_limit)

    def _match_batch(
        self, given: Sequence[PublicationLike], format: str | None, row_limit: int
    ) -> Iterator[MatchReport]:
        arrived: list[Publication | MatchReport] = []
        for each in given:
            try:
                arrived.append(self._arrived(each, format, None))
            except GtopssError as error:
                name = getattr(error, "publication_id", None) or f"publication-{next(self._numbers)}"
                arrived.append(MatchReport(name, (), error=error))
        readable = [each for each in arrived if isinstance(each, Publication)]
        with self._matching:
            found = iter(self._matched(readable, row_limit))
        return (
            each if isinstance(each, MatchReport) else self._with_operators(each, next(found), row_limit)
            for each in arrived
        )

    def _matched(self, publications: Sequence[Publication], row_limit: int) -> list[MatchReport]:
        """All at once where the matcher can; one by one where it cannot, or where one of them is to blame."""
        if isinstance(self._matcher, IndexMatcher):
            try:
                return self._matcher.match_many(publications, row_limit)
            except MalformedPublication:
                pass
        made = []
        for each in publications:
            try:
                made.append(self._matcher.match(each, row_limit))
            except MalformedPublication as error:
                made.append(MatchReport(each.id, (), error=error))
        return made

    # --- the index ------------------------------------------------------------------------------------------

    def costs(self, most: int | None = 20) -> dict[str, int]:
        """The subscriptions that take the most steps, dearest first: which one is slow?"""
        return dict(itertools.islice(self._index("costs()").costs().items(), most))

    def touched(self) -> tuple[str, ...]:
        """The subscriptions whose is-a constraints taxonomy edits have changed, since this was last asked."""
        return self._index("touched()").touched()

    def optimise(self) -> None:
        """Merge the index into one segment now, with what traffic has taught it; it happens by and by anyway."""
        self._index("optimise()").merge()

    def index_bytes(self) -> int:
        """The bytes of the index's arrays."""
        return self._index("index_bytes()").index_bytes()

    def save(self, path: Path | str) -> None:
        """Write everything into a folder, from which `Engine.open` starts again; a folder holds one engine.

        Whatever happens meanwhile, the folder holds a whole engine: this one or the one saved before.
        """
        index = self._index("save()")
        with new_snapshot(_folder(path)) as folder:
            with self._turn:
                state = {
                    "entailment": self.entailment,
                    "row_limit": self.row_limit,
                    "work_limit": index.subscription_work,
                    "allow_cartesian": self.allow_cartesian,
                    "next": next(self._numbers),
                    "clocked": self._clocked,
                    "originals": self._originals.to_json(),
                    "operated": [self._operated.subscription(id).to_json() for id in self._operated.ids()],
                    "taxonomy": self.taxonomy.to_json(),
                }
                index.save(folder)
            write_json(folder / "engine", state)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        operators: Registry = REGISTRY,
        strategy: str = "adaptive",
        operator_limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Engine:
        """The engine that `save` wrote. InvalidSnapshot names the file that is missing, foreign or damaged.

        Operators are functions, and not saved: give those that the subscriptions ask.
        """
        folder = current(_folder(path))
        state = read_json(folder / "engine")
        if missing := _STATE - state.keys():
            reason = f"it lacks {', '.join(sorted(missing))}: it was written by another version"
            raise InvalidSnapshot(folder / "engine", reason)
        made = cls(
            taxonomy=Taxonomy.from_json(state["taxonomy"]),
            entailment=state["entailment"],
            row_limit=state["row_limit"],
            work_limit=state["work_limit"],
            allow_cartesian=state["allow_cartesian"],
            operators=operators,
            strategy=strategy,
            operator_limits=operator_limits,
            clock=clock,
        )
        made._matcher = IndexMatcher.load(folder, made.taxonomy, subscription_work=state["work_limit"])
        made._originals = Originals.from_json(state["originals"])
        made._numbers = itertools.count(state["next"])
        made._clocked = state["clocked"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)  # whoever registered it was told
            for each in state["operated"]:
                made.add(Subscription.from_json(each))
        return made

    def _index(self, wish: str) -> IndexMatcher:
        if not isinstance(self._matcher, IndexMatcher):
            raise GtopssError(f"{wish} needs the matcher 'gm': Engine(matcher='gm')")
        return self._matcher

    # --- what arrives ---------------------------------------------------------------------------------------

    def _arrived(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        """The publication as it is matched: with a time (that of its arrival, if it has none) and what it entails.

        The clock is read only where somebody asks for NOW.
        """
        made = given if type(given) is Publication and id is None else self._publication(given, format, id)
        if made.published_at is None and self._clocked:
            made = made.replace(published_at=self._clock())
        return entail(made, self.taxonomy) if self.entailment == "rdfs" else made

    def _publication(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        if isinstance(given, Publication):
            return given if id is None else given.replace(id=id)
        if isinstance(given, Path):
            document = read_document(given, format)
            return document if id is None else document.replace(id=id)
        name = id if id is not None else f"publication-{next(self._numbers)}"
        if isinstance(given, rdflib.Dataset):
            given = _only_graph(given, name)
        if isinstance(given, (bytes, bytearray, str)):
            if not isinstance(format, str):
                raise MalformedPublication("RDF bytes need a format, such as 'turtle'", publication_id=name)
            data = bytes(given) if isinstance(given, bytearray) else given
            if isinstance(self._matcher, IndexMatcher):
                return read_publication(name, data, format)
            return Publication.trusted(name, read_triples(data, format, publication_id=name))
        if not isinstance(given, Iterable):
            reason = f"a {type(given).__name__} is not a Publication, a Graph, triples or RDF bytes"
            raise MalformedPublication(reason, publication_id=name)
        return Publication(name, iter(given))


_STATE = {
    "allow_cartesian", "clocked", "entailment", "next", "operated", "originals", "row_limit", "taxonomy", "work_limit",
}  # fmt: skip


def _folder(path: Path | str) -> Path:
    if not isinstance(path, (str, Path)):
        raise GtopssError(f"{short_repr(path)} is not the path of a folder")
    return Path(path)


def read_taxonomy(given: TaxonomyLike) -> Taxonomy:
    """A taxonomy from whatever the caller has: one already made, an rdflib Graph, or a file."""
    if given is None:
        return Taxonomy()
    if isinstance(given, Taxonomy):
        return given
    name = "from a graph" if isinstance(given, rdflib.Graph) else short_repr(given)
    try:
        return load(given if isinstance(given, rdflib.Graph) else Path(given))
    except CyclicTaxonomy as error:
        how = f"{error}: Engine(taxonomy=ontology.load(..., cycles='condense'))"
        raise InvalidTaxonomy(name, how, cycle=error.cycle) from error
    except OntologyError as error:
        raise InvalidTaxonomy(name, str(error)) from error
    except OSError as error:
        raise InvalidTaxonomy(name, f"the file cannot be read: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:
        raise InvalidTaxonomy(name, f"give a Taxonomy, an rdflib Graph or a file's path: {error}") from error


def _only_graph(dataset: rdflib.Dataset, name: str) -> rdflib.Graph:
    """The one graph of a dataset that has triples: a publication is one graph."""
    graphs = [graph for graph in dataset.graphs() if len(graph)]
    if len(graphs) > 1:
        reason = f"the dataset holds {len(graphs)} graphs, and a publication is one: publish each graph by itself"
        raise MalformedPublication(reason, publication_id=name)
    return graphs[0] if graphs else rdflib.Graph()


def _refuse_boundless(subscription: Subscription) -> None:
    for branch in subscription.branches:
        if not branch.tuples:
            reason = "a branch without 5-tuples matches every publication; use Engine(allow_cartesian=True) to have it"
            raise InvalidSubscription(subscription.id, reason)
        parts = branch.parts()
        if len(parts) > 1:
            raise CartesianSubscription(subscription.id, [" . ".join(map(str, part)) for part in parts])
