"""What can go wrong around Spark, below `GtopssError`.

GtopssError
├── MissingJar        GraphFrames' JVM part is not on this machine, or cannot be had
├── WrongSession      a session is running, but not one that can do what is asked
├── UnknownPlan       a plan's name that is not in the table
├── UnsentOperator    an operator that cannot be sent to the executors
├── InvalidTable      a Parquet table that has not the columns of publications
└── InvalidSpool      a file in a spool that no `Spool` wrote
"""

from __future__ import annotations

from collections.abc import Iterable

from gtopss.errors import GtopssError


class MissingJar(GtopssError):
    """Motifs need GraphFrames' JVM part, and it was not found."""

    def __init__(self, wanted: str, reason: str, *, fetching: bool = False) -> None:
        self.wanted, self.reason = wanted, reason
        hint = "" if fetching else "run `gtopss spark fetch-jars`, or "
        super().__init__(
            f"GraphFrames' JVM part ({wanted}) {reason}: {hint}name a jar by --jar or GTOPSS_GRAPHFRAMES_JAR; "
            "the plans `engine` and `relational` do without it"
        )


class SessionMismatch(GtopssError):
    """Jars and masters are settled when the JVM starts; a session that runs cannot be given others."""


class UnknownPlan(GtopssError, ValueError):
    """No plan goes by this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        super().__init__(f"there is no plan {name!r}: choose one of {', '.join(known)}")


class OperatorNotSerializable(GtopssError, ValueError):
    """An operator cannot travel: it holds something of this process, a connection or a lock."""

    def __init__(self, name: str, reason: object) -> None:
        self.name = name
        super().__init__(
            f"operator {name!r} cannot be sent to Spark's executors ({reason}): let it open what it needs when called"
        )


class InvalidTable(GtopssError, ValueError):
    """A table was given as publications that cannot be read as such."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")


class InvalidSpool(GtopssError, ValueError):
    """A spool's file is not one, or not whole."""

    def __init__(self, path: object, reason: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {reason}")
