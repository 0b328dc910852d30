"""The whole walk on one screen: what a caller hands in becomes a publication, is matched, and comes back as a report.

    graph, triples, bytes ──> Publication ──(entailment)──> Matcher ──> MatchReport

The engine adds nothing to the meaning: it opens doors (formats, ids, taxonomy files), keeps bad input from the
matcher, and chooses the matcher by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import rdflib

from gtopss.baselines.naive import NaiveMatcher
from gtopss.baselines.sparql import SparqlMatcher
from gtopss.baselines.sparql_engines import Oxigraph, Rdflib
from gtopss.errors import (
    CartesianSubscription,
    GtopssError,
    InvalidSubscription,
    InvalidTaxonomy,
    MalformedPublication,
    UnknownMatcher,
)
from gtopss.feeds.rdf import read_triples
from gtopss.gm.reference import ReferenceMatcher
from gtopss.matcher import ROW_LIMIT, Matcher
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics import check, entail
from ontology import CyclicTaxonomy, OntologyError, Taxonomy
from ontology.load import load

PublicationLike: TypeAlias = "Publication | rdflib.Graph | bytes | str | Iterable[tuple[Any, Any, Any]]"
TaxonomyLike: TypeAlias = "Taxonomy | rdflib.Graph | str | Path | None"

MATCHERS: dict[str, Callable[[Taxonomy], Matcher]] = {
    "reference": ReferenceMatcher,
    "naive": NaiveMatcher,
    "sparql": lambda taxonomy: SparqlMatcher(taxonomy, Oxigraph()),
    "sparql-rdflib": lambda taxonomy: SparqlMatcher(taxonomy, Rdflib()),
}
"""Every matcher by name. To add one: a file, a line here; the contract tests find it by themselves."""


class Engine:
    """Subscriptions in, publications through, matches out.

    >>> engine = Engine()
    >>> engine.add(Subscription("s1", [("?who", "<urn:knows>", "<urn:bob>")]))
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
    ) -> None:
        if matcher not in MATCHERS:
            raise UnknownMatcher(matcher, MATCHERS)
        if entailment not in (None, "rdfs"):
            raise GtopssError(f"there is no entailment {entailment!r}: use None or 'rdfs'")
        if row_limit < 1:
            raise GtopssError(f"row_limit is {row_limit}: a match needs at least one row; see match(bindings=False)")
        self.taxonomy = read_taxonomy(taxonomy)
        self.entailment = entailment
        self.row_limit = row_limit
        self.allow_cartesian = allow_cartesian
        self._matcher = MATCHERS[matcher](self.taxonomy)
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        """How many subscriptions are registered."""
        return len(self._matcher)

    def add(self, subscription: Subscription) -> None:
        """Register a subscription; it takes part from the next publication on."""
        if not isinstance(subscription, Subscription):
            raise InvalidSubscription("?", f"a {type(subscription).__name__} is not a Subscription")
        check(subscription)
        if not self.allow_cartesian:
            _refuse_boundless(subscription)
        self._matcher.add(subscription)

    def add_many(self, subscriptions: Iterable[Subscription]) -> list[GtopssError]:
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
        self._matcher.remove(subscription_id)

    def match(
        self,
        publication: PublicationLike,
        format: str | None = None,
        *,
        id: str | None = None,
        bindings: bool = True,
    ) -> MatchReport:
        """The subscriptions that a publication satisfies.

        `publication` is a Publication, an rdflib Graph, an iterable of triples, or RDF bytes (or text) with their
        `format`. With `bindings=False` matches come without solutions, which is all that routing needs.
        """
        made = self._publication(publication, format, id)
        if self.entailment == "rdfs":
            made = entail(made, self.taxonomy)
        return self._matcher.match(made, self.row_limit if bindings else 0)

    def match_many(
        self, publications: Iterable[PublicationLike], format: str | None = None, *, bindings: bool = True
    ) -> Iterator[MatchReport]:
        """One report per publication, in their order. One that cannot be read gets a report with its `error`."""
        for publication in publications:
            try:
                yield self.match(publication, format, bindings=bindings)
            except MalformedPublication as error:
                yield MatchReport(error.publication_id or f"publication-{next(self._numbers)}", (), error=error)

    def _publication(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        if isinstance(given, Publication):
            return given
        name = id if id is not None else f"publication-{next(self._numbers)}"
        if isinstance(given, (bytes, str)):
            if format is None:
                raise MalformedPublication("RDF bytes need a format, such as 'turtle'", publication_id=name)
            return Publication.trusted(name, read_triples(given, format, publication_id=name))
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
    name = "from a graph" if isinstance(given, rdflib.Graph) else str(given)
    try:
        return load(given if isinstance(given, rdflib.Graph) else Path(given))
    except CyclicTaxonomy as error:
        raise InvalidTaxonomy(name, str(error), cycle=error.cycle) from error
    except OntologyError as error:
        raise InvalidTaxonomy(name, str(error)) from error
    except OSError as error:
        raise InvalidTaxonomy(name, f"the file cannot be read: {error.strerror or error}") from error


def _refuse_boundless(subscription: Subscription) -> None:
    for branch in subscription.branches:
        if not branch.tuples:
            reason = "a branch without 5-tuples matches every publication; use Engine(allow_cartesian=True) to have it"
            raise InvalidSubscription(subscription.id, reason)
        parts = branch.parts()
        if len(parts) > 1:
            raise CartesianSubscription(subscription.id, [" . ".join(map(str, part)) for part in parts])
