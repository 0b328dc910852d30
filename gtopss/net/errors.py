"""What can go wrong between a URL and its bytes.

FetchError                    url and reason, always
├── InvalidURL                not a URL that may be fetched; a ValueError
│   └── UnsupportedScheme     neither http nor https
├── BlockedAddress            the host is, or resolves to, an address that nobody may be led to
├── BlockedPort               a port outside of those that the operator opened
├── ConnectionFailed          no such host, refused, or a certificate that does not hold
├── TooManyRedirects          more than allowed, or in a circle
├── InsecureRedirect          from https to http
├── DeadlineExceeded          the whole exchange took too long
├── ResponseTooLarge          headers or body above a cap, before or after decoding
├── BadResponse               not HTTP, cut short, or contradicting itself
│   └── UnsupportedEncoding   a content coding that was not asked for
├── UnsuccessfulStatus        an answer, but not the document
│   └── Gone                  410
└── NotDue                    the server asked for patience, and it is not over

InvalidAllowance              an entry of `Door(allow=...)` that means nothing; a ValueError
UnusableState                 the file of fetch states cannot be read or written
"""

from __future__ import annotations

from gtopss.errors import GtopssError, shown


class FetchError(GtopssError):
    """One URL could not be fetched. Others are not affected."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"{shown(url)}: {reason}")


class InvalidURL(FetchError, ValueError):
    """Not a URL that may be fetched."""


class UnsupportedScheme(InvalidURL):
    """Only http and https are fetched."""

    def __init__(self, url: str, scheme: str) -> None:
        self.scheme = scheme
        super().__init__(url, f"the scheme {shown(scheme)} is not fetched: use http or https")


class BlockedAddress(FetchError):
    """The host is, or resolves to, an address inside; no connection was made."""

    def __init__(self, url: str, host: str, address: str, kind: str) -> None:
        self.host, self.address, self.kind = host, address, kind
        what = address if host == address else f"{host} resolves to {address}, which"
        # The name alone does not open a metadata service, so that it is not proposed.
        entry = address if kind.startswith("cloud metadata") else host
        super().__init__(url, f"{what} is not public ({kind}): if that is meant, allow {entry!r}")


class BlockedPort(FetchError):
    """The operator opened some ports only, and this is another; no connection was made."""

    def __init__(self, url: str, port: int) -> None:
        self.port = port
        super().__init__(url, f"port {port} is not among those that may be reached")


class ConnectionFailed(FetchError):
    """The host does not exist, does not listen, hung up, or its certificate does not hold."""


class TooManyRedirects(FetchError):
    """More redirects than allowed, or a circle of them."""


class InsecureRedirect(FetchError):
    """A page fetched by https sent us on to plain http."""


class DeadlineExceeded(FetchError):
    """The whole exchange, from the first lookup to the last byte, took longer than allowed."""

    def __init__(self, url: str, seconds: float, stage: str) -> None:
        self.seconds, self.stage = seconds, stage
        super().__init__(url, f"not done after {seconds:g} s (while {stage})")


class ResponseTooLarge(FetchError):
    """Headers or body above a cap. What was read so far is thrown away."""

    def __init__(self, url: str, what: str, limit: int) -> None:
        self.what, self.limit = what, limit
        super().__init__(url, f"{what} exceeds {limit}")


class BadResponse(FetchError):
    """Not HTTP, cut short, or contradicting itself."""


class UnsupportedEncoding(BadResponse):
    """A content coding other than those asked for, or several of them one in another."""


class UnsuccessfulStatus(FetchError):
    """The server answered, but not with the document. `retry_after` is in seconds, where the server gave it."""

    def __init__(self, url: str, status: int, *, retry_after: float | None = None) -> None:
        self.status, self.retry_after = status, retry_after
        super().__init__(url, f"the server answered {status}")


class Gone(UnsuccessfulStatus):
    """410: the publisher says that the feed will not come back. Unsubscribe from it."""


class NotDue(FetchError):
    """The server asked for patience, or failed lately; no connection was made. `not_before` is in Unix seconds."""

    def __init__(self, url: str, not_before: float, now: float) -> None:
        self.not_before = not_before
        super().__init__(url, f"not to be asked for another {not_before - now:.0f} s")


class InvalidAllowance(GtopssError, ValueError):
    """An entry of `Door(allow=...)` that is neither host, host:port, address nor network."""

    def __init__(self, entry: object, reason: str) -> None:
        self.entry, self.reason = entry, reason
        super().__init__(f"{shown(entry)} cannot be allowed: {reason}")


class UnusableState(GtopssError):
    """The file of fetch states cannot be read or written. Deleting it costs one full fetch of each feed."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"fetch state {path}: {reason}")
