"""The asynchronous client has the methods of the other one, and follows a subscription with `async for`."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from support.live_services import live_service
from support.services import FEED, VACCINES

from gtopss.broker.errors import InvalidTicket
from gtopss.client import AsyncClient, Client


def test_an_async_script_subscribes_publishes_and_follows() -> None:
    async def run(url: str) -> list[str]:
        async with AsyncClient(url) as client:
            mine = await client.subscribe(VACCINES)
            await client.publish(FEED)
            titles = []
            async for match in client.follow(mine.id, mine.ticket, after=0):
                titles.append(match.title)
                await client.unsubscribe(mine.id, mine.ticket)  # ends the stream
            with pytest.raises(InvalidTicket):
                await client.renew(mine.id, mine.ticket)
            return titles

    with live_service() as (url, _):
        assert asyncio.run(run(url)) == ["A vaccine is tested"]


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type[object]) -> dict[str, str]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: str(inspect.signature(each).replace(return_annotation="")).removesuffix(" -> ''")
            for name, each in found
            if not name.startswith("_") and name not in ("close", "aclose")
        }

    assert methods(Client) == methods(AsyncClient)
