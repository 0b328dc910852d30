from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import ROOT
from support.fragile import fragile
from support.hostile_reader import lie

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.read_ahead import ReadAhead, default_workers
from gtopss.reading.sources import SourceDocument

FEED = (ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()


def read_all(reader: ReadAhead, documents: list[SourceDocument]) -> dict[str, ParsedDocument | str]:
    """Return what was read from each document, in order, or the reason why not."""
    read: dict[str, ParsedDocument | str] = {}
    for document in reader.documents(documents):
        try:
            read[document.name] = reader.read(document)
        except MalformedPublication as error:
            read[document.name] = error.reason
    return read


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may end between opening and reading the file
        return True


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if holds():
            return
        time.sleep(0.01)
    pytest.fail("it does not become true")


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_documents_are_read_in_their_order(workers: int, data: Path) -> None:
    paths = sorted((data / "feeds").iterdir())
    documents = [SourceDocument(f"{n} {path.name}", path.read_bytes()) for n in range(8) for path in paths]
    with ReadAhead(workers) as reader:
        read = read_all(reader, documents)
        assert len(reader.pids) == workers
    assert list(read) == [each.name for each in documents]
    for document in documents[: len(paths)]:
        assert read[document.name] == read_document(document.data, source=document.name)
    assert reader.pids == []


@pytest.mark.parametrize("data", [b"abort", b"segfault", b"deep", b"<html></html>"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_crash_costs_one_document(data: bytes, workers: int) -> None:
    documents = [SourceDocument(f"{n}", data if n in (0, 5, 6, 19) else FEED) for n in range(20)]
    with ReadAhead(workers, read=fragile) as reader:
        read = read_all(reader, documents)
    assert list(read) == [each.name for each in documents]
    assert [name for name, each in read.items() if isinstance(each, str)] == ["0", "5", "6", "19"]


def test_a_document_that_hangs_costs_only_itself() -> None:
    documents = [SourceDocument(f"{n}", b"hang" if n == 3 else FEED) for n in range(12)]
    with ReadAhead(2, read=fragile, timeout_seconds=1) as reader:
        read = read_all(reader, documents)
    assert [(name, each) for name, each in read.items() if isinstance(each, str)] == [
        ("3", "reading it took longer than 1 s")
    ]


@pytest.mark.parametrize(
    "trick",
    ["pickle", "pickle-in-a-frame", "huge", "endless", "truncated", "number", "empty", "outcome", "twice", "last"],
)
def test_a_worker_that_was_taken_over_harms_one_document(
    trick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", lie)
    hostile = f"{trick} {tmp_path / 'touched'}".encode()
    documents = [SourceDocument(f"{n}", hostile if n == 2 else b"good") for n in range(10)]
    with ReadAhead(2, timeout_seconds=5) as reader:
        read = read_all(reader, documents)
    refused = [name for name, each in read.items() if isinstance(each, str)]
    assert refused == ([] if trick in ("twice", "last") else ["2"])
    assert not (tmp_path / "touched").exists()


def test_a_worker_that_was_killed_while_it_had_nothing_to_do_is_replaced() -> None:
    with ReadAhead(1) as reader:
        for number in range(3):
            assert len(read_all(reader, [SourceDocument(f"{number}", FEED)])) == 1
            (pid,) = reader.pids
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: has_ended(pid))  # type: ignore[misc]
        assert all(isinstance(each, ParsedDocument) for each in read_all(reader, [SourceDocument("a", FEED)]).values())


def test_no_more_documents_are_loaded_than_allowed() -> None:
    loaded = 0

    def documents() -> Iterator[SourceDocument]:
        nonlocal loaded
        for number in range(40):
            loaded += 1
            yield SourceDocument(f"{number}", FEED)

    handled, ahead = 0, []
    with ReadAhead(2, max_documents=5) as reader:
        for document in reader.documents(documents()):
            ahead.append(loaded - handled)
            reader.read(document)
            handled += 1
    assert handled == 40
    assert max(ahead) == 5


def test_bytes_that_wait_are_limited() -> None:
    size, limit, most = 2**20, 4 * 2**20, 0
    triple = b'<urn:s> <urn:p> "' + b"x" * size + b'" .\n'
    with ReadAhead(2, max_bytes=limit) as reader:
        for document in reader.documents(SourceDocument(f"{n}.nt", triple) for n in range(40)):
            for _ in range(10):
                reader._exchange(0.01)
                most = max(most, reader.waiting_bytes)
            assert len(reader.read(document).publications) == 1
        assert reader.waiting_bytes == 0
    assert limit < most < limit + 4 * size  # one document, and one answer from each worker


def test_a_large_document_has_room_whatever_waits() -> None:
    large = b"".join(b"<urn:s> <urn:p> <urn:o%d> .\n" % n for n in range(100_000))
    documents = [SourceDocument(f"{n}.nt", large if n % 3 == 1 else FEED) for n in range(9)]
    with ReadAhead(2, max_bytes=1) as reader:
        read = read_all(reader, documents)
    assert all(isinstance(each, ParsedDocument) for each in read.values())


def test_what_cannot_be_read_takes_no_worker_and_may_be_skipped() -> None:
    failed = SourceDocument("failed", error=GtopssError("it was not loaded"))
    documents = [failed, SourceDocument("skipped", FEED), SourceDocument("read", FEED)]
    with ReadAhead(1) as reader:
        for document in reader.documents(documents):
            if document.name == "read":
                assert len(reader.read(document).publications) == 4
        with pytest.raises(IndexError):
            reader.read(documents[1])
    with ReadAhead(1) as reader:
        assert [each.name for each in reader.documents([failed])] == ["failed"]
        assert reader.pids == []


def test_nothing_is_left_when_the_caller_stops_in_the_middle() -> None:
    pids: list[int | None] = []

    def stop_in_the_middle() -> None:
        with ReadAhead(2).start() as reader:
            for number, document in enumerate(reader.documents(SourceDocument(f"{n}", FEED) for n in range(100))):
                reader.read(document)
                if number == 10:
                    pids.extend(reader.pids)
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop_in_the_middle()
    assert len(pids) == 2
    assert all(has_ended(pid) for pid in pids if pid is not None)


def test_the_workers_die_with_a_killed_parent_and_nothing_is_left(tmp_path: Path) -> None:
    script = tmp_path / "reading.py"
    script.write_text(
        "import signal\nfrom gtopss.reading.read_ahead import ReadAhead\n"
        "from gtopss.reading.sources import SourceDocument\n\n"
        "if __name__ == '__main__':\n"
        "    with ReadAhead(2) as reader:\n"
        "        for document in reader.documents(SourceDocument(str(n), b'<urn:a> <urn:p> 1 .') for n in range(9)):\n"
        "            print(*reader.pids, flush=True)\n"
        "            signal.pause()\n"
    )
    with TemporaryDirectory() as folder:  # not in tmp_path, which may be too long for the name of a socket
        environment = {**os.environ, "TMPDIR": folder, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            pids = [int(each) for each in process.stdout.readline().split()]
            process.kill()
        assert len(pids) == 2
        wait_until(lambda: all(map(has_ended, pids)))
        assert not os.listdir(folder)


def test_a_reader_that_was_started_and_not_used_leaves_nothing() -> None:
    with ReadAhead(2).start() as reader:
        reader._wait_for_start()
        started = reader._started
    assert started is not None
    assert started.process.exitcode is not None


@pytest.mark.parametrize("workers", [0, 65])
def test_a_number_of_workers_that_cannot_be_is_refused(workers: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 64"):
        ReadAhead(workers)


def test_by_default_there_are_at_most_two_workers() -> None:
    assert default_workers() in (1, 2)
