"""The context of evaluation: values of long terms are made once per row."""

from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.terms import literal
from gtopss.semantics.budget import CHARACTERS_PER_STEP, STEPS_PER_ROW
from gtopss.semantics.context import EvaluationContext
from ontology import Taxonomy

LONG = [literal(f"{number}{'a' * 5_000}") for number in range(20)]


def test_the_value_of_a_long_term_is_made_once_and_charged_each_time() -> None:
    context = EvaluationContext(Publication("p", []), Taxonomy())
    context.start_row(0)
    first = context.value_of(LONG[0])
    assert context.value_of(LONG[0]) is first
    assert context.budget.steps == STEPS_PER_ROW + 2 * (len(LONG[0]) // CHARACTERS_PER_STEP)


def test_few_long_values_are_kept_for_the_next_row() -> None:
    context = EvaluationContext(Publication("p", []), Taxonomy())
    values = [context.value_of(term) for term in LONG]
    assert all(context.value_of(term) is value for term, value in zip(LONG, values, strict=True))
    context.start_row(0)
    assert context.value_of(LONG[0]) is not values[0]
    assert context.value_of(LONG[0]).data == values[0].data
