"""Watch a run: which properties and types publications have, and which subscriptions match."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.checking.class_checks import check_classes, classes_of
from gtopss.checking.findings import Finding
from gtopss.checking.property_checks import FEED_PROPERTIES, check_properties, properties_of
from gtopss.engine import Engine
from gtopss.model import MatchReport, Publication, Term
from gtopss.model.terms import iri_text

MAX_CHECKED_SUBSCRIPTIONS = 10_000
"""With more subscriptions than this, a run is not checked for misspelled properties."""
MAX_OBSERVED_TERMS = 10_000
"""Different properties, and different types, that are remembered to guess what was meant."""


class RunObserver:
    """Collects what publications say, as far as it is needed to judge the subscriptions of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._enabled = len(engine) <= MAX_CHECKED_SUBSCRIPTIONS
        self._missing: set[Term] = set()  # properties and classes that nothing known has, and no publication so far
        for subscription in engine.subscriptions() if self._enabled else ():
            self._missing.update(each for each in properties_of(subscription) if each not in FEED_PROPERTIES)
            self._missing.update(each for each in classes_of(subscription) if iri_text(each) not in engine.taxonomy)
        self._properties: set[Term] = set()
        self._types: set[Term] = set()
        self._publications = 0
        self._matched: set[str] = set()

    def observe(self, publication: Publication, report: MatchReport) -> None:
        """Note what a publication has, and what it matched. Cheap once every property and class was seen."""
        self._publications += 1
        self._matched.update(report.subscription_ids)
        if not self._missing:
            return
        properties, types = publication.properties_and_types()
        self._remember(self._properties, properties)
        self._remember(self._types, types)
        self._missing -= self._properties
        self._missing -= self._types

    def _remember(self, known: set[Term], terms: set[Term]) -> None:
        new = terms - known
        if len(known) + len(new) > MAX_OBSERVED_TERMS:
            new &= self._missing
        known |= new

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with each subscription, as far as these publications show it."""
        taxonomy = self._engine.taxonomy
        known = taxonomy.properties
        for subscription in self._engine.subscriptions() if self._enabled else ():
            yield from check_properties(subscription, self._properties, known, any_publication=self._publications > 0)
            yield from check_classes(subscription, taxonomy, self._types)

    def unmatched(self) -> list[str]:
        """Return the ids of the subscriptions that matched nothing; none of them if there are too many to check."""
        subscriptions = self._engine.subscriptions() if self._enabled else ()
        return [each.id for each in subscriptions if each.id not in self._matched]
