"""Rows of publications: accepted, claimed for matching, matched, retained.

A publication is matched in two steps, each claimed by lease: first with the subscriptions that call no operators, then,
if there are any, with those that do (`operators_due`). Operators may take long, and hold up no other publication.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, or_, select, update

from gtopss.broker.store import leases
from gtopss.broker.store.leases import RELEASED, Work
from gtopss.broker.store.tables import publications
from gtopss.broker.store.upserts import in_parts, insert_or_ignore
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import lines_of

MAX_CLAIMED_BYTES = 64 * 2**20
"""Text of the publications of one claim, which are held in memory together; a larger one is claimed alone."""
_COLUMNS = [
    publications.c[name]
    for name in ("number", "id", "digest", "source", "published_at", "received_at", "after_change", "lines", "triples")
]
_WAITS = or_(publications.c.matched.is_(False), publications.c.operators_due.is_(True))


class NewPublication(NamedTuple):
    """A publication to accept, as it is stored."""

    id: str
    digest: bytes
    source: str | None
    published_at: float | None
    lines: bytes
    triples: int

    @classmethod
    def of(cls, publication: Publication, digest: bytes) -> NewPublication:
        """Return the columns of a publication. `digest` stands for what it says."""
        if isinstance(publication, TextPublication):
            lines, count = publication.lines, publication.count
        else:
            lines, count = lines_of(publication.triples), len(publication.triples)
        time = publication.published_at
        return cls(publication.id, digest, publication.source, None if time is None else _seconds(time), lines, count)


@dataclass(frozen=True, slots=True)
class PublicationRow:
    """An accepted publication."""

    number: int
    id: str
    digest: bytes
    source: str | None
    published_at: float | None
    received_at: float
    after_change: int
    lines: bytes
    triples: int

    def publication(self) -> Publication:
        """Return the publication as it was accepted, with the time of its arrival, which is the value of NOW."""
        received_at = dt.datetime.fromtimestamp(self.received_at, dt.UTC)
        return TextPublication(self.id, self.lines, self.triples, self.source, _time(self.published_at), received_at)


def _seconds(time: dt.datetime) -> float:
    return (time if time.tzinfo is not None else time.replace(tzinfo=dt.UTC)).timestamp()


def _time(seconds: float | None) -> dt.datetime | None:
    """Return a time in UTC; None for one outside of the years 1 to 9999, which another time zone may have stored."""
    try:
        return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError):
        return None


def insert_new(
    connection: Connection, new: Sequence[NewPublication], *, received_at: float, after_change: int
) -> list[int | None]:
    """Accept publications; return the number of each, or None for one whose id and digest are there already."""
    common = {"received_at": received_at, "after_change": after_change}
    rows = {(each.id, each.digest): {**each._asdict(), **common} for each in new}
    statement = insert_or_ignore(connection, publications)
    columns = (publications.c.number, publications.c.id, publications.c.digest)
    found = connection.execute(statement.returning(*columns), list(rows.values())) if rows else ()
    numbers = {(row.id, bytes(row.digest)): int(row.number) for row in found}
    return [numbers.pop((each.id, each.digest), None) for each in new]


class ClaimedPublications(NamedTuple):
    """Publications that are this holder's until the lease has run out."""

    holder: str
    rows: list[PublicationRow]


def claim(
    connection: Connection, broker: str, *, now: float, until: float, limit: int, operators: bool = False
) -> ClaimedPublications:
    """Claim waiting publications, the oldest first: those to match, or with `operators` those of the second step."""
    table = publications.c
    waiting = and_(table.matched.is_(True), table.operators_due.is_(True)) if operators else table.matched.is_(False)
    work = Work(publications, waiting, table.number, func.length(table.lines), MAX_CLAIMED_BYTES)
    claimed = leases.claim(connection, work, broker=broker, now=now, until=until, limit=limit)
    rows = [PublicationRow(*(getattr(row, column.name) for column in _COLUMNS)) for row in claimed.rows]
    return ClaimedPublications(claimed.lease.holder, rows)


def finish_matching(connection: Connection, holder: str, numbers: Collection[int], *, operators_due: bool) -> set[int]:
    """Mark publications as matched and end their leases; return those whose lease this holder still had."""
    held = and_(publications.c.lease_holder == holder, publications.c.matched.is_(False))
    values = {"matched": True, "operators_due": operators_due, **RELEASED}
    return _update_held(connection, numbers, held, values)


def finish_operators(
    connection: Connection, holder: str, numbers: Collection[int], *, retry_at: float | None = None
) -> set[int]:
    """End the second step of publications, or try it again later; return those whose lease this holder still had."""
    held = and_(publications.c.lease_holder == holder, publications.c.operators_due.is_(True))
    values = {
        "operators_due": retry_at is not None,
        "operator_attempts": publications.c.operator_attempts + 1,
        **RELEASED,
        "lease_until": 0.0 if retry_at is None else retry_at,
    }
    return _update_held(connection, numbers, held, values)


def release(connection: Connection, holder: str, numbers: Collection[int]) -> None:
    """Let others claim publications at once that this holder has claimed and will not match."""
    leases.release(connection, leases.Lease(publications, holder, 0.0), numbers)


def operator_attempts(connection: Connection, numbers: Collection[int]) -> dict[int, int]:
    """Return how often the second step of publications has ended without all answers."""
    query = select(publications.c.number, publications.c.operator_attempts)
    return {
        row.number: row.operator_attempts
        for part in in_parts(numbers)
        for row in connection.execute(query.where(publications.c.number.in_(part)))
    }


def _update_held(
    connection: Connection, numbers: Collection[int], held: ColumnElement[bool], values: Mapping[str, object]
) -> set[int]:
    changed: set[int] = set()
    for part in in_parts(sorted(numbers)):
        statement = update(publications).where(publications.c.number.in_(part), held).values(dict(values))
        changed.update(connection.execute(statement.returning(publications.c.number)).scalars())
    return changed


def set_errors(connection: Connection, errors: dict[int, str]) -> None:
    """Record why publications were not matched."""
    if errors:
        statement = publications.update().where(publications.c.number == bindparam("of"))
        rows = [{"of": number, "why": error} for number, error in sorted(errors.items())]
        connection.execute(statement.values(error=bindparam("why")), rows)


def oldest_waiting(connection: Connection) -> float | None:
    """Return when the oldest publication that still waits for one of its steps was received; None if none waits."""
    # Of an expression: SQLite would look for the minimum of a column in its index, and read all of it if none waits.
    received_at = publications.c.received_at + 0.0
    first = [
        connection.execute(select(func.min(received_at)).where(waits)).scalar()
        for waits in (publications.c.matched.is_(False), publications.c.operators_due.is_(True))
    ]
    return min((float(each) for each in first if each is not None), default=None)


def count_waiting(connection: Connection) -> int:
    """Return how many publications wait for one of their steps."""
    return int(connection.execute(select(func.count()).where(_WAITS)).scalar_one())


def newest(
    connection: Connection, limit: int, *, before_change: int | None = None, bytes_limit: int | None = None
) -> list[PublicationRow]:
    """Return the newest retained publications, the oldest of them first.

    With `before_change`, only those that were accepted before that change; together at most `bytes_limit` bytes.
    """
    query = select(*_COLUMNS).order_by(publications.c.number.desc()).limit(limit)
    if before_change is not None:
        query = query.where(publications.c.after_change < before_change)
    rows, size = list[PublicationRow](), 0
    with connection.execute(query) as found:
        for each in found:
            row = PublicationRow(*each)
            size += len(row.lines)
            if bytes_limit is not None and size > bytes_limit:
                break
            rows.append(row)
    return rows[::-1]


class ListedPublication(NamedTuple):
    """A publication, whether it was matched, and why not, if it was refused."""

    row: PublicationRow
    matched: bool
    error: str | None


def newest_first(connection: Connection, limit: int, *, before: int | None = None) -> list[ListedPublication]:
    """Return retained publications, the newest first; with `before`, those with smaller numbers."""
    query = select(*_COLUMNS, publications.c.matched, publications.c.error).order_by(publications.c.number.desc())
    if before is not None:
        query = query.where(publications.c.number < before)
    found = connection.execute(query.limit(limit))
    return [ListedPublication(PublicationRow(*each[:-2]), each[-2], each[-1]) for each in found]


def with_id(connection: Connection, id: str) -> PublicationRow | None:
    """Return the newest retained publication with this id, or None."""
    query = select(*_COLUMNS).where(publications.c.id == id).order_by(publications.c.number.desc()).limit(1)
    found = connection.execute(query).first()
    return None if found is None else PublicationRow(*found)


def get_many(connection: Connection, numbers: Iterable[int]) -> dict[int, PublicationRow]:
    """Return retained publications by their numbers."""
    found: dict[int, PublicationRow] = {}
    for part in in_parts(numbers):
        for each in connection.execute(select(*_COLUMNS).where(publications.c.number.in_(part))):
            found[each.number] = PublicationRow(*each)
    return found


def errors(connection: Connection, limit: int) -> list[tuple[int, str, str]]:
    """Return number, id and error of the newest publications that were not matched."""
    query = select(publications.c.number, publications.c.id, publications.c.error)
    query = query.where(publications.c.error.is_not(None)).order_by(publications.c.number.desc()).limit(limit)
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]
