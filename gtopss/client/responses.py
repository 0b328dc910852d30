"""Read the responses of a service, whichever client has received them."""

from __future__ import annotations

import json
from typing import TypeVar

import httpx

from gtopss.client.calls import Call
from gtopss.client.errors import MAX_SHOWN_CHARACTERS, InvalidAddress, InvalidResponse, ServiceUnreachable, error_of
from gtopss.client.events import MEDIA_TYPE
from gtopss.errors import GtopssError, short_repr

T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8080"
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
STREAM_TIMEOUT = httpx.Timeout(10.0, read=45.0)
"""The service sends a ping after 15 seconds: a connection that is silent for three times as long is dead."""


def checked_address(url: str) -> str:
    """Return the address of a service without a slash at its end. Raises InvalidAddress.

    >>> checked_address("http://127.0.0.1:8080/")
    'http://127.0.0.1:8080'
    """
    if not isinstance(url, str):
        raise InvalidAddress(short_repr(url), f"the address of a service is a text, such as {DEFAULT_URL!r}")
    if not url.lower().startswith(("http://", "https://")):
        proposed = "" if "://" in url or not url.strip("/") else f", such as http://{url.strip('/')}"
        raise InvalidAddress(short_repr(url), f"the address of a service begins with http:// or https://{proposed}")
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL as error:
        raise InvalidAddress(short_repr(url), f"this is not the address of a service: {error}") from None
    if not host:
        raise InvalidAddress(short_repr(url), f"it names no host: give the address of a service, such as {DEFAULT_URL}")
    return url.rstrip("/")


def result_of(call: Call[T], url: str, response: httpx.Response) -> T:
    """Return what a response says. Raises the error that it describes, or InvalidResponse."""
    if not response.is_success:
        raise problem_of(url, response)
    if call.is_text or response.status_code == 204:
        return call.read(response.text)
    try:
        return call.read(response.json())
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidResponse(url, f"the response of {call.method} {call.path} cannot be read: {error}") from error


def problem_of(url: str, response: httpx.Response) -> GtopssError:
    """Return the error of a response that is not a success. Its body must have been read."""
    try:
        problem = json.loads(response.content)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or "type" not in problem:
        text = response.text[:200].strip() or response.reason_phrase
        return InvalidResponse(url, f"status {response.status_code} without problem details: {text}")
    return error_of(url, response.status_code, problem)


def check_stream(url: str, response: httpx.Response) -> None:
    """Raise InvalidResponse unless a successful response is an event stream."""
    found = response.headers.get("content-type", "")
    if not found.startswith(MEDIA_TYPE):
        raise InvalidResponse(url, f"an event stream was expected, and the response is {found[:100] or 'untyped'}")


def unreachable(url: str, error: httpx.HTTPError | httpx.InvalidURL) -> ServiceUnreachable:
    """Return the error for a request that got no response."""
    reason = (str(error) or type(error).__name__)[:MAX_SHOWN_CHARACTERS]
    return ServiceUnreachable(url, reason)
