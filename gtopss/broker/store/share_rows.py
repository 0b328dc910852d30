"""Rows of shares: into how many the subscriptions are divided, which share each is in, and who holds which.

A division is an *epoch*. The counters name the current one, and the number of shares that is wanted if another division
is being made. A subscription without a row in an epoch has the share of its id's checksum, and may be fired by any
publication: it was added while the epoch began.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Join, Select, and_, delete, func, or_, select, update
from sqlalchemy import false as sql_false

from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.tables import counters, match_tasks, owners, share_holders, subscription_shares, subscriptions
from gtopss.broker.store.upserts import among, in_parts, insert_or_ignore

_COUNT, _EPOCH, _WANTED = "shares", "share_epoch", "shares_wanted"
_NAMES = (_COUNT, _EPOCH, _WANTED)


class Division(NamedTuple):
    """Into how many shares the subscriptions are divided."""

    epoch: int = 0
    shares: int = 1
    wanted: int | None = None
    """The number of shares of the next epoch, if it is being prepared."""


class ShareRow(NamedTuple):
    """The share of a subscription that was not removed, and what routing needs to know of it."""

    id: str
    calls_operators: bool
    share: int
    keys: bytes | None
    """None if they are not known."""


class Holder(NamedTuple):
    """A broker that holds a share until a time."""

    share: int
    broker: str
    until: float


def default_share(id: str, count: int) -> int:
    """Return the share of a subscription that was given none."""
    return zlib.crc32(id.encode()) % count


# --- the division -----------------------------------------------------------------------------------------------------


def division(connection: Connection, *, lock: bool = False) -> Division:
    """Return the current division. With `lock`, nobody else changes it until the transaction ends."""
    query = select(counters.c.name, counters.c.value).where(counters.c.name.in_(_NAMES)).order_by(counters.c.name)
    if lock:
        _create_counters(connection)
        query = query.with_for_update()
    found = {name: int(value) for name, value in connection.execute(query)}
    return Division(found.get(_EPOCH, 0), found.get(_COUNT, 0) or 1, found.get(_WANTED, 0) or None)


def _create_counters(connection: Connection) -> None:
    known = connection.execute(select(func.count()).where(counters.c.name.in_(_NAMES))).scalar_one()
    if known < len(_NAMES):  # a row that is not there cannot be locked
        connection.execute(insert_or_ignore(connection, counters), [{"name": name, "value": 0} for name in _NAMES])


def set_wanted(connection: Connection, count: int) -> None:
    """Ask for a division into so many shares. What was prepared of another one is forgotten."""
    now = division(connection, lock=True)
    connection.execute(delete(subscription_shares).where(subscription_shares.c.epoch > now.epoch))
    _set(connection, _WANTED, count)


def begin_epoch(connection: Connection, count: int) -> None:
    """Use the next epoch from now on."""
    now = division(connection, lock=True)
    for name, value in ((_EPOCH, now.epoch + 1), (_COUNT, count), (_WANTED, 0)):
        _set(connection, name, value)


def _set(connection: Connection, name: str, value: int) -> None:
    connection.execute(update(counters).where(counters.c.name == name).values(value=value))


# --- shares of subscriptions ------------------------------------------------------------------------------------------


def insert_many(connection: Connection, epoch: int, rows: Iterable[tuple[str, int, bytes]]) -> None:
    """Store id, share and keys of subscriptions in an epoch. Those that have a share already keep it."""
    made = [(epoch, *row) for row in rows]
    columns = ("epoch", "subscription", "share", "keys")
    insert_rows(connection, "subscription_shares", columns, made, ignore=True)


def set_keys(connection: Connection, id: str, keys: bytes) -> None:
    """Replace the routing keys of a subscription in every epoch."""
    table = subscription_shares
    connection.execute(update(table).where(table.c.subscription == id).values(keys=keys))


def get_many(connection: Connection, now: Division, ids: Collection[str]) -> dict[str, ShareRow]:
    """Return the shares of subscriptions that were not removed."""
    query = _shares(now.epoch)
    return {
        row.id: row
        for part in in_parts(sorted(ids))
        for row in _rows(connection, query.where(among(connection, subscriptions.c.id, part)), now.shares)
    }


def page(connection: Connection, now: Division, after: str, limit: int) -> list[ShareRow]:
    """Return the shares of subscriptions that were not removed, in the order of ids, after an id."""
    query = _shares(now.epoch).where(subscriptions.c.id > after).order_by(subscriptions.c.id).limit(limit)
    return list(_rows(connection, query, now.shares))


def _joined(epoch: int) -> Join:
    shares = subscription_shares.c
    of_epoch = and_(shares.subscription == subscriptions.c.id, shares.epoch == epoch)
    return subscriptions.outerjoin(subscription_shares, of_epoch)


def _shares(epoch: int) -> Select[Any]:
    shares = subscription_shares.c
    columns = (subscriptions.c.id, subscriptions.c.calls_operators, shares.share, shares["keys"])
    return select(*columns).select_from(_joined(epoch)).where(subscriptions.c.expired == sql_false())


def _rows(connection: Connection, query: Select[Any], count: int) -> Iterator[ShareRow]:
    for id, calls_operators, share, keys in connection.execute(query):
        yield ShareRow(id, bool(calls_operators), _share(id, share, count), None if keys is None else bytes(keys))


def _share(id: str, stored: int | None, count: int) -> int:
    return default_share(id, count) if stored is None or stored >= count else stored


class TextPage(NamedTuple):
    """Id, form and query of subscriptions, and the id after which the next page begins; None after the last page."""

    texts: list[tuple[str, str, str]]
    last: str | None


def texts(connection: Connection, now: Division, share: int, *, after: str, limit: int) -> TextPage:
    """Return a page of the subscriptions of a share, without those that call operators, in the order of ids."""
    shares, columns = subscription_shares.c, subscriptions.c
    query = select(columns.id, columns.form, columns.query, shares.share).select_from(_joined(now.epoch))
    query = query.where(columns.expired == sql_false(), columns.calls_operators == sql_false(), columns.id > after)
    query = query.where(or_(shares.share == share, shares.share.is_(None), shares.share >= now.shares))
    found = connection.execute(query.order_by(columns.id).limit(limit)).all()
    mine = [(id, form, text) for id, form, text, own in found if _share(id, own, now.shares) == share]
    return TextPage(mine, found[-1][0] if len(found) == limit else None)


def delete_epochs_before(connection: Connection, epoch: int) -> int:
    """Delete the shares of subscriptions in epochs before one."""
    return connection.execute(delete(subscription_shares).where(subscription_shares.c.epoch < epoch)).rowcount


# --- holders ----------------------------------------------------------------------------------------------------------


def holders(connection: Connection, epoch: int, now: float) -> list[Holder]:
    """Return the brokers that hold shares of an epoch now."""
    table = share_holders.c
    query = select(table.share, table.broker, table.until).where(table.epoch == epoch, table.until > now)
    return [Holder(*row) for row in connection.execute(query.order_by(table.share, table.broker))]


def set_held(connection: Connection, epoch: int, broker: str, shares: Collection[int], until: float) -> None:
    """Replace the shares that a broker holds."""
    connection.execute(delete(share_holders).where(share_holders.c.broker == broker))
    rows = [(epoch, share, broker, until) for share in sorted(shares)]
    insert_rows(connection, "share_holders", ("epoch", "share", "broker", "until"), rows)


def forget_holders(connection: Connection, now: float) -> None:
    """Delete the holders whose time is over."""
    connection.execute(delete(share_holders).where(share_holders.c.until <= now))


def loads(connection: Connection, now: Division) -> list[int]:
    """Return how many subscriptions each share has; those without a row are left out.

    While there is one share there are no rows, and it has the subscriptions that owners have.
    """
    if now.shares == 1:
        return [int(connection.execute(select(func.sum(owners.c.subscriptions))).scalar() or 0)]
    shares = subscription_shares.c
    query = select(shares.share, func.count()).where(shares.epoch == now.epoch, shares.share < now.shares)
    found = {share: int(count) for share, count in connection.execute(query.group_by(shares.share))}
    return [found.get(share, 0) for share in range(now.shares)]


def waiting(connection: Connection) -> dict[int, int]:
    """Return how many publications wait for each share."""
    query = select(match_tasks.c.share, func.count()).group_by(match_tasks.c.share)
    return {share: int(count) for share, count in connection.execute(query)}
