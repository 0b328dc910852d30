"""The errors that G-ToPSS raises: one tree, drawn here in full. A package's own errors are in its `errors.py`.

    GtopssError
    ├── InvalidTerm                     not an RDF term, or not one that is allowed in its place
    ├── UnknownComparison               no comparison has this sign
    ├── MalformedPublication            RDF that cannot be read, or a triple that RDF does not allow
    ├── InvalidSubscription             a subscription that cannot be registered
    │   ├── InvalidQuery                text that is not a query, or uses an unsupported feature
    │   ├── UnknownVariable             a constraint or SELECT on a variable that the pattern does not bind
    │   ├── CartesianSubscription       parts without a common variable: a Cartesian product
    │   ├── UnsupportedSubscription     a correct subscription that this matcher does not support
    │   └── InvalidPredicate            a wrong use of an operator (gtopss.operators)
    │       ├── UnknownOperator         no operator has this name
    │       ├── WrongArity              too many or too few arguments
    │       └── UnboundArgument         a variable without a value where the operator needs one
    ├── DuplicateSubscription           the id is already registered
    ├── SubscriptionNotFound            the id is not registered
    ├── InvalidTaxonomy                 an ontology that cannot be read, or whose classes form a cycle
    ├── InvalidSnapshot                 a saved engine that is damaged, incomplete or not one at all
    ├── SnapshotNotSaved                a folder that cannot be written: a full disk, no permission, no locks
    ├── UnknownMatcher                  no matcher has this name
    ├── UnknownSetting                  no setting of an engine has this name
    ├── OutputNotWritable               a file that a command or a stream writes cannot be written
    ├── ResourceInUse                   another process uses this file or folder, and only one may
    ├── MissingExtra                    an optional dependency is not installed (gtopss.extras)
    │
    │   gtopss.operators
    ├── InvalidOperator                 a contradictory declaration, or a name that is taken
    ├── InvalidOperatorLimits           limits that contradict themselves or the strategy
    ├── UnknownStrategy                 no strategy has this name
    ├── MissingLibrary                  a shipped operator whose library is not installed
    │
    │   gtopss.attributes
    ├── InvalidSchema                   a domain, attribute, event type or view that contradicts the schema
    ├── InvalidEvent                    an attribute that is not in the schema, or a value outside its domain
    │   └── InconsistentEvent           an event instance that breaks one of the rules R1 to R3
    │
    │   gtopss.net
    ├── FetchError                      a URL could not be fetched
    │   ├── InvalidURL                  not a URL that may be fetched
    │   │   └── UnsupportedScheme       neither http nor https
    │   ├── BlockedAddress              the host is, or resolves to, an address that is not public
    │   ├── BlockedPort                 a port that the operator did not open
    │   ├── ConnectionFailed            unknown host, connection refused or broken, invalid certificate
    │   ├── TooManyRedirects            more redirects than allowed, or a loop
    │   ├── InsecureRedirect            a redirect from https to http
    │   ├── DeadlineExceeded            the whole fetch took too long
    │   ├── ResponseTooLarge            headers or body above a limit
    │   ├── BadResponse                 not HTTP, incomplete, or inconsistent
    │   │   └── UnsupportedEncoding     a content coding that was not requested
    │   ├── UnsuccessfulStatus          a response without the document
    │   │   └── Gone                    status 410
    │   ├── HostBusy                    too many requests to the host run at once
    │   └── NotDue                      too early: the server asked for a pause, or failed recently
    ├── InvalidAllowRule                an invalid entry of `Connector(allow=...)`
    ├── UnusableState                   the file of fetch states cannot be read or written
    │
    │   gtopss.spark
    ├── MissingJar                      GraphFrames' JVM part was not found
    ├── SessionMismatch                 the running Spark session lacks what is needed
    ├── UnknownPlan                     no plan has this name
    ├── OperatorNotSerializable         an operator that cannot be sent to the executors
    ├── InvalidTable                    a table without the columns of publications
    ├── InvalidSpool                    a file in a spool that is not one, or documents that are missing
    ├── MissingSource                   nothing is where a source or the subscriptions should be
    ├── NothingRead                     no publication was read, or no subscription registered
    ├── StorageUnavailable              a file system that cannot be reached or written
    ├── SparkJobFailed                  Spark could not start, or ended a job
    │
    │   gtopss.broker
    ├── InvalidTicket                   no active subscription has this id and ticket
    ├── InvalidKey                      no owner has this API key
    ├── NotPermitted                    the operator of the broker does not permit this
    ├── QuotaExceeded                   an owner's subscriptions are too many, or cost too much
    ├── PublicationNotFound             no retained publication has this number or id
    ├── InvalidSetting                  a setting of the broker or of a subscription that cannot be used
    ├── StoreError                      the broker's database cannot be used
    │   ├── InvalidStoreURL             not a URL of a store
    │   ├── StoreUnavailable            cannot be reached or written now; the same call may succeed later
    │   │   └── OutcomeUnknown          the connection was lost while a change was committed
    │   ├── InvalidStore                not a database of a broker, or a damaged one
    │   ├── UnsafeStore                 the server does not write commits to the disk
    │   ├── NewerStore                  a newer version of the program has changed the tables
    │   ├── StoreClosed                 the store was closed
    │   └── LeaseLost                   another holder has claimed the rows since
    ├── InvalidTarget                   an address that notifications cannot be pushed to
    ├── TargetNotFound                  the subscription has no such target or dead letter
    ├── FeedNotFound                    the broker does not poll this feed
    ├── NoFeedFound                     neither a feed nor a page that names one
    ├── CallbackNotFound                no request of this broker to a hub has this callback and topic
    ├── RefusedPush                     what was sent to a callback is not from its hub, or not for it
    ├── RefusedFollower                 the feed of a subscription cannot be followed by this callback
    │
    │   gtopss.http
    ├── AddressInUse                    the service cannot listen on its address
    │
    │   gtopss.client
    ├── ServiceError                    a request to a service failed
    │   ├── InvalidAddress              the address of a service is not a URL with http or https
    │   ├── ServiceUnreachable          no service answers at the address
    │   ├── InvalidResponse             not a response of this service
    │   └── RequestRefused              refused for a reason that has no class of its own
    │
    │   gtopss.cli
    ├── UnknownTicket                   the ticket of a subscription is not kept on this machine
    ├── UnusableTicketFile              the file of tickets cannot be read
    │
    │   gtopss.experiments
    └── Disagreement                    two compared systems gave different answers

    Warnings (UserWarning)
    NeverMatches                        a subscription or branch that no publication can satisfy
    NotIndexed                          a query that is evaluated for each publication
    NeverBound                          a query that uses a variable which it never binds
    BeyondRDFS                          an ontology with terms that RDFS entailment ignores

Each error has its data as attributes and a message that says where the problem is and what to do. Errors about the
caller's input are `ValueError`s too (`SubscriptionNotFound` is a `LookupError`, `UnknownSetting` a `TypeError`), so
that code which does not know this module still catches them.

The leaf packages have trees of their own, which the engine converts: a `sparqlish.SparqlishError` becomes an
`InvalidQuery`, an `ontology.OntologyError` an `InvalidTaxonomy`. The new error has the whole message of the old one, so
that a traceback shows one error and not a chain of them.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

MAX_REASON_CHARACTERS = 1_000
"""Characters of what is wrong with a document; the middle of a longer text is left out."""
MAX_PROPOSED_IDS = 10
"""Ids of subscriptions that an error proposes."""


class GtopssError(Exception):
    """The root of the tree: `except GtopssError` catches every error that this project raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes: errors are sent between processes."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[GtopssError], arguments: tuple[object, ...], attributes: dict[str, Any]) -> GtopssError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


def short_repr(given: object) -> str:
    """Return a short `repr` of a caller's value for a message; it never raises an error."""
    try:
        text = repr(given)
    except Exception:
        text = f"a {type(given).__name__} that cannot be shown"
    return text if len(text) <= 200 else f"{text[:100]}...{text[-80:]}"


class InvalidTerm(GtopssError, ValueError):
    """A value is not an RDF term where one is needed."""

    def __init__(self, given: object, reason: str) -> None:
        self.given = given
        super().__init__(f"{short_repr(given)} is not a valid term here: {reason}")


class UnknownComparison(GtopssError, ValueError):
    """No comparison has this sign."""

    def __init__(self, sign: object, known: Iterable[str]) -> None:
        self.sign, signs = sign, sorted(known)
        guess = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}.get(str(sign), str(sign)[::-1])
        hint = f"did you mean {guess!r}? " if guess in signs else ""
        super().__init__(f"there is no comparison {short_repr(sign)}: {hint}The comparisons are {' '.join(signs)}")


class MalformedPublication(GtopssError, ValueError):
    """Bytes are not RDF of the stated format, or a triple is not allowed in RDF."""

    def __init__(
        self,
        reason: str,
        *,
        publication_id: str | None = None,
        line: int | None = None,
        column: int | None = None,
        triple: int | None = None,
    ) -> None:
        if len(reason) > MAX_REASON_CHARACTERS:  # parsers quote the whole term that they do not accept
            half = MAX_REASON_CHARACTERS // 2
            reason = f"{reason[:half]}...{reason[-half:]}"
        self.reason, self.publication_id = reason, publication_id
        self.line, self.column, self.triple = line, column, triple
        place = [f"publication {publication_id!r}"] if publication_id is not None else ["publication"]
        if line is not None:
            place.append(f"line {line}" + (f", column {column}" if column is not None else ""))
        if triple is not None:
            place.append(f"triple {triple}")
        super().__init__(f"{', '.join(place)}: {reason}")


def document_error(error: BaseException, publication_id: str | None) -> MalformedPublication | None:
    """Return the error to raise when reading one document failed in any way: one document's error ends no batch.

    Parsers raise errors of many types, and pyoxigraph's PanicException is not even an Exception. None for errors that
    are not about the document, such as KeyboardInterrupt.
    """
    if isinstance(error, MalformedPublication):
        return error
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        return None
    if isinstance(error, MemoryError):
        reason = "reading it takes too much memory"
    elif isinstance(error, RecursionError):
        reason = "it is nested too deeply"
    elif isinstance(error, GtopssError):
        reason = str(error)
    else:
        reason = f"it cannot be read: {type(error).__name__}: {short_repr(str(error))}"
    return MalformedPublication(reason, publication_id=publication_id)


def release_frames(error: BaseException) -> None:
    """Clear the local variables in the frames of a traceback, so that an error that is kept does not keep a document.

    The traceback can still be printed.
    """
    pending, seen = [error], set[int]()
    while pending:
        each = pending.pop()
        if id(each) not in seen:
            seen.add(id(each))
            traceback.clear_frames(each.__traceback__)
            pending += (other for other in (each.__cause__, each.__context__) if other is not None)


class InvalidSubscription(GtopssError, ValueError):
    """A subscription cannot be registered."""

    def __init__(self, subscription_id: str, reason: str) -> None:
        self.subscription_id, self.reason = subscription_id, reason
        super().__init__(f"subscription {subscription_id!r}: {reason}")


class UnknownVariable(InvalidSubscription):
    """A constraint or SELECT uses a variable that the pattern does not bind."""

    def __init__(self, subscription_id: str, variable: str, place: str, known: Iterable[str]) -> None:
        self.variable, self.place = variable, place
        names = ", ".join(sorted(known)) or "none"
        super().__init__(
            subscription_id, f"{place} uses {variable}, which the pattern does not bind; its variables are: {names}"
        )


class CartesianSubscription(InvalidSubscription):
    """Parts of the pattern share no variable, so the result would be their Cartesian product."""

    def __init__(self, subscription_id: str, parts: Sequence[str]) -> None:
        self.parts = tuple(parts)
        super().__init__(
            subscription_id,
            f"its parts share no variable, so its result would be their Cartesian product: {' | '.join(parts)}; "
            "connect them with a variable, or use Engine(allow_cartesian=True)",
        )


class UnsupportedSubscription(InvalidSubscription):
    """The chosen matcher does not support this subscription, and does not approximate it."""

    def __init__(self, subscription_id: str, matcher: str, reason: str) -> None:
        self.matcher = matcher
        super().__init__(subscription_id, f"the {matcher} matcher does not support it: {reason}")


class InvalidQuery(InvalidSubscription):
    """The text of a subscription is not a valid query, or uses a feature that subscriptions do not support.

    `line` and `column` are the position of the error, counted from 1; None if it is not known.
    """

    def __init__(self, subscription_id: str, reason: str, *, line: int | None, column: int | None) -> None:
        self.line, self.column = line, column
        super().__init__(subscription_id, reason)


class NeverMatches(UserWarning):
    """No publication can satisfy a subscription, or a branch of it. It is registered, but never evaluated."""


class NotIndexed(UserWarning):
    """A query has no required part that the index could use, so it is evaluated for each publication."""


class NeverBound(UserWarning):
    """A query selects or tests a variable that it never binds, so the variable has no value and the test fails."""


class BeyondRDFS(UserWarning):
    """An ontology uses OWL terms or datatypes that RDFS entailment ignores. A reasoner can use them."""


class DuplicateSubscription(GtopssError, ValueError):
    """The id is already registered; a second subscription of that id would make `remove` ambiguous.

    `place` is the file, and the line if it is known, of a subscription that is read from a file.
    """

    def __init__(self, subscription_id: str, place: str | None = None) -> None:
        self.subscription_id, self.place = subscription_id, place
        super().__init__(
            f"{place}: the name {subscription_id!r} is already used: choose another name"
            if place is not None
            else f"subscription {subscription_id!r} is already registered: remove it first, or choose another id"
        )


class SubscriptionNotFound(GtopssError, LookupError):
    """No subscription is registered under this id. The message proposes ids of `known` that are close to it."""

    def __init__(self, subscription_id: str, known: Iterable[str] = ()) -> None:
        self.subscription_id, ids, hint = subscription_id, list(known), ""
        if ids:
            close = get_close_matches(subscription_id, ids, n=3)
            shown = ", ".join(ids[:MAX_PROPOSED_IDS]) + (", ..." if len(ids) > MAX_PROPOSED_IDS else "")
            hint = f": did you mean {' or '.join(close)}?" if close else f": choose one of {shown}"
        super().__init__(f"subscription {subscription_id!r} is not registered{hint}")


class InvalidTaxonomy(GtopssError, ValueError):
    """The ontology given to the engine cannot be used."""

    def __init__(self, source: str, reason: str, *, cycle: Sequence[str] = ()) -> None:
        self.source, self.cycle = source, tuple(cycle)
        super().__init__(f"ontology {source}: {reason}")


class InvalidSnapshot(GtopssError, ValueError):
    """A file of a saved engine is missing, damaged, of another version or of another program."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")


class SnapshotNotSaved(GtopssError):
    """An engine could not be saved. What was saved in the folder before is unchanged."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"{path}: the engine was not saved: {reason}")


class UnknownMatcher(GtopssError, ValueError):
    """No matcher has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        names = sorted(known)
        close = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? The matchers are" if close else "choose one of"
        super().__init__(f"there is no matcher {name!r}: {hint} {', '.join(names)}")


class UnknownSetting(GtopssError, TypeError):
    """No setting of an engine has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, names = name, sorted(known)
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(names)}"
        super().__init__(f"an engine has no setting {name!r}: {hint}")


class OutputNotWritable(GtopssError, OSError):
    """A file cannot be written. The file that was there before is unchanged."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"{path} cannot be written: {reason}")


class ResourceInUse(GtopssError):
    """Another process uses a file or folder that only one may use at a time."""

    def __init__(self, path: object, pid: int | None, since: str | None) -> None:
        self.path, self.pid, self.since = str(path), pid, since
        holder = "another process" if pid is None else f"process {pid}, since {since}"
        super().__init__(f"{path} is in use by {holder}: wait until it ends, stop it, or use another one")
