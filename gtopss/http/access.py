"""The credentials of a request, and what they permit.

A ticket (`gt_...`) belongs to one subscription: `Authorization: Bearer gt_...`. An API key (`gk_...`) has roles:
`X-API-Key: gk_...`, or `Authorization: Bearer gk_...` where no ticket is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from gtopss.broker.broker import Broker
from gtopss.broker.errors import NotPermitted
from gtopss.broker.owners import Role, has_role
from gtopss.broker.tickets import KEY_PREFIX
from gtopss.http.problems import MissingCredentials


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request has presented, not verified."""

    bearer: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)

    @property
    def ticket(self) -> str:
        """The ticket of a subscription. Raises MissingCredentials."""
        if self.bearer is None:
            raise MissingCredentials("send the ticket of the subscription: Authorization: Bearer gt_...")
        return self.bearer


async def credentials_of(request: Request) -> Credentials:
    """Return the credentials of a request."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    bearer = text.strip() if scheme.lower() == "bearer" and text.strip() else None
    key = request.headers.get("x-api-key")
    if key is None and bearer is not None and bearer.startswith(KEY_PREFIX):
        key, bearer = bearer, None
    return Credentials(bearer, key)


Given = Annotated[Credentials, Depends(credentials_of)]


class Access:
    """Decides what API keys permit. Thread-safe; its methods read the store."""

    def __init__(self, broker: Broker, *, keys_required: bool) -> None:
        self._broker = broker
        self.keys_required = keys_required

    def is_administrator(self, given: Credentials) -> bool:
        """Return whether the caller may operate the broker: anybody, if keys are not required. Raises InvalidKey."""
        if given.key is None:
            return not self.keys_required
        return has_role(self._broker.owners.by_key(given.key), Role.ADMINISTRATOR) or not self.keys_required

    def require_administrator(self, given: Credentials) -> None:
        """Raise MissingCredentials, InvalidKey or NotPermitted unless the caller may operate the broker."""
        if not self.is_administrator(given):
            self._require_key(given)
            raise NotPermitted("this needs an administrator's API key")

    def require_any_key(self, given: Credentials) -> None:
        """Raise MissingCredentials or InvalidKey unless the caller has an API key, if keys are required."""
        if self.keys_required:
            self._require_key(given)
        if given.key is not None:
            self._broker.owners.by_key(given.key)

    def require_key(self, given: Credentials) -> None:
        """Raise MissingCredentials if keys are required and there is none; the broker verifies the key and its role."""
        if self.keys_required:
            self._require_key(given)

    def _require_key(self, given: Credentials) -> None:
        if given.key is None:
            raise MissingCredentials("send an API key: X-API-Key: gk_...; the operator creates keys")
