from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gtopss.errors import ResourceInUse
from gtopss.run_lock import run_lock

NOON = datetime(2026, 5, 21, 12, tzinfo=UTC)


def test_the_holder_is_named(tmp_path: Path) -> None:
    lock, resource = tmp_path / "lock", tmp_path / "state"
    with run_lock(lock, resource, clock=lambda: NOON), pytest.raises(ResourceInUse) as caught, run_lock(lock, resource):
        pass
    assert (caught.value.pid, caught.value.since) == (os.getpid(), "2026-05-21T12:00:00+00:00")
    assert f"{resource} is in use by process {os.getpid()}, since 2026-05-21T12:00:00+00:00" in str(caught.value)
    with run_lock(lock, resource):
        pass


@pytest.mark.parametrize("content", ["", "[]", '{"pid": 1}', '{"pid": "x", "since": 1}', "\udcff"])
def test_a_file_without_a_holder_blocks_nobody(content: str, tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(content, errors="surrogateescape")
    with run_lock(tmp_path / "lock", tmp_path):
        (tmp_path / "lock").write_text(content, errors="surrogateescape")
        with pytest.raises(ResourceInUse, match="another process"), run_lock(tmp_path / "lock", tmp_path):
            pass
