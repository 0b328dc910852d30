"""Fixtures: the servers and names of `support.hostile_internet`, a clock and a fetch state."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from support.hostile_internet import Clock, Internet, Server, Trap, http_response

from gtopss.net import FetchState


@pytest.fixture(name="http")
def http_fixture() -> Callable[..., bytes]:
    return http_response


@pytest.fixture
def redirect() -> Callable[..., bytes]:
    return lambda location, status="302 Found": http_response(b"", f"Location: {location}", status=status)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(**options: object) -> Server:
        servers.append(Server(**options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def server(serve: Callable[..., Server]) -> Server:
    return serve()


@pytest.fixture
def internet(server: Server) -> Internet:
    internet = Internet(server)
    internet.name("feeds.example")
    return internet


@pytest.fixture
def trap() -> Iterator[Trap]:
    trap = Trap()
    yield trap
    assert not trap.touched, "a connection was made inward"
    trap.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path, clock):
    with FetchState(tmp_path / "state.sqlite", clock=clock) as state:
        yield state
