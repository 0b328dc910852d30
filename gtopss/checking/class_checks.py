"""Check the classes that `isA`, its relatives and `labelled` name: is there such a class, and is anything below it?"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gtopss.checking.findings import Finding
from gtopss.checking.spelling import guess_iri
from gtopss.model import Call, Subscription, Term
from gtopss.model.expressions import calls_in
from gtopss.model.term_text import format_term
from gtopss.model.terms import iri, iri_text, is_iri, is_literal, is_variable, literal_parts
from ontology import Taxonomy
from ontology.labels import Labels
from sparqlish import PREFIXES
from sparqlish.functions import SPELLINGS

_CLASS_FUNCTIONS = frozenset({"isA", "instanceOf", "directlyA", "LABELLED"})


def check_classes(
    subscription: Subscription, taxonomy: Taxonomy, stated_types: Collection[Term] = ()
) -> Iterator[Finding]:
    """Yield what is wrong with the classes of a subscription. `stated_types` are types that publications have."""
    for function, cls in dict.fromkeys(_class_arguments(subscription)):
        if is_literal(cls):
            yield Finding(subscription.id, _text_for_class(function, literal_parts(cls)[0], taxonomy.labels))
        elif is_iri(cls) and (function == "labelled" or cls not in stated_types):
            message, likely = _check_iri(function, cls, taxonomy)
            if message:
                yield Finding(subscription.id, message, likely)


def classes_of(subscription: Subscription) -> Iterator[Term]:
    """Yield the classes that a subscription names by their IRIs."""
    return (cls for _, cls in _class_arguments(subscription) if is_iri(cls))


def _class_arguments(subscription: Subscription) -> Iterator[tuple[str, Term]]:
    for branch in subscription.branches:
        for call in calls_in(branch.expressions()):
            if call.function in _CLASS_FUNCTIONS:
                cls = call.arguments[1]
                if not isinstance(cls, Call) and not is_variable(cls):
                    yield SPELLINGS.get(call.function, call.function), cls


def _text_for_class(function: str, text: str, labels: Labels) -> str:
    shown = ", or ".join(describe_class(each, labels) for each in labels.search(text)[:3])
    hint = f"did you mean {shown}?" if shown else "find its IRI with `gtopss terms`"
    return f'{function}(…, "{text}") has a string in place of the IRI of a class: {hint}'


def _check_iri(function: str, cls: Term, taxonomy: Taxonomy) -> tuple[str | None, bool]:
    name = iri_text(cls)
    shown = f"{function}(…, {format_term(cls, PREFIXES)})"
    if function == "labelled":
        if not len(taxonomy.labels):
            return f"{shown} matches nothing: no ontology with labels is given (-o)", True
        if any(taxonomy.labels.of(each) for each in (name, *taxonomy.descendants(name))):
            return None, False
        if name in taxonomy:
            return f"{shown} matches nothing: neither the class nor anything below it has a label", True
    if not taxonomy.classes:
        return f"{shown} matches only types that items state themselves: add an ontology with -o FILE", True
    if taxonomy.children(name) or (function != "directlyA" and taxonomy.descendants(name)):
        return None, False  # what a reasoner infers is below a class, but no child of it
    if name in taxonomy:
        return f"{shown}: the class has no subclasses and no members, so only the class itself matches", False
    guess = guess_iri(name, taxonomy.classes)
    hint = (
        f": did you mean {describe_class(guess, taxonomy.labels)}?" if guess else ": find its IRI with `gtopss terms`"
    )
    return f"{shown}: the class is not in the ontology{hint}", True


def describe_class(name: str, labels: Labels) -> str:
    """Return a class as it can be pasted into a query, with its label."""
    label = labels.preferred(name)
    shown = format_term(iri(name), PREFIXES)
    return shown if label is None else f"{shown} ({label})"
