"""What the ontology tests share."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def ontologies() -> Path:
    """The folder of real ontologies, from the repository's root."""
    return Path(__file__).parents[3] / "data" / "ontologies"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every attempt to reach another host fails and is recorded."""
    attempts: list[str] = []

    def refuse(*arguments: object, **_: object) -> None:
        attempts.append(repr(arguments))
        raise AssertionError(f"the network was used: {arguments}")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield attempts
    assert attempts == []
