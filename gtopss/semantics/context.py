"""The inputs of an expression's evaluation: the row's values, and what lies beyond the row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TypeAlias

from gtopss.model.expressions import Expression
from gtopss.model.publication import Publication
from gtopss.model.terms import MAX_CACHED_TERM_CHARACTERS, RDF_TYPE, Term
from gtopss.semantics.budget import CHARACTERS_PER_STEP, EvaluationBudget, EvaluationLimits
from gtopss.semantics.lenient_literals import LiteralRules, read_literal
from gtopss.semantics.values import Value, value_of
from ontology import Taxonomy

_MAX_LONG_VALUES = 8
"""Values of long terms that are kept from one row to the next."""
MAX_SHARED_RESULTS = 50_000
"""Results of constraints that are kept for other rows and subscriptions; all are forgotten when there are more."""


class EvaluationContext:
    """The taxonomy, one publication with its types, and the budget. Not thread-safe: make one per match."""

    def __init__(
        self,
        publication: Publication,
        taxonomy: Taxonomy,
        limits: EvaluationLimits | None = None,
        literals: LiteralRules = "sparql",
    ) -> None:
        self.publication, self.taxonomy = publication, taxonomy
        self.is_lenient = literals == "lenient"
        """Whether operands that are plain literals are read as numbers and dates (`lenient_literals`)."""
        self.budget = EvaluationBudget(EvaluationLimits() if limits is None else limits)
        self.shared_results: dict[tuple[object, ...], bool] = {}
        """Results of constraints on values of this publication (`CompiledTest.holds_shared`)."""
        self.exists: Callable[[Expression, RowValues], bool] | None = None
        """Whether a pattern has a solution for a row: `gtopss.algebra` sets it while it evaluates a query."""
        self.solution_numbers: Iterator[int] | None = None
        """The numbers of new solutions (`new_terms`): `gtopss.algebra` sets it while it evaluates a query."""
        self._types: dict[Term, list[Term]] | None = None
        self._objects: dict[tuple[Term, Term], list[Term]] | None = None
        self._long_values: dict[Term, Value] = {}
        self._digest: bytes | None = None

    @property
    def publication_digest(self) -> bytes:
        """A hash of the id and the triples of the publication."""
        if self._digest is None:
            made = hashlib.sha256(self.publication.id.encode(errors="surrogatepass"))
            for triple in self.publication.triples:
                made.update(" ".join(triple).encode(errors="surrogatepass"))
            self._digest = made.digest()
        return self._digest

    def start_row(self, steps: int) -> None:
        """Start a row whose expressions cost this many steps by their size. Raises BudgetExceeded."""
        self.budget.start_row(steps)
        if len(self._long_values) > _MAX_LONG_VALUES:
            self._long_values.clear()

    def value_of(self, term: Term) -> Value:
        """Return the value of a row's term.

        The value of a long term is made once per row: an expression that names an article a thousand times would
        otherwise copy it as often.
        """
        if len(term) <= MAX_CACHED_TERM_CHARACTERS:
            return value_of(term)
        self.budget.spend(len(term) // CHARACTERS_PER_STEP)
        value = self._long_values.get(term)
        if value is None:
            value = self._long_values[term] = value_of(term)
        return value

    def operand(self, value: Value) -> Value:
        """Return a value as an operand of a function that reads literals."""
        return read_literal(value) if self.is_lenient else value

    @property
    def now(self) -> datetime | None:
        """The value of NOW(): when the engine received the publication, or None if no engine did."""
        return self.publication.received_at

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

    def objects(self, subject: Term, property: Term) -> list[Term]:
        """Return what the publication has for a subject and a property. The first call indexes all its triples."""
        if self._objects is None:
            self._objects = {}
            for triple in self.publication.triples:
                self._objects.setdefault(triple[:2], []).append(triple[2])
        return self._objects.get((subject, property), [])


RowValues: TypeAlias = Mapping[Term, Term]
"""The values of a row, by variable; an unbound variable is missing."""

Evaluator: TypeAlias = Callable[[RowValues, EvaluationContext], Value]
"""A compiled expression: it returns the value for one row, or raises TypeMismatch."""
