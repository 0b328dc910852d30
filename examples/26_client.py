"""Use a running service from a script, and from asyncio: the client keeps following after a lost connection."""

import asyncio

from gtopss import Engine
from gtopss.client import AsyncClient, Client
from gtopss.errors import InvalidQuery
from gtopss.http.app import create_app
from gtopss.http.background_server import serving
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

FEED = """<rss version="2.0"><channel><title>Health news</title>
<item><guid>urn:example:1</guid><title>A vaccine is tested</title><link>https://news.example/1</link></item>
<item><guid>urn:example:2</guid><title>Football</title></item></channel></rss>"""


def script(url: str) -> None:
    with Client(url) as client:
        mine = client.subscribe("vaccine*", form="short")
        client.publish(FEED)
        for found in client.follow(mine.id, mine.ticket, after=0):
            print(found.title, found.link, "because", found.why)
            client.unsubscribe(mine.id, mine.ticket)  # ends the iteration
        try:
            client.subscribe("SELECT ?x {\n ?x rss:title }")
        except InvalidQuery as error:
            print("refused at line", error.line)


async def with_asyncio(url: str) -> None:
    async with AsyncClient(url) as client:
        mine = await client.subscribe("football", form="short", backfill=True)
        async for found in client.follow(mine.id, mine.ticket, after=0):
            print("with asyncio:", found.title)
            await client.unsubscribe(mine.id, mine.ticket)


def main() -> None:
    # Elsewhere this is `gtopss serve`, and its address is http://127.0.0.1:8080.
    with Service(ServiceSettings(), engine=Engine(matcher="naive")) as service:
        service.start()
        with serving(create_app(service)) as url:
            script(url)
            asyncio.run(with_asyncio(url))


if __name__ == "__main__":  # documents are read in another process, which imports this file
    main()
