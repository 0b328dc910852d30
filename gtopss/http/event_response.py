"""The response of an event stream: it ends when the client goes away, and costs little while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import cast

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

EVENTS = "text/event-stream"


class EventStreamResponse(Response):
    """Sends the chunks of an iterator as they come."""

    media_type = EVENTS

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._chunks = cast("AsyncGenerator[bytes]", chunks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends or the client goes away."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.current_task()
        assert sending is not None
        watching = asyncio.ensure_future(_cancel_when_disconnected(receive, sending))
        try:
            async for chunk in self._chunks:
                if chunk:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not watching.done():  # the server ends
                raise
            sending.uncancel()
        finally:
            watching.cancel()
            await self._chunks.aclose()


async def _cancel_when_disconnected(receive: Receive, sending: asyncio.Task[object]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    sending.cancel()
