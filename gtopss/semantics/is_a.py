"""The is-a questions over the taxonomy and the publication's own types (G-ToPSS, sections 3.2, 3.4 and 4.2).

The paper lists instances in the taxonomy and notes that a publication may state them by a type property; both
count here. A type is not inherited by way of another type: an instance of a class is not an instance of that
class's metaclass.

| function     | paper | meaning                                                                          |
|--------------|-------|----------------------------------------------------------------------------------|
| `isA`        | ≤     | x is C, or a subclass or an instance of C at any depth (the paper's is not reflexive) |
| `instanceOf` |       | some type of x is C or below it                                                  |
| `directlyA`  | =     | an asserted edge leads from x to C                                               |
| `ancestorOf` | ≥     | C lies below x, and is not x                                                     |
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from gtopss.model.publication import Publication
from gtopss.model.terms import RDF_TYPE, Term, iri_text, is_iri
from ontology import Taxonomy


class EvaluationContext:
    """What an expression may read beyond its row: the taxonomy, and one publication's types and time."""

    def __init__(self, publication: Publication, taxonomy: Taxonomy) -> None:
        self.publication, self.taxonomy = publication, taxonomy
        self._types: dict[Term, list[Term]] | None = None

    @property
    def now(self) -> datetime | None:
        return self.publication.published_at

    def stated_types(self, term: Term) -> list[Term]:
        """The types that the publication itself states, not those that entailment added.

        Gathered once, at the first question.
        """
        if self._types is None:
            self._types = {}
            for triple in self.publication.triples:
                if triple[1] == RDF_TYPE and triple not in self.publication.inferred:
                    self._types.setdefault(triple[0], []).append(triple[2])
        return self._types.get(term, [])


def is_a(term: Term, cls: Term, scope: EvaluationContext) -> bool:
    if term == cls:
        return True
    if is_iri(term) and is_iri(cls) and scope.taxonomy.is_a(iri_text(term), iri_text(cls)):
        return True
    return _stated_below(term, cls, scope)


def instance_of(term: Term, cls: Term, scope: EvaluationContext) -> bool:
    if is_iri(term) and is_iri(cls) and scope.taxonomy.instance_of(iri_text(term), iri_text(cls)):
        return True
    return _stated_below(term, cls, scope)


def directly_a(term: Term, cls: Term, scope: EvaluationContext) -> bool:
    if is_iri(term) and is_iri(cls) and scope.taxonomy.directly_a(iri_text(term), iri_text(cls)):
        return True
    return cls in scope.stated_types(term)


def ancestor_of(term: Term, cls: Term, scope: EvaluationContext) -> bool:
    if term == cls or (is_iri(term) and iri_text(cls) in scope.taxonomy.equivalents(iri_text(term))):
        return False
    return is_a(cls, term, scope)


def _stated_below(term: Term, cls: Term, scope: EvaluationContext) -> bool:
    for stated in scope.stated_types(term):
        if stated == cls:
            return True
        if is_iri(stated) and is_iri(cls) and scope.taxonomy.is_subclass(iri_text(stated), iri_text(cls)):
            return True
    return False


IS_A_FUNCTIONS: dict[str, Callable[[Term, Term, EvaluationContext], bool]] = {
    "isA": is_a,
    "instanceOf": instance_of,
    "directlyA": directly_a,
    "ancestorOf": ancestor_of,
}
