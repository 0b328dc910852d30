"""Routes that take long do not stop the others."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from support.services import listening, served

from gtopss.http.route_threads import ROUTE_THREADS

FRAMEWORK_THREADS = 40


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("match", "/subscriptions/check", {"query": "vaccine", "form": "short"}),
        ("fetch", "/feeds", {"url": "https://slow.example/feed"}),
        ("publish", "/publications", {"documents": [{"content": "<rss/>"}]}),
    ],
)
def test_slow_requests_do_not_stop_others(
    kind: str, path: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than there are threads of any kind wait, and every other route answers."""
    go_on = threading.Event()
    running = threading.Semaphore(0)

    def wait(*given: object, **named: object) -> object:
        running.release()
        go_on.wait()
        raise KeyError

    with served() as it, listening(it.service) as (host, port):
        monkeypatch.setattr(it.service.broker, "check", wait)
        monkeypatch.setattr(it.service.broker, "publish", wait)
        monkeypatch.setattr(it.service.feeds.list, "add", wait)
        url, count = f"http://{host}:{port}", FRAMEWORK_THREADS + 10
        media_type = "application/vnd.gtopss.documents+json" if kind == "publish" else "application/json"
        with ThreadPoolExecutor(count) as pool, httpx.Client(timeout=60, limits=httpx.Limits()) as client:
            slow = [
                pool.submit(client.post, f"{url}{path}", json=body, headers={"Content-Type": media_type})
                for _ in range(count)
            ]
            for _ in range(ROUTE_THREADS[kind]):
                running.acquire()
            try:
                assert httpx.get(f"{url}/stats", timeout=30).status_code == 200
                assert httpx.get(f"{url}/publications", timeout=30).status_code == 200
                assert httpx.delete(f"{url}/feeds?url=x", timeout=30).status_code == 404
            finally:
                go_on.set()
            assert {each.result().status_code for each in slow} == {500}
