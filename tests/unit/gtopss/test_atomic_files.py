from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gtopss.atomic_files import write_atomically
from gtopss.errors import OutputNotWritable


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    write_atomically(tmp_path / "page", "é")
    assert (tmp_path / "page").read_bytes() == "é".encode()
    write_atomically(tmp_path / "page", b"new")
    assert (tmp_path / "page").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["page"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interruption_keeps_the_old_file_and_leaves_nothing(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise error

    write_atomically(tmp_path / "page", "old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, OutputNotWritable)):
        write_atomically(tmp_path / "page", "new")
    assert (tmp_path / "page").read_text() == "old"
    assert os.listdir(tmp_path) == ["page"]


def test_the_mode_and_a_link_are_kept(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("old")
    (tmp_path / "page").chmod(0o640)
    (tmp_path / "link").symlink_to("page")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page").read_text() == "new"
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o640


def test_a_named_pipe_is_written_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=write_atomically, args=(tmp_path / "pipe", "text"))
    writer.start()
    assert (tmp_path / "pipe").read_text() == "text"
    writer.join()
    write_atomically(Path("/dev/null"), "text")


@pytest.mark.parametrize("name", ["missing/page", "."])
def test_what_cannot_be_written_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputNotWritable, match="cannot be written") as caught:
        write_atomically(tmp_path / name, "text")
    assert caught.value.path == str(tmp_path / name)
