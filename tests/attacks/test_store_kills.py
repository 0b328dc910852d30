"""A killed process loses nothing that its store has acknowledged, and leaves nothing half done."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SOAK
from sqlalchemy import select

from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import counters, feed_items

KILLS = 200 if SOAK else 5
MAX_ACKNOWLEDGED = 300
CHILD = ROOT / "tests" / "support" / "killed_store.py"


def killed(url: str, first: int, lines: int) -> set[str]:
    """Run the child, kill it after some acknowledgements, and return all that it has printed."""
    child = subprocess.Popen([sys.executable, str(CHILD), url, str(first)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    read = [child.stdout.readline() for _ in range(lines)]
    child.kill()
    rest = child.stdout.read()
    child.wait()
    child.stdout.close()
    return {f"c{line.strip()}" for line in [*read, *rest.splitlines()]}


def test_a_killed_process_loses_nothing_that_was_acknowledged(store_url: str, tmp_path: Path) -> None:
    if store_url == "memory:":
        pytest.skip("the memory store declares that it is not durable")
    chance = random.Random(200)
    acknowledged: set[str] = set()
    for kill in range(KILLS):
        acknowledged |= killed(store_url, kill * 1_000_000, chance.randint(1, MAX_ACKNOWLEDGED))
        with open_store(store_url) as store:
            names, items = store.read(
                lambda connection: tuple(
                    set(connection.execute(select(column)).scalars()) for column in (counters.c.name, feed_items.c.item)
                )
            )
        assert names == items
        assert acknowledged <= names, f"after kill {kill}"
    assert len(acknowledged) >= KILLS
