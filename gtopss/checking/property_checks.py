"""Check the properties of subscriptions: one that no publication has is probably misspelled."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gtopss.checking.findings import Finding
from gtopss.checking.spelling import guess_iri
from gtopss.feeds import vocabulary
from gtopss.model import Subscription, Term
from gtopss.model.expressions import calls_in
from gtopss.model.term_text import format_term
from gtopss.model.terms import RDF_TYPE, iri, iri_text, is_iri
from sparqlish import PREFIXES

FEED_PROPERTIES = {Term(each) for each in vars(vocabulary).values() if isinstance(each, str) and each[0] == "<"} | {
    RDF_TYPE
}
"""What feeds may say. An item without it is nothing to warn about."""


def properties_of(subscription: Subscription) -> Iterator[Term]:
    """Yield the properties that a subscription names, in its patterns and in `has`."""
    for branch in subscription.branches:
        yield from (property for _, property, _ in branch.edges() if is_iri(property))
        for call in calls_in(branch.expressions()):
            if call.function == "HAS" and isinstance(property := call.arguments[1], str):
                yield property


def check_properties(
    subscription: Subscription, seen: Collection[Term], known: Collection[str], *, any_publication: bool
) -> Iterator[Finding]:
    """Yield the properties that no publication has (`seen`) and no ontology knows (`known`, IRIs), with a guess.

    Before any publication was seen, only a property that is spelled almost like one of feeds is a mistake.
    """
    for property in dict.fromkeys(properties_of(subscription)):
        if property in FEED_PROPERTIES or property in seen or iri_text(property) in known:
            continue
        candidates = {iri_text(each) for each in (*FEED_PROPERTIES, *seen)} | {*known}
        guess = guess_iri(iri_text(property), candidates)
        shown = format_term(property, PREFIXES)
        hint = f": did you mean {format_term(iri(guess), PREFIXES)}?" if guess else ""
        if any_publication:
            yield Finding(subscription.id, f"no item has the property {shown}{hint}", likely=guess is not None)
        elif guess is not None and _namespace(guess) == _namespace(iri_text(property)):
            yield Finding(subscription.id, f"feeds have no property {shown}{hint}")


def _namespace(text: str) -> str:
    return text[: max(text.rfind(sign) for sign in "/#:") + 1]
