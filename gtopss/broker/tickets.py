"""Make and verify the secrets of the broker: tickets of subscriptions and API keys of owners.

Liu et al. (DEBS 2007, section 5.1) return a ticket with the acknowledgement of a subscription, "the MD5 digest of the
subscription content together with a random number", and the server compares it with the ticket of a request to renew or
cancel. Here a ticket is only random: 256 bits from the operating system, with nothing of the content in it, so that no
weakness of a hash function helps to guess it. The database has its SHA-256 and not the ticket itself, so that
whoever reads the database can use none. It is compared in constant time. An API key is made in the same way.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

TICKET_PREFIX, KEY_PREFIX, READER_PREFIX = "gt_", "gk_", "gr_"
"""They tell people, and scanners of leaked secrets, what a text is."""
_RANDOM_BYTES = 32
_MAX_CHARACTERS = 200  # of a text that is hashed: a ticket has 46
_NOTHING = hashlib.sha256(secrets.token_bytes(_RANDOM_BYTES)).digest()  # the hash of no ticket


def new_ticket() -> str:
    """Return a new ticket. It is shown to its owner once."""
    return TICKET_PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def new_key() -> str:
    """Return a new API key. It is shown to its owner once."""
    return KEY_PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def new_reader_token() -> str:
    """Return a new token that may read the notifications of a subscription. It is shown to its owner once."""
    return READER_PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def new_id() -> str:
    """Return an id of a subscription or an owner. It is not a secret, but it does not count what exists."""
    return secrets.token_hex(12)


def secret_hash(secret: object) -> bytes:
    """Return the SHA-256 of a ticket or key as the database has it. What is no text has the hash of an empty one."""
    text = secret if isinstance(secret, str) else ""
    return hashlib.sha256(text[:_MAX_CHARACTERS].encode("utf-8", "surrogatepass")).digest()


def is_secret_of(secret: object, stored_hash: bytes | None) -> bool:
    """Return whether a secret has this hash. Without a stored hash the same work is done, and the answer is False."""
    equal = hmac.compare_digest(secret_hash(secret), _NOTHING if stored_hash is None else stored_hash)
    return equal and stored_hash is not None
