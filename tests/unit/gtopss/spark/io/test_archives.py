from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from gtopss.spark.io import archives
from gtopss.spark.io.archives import read_content, read_quads_chunks, read_unit, split_file


def read(path: Path) -> dict[str, bytes | str]:
    """All documents of a file, or their errors, by the end of their names."""
    return {
        each.name.removeprefix(str(path)): each.data if each.error is None else str(each.error)
        for unit in split_file(path)
        for each in read_unit(unit)
    }


def test_a_zip_is_read_by_its_members_and_gzip_in_it_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "CHUNK_BYTES", 100)
    path = tmp_path / "feeds.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {
            "a.xml": b"A",
            "in/b.xml.gz": gzip.compress(b"B"),
            ".hidden": b"",
            "__MACOSX/x": b"",
        }.items():
            archive.writestr(name, data)
    assert len(list(split_file(path))) > 1
    assert read(path) == {"!a.xml": b"A", "!in/b.xml.gz": b"B"}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_is_read_by_its_members(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "feeds"
    with tarfile.open(path, mode) as archive:
        for name in ("a", "b"):
            member = tarfile.TarInfo(name)
            member.size = 3
            archive.addfile(member, io.BytesIO(b"abc"))
        link = tarfile.TarInfo("c")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert read(path) == {"!a": b"abc", "!b": b"abc"}


def test_gzip_and_plain_files(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"text")
    (tmp_path / "packed").write_bytes(gzip.compress(b"text"))
    assert read(tmp_path / "plain") == read(tmp_path / "packed") == {"": b"text"}


def test_damage_is_an_error_with_the_name(tmp_path: Path) -> None:
    whole = gzip.compress(b"text" * 1000)
    path = tmp_path / "x"
    for data in (whole[:20], whole[:10] + b"\xff" * 20, b"PK\x03\x04" + b"\0" * 100):
        path.write_bytes(data)
        assert "cannot be read" in str(read(path)[""])


def test_what_the_file_system_does_is_raised_and_not_recorded(tmp_path: Path) -> None:
    """A file that is gone or cannot be read fails its task, which Spark runs again: nothing of it may be lost."""
    (tmp_path / "a.ttl").write_bytes(b"x")
    (tmp_path / "b.nq").write_bytes(b"x")
    units = [unit for name in ("a.ttl", "b.nq") for unit in split_file(tmp_path / name)]
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(FileNotFoundError):
        list(read_unit(units[0]))
    with pytest.raises(FileNotFoundError):
        list(read_quads_chunks(units[1]))
    (tmp_path / "a.ttl").mkdir()
    with pytest.raises(IsADirectoryError):
        list(read_unit(units[0]))


def test_content_is_read_as_a_file_is(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a", b"A")
    (document,) = read_content("hdfs://h/x.zip", packed.getvalue())
    assert (document.name, document.data) == ("hdfs://h/x.zip!a", b"A")
    (document,) = read_content("hdfs://h/x.gz", gzip.compress(b"B"))
    assert (document.data, document.base) == (b"B", "hdfs://h/x.gz")
    (document,) = read_content("key", b"PK\x03\x04" + bytes(100))
    assert "cannot be read" in str(document.error)


def test_a_bomb_is_refused_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_DOCUMENT_BYTES", 1000)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large", bytes(5000))
        archive.writestr("packed.gz", gzip.compress(bytes(5000)))
        archive.writestr("good", b"good")
    found = read(path)
    assert found["!good"] == b"good"
    assert "larger than" in str(found["!large"])
    assert "larger than" in str(found["!packed.gz"])


@pytest.mark.parametrize("size", [1, 2, 7, 10, 11, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_every_line_of_quads_is_in_exactly_one_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, packed: bool
) -> None:
    monkeypatch.setattr(archives, "CHUNK_BYTES", size)
    lines = [b"x" * (number % 13) + b"\n" for number in range(40)] + [b"the last has no end"]
    path = tmp_path / ("a.nq.gz" if packed else "a.nq")
    path.write_bytes(gzip.compress(b"".join(lines)) if packed else b"".join(lines))
    pieces = [piece.document.data for unit in split_file(path) for piece in read_quads_chunks(unit)]
    assert b"".join(pieces) == b"".join(lines)
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])
