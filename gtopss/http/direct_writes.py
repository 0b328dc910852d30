"""Write the same chunk to the connections of many responses, without a turn of each response.

The server offers it to the application in the scope of a request, as an extension of ASGI. A chunk that is sent as
usual wakes a task and passes through every layer around the route, which for ten thousand clients takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Scope

DirectWrite = Callable[[bytes], bool]
"""Writes an encoded chunk of a response whose head was sent. False: nothing was written, send the chunk as usual."""
_EXTENSION = "gtopss.direct_write"


def offer(scope: Scope, write: DirectWrite) -> None:
    """Offer direct writes for a request, if the body of its response is sent in chunks of HTTP/1.1."""
    if scope["type"] == "http" and scope["method"] == "GET" and scope["http_version"] == "1.1":
        scope.setdefault("extensions", {})[_EXTENSION] = write


def offered(scope: Scope) -> DirectWrite | None:
    """Return what the server has offered for a request."""
    found: DirectWrite | None = scope.get("extensions", {}).get(_EXTENSION)
    return found


def encode_chunk(data: bytes) -> bytes:
    """Return data as a chunk of a body whose length is not known (RFC 9112, section 7.1).

    >>> encode_chunk(b"data: 1")
    b'7\\r\\ndata: 1\\r\\n'
    """
    return b"%x\r\n%b\r\n" % (len(data), data)
