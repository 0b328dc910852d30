"""Files of a snapshot: what is written is read, and nothing else."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from gtopss.errors import InvalidSnapshot
from gtopss.snapshot_files import MANIFEST, MAX_SMALL_FILE_BYTES, SnapshotReader, SnapshotWriter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "snapshot").mkdir()
    return tmp_path / "snapshot"


def test_arrays_and_json_come_back(folder: Path) -> None:
    arrays = {
        "empty": np.zeros((0, 3), np.int16),
        "numbers": np.arange(10, dtype=np.int64)[::2],
        "grid": np.arange(6, dtype=np.float64).reshape(2, 3),
        "bytes": np.frombuffer(b"abc", np.uint8),
    }
    writer = SnapshotWriter(folder)
    writer.write_arrays("arrays", arrays)
    writer.write_json("data", {"name": ["é", None, 1.5]})
    reader = SnapshotReader(folder, writer.finish())
    assert reader.names() == ("arrays", "data")
    assert reader.json("data") == {"name": ["é", None, 1.5]}
    for name, array in reader.arrays("arrays").items():
        assert array.dtype == arrays[name].dtype
        assert np.array_equal(array, arrays[name])
        array[...] = 0  # in this process only
    assert np.array_equal(SnapshotReader(folder, _checksum(folder)).arrays("arrays")["grid"], arrays["grid"])
    with pytest.raises(InvalidSnapshot, match="no such file"):
        reader.arrays("other")
    with pytest.raises(InvalidSnapshot, match=r"arrays: .*KeyError"):
        reader.json("arrays")


def test_the_manifest_names_length_and_checksum_of_every_file(folder: Path) -> None:
    writer = SnapshotWriter(folder)
    writer.write_json("one", 1)
    writer.write_json("two", [2] * 100)
    assert writer.finish() == _checksum(folder)
    files = json.loads((folder / MANIFEST).read_bytes())["files"]
    assert files == {
        name: {
            "length": (folder / name).stat().st_size,
            "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
        }
        for name in ("one", "two")
    }


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{}",
        b'{"files": {"../../etc/passwd": {"length": 1, "sha256": ""}}}',
        b'{"files": {"": {"length": 1, "sha256": ""}}}',
        b'{"files": {"..": {"length": 1, "sha256": ""}}}',
        b'{"files": {"MANIFEST": {"length": 1, "sha256": ""}}}',
        b'{"files": {"one": {"length": "many", "sha256": ""}}}',
        b"[" * 100_000,
        b" " * (MAX_SMALL_FILE_BYTES + 1),
    ],
)
def test_a_manifest_that_another_program_wrote_is_refused(folder: Path, manifest: bytes) -> None:
    (folder / MANIFEST).write_bytes(manifest)
    with pytest.raises(InvalidSnapshot, match=MANIFEST):
        SnapshotReader(folder, _checksum(folder))


@pytest.mark.parametrize("header", [{"a": ["O", [1], 0]}, {"a": ["i4", [10**9], 0]}, {"a": ["i4", [1], -70]}, [], 7])
def test_a_header_that_another_program_wrote_is_refused(folder: Path, header: object) -> None:
    text = json.dumps(header).encode()
    data = len(text).to_bytes(8, "little") + text + bytes(64)
    (folder / "file").write_bytes(data)
    entry = {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / MANIFEST).write_text(json.dumps({"files": {"file": entry}}))
    with pytest.raises(InvalidSnapshot, match="file: its content"):
        SnapshotReader(folder, _checksum(folder)).arrays("file")


def _checksum(folder: Path) -> str:
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
