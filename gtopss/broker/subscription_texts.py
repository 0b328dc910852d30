"""Read the text of a subscription, SPARQL or the short form, with the warnings about it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from gtopss.broker.errors import InvalidSetting
from gtopss.checking.short_form_explanation import ShortFormExplainer
from gtopss.engine import Engine
from gtopss.engine.preparation import prepare_subscription
from gtopss.engine.subscription_files import LabelSource
from gtopss.errors import GtopssError, InvalidQuery, NeverBound
from gtopss.language import subscription_from_text
from gtopss.model import Subscription
from gtopss.short_form import ShortForm
from gtopss.short_form.parser import SourceLine
from ontology import Taxonomy
from sparqlish import PREFIXES

Form: TypeAlias = Literal["sparql", "short"]
FORMS: tuple[Form, ...] = get_args(Form)
SHORT_FORM_HINT = 'This is not a SPARQL query. For the short form, use form="short".'
_WARNINGS = threading.Lock()  # Python's list of warning filters belongs to all threads


@dataclass(frozen=True, slots=True)
class ReadText:
    """A subscription, and what is to be said about its text."""

    subscription: Subscription
    query: str
    """The query: what the short form means."""
    calls_operators: bool
    normal: Subscription | None
    """After rewriting, for comparisons; None if it can never match, or calls operators."""
    warnings: tuple[str, ...]


def parse_text(text: str, form: str, id: str, engine: Engine) -> Subscription:
    """Return the subscription of a text, without checking whether the engine accepts it. Raises InvalidSubscription."""
    subscription, _, _ = _parse(text, form, id, engine)
    return subscription


def read_text(text: str, form: str, id: str, engine: Engine) -> ReadText:
    """Read a text, check it and rewrite it. Raises InvalidSubscription. The matcher may still refuse it."""
    subscription, query, unbound = _parse(text, form, id, engine)
    prepared = prepare_subscription(
        subscription, query, engine.operators, allow_cartesian=engine.config.allow_cartesian
    )
    part = "the subscription" if prepared.normal is None else "a branch"
    impossible = (f"{part} {reason}" for reason in prepared.impossible)
    calls_operators = prepared.operator_parts is not None
    return ReadText(subscription, query, calls_operators, prepared.normal, (*unbound, *impossible))


def add_quietly(engine: Engine, subscription: Subscription) -> None:
    """Add a subscription to an engine without warnings: its owner was told when it was registered."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.add(subscription)


def add_many_quietly(engine: Engine, subscriptions: Iterable[Subscription]) -> list[GtopssError]:
    """Add subscriptions as `add_quietly` does; return the errors of those that are refused."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return engine.add_many(subscriptions)


def short_form_explainer(engine: Engine, id: str, text: str) -> ShortFormExplainer:
    """Return what explains the matches of a short form in its own words."""
    return ShortFormExplainer(engine, {id: ShortForm(id, SourceLine(text))}, _labels(engine.taxonomy), PREFIXES)


def condition_queries(engine: Engine, text: str) -> list[str]:
    """Return a query for each condition of a short form that an item should meet."""
    return ShortForm("condition", SourceLine(text)).condition_queries(_labels(engine.taxonomy))


def _parse(text: str, form: str, id: str, engine: Engine) -> tuple[Subscription, str, tuple[str, ...]]:
    if form not in FORMS:
        raise InvalidSetting("form", form, f"it must be one of {', '.join(FORMS)}")
    if "\0" in text:
        raise InvalidQuery(id, "it contains a NUL character, which cannot be stored", line=None, column=None)
    query = text if form == "sparql" else ShortForm(id, SourceLine(text)).query(_labels(engine.taxonomy))
    with _WARNINGS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = subscription_from_text(query, id, operators=engine.operators.arities())
        except InvalidQuery as error:
            if form != "sparql" or not _is_no_query(text, error):
                raise
            reason = f"{error.reason}\n{SHORT_FORM_HINT}"
            raise InvalidQuery(id, reason, line=error.line, column=error.column) from None
    start = f"subscription {id!r}: "
    unbound = (str(each.message).removeprefix(start) for each in caught if issubclass(each.category, NeverBound))
    return made, query, tuple(unbound)


def _is_no_query(text: str, error: InvalidQuery) -> bool:
    """Return whether already the first word of a text is wrong, as it is in the short form."""
    before = text[: len(text) - len(text.lstrip())]
    first = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    return "{" not in text and (error.line, error.column) == first


def _labels(taxonomy: Taxonomy) -> LabelSource:
    return (lambda: taxonomy.labels) if len(taxonomy.labels) else None
