"""What a kind of push delivery does, and the outcome of one attempt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from gtopss.broker.delivery.message import Message
from gtopss.broker.store.target_rows import Target


class Result(Enum):
    """What came of an attempt."""

    DONE = "done"
    """Delivered, or verified."""
    CONFIRMATION_NEEDED = "confirmation needed"
    """The owner was sent a code, and has to confirm it."""
    FAILED = "failed"
    """It is tried again."""
    REFUSED = "refused"
    """The receiver will never take this message: it is given up."""
    GONE = "gone"
    """The receiver wants nothing more: the target is disabled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attempt, the reason if it failed, and the pause that the receiver asked for, in seconds."""

    result: Result
    reason: str | None = None
    retry_after: float | None = None


DONE = Outcome(Result.DONE)


class DeliveryKind(Protocol):
    """One kind of push delivery. Its methods are called by many threads at once, and raise no errors for failures."""

    name: str

    def normalise_address(self, address: str) -> str:
        """Return the address as it is stored. Raise InvalidTarget if nothing can be delivered there."""
        ...

    def new_secret(self) -> str:
        """Return a new secret of a target."""
        ...

    def host(self, target: Target) -> str:
        """Return the host that an attempt occupies: a few attempts at once go to one host."""
        ...

    def verify(self, target: Target, now: float) -> Outcome:
        """Ask the receiver whether it wants the notifications."""
        ...

    def deliver(self, target: Target, message: Message, now: float) -> Outcome:
        """Attempt to deliver a message."""
        ...
