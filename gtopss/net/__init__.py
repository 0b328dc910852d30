"""The hardened HTTP client. All downloads of the project go through this package.

url.py          parse and normalise URLs; refuse misleading ones
addresses.py    classify IP addresses as public or blocked
allow_rules.py  exceptions: hosts and networks that the operator allows
limits.py       limits on time and size of one fetch; the deadline
host_slots.py   limit the requests at once on one host
connector.py    resolve, check and connect, within a deadline
exchange.py     one HTTP request on one connection; bounded headers and body
decoding.py     undo gzip and deflate, never beyond the size limit
retrieval.py    fetch (follows redirects) and post (does not)
retry.py        when a URL may be fetched again
state.py        validators and failures per URL, in SQLite
polling.py      conditional fetches with state; many fetches in parallel
errors.py       the tree of errors
"""

from gtopss.net.connector import Connector
from gtopss.net.errors import (
    BadResponse,
    BlockedAddress,
    BlockedPort,
    ConnectionFailed,
    DeadlineExceeded,
    FetchError,
    Gone,
    HostBusy,
    InsecureRedirect,
    InvalidAllowRule,
    InvalidURL,
    NotDue,
    ResponseTooLarge,
    TooManyRedirects,
    UnsuccessfulStatus,
    UnsupportedEncoding,
    UnsupportedScheme,
    UnusableState,
)
from gtopss.net.host_slots import HostSlots
from gtopss.net.limits import Deadline, FetchLimits
from gtopss.net.polling import PollResult, fetch_all, poll
from gtopss.net.retrieval import USER_AGENT, Response, Validators, fetch, post
from gtopss.net.retry import RetryPolicy
from gtopss.net.state import FetchRecord, FetchState
from gtopss.net.url import Url, parse_url

__all__ = [
    "USER_AGENT",
    "BadResponse",
    "BlockedAddress",
    "BlockedPort",
    "ConnectionFailed",
    "Connector",
    "Deadline",
    "DeadlineExceeded",
    "FetchError",
    "FetchLimits",
    "FetchRecord",
    "FetchState",
    "Gone",
    "HostBusy",
    "HostSlots",
    "InsecureRedirect",
    "InvalidAllowRule",
    "InvalidURL",
    "NotDue",
    "PollResult",
    "Response",
    "ResponseTooLarge",
    "RetryPolicy",
    "TooManyRedirects",
    "UnsuccessfulStatus",
    "UnsupportedEncoding",
    "UnsupportedScheme",
    "UnusableState",
    "Url",
    "Validators",
    "fetch",
    "fetch_all",
    "parse_url",
    "poll",
    "post",
]
