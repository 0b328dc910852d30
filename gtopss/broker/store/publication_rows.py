"""Rows of publications, and of the tasks to match them.

A publication is matched in two steps, each claimed by lease: first with the subscriptions that call no operators, then,
if there are any, with those that do. Operators may take long, and hold up no other publication. Each step is a row of
`match_tasks` until it is done; where brokers hold shares of the subscriptions, the first step is one for each share
that the publication is routed to. A publication without a row there is matched.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, delete, exists, func, select, update

from gtopss.broker.store import change_rows, leases
from gtopss.broker.store.bulk_inserts import insert_new_rows, insert_rows
from gtopss.broker.store.leases import RELEASED, Lease, Work
from gtopss.broker.store.tables import match_tasks, publications
from gtopss.broker.store.upserts import among, in_parts
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import lines_of

MAX_CLAIMED_BYTES = 64 * 2**20
"""Text of the publications of one claim, which are held in memory together; a larger one is claimed alone."""
_COLUMNS = [
    publications.c[name]
    for name in ("number", "id", "digest", "source", "published_at", "received_at", "after_change", "lines", "triples")
]
OPERATORS = -1
"""The share of match tasks that stands for all subscriptions that call operators."""
UNROUTED = -2
"""The share of match tasks of publications that are still to be routed to shares (route_rows.py)."""


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
        time, source = publication.published_at, publication.source
        # Plain texts: a URIRef of rdflib is not equal to the text that is read back, and drivers refuse mixed lists.
        return cls(
            str(publication.id),
            digest,
            None if source is None else str(source),
            None if time is None else _seconds(time),
            lines,
            count,
        )


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
    connection: Connection,
    new: Sequence[NewPublication],
    *,
    received_at: float,
    after_change: int,
    shares: Sequence[Sequence[int]] | None = None,
    epoch: int = 0,
) -> list[int | None]:
    """Accept publications; return the number of each, or None for one whose id and digest are there already.

    `shares` are the shares of the subscriptions that each is to be matched with; without them there is one share. One
    that is matched already has none, or `OPERATORS` alone. The shares are those of an epoch.
    """
    places = {(each.id, each.digest): place for place, each in enumerate(new)}
    rows = [(*new[place], received_at, after_change) for place in places.values()]
    found = insert_new_rows(connection, "publications", _INSERTED, rows, ("number", "id", "digest"))
    numbers = {(id, bytes(digest)): int(number) for number, id, digest in found}
    tasks = []
    for key, number in numbers.items():
        place = places[key]
        for share in (0,) if shares is None else shares[place]:
            tasks.append((share, number, len(new[place].lines), received_at, epoch))
    insert_rows(connection, "match_tasks", ("share", "publication", "size", "received_at", "epoch"), tasks)
    return [numbers.pop((each.id, each.digest), None) for each in new]


_INSERTED = (*NewPublication._fields, "received_at", "after_change")


class ClaimedPublications(NamedTuple):
    """Publications that are this holder's until the lease has run out."""

    holder: str
    rows: list[PublicationRow]
    newest_change: int
    """The newest change of a subscription at the time of the claim: they are matched after it was applied."""


def claim(
    connection: Connection,
    broker: str,
    *,
    now: float,
    until: float,
    limit: int,
    share: int = 0,
    epoch: int = 0,
) -> ClaimedPublications:
    """Claim waiting publications, the oldest first: those to match with a share of the subscriptions.

    The share is one of an epoch, or `OPERATORS` for those of the second step, or `UNROUTED`.
    """
    tasks = match_tasks.c
    waiting = tasks.share == share
    if share >= 0:
        waiting &= tasks.epoch == epoch
    work = Work(match_tasks, waiting, tasks.publication, tasks.size, MAX_CLAIMED_BYTES)
    claimed = leases.claim(connection, work, broker=broker, now=now, until=until, limit=limit)
    rows = get_many(connection, [row.publication for row in claimed.rows])
    newest_change = change_rows.newest(connection) if rows else 0
    return ClaimedPublications(claimed.lease.holder, [rows[number] for number in sorted(rows)], newest_change)


def finish_matching(
    connection: Connection,
    holder: str,
    numbers: Collection[int],
    *,
    operators_due: bool,
    share: int = 0,
    epoch: int = 0,
) -> set[int]:
    """Record that publications are matched with a share; return those whose lease this holder still had.

    With `operators_due` they are due for the second step.
    """
    done = delete_held(connection, share, holder, numbers, epoch=epoch)
    if operators_due:
        columns = (publications.c.number, func.length(publications.c.lines), publications.c.received_at)
        for part in in_parts(sorted(done)):
            found = connection.execute(select(*columns).where(among(connection, publications.c.number, part))).all()
            rows = [(OPERATORS, *each) for each in found]
            insert_rows(connection, "match_tasks", ("share", "publication", "size", "received_at"), rows, ignore=True)
    return done


def finish_operators(
    connection: Connection, holder: str, numbers: Collection[int], *, retry_at: float | None = None
) -> set[int]:
    """End the second step of publications, or try it again later; return those whose lease this holder still had."""
    if retry_at is None:
        return delete_held(connection, OPERATORS, holder, numbers)
    values = {"attempts": match_tasks.c.attempts + 1, **RELEASED, "lease_until": retry_at}
    changed: set[int] = set()
    for part in in_parts(sorted(numbers)):
        statement = update(match_tasks).where(_held(connection, OPERATORS, holder, part)).values(values)
        changed.update(connection.execute(statement.returning(match_tasks.c.publication)).scalars())
    return changed


def extend(
    connection: Connection,
    holder: str,
    numbers: Collection[int],
    until: float,
    *,
    share: int = 0,
) -> int:
    """Hold claimed publications longer; return how many of them this holder still has."""
    held = 0
    for part in in_parts(sorted(numbers)):
        mine = _held(connection, share, holder, part)
        held += connection.execute(update(match_tasks).where(mine).values(lease_until=until)).rowcount
    return held


def release(connection: Connection, holder: str, numbers: Collection[int]) -> None:
    """Let others claim publications at once that this holder has claimed and will not match."""
    leases.release(connection, Lease(match_tasks, holder, 0.0), numbers)


def operator_attempts(connection: Connection, numbers: Collection[int]) -> dict[int, int]:
    """Return how often the second step of publications has ended without all answers."""
    query = select(match_tasks.c.publication, match_tasks.c.attempts).where(match_tasks.c.share == OPERATORS)
    return {
        row.publication: row.attempts
        for part in in_parts(numbers)
        for row in connection.execute(query.where(among(connection, match_tasks.c.publication, part)))
    }


def _held(connection: Connection, share: int, holder: str, numbers: Sequence[int]) -> ColumnElement[bool]:
    tasks = match_tasks.c
    return (tasks.share == share) & among(connection, tasks.publication, numbers) & (tasks.lease_holder == holder)


def delete_held(
    connection: Connection, share: int, holder: str, numbers: Collection[int], *, epoch: int | None = None
) -> set[int]:
    """End tasks that this holder still has, with an epoch only those of it; return their publications."""
    deleted: set[int] = set()
    for part in in_parts(sorted(numbers)):
        mine = _held(connection, share, holder, part)
        if epoch is not None:
            mine &= match_tasks.c.epoch == epoch
        statement = delete(match_tasks).where(mine).returning(match_tasks.c.publication)
        deleted.update(connection.execute(statement).scalars())
    return deleted


def set_errors(connection: Connection, errors: dict[int, str]) -> None:
    """Record why publications were not matched."""
    if errors:
        statement = publications.update().where(publications.c.number == bindparam("of"))
        rows = [{"of": number, "why": error} for number, error in sorted(errors.items())]
        connection.execute(statement.values(error=bindparam("why")), rows)


def oldest_waiting(connection: Connection) -> float | None:
    """Return when the oldest publication that still waits for one of its steps was received; None if none waits."""
    found = connection.execute(select(func.min(match_tasks.c.received_at))).scalar()
    return None if found is None else float(found)


def count_waiting(connection: Connection) -> int:
    """Return how many publications wait for one of their steps."""
    return int(connection.execute(select(func.count(match_tasks.c.publication.distinct()))).scalar_one())


def waiting_numbers(connection: Connection) -> set[int]:
    """Return the numbers of the publications that wait for one of their steps."""
    return set(connection.execute(select(match_tasks.c.publication)).scalars())


def newest(connection: Connection, limit: int, *, bytes_limit: int | None = None) -> list[PublicationRow]:
    """Return the newest retained publications, the oldest of them first; together at most `bytes_limit` bytes."""
    query = select(*_COLUMNS).order_by(publications.c.number.desc()).limit(limit)
    rows, size = list[PublicationRow](), 0
    with connection.execute(query) as found:
        for each in found:
            row = PublicationRow(*each)
            size += len(row.lines)
            if bytes_limit is not None and size > bytes_limit:
                break
            rows.append(row)
    return rows[::-1]


def newest_numbers(connection: Connection, limit: int, *, before_change: int) -> list[int]:
    """Return the numbers of the newest retained publications that were accepted before a change, the newest first."""
    query = select(publications.c.number).where(publications.c.after_change < before_change)
    return list(connection.execute(query.order_by(publications.c.number.desc()).limit(limit)).scalars())


class ListedPublication(NamedTuple):
    """A publication, whether it was matched, and why not, if it was refused."""

    row: PublicationRow
    matched: bool
    error: str | None


def newest_first(connection: Connection, limit: int, *, before: int | None = None) -> list[ListedPublication]:
    """Return retained publications, the newest first; with `before`, those with smaller numbers."""
    waits = exists().where(match_tasks.c.share != OPERATORS, match_tasks.c.publication == publications.c.number)
    query = select(*_COLUMNS, ~waits, publications.c.error).order_by(publications.c.number.desc())
    if before is not None:
        query = query.where(publications.c.number < before)
    found = connection.execute(query.limit(limit))
    return [ListedPublication(PublicationRow(*each[:-2]), bool(each[-2]), each[-1]) for each in found]


def with_id(connection: Connection, id: str) -> PublicationRow | None:
    """Return the newest retained publication with this id, or None."""
    query = select(*_COLUMNS).where(publications.c.id == id).order_by(publications.c.number.desc()).limit(1)
    found = connection.execute(query).first()
    return None if found is None else PublicationRow(*found)


def get_many(connection: Connection, numbers: Iterable[int]) -> dict[int, PublicationRow]:
    """Return retained publications by their numbers."""
    found: dict[int, PublicationRow] = {}
    for part in in_parts(numbers):
        for each in connection.execute(select(*_COLUMNS).where(among(connection, publications.c.number, part))):
            found[each.number] = PublicationRow(*each)
    return found


def lock_retained(connection: Connection, numbers: Collection[int]) -> set[int]:
    """Return those of the publications that are retained; they are not deleted before the transaction ends."""
    query = select(publications.c.number).order_by(publications.c.number).with_for_update(read=True)
    return {
        number
        for part in in_parts(sorted(numbers))
        for number in connection.execute(query.where(among(connection, publications.c.number, part))).scalars()
    }


def sizes(connection: Connection, numbers: Collection[int]) -> dict[int, int]:
    """Return the bytes of the lines of retained publications."""
    query = select(publications.c.number, func.length(publications.c.lines))
    return {
        number: size
        for part in in_parts(sorted(numbers))
        for number, size in connection.execute(query.where(among(connection, publications.c.number, part)))
    }


def errors(connection: Connection, limit: int) -> list[tuple[int, str, str]]:
    """Return number, id and error of the newest publications that were not matched."""
    query = select(publications.c.number, publications.c.id, publications.c.error)
    query = query.where(publications.c.error.is_not(None)).order_by(publications.c.number.desc()).limit(limit)
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]
