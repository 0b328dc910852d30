"""The inputs of an expression's evaluation: the row's values, and what lies beyond the row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeAlias

from gtopss.model.publication import Publication
from gtopss.model.terms import RDF_TYPE, Term
from gtopss.semantics.values import Value
from ontology import Taxonomy


class EvaluationContext:
    """The taxonomy, and one publication's types and time. Not thread-safe: make one per match."""

    def __init__(self, publication: Publication, taxonomy: Taxonomy) -> None:
        self.publication, self.taxonomy = publication, taxonomy
        self._types: dict[Term, list[Term]] | None = None

    @property
    def now(self) -> datetime | None:
        """The value of NOW(): when the publication was published, or None if it does not say."""
        return self.publication.published_at

    def stated_types(self, term: Term) -> list[Term]:
        """Return the types that the publication itself states for a term, without those that entailment added.

        The first call indexes the types of the whole publication.
        """
        if self._types is None:
            self._types = {}
            for triple in self.publication.triples:
                if triple[1] == RDF_TYPE and triple not in self.publication.inferred:
                    self._types.setdefault(triple[0], []).append(triple[2])
        return self._types.get(term, [])


RowValues: TypeAlias = Mapping[Term, Term]
"""The values of a row, by variable; an unbound variable is missing."""

Evaluator: TypeAlias = Callable[[RowValues, EvaluationContext], Value]
"""A compiled expression: it returns the value for one row, or raises TypeMismatch."""
