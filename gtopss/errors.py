"""Every error that G-ToPSS raises, in one tree.

    GtopssError
    ├── InvalidTerm               not an RDF term, or not one allowed in this place
    ├── MalformedPublication      RDF that cannot be read, or a triple that RDF does not allow
    ├── InvalidSubscription       a subscription that says something impossible
    │   ├── InvalidQuery          text that is not a query, or asks for what a subscription lacks
    │   ├── UnknownVariable       a constraint or SELECT on a variable that no 5-tuple has
    │   ├── CartesianSubscription parts that share nothing, so that their rows multiply
    │   └── UnsupportedSubscription   correct, but this matcher cannot answer it
    ├── DuplicateSubscription     an id that is already registered
    ├── SubscriptionNotFound      an id that is not registered
    ├── InvalidTaxonomy           an ontology that cannot be read, or whose classes form a cycle
    ├── InvalidSnapshot           a saved engine that is not one, or not whole
    ├── UnknownMatcher            a matcher's name that is not in the table
    ├── UnknownSetting            a keyword that is no setting of an engine
    └── FetchError                what the network did to us: the tree in `gtopss.net.errors`

    NeverMatches                  a warning: registered, but nothing can satisfy it

Each carries the facts as attributes and a message that says where and what to do. Errors about the caller's
input are `ValueError`s too (`SubscriptionNotFound` is a `LookupError`), so that code which does not know this
module still catches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class GtopssError(Exception):
    """The root: `except GtopssError` catches whatever this project raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes with their message and their facts."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[GtopssError], arguments: tuple[object, ...], facts: dict[str, Any]) -> GtopssError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(facts)
    return error


def short_repr(given: object) -> str:
    """What a caller handed in, for a message: short, and never an error of its own."""
    try:
        text = repr(given)
    except Exception:
        text = f"a {type(given).__name__} that cannot be shown"
    return text if len(text) <= 200 else f"{text[:100]}...{text[-80:]}"


class InvalidTerm(GtopssError, ValueError):
    """Something that is not an RDF term was given where one is needed."""

    def __init__(self, given: object, reason: str) -> None:
        self.given = given
        super().__init__(f"{short_repr(given)} is not a term: {reason}")


class MalformedPublication(GtopssError, ValueError):
    """Bytes that are not RDF of the stated format, or triples that RDF does not allow."""

    def __init__(
        self,
        reason: str,
        *,
        publication_id: str | None = None,
        line: int | None = None,
        column: int | None = None,
        triple: int | None = None,
    ) -> None:
        self.publication_id, self.line, self.column, self.triple = publication_id, line, column, triple
        place = [f"publication {publication_id!r}"] if publication_id is not None else ["publication"]
        if line is not None:
            place.append(f"line {line}" + (f", column {column}" if column is not None else ""))
        if triple is not None:
            place.append(f"triple {triple}")
        super().__init__(f"{', '.join(place)}: {reason}")


class InvalidSubscription(GtopssError, ValueError):
    """A subscription that cannot be registered as it stands."""

    def __init__(self, subscription_id: str, reason: str) -> None:
        self.subscription_id, self.reason = subscription_id, reason
        super().__init__(f"subscription {subscription_id!r}: {reason}")


class UnknownVariable(InvalidSubscription):
    """A constraint, value constraint or SELECT names a variable that no 5-tuple binds."""

    def __init__(self, subscription_id: str, variable: str, place: str, known: Iterable[str]) -> None:
        self.variable, self.place = variable, place
        names = ", ".join(sorted(known)) or "none"
        super().__init__(subscription_id, f"{place} names {variable}, which no 5-tuple there has (variables: {names})")


class CartesianSubscription(InvalidSubscription):
    """Parts of the pattern share no variable: every row of one pairs with every row of the other."""

    def __init__(self, subscription_id: str, parts: Sequence[str]) -> None:
        self.parts = tuple(parts)
        super().__init__(
            subscription_id,
            f"its parts share no variable, so their rows multiply: {' | '.join(parts)}; "
            "join them by a variable, or use Engine(allow_cartesian=True)",
        )


class UnsupportedSubscription(InvalidSubscription):
    """The chosen matcher cannot answer this subscription; it says so instead of approximating."""

    def __init__(self, subscription_id: str, matcher: str, reason: str) -> None:
        self.matcher = matcher
        super().__init__(subscription_id, f"the {matcher} matcher cannot answer it: {reason}")


class InvalidQuery(InvalidSubscription):
    """The text of a subscription is not a query, or asks for what a subscription lacks."""

    def __init__(self, subscription_id: str, reason: str, *, line: int | None, column: int | None) -> None:
        self.line, self.column = line, column
        super().__init__(subscription_id, reason)


class NeverMatches(UserWarning):
    """A subscription, or a branch of it, that no publication can satisfy. It is registered, and never evaluated."""


class DuplicateSubscription(GtopssError, ValueError):
    """The id is taken; ids name subscriptions, so a second one would make `remove` ambiguous."""

    def __init__(self, subscription_id: str) -> None:
        self.subscription_id = subscription_id
        super().__init__(
            f"subscription {subscription_id!r} is already registered: remove it first, or choose another id"
        )


class SubscriptionNotFound(GtopssError, LookupError):
    """Nothing is registered under this id."""

    def __init__(self, subscription_id: str) -> None:
        self.subscription_id = subscription_id
        super().__init__(f"subscription {subscription_id!r} is not registered")


class InvalidTaxonomy(GtopssError, ValueError):
    """The ontology handed to the engine cannot be used."""

    def __init__(self, source: str, reason: str, *, cycle: Sequence[str] = ()) -> None:
        self.source, self.cycle = source, tuple(cycle)
        super().__init__(f"taxonomy {source}: {reason}")


class InvalidSnapshot(GtopssError, ValueError):
    """A file of a saved engine is missing, foreign, of another version or damaged."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")


class UnknownMatcher(GtopssError, ValueError):
    """No matcher goes by this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"there is no matcher {name!r}: choose one of {', '.join(sorted(known))}")


class UnknownSetting(GtopssError, TypeError):
    """No setting of an engine has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, names = name, sorted(known)
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(names)}"
        super().__init__(f"an engine has no setting {name!r}: {hint}")
