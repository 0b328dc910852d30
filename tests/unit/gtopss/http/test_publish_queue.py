"""Plain documents of several requests are published by one call; each request has its own outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from support.services import served

from gtopss import Engine
from gtopss.broker.errors import InvalidKey
from gtopss.broker.owners import Role
from gtopss.broker.publishing import Document, Outcome
from gtopss.http.publish_queue import PublishQueue
from gtopss.http.service import Service

PLAIN = "application/n-triples"


@pytest.fixture
def service() -> Iterator[Service]:
    with served(Engine()) as it:
        yield it.service


def document(number: int) -> Document:
    return Document(f"<urn:{number}> <urn:p> <urn:b> .".encode(), PLAIN, f"urn:doc:{number}")


def test_every_request_of_many_gets_its_own_acknowledgement(service: Service) -> None:
    """They arrive in every order relative to the calls that publish them; none waits for ever."""

    async def client(queue: PublishQueue, first: int) -> list[str]:
        found = []
        for number in range(first, first + 10):
            for _ in range(number % 4):
                await asyncio.sleep(0)
            (result,) = await queue.publish([document(number)], None)
            found += [each.id for each in result.publications]
        return found

    async def run() -> list[list[str]]:
        queue = PublishQueue(service.broker, service.route_threads)
        return await asyncio.wait_for(asyncio.gather(*(client(queue, 10 * each) for each in range(40))), 60)

    found = asyncio.run(run())
    assert found == [[f"urn:doc:{10 * each + number}" for number in range(10)] for each in range(40)]


def test_requests_that_wait_together_are_published_by_one_call(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, publish_plain = list[int](), service.broker.publishing.publish_plain

    def count(calls: Sequence[Sequence[Document]]) -> list[Outcome]:
        sizes.append(len(calls))
        return publish_plain(calls)

    monkeypatch.setattr(service.broker.publishing, "publish_plain", count)

    async def run() -> None:
        await asyncio.gather(*(service.publish_queue.publish([document(each)], None) for each in range(100)))

    asyncio.run(run())
    assert sum(sizes) == 100
    assert len(sizes) <= 4


def test_a_request_without_a_right_or_with_a_broken_document_concerns_no_other(service: Service) -> None:
    key = service.broker.owners.create("publisher", None, None, (Role.PUBLISHER,)).key
    broken = Document(b"<urn:a> <urn:p> nothing", PLAIN)
    unusual = Document(b"@prefix a: <urn:> . a:a a:p 1 .", "text/turtle", "urn:turtle")

    async def run() -> list[object]:
        publish = service.publish_queue.publish
        return await asyncio.gather(
            publish([document(1)], key),
            publish([document(2)], "gk_unknown"),
            publish([broken], None),
            publish([unusual], None),
            publish([document(3), broken], None),
            return_exceptions=True,
        )

    first, second, third, fourth, fifth = asyncio.run(run())
    assert isinstance(second, InvalidKey)
    results = [first, third, fourth, fifth]
    assert [[each.error is None for each in result] for result in results] == [  # type: ignore[attr-defined]
        [True],
        [False],
        [True],
        [True, False],
    ]
