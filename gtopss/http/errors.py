"""The errors of the service, below `GtopssError`; gtopss/errors.py draws the tree."""

from __future__ import annotations

from gtopss.errors import GtopssError


class AddressInUse(GtopssError):
    """The service cannot listen on its address."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        self.host, self.port, self.reason = host, port, reason
        super().__init__(f"cannot listen on {host}:{port}: {reason}: stop the other program, or choose another --port")
