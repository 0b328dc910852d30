"""The errors of the Spark pipeline, all below `GtopssError`.

GtopssError
├── MissingJar                 GraphFrames' JVM part is not on this machine, and could not be fetched
├── SessionMismatch            the running session has another master, or lacks GraphFrames
├── UnknownPlan                no plan or scope has this name
├── OperatorNotSerializable    an operator cannot be sent to the executors
├── InvalidTable               a table lacks the columns of publications
├── InvalidSpool               a file in a spool was not written by `Spool`, or documents are missing
├── MissingSource              there is nothing where a source, the subscriptions or a spool should be
├── NothingRead                the sources had no publication, or the subscriptions were all refused
├── StorageUnavailable         a file system cannot be reached, or refuses an operation
└── SparkJobFailed             Spark could not start, or ended a job; the message is the cause in one line
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.errors import GtopssError


class MissingJar(GtopssError):
    """GraphFrames' JVM part was not found. `jar` (coordinates or a path) and `reason` say why."""

    def __init__(self, jar: str, reason: str, *, fetching: bool = False) -> None:
        self.jar, self.reason = jar, reason
        hint = "" if fetching else "run `gtopss spark fetch-jars`, or "
        super().__init__(
            f"the GraphFrames jar ({jar}) {reason}: {hint}give a jar with --jar or GTOPSS_GRAPHFRAMES_JAR; "
            "the plans `engine` and `relational` do not need it"
        )


class SessionMismatch(GtopssError):
    """The running session cannot do what was asked. Its master and jars were fixed when its JVM started."""


class UnknownPlan(GtopssError, ValueError):
    """No plan or scope has this name. The message lists those that exist."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"there is no plan {name!r}: choose one of {', '.join(known)}")


class OperatorNotSerializable(GtopssError, ValueError):
    """An operator cannot be pickled, usually because it holds a connection or a lock of this process."""

    def __init__(self, name: str, reason: object) -> None:
        self.name = name
        super().__init__(
            f"operator {name!r} cannot be sent to Spark's executors ({reason}): let it open what it needs when called"
        )


class InvalidTable(GtopssError, ValueError):
    """A Parquet table cannot be read as publications. `path` names it."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")


class InvalidSpool(GtopssError, ValueError):
    """A file in a spool is not one of its documents, or is incomplete. `path` names it."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")


class MissingSource(GtopssError, ValueError):
    """There is no file, folder or table at the location that was given. `location` names it."""

    def __init__(self, location: object, what: str = "source") -> None:
        self.location = str(location)
        super().__init__(f"{location}: there is no such file or directory on the driver (needed as: {what})")


class NothingRead(GtopssError):
    """A job had nothing to do: no publication could be read, or no subscription registered."""


class StorageUnavailable(GtopssError):
    """A file or folder cannot be read or written. `location` names it."""

    def __init__(self, location: object, reason: str) -> None:
        self.location, self.reason = str(location), reason
        super().__init__(f"{location}: {reason}")


class SparkJobFailed(GtopssError):
    """Spark could not start or run a job. The message is the first cause; the whole report is `__cause__`."""
