"""`labelled(?text, C)`: whether a text is what the ontology calls the class, or a term below it.

Feeds have categories as plain text: "Public Health" names the same topic as its IRI does. The text is compared with the
labels of all terms that are a C by the taxonomy (`isA`); `ontology.labels.label_key` says how. Types that a publication
states do not count: they belong to its own terms, which have no labels in the ontology.

It is false, as is-a is, for what can be no label (an IRI, a number) and for a class that is not an IRI.
"""

from __future__ import annotations

from gtopss.model.terms import iri_text
from gtopss.semantics.budget import STEPS_PER_NODE
from gtopss.semantics.context import EvaluationContext
from gtopss.semantics.values import Value, ValueKind, term_of

STEPS_PER_CHARACTER = 3
"""Steps that comparing a text with all labels takes for each of its characters: it is split, folded and normalised."""


def is_labelled(text: Value, cls: Value, context: EvaluationContext) -> bool:
    """Return whether the text is a label of the class or of a term below it."""
    if text.kind is ValueKind.STRING:
        written = str(text.data)
    elif text.kind is ValueKind.LANGUAGE_STRING:
        written = str(text.data[0])
    else:
        return False
    if cls.kind is not ValueKind.IRI:
        return False
    context.budget.spend(STEPS_PER_CHARACTER * len(written))
    taxonomy, name = context.taxonomy, iri_text(term_of(cls))
    for term in taxonomy.labels.with_label(written):
        context.budget.spend(STEPS_PER_NODE)
        if taxonomy.is_a(term, name):
            return True
    return False
