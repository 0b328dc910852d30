"""The one door to the network: every byte that the project fetches comes through here.

url.py        text -> Url: scheme, host, port, target; odd spellings made plain or refused
addresses.py  which addresses nobody may be led to
door.py       a checked connection, to the very address that was checked, within a deadline
exchange.py   one request on one connection: headers and a bounded, decoded body
decoding.py   gzip and deflate, never larger than the cap
retrieval.py  fetch: exchanges and redirects -> Response; post: one exchange with a body
state.py      what to remember of a URL between visits, kept only when its items were handled
polling.py    one polite visit; many visits at once
errors.py     what can go wrong
"""

from gtopss.net.connector import Deadline, Door, Limits
from gtopss.net.errors import (
    BadResponse,
    BlockedAddress,
    BlockedPort,
    ConnectionFailed,
    DeadlineExceeded,
    FetchError,
    Gone,
    InsecureRedirect,
    InvalidAllowance,
    InvalidURL,
    NotDue,
    ResponseTooLarge,
    TooManyRedirects,
    UnsuccessfulStatus,
    UnsupportedEncoding,
    UnsupportedScheme,
    UnusableState,
)
from gtopss.net.polling import Outcome, fetch_all, poll
from gtopss.net.retrieval import USER_AGENT, Response, Validators, fetch, post
from gtopss.net.state import FetchState, Politeness, Visit
from gtopss.net.url import Url, parse_url

__all__ = [
    "USER_AGENT",
    "BadResponse",
    "BlockedAddress",
    "BlockedPort",
    "ConnectionFailed",
    "Deadline",
    "DeadlineExceeded",
    "Door",
    "FetchError",
    "FetchState",
    "Gone",
    "InsecureRedirect",
    "InvalidAllowance",
    "InvalidURL",
    "Limits",
    "NotDue",
    "Outcome",
    "Politeness",
    "Response",
    "ResponseTooLarge",
    "TooManyRedirects",
    "UnsuccessfulStatus",
    "UnsupportedEncoding",
    "UnsupportedScheme",
    "UnusableState",
    "Url",
    "Validators",
    "Visit",
    "fetch",
    "fetch_all",
    "parse_url",
    "poll",
    "post",
]
