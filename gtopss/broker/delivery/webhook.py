"""Webhooks, by the specification Standard Webhooks (https://www.standardwebhooks.com).

A message is a POST of JSON with three headers: `webhook-id`, the stable id by which a receiver recognises a repeated
message; `webhook-timestamp`; and `webhook-signature`, one signature for each secret that is valid. A receiver verifies
it with any library of the specification. Before a target is active it gets a signed message of the type `verification`
and must answer with the challenge in it, as text or as JSON (`{"challenge": "..."}`): so nobody can direct
notifications to a server whose owner does not know of them.
"""

from __future__ import annotations

import base64
import datetime as dt
import hmac
import json
import secrets
from typing import Any

from standardwebhooks import Webhook

from gtopss.broker.delivery.kind import DONE, Outcome, Result
from gtopss.broker.delivery.message import Message
from gtopss.broker.errors import InvalidTarget
from gtopss.broker.store.target_rows import Target
from gtopss.net import (
    BlockedAddress,
    BlockedPort,
    Connector,
    FetchError,
    Gone,
    Response,
    UnsuccessfulStatus,
    parse_url,
    post,
)

_SECRET_BYTES = 32
_NOT_PERMITTED = "the operator does not permit this address: it needs `gtopss serve --allow HOST:PORT`"


class WebhookDelivery:
    """Delivers messages by HTTP POST. All requests go through `connector`, which decides what may be reached."""

    name = "webhook"

    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    def normalise_address(self, address: str) -> str:
        """Return the URL in its normal form. Only an address that can be judged without a lookup is judged here."""
        try:
            url = parse_url(address)
            if url.address is not None:
                self._connector.check(url, self._connector.deadline(address))
        except (BlockedAddress, BlockedPort) as error:
            raise InvalidTarget(self.name, address, _NOT_PERMITTED) from error
        except FetchError as error:
            raise InvalidTarget(self.name, address, error.reason) from error
        return str(url)

    def new_secret(self) -> str:
        """Return a new signing secret, as the specification writes it."""
        return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()

    def host(self, target: Target) -> str:
        return parse_url(target.address).host

    def verify(self, target: Target, now: float) -> Outcome:
        """Send a challenge. The target is verified if the response repeats it."""
        challenge = secrets.token_urlsafe(32)
        data = {"target": target.id, "subscription": target.subscription, "challenge": challenge}
        time = dt.datetime.fromtimestamp(now, dt.UTC).isoformat()
        body = {"type": "verification", "timestamp": time, "data": data}
        outcome, response = self._post(target, f"verification_{target.id}_{int(now)}", body, now, read_body=True)
        if response is None or hmac.compare_digest(_challenge_in(response.body), challenge.encode()):
            return outcome
        return Outcome(Result.FAILED, "the response to the verification message does not repeat the challenge in it")

    def deliver(self, target: Target, message: Message, now: float) -> Outcome:
        """Send a message. Any status 2xx is a success."""
        return self._post(target, message.id, message.to_json(), now, read_body=False)[0]

    def _post(
        self, target: Target, id: str, content: dict[str, Any], now: float, *, read_body: bool
    ) -> tuple[Outcome, Response | None]:
        body = json.dumps(content, ensure_ascii=False)
        try:
            response = post(
                target.address,
                body.encode(),
                "application/json",
                connector=self._connector,
                headers=signature_headers(target.signing_secrets(now), id, body, now),
                read_body=read_body,
                now=lambda: now,
            )
        except Gone as error:
            return Outcome(Result.GONE, error.reason), None
        except UnsuccessfulStatus as error:
            return Outcome(Result.FAILED, error.reason, error.retry_after), None
        except (BlockedAddress, BlockedPort):
            # The owner of a subscription is not told which internal addresses a name has.
            return Outcome(Result.FAILED, _NOT_PERMITTED), None
        except FetchError as error:
            return Outcome(Result.FAILED, error.reason), None
        return DONE, response


def signature_headers(signing_secrets: list[str], id: str, body: str, now: float) -> list[tuple[str, str]]:
    """Return the headers of a message: its id, its time, and one signature for each secret."""
    time = dt.datetime.fromtimestamp(int(now), dt.UTC)
    signatures = [Webhook(secret).sign(id, time, body) for secret in signing_secrets]
    return [
        ("webhook-id", id),
        ("webhook-timestamp", str(int(now))),
        ("webhook-signature", " ".join(signatures)),
    ]


def _challenge_in(body: bytes) -> bytes:
    """Return the challenge in a response: the whole text, or a member of a JSON object."""
    text = body.strip()
    if text.startswith(b"{"):
        try:
            found = json.loads(text)["challenge"]
        except (ValueError, KeyError, RecursionError):
            return b""
        return found.encode("utf-8", "replace") if isinstance(found, str) else b""
    return text
