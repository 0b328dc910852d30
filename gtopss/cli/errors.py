"""The errors of the command line, below `GtopssError`; gtopss/errors.py draws the tree."""

from __future__ import annotations

from gtopss.errors import GtopssError


class UnknownTicket(GtopssError, LookupError):
    """The ticket of a subscription is not kept on this machine."""

    def __init__(self, id: str, path: object) -> None:
        self.id = id
        super().__init__(f"no ticket of the subscription {id} is kept in {path}: give it with --ticket")


class UnusableTicketFile(GtopssError):
    """The file of tickets cannot be read."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"{path} cannot be used: {reason}: mend it, or move it away and give tickets with --ticket")
