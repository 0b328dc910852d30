"""The errors of the broker, all below `GtopssError`; gtopss/errors.py draws the tree."""

from __future__ import annotations

from gtopss.errors import GtopssError, short_repr


class InvalidTicket(GtopssError, LookupError):
    """No active subscription has this id and this ticket.

    It is raised alike for a wrong ticket, an unknown id, somebody else's subscription and one that has expired, so
    that it says nothing about what exists.
    """

    def __init__(self) -> None:
        super().__init__("no active subscription has this id and ticket: check both, or subscribe again")


class InvalidKey(GtopssError, LookupError):
    """No owner has this API key."""

    def __init__(self) -> None:
        super().__init__("no owner has this API key: check it, or ask the operator for a new one")


class NotPermitted(GtopssError):
    """The operator of the broker does not permit this."""


class QuotaExceeded(GtopssError):
    """The subscriptions of an owner are too many, or cost too much. `quota` names the limit."""

    def __init__(self, quota: str, used: float, allowed: float, unit: str) -> None:
        self.quota, self.used, self.allowed = quota, used, allowed
        super().__init__(
            f"the quota {quota} allows {allowed:,.0f} {unit}, and this subscription would raise the total to "
            f"{used:,.0f}: delete another subscription, or ask the operator for a higher quota"
        )


class PublicationNotFound(GtopssError, LookupError):
    """No retained publication has this number or id."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no publication {short_repr(name)}, or it was deleted: list the newest ones")


class InvalidSetting(GtopssError, ValueError):
    """A setting of the broker or of a subscription has a value that cannot be used."""

    def __init__(self, name: str, given: object, reason: str) -> None:
        self.name, self.given = name, given
        super().__init__(f"{name} is {given!r}: {reason}")


class StoreError(GtopssError):
    """The broker's database cannot be used. `store` names it, without a password."""

    def __init__(self, store: str, reason: str) -> None:
        self.store, self.reason = store, reason
        super().__init__(f"{store}: {reason}")


class InvalidStoreURL(StoreError, ValueError):
    """The URL does not name a store."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, f"{reason}; use memory:, sqlite:PATH or postgresql://USER@HOST/DATABASE")


class StoreUnavailable(StoreError):
    """The database cannot be reached or written now. The same call may succeed later.

    Nothing was changed, unless it is an OutcomeUnknown.
    """


class OutcomeUnknown(StoreUnavailable):
    """The connection was lost while a change was committed, and the server cannot be asked whether it was stored."""

    def __init__(self, store: str, reason: str) -> None:
        super().__init__(store, f"it is not known whether the change was stored: {reason}")


class InvalidStore(StoreError):
    """The file is not a database of a broker, or it is damaged."""


class UnsafeStore(StoreError):
    """The server is configured so that an acknowledged change can be lost."""


class NewerStore(StoreError):
    """A newer version of the program has changed the tables. `found` is the revision of the database."""

    def __init__(self, store: str, found: str, known: str) -> None:
        self.found, self.known = found, known
        super().__init__(
            store,
            f"its tables have revision {found}, and this program knows revisions up to {known}: "
            "stop this program and start the newer version",
        )


class StoreClosed(StoreError):
    """The store was closed, so it accepts no further changes."""

    def __init__(self, store: str) -> None:
        super().__init__(store, "the store is closed; open it again")


class LeaseLost(StoreError):
    """The lease on some rows has expired and another broker has claimed them, so this broker cannot complete them."""

    def __init__(self, table: str, lost: int) -> None:
        self.lost = lost
        super().__init__(table, f"the lease on {lost} rows has expired, and others have claimed them: drop the work")


class InvalidTarget(GtopssError, ValueError):
    """Notifications cannot be pushed to this address."""

    def __init__(self, kind: str, address: str, reason: str) -> None:
        self.kind, self.address, self.reason = kind, address, reason
        super().__init__(f"{short_repr(address)} cannot be a target of kind {short_repr(kind)}: {reason}")


class TargetNotFound(GtopssError, LookupError):
    """The subscription has no such target, dead letter or code."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class FeedNotFound(GtopssError, LookupError):
    """The broker does not poll this feed."""

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__(f"there is no feed {short_repr(url)}: list the feeds, or add it")


class NoFeedFound(GtopssError, ValueError):
    """The document at a URL is neither a feed nor a page that names one."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"{short_repr(url)}: {reason}: give the URL of a feed")


class CallbackNotFound(GtopssError, LookupError):
    """No request of this broker to a hub has this callback and topic, or the hub asks for something else."""

    def __init__(self) -> None:
        super().__init__("this broker did not request this, or no longer needs it: end the subscription")


class RefusedPush(GtopssError, ValueError):
    """What was sent to a callback is not from its hub, or not for it. Nothing of it was read."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the push is refused: {reason}")


class RefusedFollower(GtopssError, ValueError):
    """The feed of a subscription cannot be followed by this callback."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the feed cannot be followed: {reason}")
