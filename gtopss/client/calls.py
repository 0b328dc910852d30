"""The requests of a client as data: what to send, and how to read the response. Both clients send the same ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

from gtopss.client.errors import error_of
from gtopss.client.models import (
    Accepted,
    AddedFeed,
    Check,
    FeedList,
    ImportedFeeds,
    Matches,
    NewSubscription,
    Published,
    PublishResult,
    ReadAddress,
    Renewed,
    Subscription,
    SubscriptionList,
    from_json,
)
from gtopss.errors import MalformedPublication, short_repr
from gtopss.model.display import describe_value

T = TypeVar("T")
Form = Literal["sparql", "short"]
Span = float | str
"""A span of time: seconds, or a text such as "12h" or "7d"."""
DOCUMENTS = "application/vnd.gtopss.documents+json"


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook URL or an e-mail address that notifications are pushed to."""

    address: str
    kind: Literal["webhook", "email"] = "webhook"


@dataclass(frozen=True, slots=True)
class Document:
    """A document to publish. Without a content type, the service detects what it is."""

    content: str
    content_type: str | None = None
    id: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request, and the function that reads its response."""

    method: str
    path: str
    read: Callable[[Any], T]
    ticket: str | None = field(default=None, repr=False)
    content: bytes | None = field(default=None, repr=False)
    content_type: str = "application/json"
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_text: bool = False
    """Whether the response is a text, not JSON."""

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the headers of the request."""
        made = {"Accept": "*/*" if self.is_text else "application/json"}
        if self.ticket is not None:
            made["Authorization"] = f"Bearer {self.ticket}"
        if key is not None:
            made["X-API-Key"] = key
        if self.content is not None:
            made["Content-Type"] = self.content_type
        return made


def _reader(kind: type[T]) -> Callable[[Any], T]:
    return lambda data: from_json(kind, data)


def _nothing(_: Any) -> None:
    return None


def _body(**members: object) -> bytes:
    """Return a JSON object without the members that are None."""
    return json.dumps({name: value for name, value in members.items() if value is not None}).encode()


def _of(id: str, *parts: str) -> str:
    return "/".join(("/subscriptions", quote(id, safe=""), *parts))


def check(query: str, form: Form) -> Call[Check]:
    return Call("POST", "/subscriptions/check", _reader(Check), content=_body(query=query, form=form))


def subscribe(
    query: str, form: Form, deliver: Iterable[Target], options: Mapping[str, object]
) -> Call[NewSubscription]:
    targets = [{"kind": each.kind, "address": each.address} for each in deliver]
    body = _body(query=query, form=form, deliver=targets or None, **options)
    return Call("POST", "/subscriptions", _reader(NewSubscription), content=body)


def subscription(id: str, ticket: str) -> Call[Subscription]:
    return Call("GET", _of(id), _reader(Subscription), ticket)


def subscriptions() -> Call[SubscriptionList]:
    return Call("GET", "/subscriptions", _reader(SubscriptionList))


def replace(id: str, ticket: str, query: str, form: Form) -> Call[Check]:
    return Call("PUT", _of(id), _reader(Check), ticket, _body(query=query, form=form))


def renew(id: str, ticket: str, validity: Span | None) -> Call[Renewed]:
    return Call("POST", _of(id, "renew"), _reader(Renewed), ticket, _body(validity=validity))


def unsubscribe(id: str, ticket: str) -> Call[None]:
    return Call("DELETE", _of(id), _nothing, ticket)


def pause(id: str, ticket: str) -> Call[None]:
    return Call("POST", _of(id, "pause"), _nothing, ticket)


def resume(id: str, ticket: str) -> Call[None]:
    return Call("POST", _of(id, "resume"), _nothing, ticket)


def read_address(id: str, ticket: str) -> Call[ReadAddress]:
    return Call("POST", _of(id, "read-address"), _reader(ReadAddress), ticket)


def matches(id: str, ticket: str, after: int, limit: int) -> Call[Matches]:
    parameters = {"after": str(after), "limit": str(limit)}
    return Call("GET", _of(id, "matches"), _reader(Matches), ticket, parameters=parameters)


def atom_feed(id: str, ticket: str) -> Call[str]:
    return Call("GET", _of(id, "feed.atom"), str, ticket, is_text=True)


def events_path(id: str) -> str:
    """Return the path of the event stream of a subscription."""
    return _of(id, "events")


def publish(content: bytes | str, content_type: str | None, id: str | None, source: str | None) -> Call[Published]:
    data = _document_bytes(content, id)
    if content_type is not None and not isinstance(content_type, str):
        reason = f"the content type is a text such as 'text/turtle', not {short_repr(content_type)}"
        raise MalformedPublication(reason, publication_id=id)
    parameters = {name: value for name, value in (("id", id), ("source", source)) if value is not None}
    return Call(
        "POST",
        "/publications",
        _published,
        content=data,
        content_type=content_type or "application/octet-stream",
        parameters=parameters,
    )


def _document_bytes(content: object, id: str | None) -> bytes:
    """Return the content of a document as bytes. Raises MalformedPublication for other types than bytes and text."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    if isinstance(content, Path) or callable(getattr(content, "read", None)):
        reason = "a file is not published by its name or object: give its bytes, such as Path(...).read_bytes()"
    else:
        reason = f"{describe_value(content)} is not a document: give bytes or text"
    raise MalformedPublication(reason, publication_id=id)


def publish_many(documents: Sequence[Document]) -> Call[Published]:
    for each in documents:
        if not isinstance(each, Document):
            raise MalformedPublication(f"{describe_value(each)} is not a gtopss.client.Document")
        if not isinstance(each.content, str):
            reason = f"the content of a Document is a text, not {describe_value(each.content)}"
            raise MalformedPublication(reason, publication_id=each.id)
    listed = [
        {name: value for name, value in _members(each).items() if value is not None}  # the service has defaults
        for each in documents
    ]
    return Call("POST", "/publications", _published, content=_body(documents=listed), content_type=DOCUMENTS)


def _members(document: Document) -> dict[str, str | None]:
    return {name: getattr(document, name) for name in ("content", "content_type", "id", "source")}


def _published(data: Any) -> Published:
    return Published(bool(data["durable"]), tuple(map(_result, data["results"])))


def _result(data: Any) -> PublishResult:
    problem = data.get("error")
    error = None if problem is None else error_of("publication", int(problem.get("status", 422)), problem)
    accepted = tuple(from_json(Accepted, each) for each in data["publications"])
    return PublishResult(accepted, tuple(map(str, data["warnings"])), error)


def feeds() -> Call[FeedList]:
    return Call("GET", "/feeds", _reader(FeedList))


def add_feed(url: str) -> Call[AddedFeed]:
    return Call("POST", "/feeds", _reader(AddedFeed), content=_body(url=url))


def remove_feed(url: str) -> Call[None]:
    return Call("DELETE", "/feeds", _nothing, parameters={"url": url})


def import_opml(opml: bytes) -> Call[ImportedFeeds]:
    return Call("POST", "/feeds.opml", _reader(ImportedFeeds), content=opml, content_type="text/x-opml")


def export_opml() -> Call[str]:
    return Call("GET", "/feeds.opml", str, is_text=True)
