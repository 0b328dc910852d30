"""The errors of the command line, below `GtopssError`; gtopss/errors.py draws the tree."""

from __future__ import annotations

from gtopss.errors import GtopssError


class UnknownTicket(GtopssError, LookupError):
    """The ticket of a subscription is not kept on this machine."""

    def __init__(self, id: str, path: object) -> None:
        self.id = id
        super().__init__(f"the ticket of subscription {id} is not saved in {path}: give it with --ticket gt_...")


class UnusableTicketFile(GtopssError):
    """The file of tickets cannot be read."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(
            f"the ticket file {path} cannot be read: {reason}: repair it, or rename it and give tickets with --ticket"
        )
