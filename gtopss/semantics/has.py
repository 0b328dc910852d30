"""`has(?item, property, "words")` and `has(?item, property, Class)`: a test of all values of a property at once.

`has(?item, property)` is true if there is any value.

A value has the class if it is one (`isA`), or if it is a text that is the label of one (`labelled`).

A pattern asks whether some value passes a test, and a row holds one value. So `FILTER(!words(?text, "x"))` finds items
with some text that lacks the word, and none without a text. `!has(?item, rss:title, "x")` finds the items of which no
title has the word, those without a title included.
"""

from __future__ import annotations

from gtopss.model.terms import Term, is_literal
from gtopss.semantics.budget import STEPS_PER_NODE
from gtopss.semantics.context import EvaluationContext
from gtopss.semantics.is_a import is_a
from gtopss.semantics.labelled import is_labelled
from gtopss.semantics.values import TRUE, TypeMismatch, Value, value_of
from gtopss.semantics.words import has_words


def has_value_with_words(subject: Term, property: Term, needle: Value, context: EvaluationContext) -> bool:
    """Return whether some text that the publication has for the subject and property has these words."""
    for value in context.objects(subject, property):
        context.budget.spend(STEPS_PER_NODE)
        try:
            if has_words(context.budget, context.value_of(value), needle) is TRUE:
                return True
        except TypeMismatch:  # not a text
            continue
    return False


def has_value_of_class(subject: Term, property: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether some value that the publication has for the subject and property is of the class or below it.

    A text is if it is the label of the class, or of a term below it.
    """
    for value in context.objects(subject, property):
        context.budget.spend(STEPS_PER_NODE)
        if is_a(value, cls, context) or (
            is_literal(value) and is_labelled(context.value_of(value), value_of(cls), context)
        ):
            return True
    return False
