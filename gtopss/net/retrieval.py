"""Download a document (`fetch`, which follows redirects) or send one (`post`, which does not)."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gtopss.errors import short_repr
from gtopss.net.connector import Connector
from gtopss.net.decoding import ACCEPTED_CODINGS
from gtopss.net.errors import (
    BadResponse,
    Gone,
    InsecureRedirect,
    InvalidURL,
    TooManyRedirects,
    UnsuccessfulStatus,
)
from gtopss.net.exchange import Header, RawResponse, exchange
from gtopss.net.url import Url, parse_url

USER_AGENT = "gtopss/0.1"
ACCEPT = (
    "application/rss+xml, application/atom+xml, application/rdf+xml, application/feed+json, text/turtle, "
    "application/n-triples, application/n-quads, application/trig, application/ld+json, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
MAX_VALIDATOR_CHARACTERS = 1024
"""Longer ETag and Last-Modified values are not stored."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})
_REPEATED = frozenset({301, 302, 307, 308})  # the redirects after which a POST stays one
_DOCUMENTS = frozenset({200, 203})
_SUCCESSES = frozenset(range(200, 300))
_MAX_AGE = re.compile(r"""(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})""", re.IGNORECASE)
_NO_CACHE = re.compile(r"(?:^|[\s,])no-(?:cache|store)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Validators:
    """The ETag and Last-Modified of a response, for a conditional request, and the URL that sent them.

    They are sent to that URL only: another URL may use the same ETag for another document, and would answer that
    nothing has changed.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A downloaded document; or, if `not_modified`, the notice that it has not changed, with an empty body."""

    url: str
    """The requested URL."""
    final_url: str
    """The URL of the document after redirects; relative links in the document are relative to it."""
    status: int
    headers: tuple[Header, ...]
    """Names in lower case."""
    body: bytes
    validators: Validators | None
    """For the next fetch. Store them only after the items were handled (`FetchState.commit`)."""
    permanent_url: str | None
    """The new URL of the document, if the server sent a permanent redirect (301, 308)."""
    fresh_for: float
    """Seconds for which the server declares the response fresh."""

    @property
    def not_modified(self) -> bool:
        return self.status == 304

    @property
    def content_type(self) -> str | None:
        return next((value for name, value in self.headers if name == "content-type"), None)


def fetch(
    url: str, *, connector: Connector, validators: Validators | None = None, now: Callable[[], float] = time.time
) -> Response:
    """Download the document at `url`. Raise a FetchError that names the URL if anything goes wrong.

    `now` returns Unix seconds; a Retry-After date is compared with it.
    """
    here = parse_url(url)
    deadline = connector.deadline(url)
    permanent: Url | None = None
    only_permanent = True
    seen = {str(here)}
    while True:
        sent = validators if validators is not None and validators.url == str(here) else None
        response = exchange(
            here, connector=connector, deadline=deadline, headers=_request_headers(sent), body_statuses=_DOCUMENTS
        )
        if response.status not in _REDIRECTS:
            break
        there = _redirect(url, here, response, connector)
        only_permanent = only_permanent and response.status in _PERMANENT
        permanent = there if only_permanent else permanent
        if str(there) in seen:
            raise TooManyRedirects(url, f"its redirects form a loop at {short_repr(str(there))}")
        if len(seen) > connector.limits.redirects:
            raise TooManyRedirects(url, f"it redirects more than {connector.limits.redirects} times")
        seen.add(str(there))
        here = there
    _raise_for_status(url, response, sent, now())
    return Response(
        url=url,
        final_url=str(here),
        status=response.status,
        headers=response.headers,
        body=response.body,
        validators=_validators(str(here), response, sent),
        permanent_url=None if permanent is None else str(permanent),
        fresh_for=_fresh_for(response, now()),
    )


def post(
    url: str,
    body: bytes,
    content_type: str,
    *,
    connector: Connector,
    headers: Iterable[Header] = (),
    read_body: bool = True,
    max_redirects: int = 0,
    now: Callable[[], float] = time.time,
) -> Response:
    """Send `body` to `url` by POST and return the response, under the same limits as `fetch`.

    Every status 2xx is a success. Any other raises UnsuccessfulStatus, or Gone for 410, with the server's Retry-After.
    Redirects are not followed unless `max_redirects` says so: the caller decides who receives a document, not the
    server. One that is followed gets the same POST. `headers` are sent besides those of every request. Without
    `read_body`, only the status and the headers are read.
    """
    here = parse_url(url)
    deadline = connector.deadline(url)
    sent_headers = [*_request_headers(None), ("Content-Type", content_type), *headers]
    for redirects in range(max_redirects + 1):
        response = exchange(
            here,
            connector=connector,
            deadline=deadline,
            headers=sent_headers,
            body_statuses=_SUCCESSES if read_body else frozenset(),
            post=body,
        )
        if response.status not in _REPEATED or redirects == max_redirects:
            break
        here = _redirect(url, here, response, connector)
    if max_redirects and response.status in _REPEATED:
        raise TooManyRedirects(url, f"it redirects more than {max_redirects} times")
    if response.status not in _SUCCESSES:
        raise _status_error(url, response, now())
    return Response(url, str(here), response.status, response.headers, response.body, None, None, 0.0)


def _request_headers(validators: Validators | None) -> list[Header]:
    headers = [
        ("User-Agent", USER_AGENT),
        ("Accept", ACCEPT),
        ("Accept-Encoding", ACCEPTED_CODINGS),
        ("Connection", "close"),
    ]
    if validators is not None and (etag := _usable_validator(validators.etag)):
        headers.append(("If-None-Match", etag))
    if validators is not None and (modified := _usable_validator(validators.last_modified)):
        headers.append(("If-Modified-Since", modified))
    return headers


def _redirect(url: str, here: Url, response: RawResponse, connector: Connector) -> Url:
    location = (response.header("location") or "").strip()
    if not location:
        raise BadResponse(url, f"status {response.status} without a Location header")
    try:
        there = parse_url(location, base=here)
    except InvalidURL as error:
        error.url, error.args = url, (f"{short_repr(url)}: redirected to {short_repr(location)}: {error.reason}",)
        raise
    if here.scheme == "https" and there.scheme == "http" and not connector.allow_downgrade:
        raise InsecureRedirect(url, f"redirected from https to {short_repr(str(there))}")
    return there


def _raise_for_status(url: str, response: RawResponse, sent: Validators | None, now: float) -> None:
    if response.status in _DOCUMENTS:
        return
    if response.status == 304:
        if sent is None:
            raise BadResponse(url, "the server answered 304 to a request that was not conditional")
        return
    raise _status_error(url, response, now)


def _status_error(url: str, response: RawResponse, now: float) -> UnsuccessfulStatus:
    kind = Gone if response.status == 410 else UnsuccessfulStatus
    return kind(url, response.status, retry_after=_retry_after(response.header("retry-after"), now))


def _retry_after(value: str | None, now: float) -> float | None:
    """Convert a Retry-After value, seconds or an HTTP date, to seconds from now.

    >>> _retry_after("120", 0.0), _retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 20.0), _retry_after("soon", 0.0)
    (120.0, 40.0, None)
    """
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    date = _date(value)
    return None if date is None else max(0.0, date - now)


def _date(value: str | None) -> float | None:
    try:
        seconds = parsedate_to_datetime(value or "").timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return seconds if math.isfinite(seconds) else None


def _validators(here: str, response: RawResponse, sent: Validators | None) -> Validators | None:
    etag, modified = _usable_validator(response.header("etag")), _usable_validator(response.header("last-modified"))
    if response.status == 304 and sent is not None:
        return Validators(here, etag or sent.etag, modified or sent.last_modified)
    # A document that changed in the second in which it was sent may change again in that second, unnoticed.
    changed, dated = _date(modified), _date(response.header("date"))
    if changed is None or (dated is not None and dated - changed < 1):
        modified = None
    return Validators(here, etag, modified) if etag or modified else None


def _usable_validator(value: str | None) -> str | None:
    """Return the value if it can be sent back unchanged, otherwise None."""
    usable = (
        value is not None and value.isascii() and value.isprintable() and 0 < len(value) <= MAX_VALIDATOR_CHARACTERS
    )
    return value if usable else None


def _fresh_for(response: RawResponse, now: float) -> float:
    """Return the seconds that the response is fresh for: by Cache-Control, or by Expires where that has no max-age."""
    control = response.header("cache-control") or ""
    if _NO_CACHE.search(control):
        return 0.0
    found = _MAX_AGE.search(control)
    if found is None:
        expires, dated = _date(response.header("expires")), _date(response.header("date"))
        return 0.0 if expires is None else max(0.0, expires - (now if dated is None else dated))
    age = response.header("age") or ""
    return max(0.0, float(found.group(1)) - (float(age[:12]) if age.isascii() and age.isdigit() else 0.0))
