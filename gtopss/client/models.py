"""The responses of a service as frozen dataclasses. Times are in UTC. Unknown members of a response are ignored.

docs/http.md describes the members; tests compare them with the service's OpenAPI document.
"""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from gtopss.errors import GtopssError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TriedPublication:
    """A retained publication, and why it matched or what it lacked."""

    id: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """The newest stored publications that a query matches, and those that it nearly matches."""

    publications: int
    matched: int
    since: dt.datetime | None
    matches: tuple[TriedPublication, ...]
    nearest: tuple[TriedPublication, ...]
    note: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking a query: warnings, a dry run on stored publications, and the expected matches and cost.

    `equal`, `covering` and `covered` are ids of your subscriptions that match the same publications, more or fewer.
    `per_day` is the expected number of matches per day, and `forecast` the same as text. `steps` is the expected cost
    per publication.
    """

    query: str
    warnings: tuple[str, ...]
    equal: tuple[str, ...]
    covering: tuple[str, ...]
    covered: tuple[str, ...]
    dry_run: DryRun
    forecast: str
    per_day: float | None
    steps: float
    calls_operators: bool


@dataclass(frozen=True, slots=True)
class NewTarget:
    """A new delivery target with its secret, which cannot be read again."""

    id: str
    kind: str
    address: str
    secret: str


@dataclass(frozen=True, slots=True)
class ReadAddress:
    """URLs of the Atom feed and the event stream of a subscription, which can be read without a ticket."""

    feed: str
    events: str


@dataclass(frozen=True, slots=True)
class NewSubscription(Check):
    """A new subscription with its ticket and the secrets of its targets, which cannot be read again."""

    id: str
    ticket: str
    expires_at: dt.datetime | None
    backfilled: int
    targets: tuple[NewTarget, ...]
    read_address: ReadAddress | None
    renew_command: str
    self_url: str


@dataclass(frozen=True, slots=True)
class ListedSubscription:
    """A subscription in a list."""

    id: str
    query: str
    form: str
    created_at: dt.datetime
    expires_at: dt.datetime | None
    paused: bool
    steps: float
    notifications: int


@dataclass(frozen=True, slots=True)
class Subscription(ListedSubscription):
    """A subscription as the holder of its ticket sees it."""

    validity: float | None
    calls_operators: bool
    digest: float | None
    at_most: int | None
    at_most_period: float | None
    join_articles: bool
    has_read_address: bool


@dataclass(frozen=True, slots=True)
class Renewed:
    """The end of a subscription after its renewal; None for no end."""

    id: str
    expires_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Item:
    """An item that matched, with its metadata. `triples` is its RDF as N-Triples; None for a large item."""

    id: str
    title: str
    link: str | None
    summary: str | None
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    published_at: dt.datetime | None
    received_at: dt.datetime
    triples: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """One of the feeds that an article was found in."""

    publication: str
    source: str | None
    title: str | None
    link: str | None


@dataclass(frozen=True, slots=True)
class Notification:
    """A match, or a notice. `kind` is "match", "expiring", "expired" or "disabled".

    `follow` also yields the kind "gap": notifications that are no longer retained, of which `message` says how many.
    """

    id: str
    subscription: str
    sequence: int
    kind: str
    created_at: dt.datetime | None
    item: Item | None = None
    bindings: tuple[dict[str, dict[str, Any]], ...] | None = None
    truncated: bool | None = None
    why: str | None = None
    sources: tuple[Source, ...] | None = None
    message: str | None = None
    expires_at: dt.datetime | None = None

    @property
    def title(self) -> str:
        """The title of the item, or the message of a notice."""
        return self.item.title if self.item is not None else self.message or self.kind

    @property
    def link(self) -> str | None:
        """The address of the item, if it has one."""
        return self.item.link if self.item is not None else None


@dataclass(frozen=True, slots=True)
class Matches:
    """Notifications in the order of their numbers. `next_after` continues the list."""

    notifications: tuple[Notification, ...]
    next_after: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """A publication that is stored. A duplicate has no number."""

    id: str
    number: int | None
    duplicate: bool


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The acknowledgement of one document, or why it was refused."""

    publications: tuple[Accepted, ...]
    warnings: tuple[str, ...]
    error: GtopssError | None


@dataclass(frozen=True, slots=True)
class Published:
    """The results of publishing, one for each document, in order. `durable` is False for a store in memory."""

    durable: bool
    results: tuple[PublishResult, ...]


@dataclass(frozen=True, slots=True)
class FeedPush:
    """The state of the WebSub hub of a feed. `state` is "pushing", "demoted", "requested" or "failing"."""

    hub: str
    state: str
    lease_end: dt.datetime | None
    pushed_at: dt.datetime | None
    pushes: int
    refused_pushes: int
    polls_saved: float
    error: str | None


@dataclass(frozen=True, slots=True)
class Feed:
    """A polled feed with its state: last success, last error, items per day, next poll."""

    url: str
    title: str | None
    added_at: dt.datetime
    last_success_at: dt.datetime | None
    last_error: str | None
    failures: int
    gone: bool
    items_per_day: float
    last_item_at: dt.datetime | None
    next_due_at: dt.datetime | None
    moved_to: str | None
    push: FeedPush | None


@dataclass(frozen=True, slots=True)
class FeedList:
    """The polled feeds."""

    feeds: tuple[Feed, ...]


@dataclass(frozen=True, slots=True)
class SubscriptionList:
    """Subscriptions, the newest first."""

    subscriptions: tuple[ListedSubscription, ...]


@dataclass(frozen=True, slots=True)
class AddedFeed:
    """A feed that is polled now."""

    url: str
    title: str | None
    items: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class RefusedFeed:
    """An entry of an OPML list that cannot be polled."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedFeeds:
    """The result of importing an OPML file: how many feeds were added or already polled, and which were refused."""

    added: int
    known: int
    refused: tuple[RefusedFeed, ...]


def from_json(kind: type[T], data: object) -> T:
    """Return a dataclass of this module from JSON data. Raises ValueError or TypeError.

    >>> from_json(Renewed, {"id": "s", "expires_at": None, "new member": 1})
    Renewed(id='s', expires_at=None)
    """
    if not isinstance(data, Mapping):
        raise TypeError(f"a JSON object is missing where a {kind.__name__} is expected")
    return kind(**{name: _value(hint, data[name]) for name, hint in _fields(cast(Any, kind)).items() if name in data})


@cache
def _fields(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _value(hint: Any, given: object) -> object:
    """Return a member in the type that its annotation names."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if given is None and type(None) in arguments:
            return None
        (hint,) = (each for each in arguments if each is not type(None))
        return _value(hint, given)
    if origin is tuple:
        if not isinstance(given, list):
            raise TypeError("a JSON array is missing")
        return tuple(_value(arguments[0], each) for each in given)
    if hint is dt.datetime:
        return dt.datetime.fromisoformat(str(given))
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return from_json(hint, given)
    plain = origin or hint
    if plain is float and isinstance(given, int):
        return float(given)
    if plain is not Any and not isinstance(given, plain):
        raise TypeError(f"a {plain.__name__} is missing")
    return given
