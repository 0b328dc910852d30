"""Find the subscription that a secret is for: a ticket, or a token that may only read.

Whatever is wrong with id and secret is answered alike, after the same work: the hashes of one id are looked up, and
each kind of secret that is accepted is compared once. The row itself is read only for who has the secret, because
reading it takes longer than not finding it.
"""

from __future__ import annotations

import re

from sqlalchemy import Connection

from gtopss.broker.errors import InvalidTicket
from gtopss.broker.store import subscription_rows
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.tickets import is_secret_of

_ID = re.compile(r"[0-9a-f]{24}")


def row_of_ticket(
    connection: Connection, id: str, ticket: str, *, lock: bool = False, or_token: bool = False
) -> SubscriptionRow:
    """Return the subscription of a ticket, or if `or_token` of a token that may read. Raises InvalidTicket."""
    return _row_of_secret(connection, id, ticket, tickets=True, tokens=or_token, lock=lock)


def row_of_token(connection: Connection, id: str, token: str, *, lock: bool = False) -> SubscriptionRow:
    """Return the subscription that a token may read. Raises InvalidTicket."""
    return _row_of_secret(connection, id, token, tickets=False, tokens=True, lock=lock)


def _row_of_secret(
    connection: Connection, id: str, secret: str, *, tickets: bool, tokens: bool, lock: bool
) -> SubscriptionRow:
    def is_right(ticket_hash: bytes | None, reader_hash: bytes | None) -> bool:
        is_ticket = tickets and is_secret_of(secret, ticket_hash)
        is_token = tokens and is_secret_of(secret, reader_hash)
        return is_ticket or is_token

    is_id = isinstance(id, str) and _ID.fullmatch(id) is not None
    hashes = subscription_rows.secret_hashes(connection, id if is_id else "")
    row = subscription_rows.get(connection, id, lock=lock) if is_right(hashes.ticket, hashes.reader) else None
    if row is None or (lock and not is_right(row.ticket_hash, row.reader_hash)):  # revoked before the row was locked
        raise InvalidTicket
    return row
