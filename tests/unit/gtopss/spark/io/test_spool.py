from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gtopss.spark.errors import InvalidSpool
from gtopss.spark.io.spool import Spool

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_documents_come_out_as_they_were_put(tmp_path: Path) -> None:
    spool = Spool(tmp_path, clock=lambda: NOON)
    assert spool.latest() == 0
    assert [spool.put("a", b"one\ntwo"), spool.put("b", b"")] == [1, 2]
    again = Spool(tmp_path)
    assert again.latest() == 2
    assert (again.get(1).document.name, again.get(1).document.data, again.get(1).arrived_at) == ("a", b"one\ntwo", NOON)
    assert [path.name for path in sorted(tmp_path.iterdir())] == [".highest", "0000000001.doc", "0000000002.doc"]


def test_a_number_is_never_given_again(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for number in range(5):
        spool.put(str(number), b"x")
    for path in tmp_path.glob("*.doc"):
        path.unlink()
    assert Spool(tmp_path).latest() == spool.latest() == 5
    assert Spool(tmp_path).put("after", b"x") == 6
    assert spool.put("again", b"x") == 7
    assert Spool(tmp_path).numbers(6) == [7]


def test_documents_are_deleted_up_to_a_number(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for number in range(6):
        spool.put(str(number), b"x")
    assert spool.clean(4, keep=3) == 3
    assert spool.numbers() == [4, 5, 6]
    assert spool.clean(6) == 3
    (tmp_path / ".highest").unlink()
    assert spool.put("next", b"x") == 7  # this process remembers
    spool.clean(7)
    assert Spool(tmp_path).latest() == 7


def test_several_put_at_the_same_time_without_gaps(tmp_path: Path) -> None:
    def put(who: int) -> None:
        spool = Spool(tmp_path)
        for number in range(25):
            spool.put(f"{who}-{number}", b"x")

    threads = [threading.Thread(target=put, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spool = Spool(tmp_path)
    assert spool.latest() == 100
    assert len({spool.get(number).document.name for number in range(1, 101)}) == 100


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    (tmp_path / "0000000001.doc").write_bytes(b"not a header")
    with pytest.raises(InvalidSpool, match="not a document of a spool"):
        spool.get(1)
