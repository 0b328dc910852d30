"""Owners: API keys, their quotas, and the deletion of everything that an owner has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection

from gtopss.broker.config import BrokerConfig
from gtopss.broker.errors import InvalidKey, InvalidSetting, NotPermitted, QuotaExceeded
from gtopss.broker.store import change_rows, owner_rows, subscription_rows
from gtopss.broker.store.owner_rows import ANONYMOUS, OwnerRow
from gtopss.broker.store.storable_text import MAX_STORED_CHARACTERS, storable_text
from gtopss.broker.store.store import Store
from gtopss.broker.tickets import is_secret_of, new_id, new_key, secret_hash


class Role(StrEnum):
    """What an API key may do."""

    PUBLISHER = "publisher"
    SUBSCRIBER = "subscriber"
    ADMINISTRATOR = "administrator"
    """May do everything that the operator of the broker may."""


ADMINISTRATOR = "administrator"
"""The id of the owner whose key the operator has chosen."""
MAX_QUOTA = 2**53
"""Above every quota of subscriptions or steps; larger numbers are not exact in a database."""
DEFAULT_ROLES = (Role.PUBLISHER, Role.SUBSCRIBER)


@dataclass(frozen=True, slots=True)
class NewOwner:
    """An owner that was created. The key is shown this once."""

    id: str
    key: str


class Owners:
    """Create, recognise and delete owners. Thread-safe."""

    def __init__(self, store: Store, config: BrokerConfig, clock: Callable[[], float]) -> None:
        self._store, self._config, self._clock = store, config, clock

    def create_anonymous(self, connection: Connection) -> None:
        """Create the owner of what is subscribed without a key, or give it the quota that is configured now."""
        quota = self._config.anonymous_max_subscriptions, self._config.anonymous_max_steps
        owner_rows.insert(connection, OwnerRow(ANONYMOUS, ANONYMOUS, None, *quota, self._clock()))
        owner_rows.set_quota(connection, ANONYMOUS, *quota)

    def create(
        self,
        name: str,
        max_subscriptions: int | None,
        max_steps: float | None,
        roles: Collection[Role] = DEFAULT_ROLES,
    ) -> NewOwner:
        """Create an owner and return its API key. Without a quota it gets the configured one. Raises InvalidSetting."""
        if not isinstance(name, str) or name != storable_text(name):
            reason = f"it must be a text of at most {MAX_STORED_CHARACTERS:,} characters without NUL"
            raise InvalidSetting("name", name, reason)
        for quota, given in (("max_subscriptions", max_subscriptions), ("max_steps", max_steps)):
            if given is not None and not (isinstance(given, (int, float)) and 0 <= given < MAX_QUOTA):
                raise InvalidSetting(quota, given, f"it must be a number from 0 to {MAX_QUOTA}, or None")
        id, key = new_id(), new_key()
        row = OwnerRow(
            id,
            name,
            secret_hash(key),
            self._config.owner_max_subscriptions if max_subscriptions is None else max_subscriptions,
            self._config.owner_max_steps if max_steps is None else max_steps,
            self._clock(),
            roles=" ".join(sorted(roles)),
        )
        self._store.write(lambda connection: owner_rows.insert(connection, row))
        return NewOwner(id, key)

    def create_administrator(self, key: str | None = None) -> NewOwner | None:
        """Give the administrator a key: the one that is given, or a new one if there is no administrator yet.

        Return a new key, which is shown this once; None if there is nothing to show.
        """
        if key is not None:
            row = OwnerRow(
                ADMINISTRATOR,
                ADMINISTRATOR,
                secret_hash(key),
                self._config.owner_max_subscriptions,
                self._config.owner_max_steps,
                self._clock(),
                roles=Role.ADMINISTRATOR,
            )

            def change(connection: Connection) -> None:
                owner_rows.insert(connection, row)
                owner_rows.set_key(connection, ADMINISTRATOR, secret_hash(key))

            self._store.write(change)
            return None
        if any(has_role(each, Role.ADMINISTRATOR) for each in self.all()):
            return None
        return self.create(ADMINISTRATOR, None, None, (Role.ADMINISTRATOR,))

    def subscriber(self, key: str | None) -> str:
        """Return the id of the owner with this key, or of the anonymous one. Raises InvalidKey or NotPermitted."""
        if key is None and not self._config.anonymous_subscribing:
            raise NotPermitted("subscribing needs an API key here: ask the operator for one")
        return ANONYMOUS if key is None else self._with_role(key, Role.SUBSCRIBER).id

    def check_publisher(self, key: str | None) -> None:
        """Raise InvalidKey or NotPermitted if nothing may be published with this key, or without one."""
        if key is not None:
            self._with_role(key, Role.PUBLISHER)
        elif not self._config.anonymous_publishing:
            raise NotPermitted("publishing needs an API key here: ask the operator for one")

    def _with_role(self, key: str, role: Role) -> OwnerRow:
        row = self.by_key(key)
        if not has_role(row, role):
            raise NotPermitted(f"this API key does not have the role {role}: ask the operator for a key that has it")
        return row

    def all(self) -> list[OwnerRow]:
        """Return the owners that have a key, the oldest first."""
        return self._store.read(owner_rows.all_with_keys)

    def by_key(self, key: str) -> OwnerRow:
        """Return the owner with this key. Raises InvalidKey."""
        row = self._store.read(lambda connection: owner_rows.by_key_hash(connection, secret_hash(key)))
        if not is_secret_of(key, None if row is None else row.key_hash) or row is None:
            raise InvalidKey
        return row

    def delete(self, key: str) -> int:
        """Delete an owner with its subscriptions, their notifications, targets and dead letters.

        Return the number of subscriptions. Raises InvalidKey.
        """
        return self.delete_by_id(self.by_key(key).id)

    def delete_by_id(self, owner: str) -> int:
        """Delete an owner as `delete` does. Raises InvalidKey if there is no such owner with a key."""
        if owner == ANONYMOUS:
            raise InvalidKey

        def change(connection: Connection) -> int:
            subscription_rows.get_many(connection, subscription_rows.ids_of_owner(connection, owner), lock=True)
            if owner_rows.get(connection, owner, lock=True) is None:
                raise InvalidKey
            ids = subscription_rows.ids_of_owner(connection, owner)  # with those that were added meanwhile
            subscription_rows.delete(connection, ids)
            owner_rows.delete(connection, owner)
            change_rows.append(connection, ids, self._clock())
            return len(ids)

        return self._store.write(change)


def has_role(row: OwnerRow, role: Role) -> bool:
    """Return whether the key of an owner may do what a role may. An administrator may do everything."""
    return not {role.value, Role.ADMINISTRATOR.value}.isdisjoint(row.roles.split())


def use_quota(connection: Connection, owner: str, *, subscriptions: int, steps: float) -> None:
    """Count what an owner uses, in the transaction that adds it. Raises QuotaExceeded, or InvalidKey if it is gone."""
    row = owner_rows.get(connection, owner, lock=True)
    if row is None:
        raise InvalidKey
    wanted_subscriptions, wanted_steps = row.subscriptions + subscriptions, row.steps + steps
    if subscriptions > 0 and wanted_subscriptions > row.max_subscriptions:
        raise QuotaExceeded("max_subscriptions", wanted_subscriptions, row.max_subscriptions, "subscriptions")
    if steps > 0 and row.max_steps is not None and wanted_steps > row.max_steps:
        raise QuotaExceeded("max_steps", wanted_steps, row.max_steps, "steps per publication")
    owner_rows.add_usage(connection, owner, subscriptions, steps)
