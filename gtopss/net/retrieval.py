"""`fetch`: from a URL, over redirects, to a document; `post`: a document to a URL, and its answer."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gtopss.errors import shown
from gtopss.net.connector import Door
from gtopss.net.decoding import ACCEPTED
from gtopss.net.errors import (
    BadResponse,
    Gone,
    InsecureRedirect,
    InvalidURL,
    TooManyRedirects,
    UnsuccessfulStatus,
)
from gtopss.net.exchange import Answer, Header, exchange
from gtopss.net.url import Url, parse_url

USER_AGENT = "gtopss/0.1"
ACCEPT = (
    "application/rss+xml, application/atom+xml, application/rdf+xml, application/feed+json, text/turtle, "
    "application/n-triples, application/n-quads, application/trig, application/ld+json, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
LONGEST_VALIDATOR = 1024

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})
_DOCUMENTS = frozenset({200, 203})
_MAX_AGE = re.compile(r"""(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})""", re.IGNORECASE)
_STALE_AT_ONCE = re.compile(r"(?:^|[\s,])no-(?:cache|store)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server gave us to ask "has it changed?" with, and the URL that gave it.

    They are sent to that URL only: another one may use the same tag for another document, and would answer that
    nothing has changed.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A document, or the word that it has not changed (`not_modified`, with an empty body)."""

    url: str
    """As it was asked for."""
    final_url: str
    """Where the document was, after redirects; relative links in it start from here."""
    status: int
    headers: tuple[Header, ...]
    """Names in lower case."""
    body: bytes
    validators: Validators | None
    """For the next visit; to be kept only when the items were handled (`FetchState.commit`)."""
    permanent_url: str | None
    """Where permanent redirects (301, 308) say that the document now lives."""
    fresh_for: float
    """Seconds for which the server says that asking again is of no use."""

    @property
    def not_modified(self) -> bool:
        return self.status == 304

    @property
    def content_type(self) -> str | None:
        return next((value for name, value in self.headers if name == "content-type"), None)


def fetch(
    url: str, *, door: Door, validators: Validators | None = None, now: Callable[[], float] = time.time
) -> Response:
    """The document at `url`, through `door`. Whatever goes wrong is a FetchError that names the URL.

    `now`, in Unix seconds, is what a Retry-After date is compared with.
    """
    here = parse_url(url)
    deadline = door.deadline(url)
    permanent: Url | None = None
    only_permanent = True
    seen = {str(here)}
    while True:
        sent = validators if validators is not None and validators.url == str(here) else None
        answer = exchange(here, door=door, deadline=deadline, headers=_request_headers(sent), body_of=_DOCUMENTS)
        if answer.status not in _REDIRECTS:
            break
        there = _redirect(url, here, answer, door)
        only_permanent = only_permanent and answer.status in _PERMANENT
        permanent = there if only_permanent else permanent
        if str(there) in seen:
            raise TooManyRedirects(url, f"its redirects come back to {shown(str(there))}")
        if len(seen) > door.limits.redirects:
            raise TooManyRedirects(url, f"it redirects more than {door.limits.redirects} times")
        seen.add(str(there))
        here = there
    _refuse_failures(url, answer, sent, now())
    return Response(
        url=url,
        final_url=str(here),
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        validators=_validators(str(here), answer, sent),
        permanent_url=None if permanent is None else str(permanent),
        fresh_for=_fresh_for(answer),
    )


def post(url: str, body: bytes, content_type: str, *, door: Door, now: Callable[[], float] = time.time) -> Response:
    """What the server at `url` answers to `body`, through the same door and under the same limits as `fetch`.

    Redirects are not followed: who is sent a document is for the caller to say, not for the server.
    """
    here = parse_url(url)
    headers = [*_request_headers(None), ("Content-Type", content_type)]
    answer = exchange(
        here, door=door, deadline=door.deadline(url), headers=headers, body_of=frozenset({200}), post=body
    )
    if answer.status != 200:
        raise UnsuccessfulStatus(url, answer.status, retry_after=_retry_after(answer.header("retry-after"), now()))
    return Response(url, str(here), answer.status, answer.headers, answer.body, None, None, 0.0)


def _request_headers(validators: Validators | None) -> list[Header]:
    headers = [
        ("User-Agent", USER_AGENT),
        ("Accept", ACCEPT),
        ("Accept-Encoding", ACCEPTED),
        ("Connection", "close"),
    ]
    if validators is not None and (etag := _kept(validators.etag)):
        headers.append(("If-None-Match", etag))
    if validators is not None and (modified := _kept(validators.last_modified)):
        headers.append(("If-Modified-Since", modified))
    return headers


def _redirect(url: str, here: Url, answer: Answer, door: Door) -> Url:
    location = (answer.header("location") or "").strip()
    if not location:
        raise BadResponse(url, f"{answer.status} without a Location")
    try:
        there = parse_url(location, base=here)
    except InvalidURL as error:
        error.url, error.args = url, (f"{shown(url)}: redirected to {shown(location)}: {error.reason}",)
        raise
    if here.scheme == "https" and there.scheme == "http" and not door.allow_downgrade:
        raise InsecureRedirect(url, f"redirected from https to {shown(str(there))}")
    return there


def _refuse_failures(url: str, answer: Answer, sent: Validators | None, now: float) -> None:
    if answer.status in _DOCUMENTS:
        return
    if answer.status == 304:
        if sent is None:
            raise BadResponse(url, "the server answered 304 to a request that was not conditional")
        return
    kind = Gone if answer.status == 410 else UnsuccessfulStatus
    raise kind(url, answer.status, retry_after=_retry_after(answer.header("retry-after"), now))


def _retry_after(value: str | None, now: float) -> float | None:
    """Seconds or an HTTP date, as seconds from now.

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


def _validators(here: str, answer: Answer, sent: Validators | None) -> Validators | None:
    etag, modified = _kept(answer.header("etag")), _kept(answer.header("last-modified"))
    if answer.status == 304 and sent is not None:
        return Validators(here, etag or sent.etag, modified or sent.last_modified)
    # A document that changed in the very second in which it was sent may change again in that second, unseen.
    changed, dated = _date(modified), _date(answer.header("date"))
    if changed is None or (dated is not None and dated - changed < 1):
        modified = None
    return Validators(here, etag, modified) if etag or modified else None


def _kept(value: str | None) -> str | None:
    """A validator that can be sent back as it is, or None."""
    usable = value is not None and value.isascii() and value.isprintable() and 0 < len(value) <= LONGEST_VALIDATOR
    return value if usable else None


def _fresh_for(answer: Answer) -> float:
    control = answer.header("cache-control") or ""
    found = _MAX_AGE.search(control)
    if found is None or _STALE_AT_ONCE.search(control):
        return 0.0
    age = answer.header("age") or ""
    return max(0.0, float(found.group(1)) - (float(age[:12]) if age.isascii() and age.isdigit() else 0.0))
