"""The errors of the service, below `GtopssError`; gtopss/errors.py draws the tree."""

from __future__ import annotations

import errno

from gtopss.errors import GtopssError

_ADVICE = {
    errno.EADDRINUSE: "stop the other program, or choose another --port",
    errno.EACCES: "choose a --port above 1023, which needs no special rights",
}


class AddressInUse(GtopssError):
    """The service cannot listen on its address."""

    def __init__(self, host: str, port: int, reason: OSError) -> None:
        self.host, self.port, self.reason = host, port, reason.strerror or str(reason)
        advice = _ADVICE.get(reason.errno or 0, "give an address of this machine with --host")
        super().__init__(f"cannot listen on {host}:{port}: {self.reason}: {advice}")
