"""The errors of fetching.

FetchError                    a URL could not be fetched; has url and reason
├── InvalidURL                not a URL that may be fetched; a ValueError
│   └── UnsupportedScheme     neither http nor https
├── BlockedAddress            the host is, or resolves to, an address that is not public
├── BlockedPort               a port that the operator did not open
├── ConnectionFailed          unknown host, connection refused or broken, invalid certificate
├── TooManyRedirects          more redirects than allowed, or a loop
├── InsecureRedirect          a redirect from https to http
├── DeadlineExceeded          the whole fetch took too long
├── ResponseTooLarge          headers or body above a limit, before or after decoding
├── BadResponse               not HTTP, incomplete, or inconsistent
│   └── UnsupportedEncoding   a content coding that was not requested
├── UnsuccessfulStatus        a response without the document
│   └── Gone                  410
├── HostBusy                  too many requests to the host run at once
└── NotDue                    too early: the server asked for a pause, or failed recently

InvalidAllowRule              an invalid entry of `Connector(allow=...)`; a ValueError
UnusableState                 the fetch state file cannot be read or written
"""

from __future__ import annotations

from gtopss.errors import GtopssError, short_repr


class FetchError(GtopssError):
    """One URL could not be fetched. Others are not affected."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"{short_repr(url)}: {reason}")


class InvalidURL(FetchError, ValueError):
    """Not a URL that may be fetched."""


class UnsupportedScheme(InvalidURL):
    """Only http and https are fetched."""

    def __init__(self, url: str, scheme: str) -> None:
        self.scheme = scheme
        super().__init__(url, f"the scheme {short_repr(scheme)} is not supported: use http or https")


class BlockedAddress(FetchError):
    """The host is, or resolves to, an address that is not public. No connection was made."""

    def __init__(self, url: str, host: str, address: str, kind: str) -> None:
        self.host, self.address, self.kind = host, address, kind
        what = address if host == address else f"{host} resolves to {address}, which"
        # Allowing the name does not allow a metadata service, so the message proposes the address instead.
        entry = address if kind.startswith("cloud metadata") else host
        how = f"Connector(allow=[{entry!r}]), or --allow {entry}"
        super().__init__(url, f"{what} is not public ({kind}): if this is intended, use {how}")


class BlockedPort(FetchError):
    """The port is not one of `Connector(ports=...)`. No connection was made."""

    def __init__(self, url: str, port: int) -> None:
        self.port = port
        super().__init__(url, f"port {port} is not one of the allowed ports")


class ConnectionFailed(FetchError):
    """The host is unknown, refuses or drops the connection, or has an invalid certificate."""


class TooManyRedirects(FetchError):
    """There are more redirects than allowed, or they form a loop."""


class InsecureRedirect(FetchError):
    """An https URL redirects to plain http."""


class DeadlineExceeded(FetchError):
    """The whole fetch, from the first lookup to the last byte, took longer than allowed."""

    def __init__(self, url: str, seconds: float, stage: str) -> None:
        self.seconds, self.stage = seconds, stage
        super().__init__(url, f"not done after {seconds:g} s (while {stage})")


class ResponseTooLarge(FetchError):
    """The headers or the body exceed a limit. What was read so far is discarded."""

    def __init__(self, url: str, what: str, limit: int) -> None:
        self.what, self.limit = what, limit
        super().__init__(url, f"{what} exceeds {limit}")


class BadResponse(FetchError):
    """The response is not HTTP, is incomplete, or is inconsistent."""


class UnsupportedEncoding(BadResponse):
    """The response has a content coding that was not requested, or nested codings."""


class UnsuccessfulStatus(FetchError):
    """The response has no document. `retry_after` is in seconds, or None if the server did not send it."""

    def __init__(self, url: str, status: int, *, retry_after: float | None = None) -> None:
        self.status, self.retry_after = status, retry_after
        super().__init__(url, f"the server answered {status}")


class Gone(UnsuccessfulStatus):
    """410: the publisher says that the feed will not come back. Remove it from the list of feeds."""


class HostBusy(FetchError):
    """As many requests as allowed run on the host already, perhaps for other URLs that redirect to it."""

    def __init__(self, url: str, host: str, per_host: int) -> None:
        self.host, self.per_host = host, per_host
        super().__init__(url, f"{per_host} requests to {host} run already: try again later")


class NotDue(FetchError):
    """It is too early to fetch again. No connection was made. `not_before` is in Unix seconds."""

    def __init__(self, url: str, not_before: float, now: float) -> None:
        self.not_before = not_before
        super().__init__(url, f"the server asked for a pause or failed recently: try again in {not_before - now:.0f} s")


class InvalidAllowRule(GtopssError, ValueError):
    """An entry of `Connector(allow=...)` is neither a host, host:port, address nor network."""

    def __init__(self, entry: object, reason: str) -> None:
        self.entry, self.reason = entry, reason
        super().__init__(f"{short_repr(entry)} cannot be allowed: {reason}")


class UnusableState(GtopssError):
    """The fetch state file cannot be read or written. Deleting it costs one full fetch of each feed."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        advice = "name another file; a damaged state may be deleted"
        super().__init__(f"the state {path} cannot be used: {reason}: {advice}")
