"""The whole walk on one screen: what a caller hands in becomes a publication, is matched, and comes back as a report.

    graph, triples, bytes ──> Publication ──(entailment)──> Matcher ──> MatchReport

The engine adds nothing to the meaning: it opens doors (formats, ids, taxonomy files), keeps bad input from the
matcher, and chooses the matcher by name.
"""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import rdflib

from gtopss.baselines.naive import NaiveMatcher
from gtopss.baselines.sparql import SparqlMatcher
from gtopss.baselines.sparql_engines import Oxigraph, Rdflib
from gtopss.errors import (
    CartesianSubscription,
    DuplicateSubscription,
    GtopssError,
    InvalidSubscription,
    InvalidTaxonomy,
    MalformedPublication,
    NeverMatches,
    SubscriptionNotFound,
    UnknownMatcher,
    shown,
)
from gtopss.explain import Explanation, explain
from gtopss.feeds.rdf import read_document, read_triples
from gtopss.gm.reference import ReferenceMatcher
from gtopss.language import locate, subscription_from_text
from gtopss.matcher import ROW_LIMIT, Matcher
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics import check, entail, for_explaining, normalise, refusal
from ontology import CyclicTaxonomy, OntologyError, Taxonomy
from ontology.load import load

PublicationLike: TypeAlias = "Publication | rdflib.Graph | Path | bytes | str | Iterable[tuple[Any, Any, Any]]"
TaxonomyLike: TypeAlias = "Taxonomy | rdflib.Graph | str | Path | None"

MAX_ROW_LIMIT = 1_000_000_000

MATCHERS: dict[str, Callable[[Taxonomy], Matcher]] = {
    "reference": ReferenceMatcher,
    "naive": NaiveMatcher,
    "sparql": lambda taxonomy: SparqlMatcher(taxonomy, Oxigraph()),
    "sparql-rdflib": lambda taxonomy: SparqlMatcher(taxonomy, Rdflib()),
}
"""Every matcher by name. To add one: a file, a line here; the contract tests find it by themselves."""


class Engine:
    """Subscriptions in, publications through, matches out. May be used from several threads; calls take turns.

    >>> engine = Engine()
    >>> _ = engine.add("SELECT ?who { ?who <urn:knows> <urn:bob> }")
    >>> [match.bindings for match in engine.match([("<urn:ann>", "<urn:knows>", "<urn:bob>")])]
    [({'who': rdflib.term.URIRef('urn:ann')},)]
    """

    def __init__(
        self,
        *,
        taxonomy: TaxonomyLike = None,
        matcher: str = "reference",
        entailment: Literal["rdfs"] | None = None,
        row_limit: int = ROW_LIMIT,
        allow_cartesian: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not isinstance(matcher, str) or matcher not in MATCHERS:
            raise UnknownMatcher(matcher if isinstance(matcher, str) else shown(matcher), MATCHERS)
        if entailment not in (None, "rdfs"):
            raise GtopssError(f"there is no entailment {entailment!r}: use None or 'rdfs'")
        if not isinstance(row_limit, int) or not 1 <= row_limit <= MAX_ROW_LIMIT:
            reason = f"it must be from 1 to {MAX_ROW_LIMIT}; for no rows at all, see match(bindings=False)"
            raise GtopssError(f"row_limit is {shown(row_limit)}: {reason}")
        self.taxonomy = read_taxonomy(taxonomy)
        self.entailment = entailment
        self.row_limit = row_limit
        self.allow_cartesian = allow_cartesian
        self._clock = clock
        self._matcher = MATCHERS[matcher](self.taxonomy)
        self._subscriptions: dict[str, Subscription] = {}
        self._impossible: dict[str, tuple[str, ...]] = {}
        self._numbers = itertools.count(1)
        self._turn = threading.RLock()

    def __len__(self) -> int:
        """How many subscriptions are registered."""
        return len(self._subscriptions)

    def add(self, subscription: Subscription | str, *, id: str | None = None) -> Subscription:
        """Register a subscription, or the text of one; it takes part from the next publication on.

        A text needs no id: it gets one, which the subscription that is returned has. What can never match is
        registered with a `NeverMatches` warning, and costs nothing.
        """
        made = self._read(subscription, id)
        try:
            check(made)
        except InvalidSubscription:
            if isinstance(subscription, str) and (placed := locate(subscription, made.id, refusal)) is not None:
                raise placed from None
            raise
        normal, impossible = normalise(made)
        if normal is not None and not self.allow_cartesian:
            _refuse_boundless(normal)
        with self._turn:
            if made.id in self._subscriptions:
                raise DuplicateSubscription(made.id)
            if normal is not None:
                self._matcher.add(normal)
            if impossible:
                self._impossible[made.id] = impossible
            self._subscriptions[made.id] = made
        for reason in impossible:
            whose = f"subscription {made.id!r}" if normal is None else f"a branch of subscription {made.id!r}"
            warnings.warn(f"{whose} {reason}", NeverMatches, stacklevel=2)
        return made

    def _read(self, subscription: Subscription | str, id: str | None) -> Subscription:
        if isinstance(subscription, str):
            name = id if id is not None else f"subscription-{next(self._numbers)}"
            return subscription_from_text(subscription, name)
        if not isinstance(subscription, Subscription):
            raise InvalidSubscription("?", f"a {type(subscription).__name__} is not a Subscription, nor its text")
        if id is not None and id != subscription.id:
            raise InvalidSubscription(subscription.id, f"it has an id already, and cannot be added as {id!r}")
        return subscription

    def add_many(self, subscriptions: Iterable[Subscription | str]) -> list[GtopssError]:
        """Register many; those that cannot be are returned as errors, and do not stop the others."""
        refused = []
        for subscription in subscriptions:
            try:
                self.add(subscription)
            except GtopssError as error:
                refused.append(error)
        return refused

    def remove(self, subscription_id: str) -> None:
        """Forget a subscription, as if it had never been."""
        with self._turn:
            self._registered(subscription_id)
            impossible = self._impossible.pop(subscription_id, ())
            if len(impossible) < len(self._subscriptions.pop(subscription_id).branches):
                self._matcher.remove(subscription_id)

    def _registered(self, subscription_id: str) -> Subscription:
        if not isinstance(subscription_id, str) or subscription_id not in self._subscriptions:
            raise SubscriptionNotFound(subscription_id)
        return self._subscriptions[subscription_id]

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
        with self._turn:
            return self._matcher.match(made, self.row_limit if bindings else 0)

    def explain(self, publication: PublicationLike, subscription_id: str, format: str | None = None) -> Explanation:
        """Why a publication matches a subscription, or the largest part of it that does and what fails then."""
        subscription = self._registered(subscription_id)
        made, branches = for_explaining(subscription.branches, self._arrived(publication, format, None))
        known = Subscription(subscription.id, branches=branches)
        impossible = self._impossible.get(subscription_id, ())
        return replace(explain(known, made, self.taxonomy), impossible=impossible)

    def match_many(
        self, publications: Iterable[PublicationLike], format: str | None = None, *, bindings: bool = True
    ) -> Iterator[MatchReport]:
        """One report per publication, in their order. One that cannot be read gets a report with its `error`."""
        for publication in publications:
            try:
                yield self.match(publication, format, bindings=bindings)
            except GtopssError as error:
                name = getattr(error, "publication_id", None) or f"publication-{next(self._numbers)}"
                yield MatchReport(name, (), error=error)

    def _arrived(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        """The publication as it is matched: with a time (that of its arrival, if it has none) and what it entails."""
        made = self._publication(given, format, id)
        if made.published_at is None:
            made = made.changed(published_at=self._clock())
        return entail(made, self.taxonomy) if self.entailment == "rdfs" else made

    def _publication(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        if isinstance(given, Publication):
            return given if id is None else given.changed(id=id)
        if isinstance(given, Path):
            document = read_document(given, format)
            return document if id is None else document.changed(id=id)
        name = id if id is not None else f"publication-{next(self._numbers)}"
        if isinstance(given, rdflib.Dataset):
            given = _only_graph(given, name)
        if isinstance(given, (bytes, bytearray, str)):
            if not isinstance(format, str):
                raise MalformedPublication("RDF bytes need a format, such as 'turtle'", publication_id=name)
            data = bytes(given) if isinstance(given, bytearray) else given
            return Publication.trusted(name, read_triples(data, format, publication_id=name))
        if not isinstance(given, Iterable):
            reason = f"a {type(given).__name__} is not a Publication, a Graph, triples or RDF bytes"
            raise MalformedPublication(reason, publication_id=name)
        return Publication(name, iter(given))


def read_taxonomy(given: TaxonomyLike) -> Taxonomy:
    """A taxonomy from whatever the caller has: one already made, an rdflib Graph, or a file."""
    if given is None:
        return Taxonomy()
    if isinstance(given, Taxonomy):
        return given
    name = "from a graph" if isinstance(given, rdflib.Graph) else shown(given)
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
