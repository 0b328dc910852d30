"""Ports on which nothing listens."""

from __future__ import annotations

import socket


def free_port() -> int:
    """Return a port of the loopback interface that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
