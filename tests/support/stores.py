"""Each kind of store, for tests that run on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gtopss.broker.store.store import Store
    from support.postgresql_server import PostgresqlServer


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty store of each kind."""
    if request.param == "memory":
        return "memory:"
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'broker.db'}"
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.new_store_url()


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A new, empty store of each kind."""
    from gtopss.broker.store.open_store import open_store

    with open_store(store_url) as opened:
        yield opened
