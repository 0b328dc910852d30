"""A folder always holds one whole snapshot."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import threading
from pathlib import Path

import pytest
from support.snapshot_damage import answers

from gtopss import Engine
from gtopss.engine import snapshot_folder
from gtopss.engine.snapshot_folder import FORMAT, MAX_ATTEMPTS, link_snapshot
from gtopss.errors import GtopssError, InvalidSnapshot, SnapshotNotSaved
from gtopss.snapshot_files import SnapshotReader


def test_a_folder_without_an_engine(tmp_path: Path) -> None:
    with pytest.raises(InvalidSnapshot, match="no engine is saved here"):
        Engine.open(tmp_path)
    with pytest.raises(InvalidSnapshot, match="no engine is saved here"):
        Engine.open(tmp_path / "missing")
    with pytest.raises(GtopssError, match="not the path"):
        Engine.open("a\0b")
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InvalidSnapshot, match="it holds letter"):
        Engine().save(tmp_path)
    (tmp_path / "CURRENT").write_text("../../etc")
    with pytest.raises(InvalidSnapshot, match="CURRENT"):
        Engine.open(tmp_path)


def test_files_that_only_look_like_snapshots_are_left_alone(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "snapshot-of-my-holiday").write_text("mine")
    with pytest.raises(InvalidSnapshot, match="it holds snapshot-of-my-holiday"):
        Engine().save(tmp_path / "mine")
    (saved / "snapshot-of-my-holiday").write_text("mine")
    Engine().save(saved)
    assert (saved / "snapshot-of-my-holiday").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "snapshot-0123456789abcdef",
            f"an older version of G-ToPSS .* format 2 or before, .* reads format {FORMAT}: add",
        ),
        ("G-ToPSS snapshot format 1\n", "an older version of G-ToPSS in format 1, .* to a new engine"),
        (
            f"G-ToPSS snapshot format {FORMAT - 1}\n",
            f"an older .* format {FORMAT - 1}, .* reads format {FORMAT}:",
        ),
        (
            f"G-ToPSS snapshot format {FORMAT + 1}\nwhatever",
            f"a newer version of G-ToPSS .* format {FORMAT + 1}, .*: update G-ToPSS",
        ),
        (f"G-ToPSS snapshot format {FORMAT}\n", "does not name a snapshot"),
        ("", "does not name a snapshot"),
    ],
)
def test_another_format_is_refused_by_its_number(saved: Path, text: str, reason: str) -> None:
    (saved / "CURRENT").write_text(text)
    with pytest.raises(InvalidSnapshot, match=reason) as caught:
        Engine.open(saved)
    assert caught.value.path == str(saved / "CURRENT")
    Engine().save(saved)
    assert len(Engine.open(saved)) == 0


def test_opening_needs_no_lock_and_writes_nothing(saved: Path) -> None:
    (saved / "LOCK").unlink()
    before = sorted(saved.rglob("*"))
    Engine.open(saved)
    assert sorted(saved.rglob("*")) == before


def test_a_file_system_without_locks_can_be_opened_and_not_saved_to(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(SnapshotNotSaved, match=r"no locks .*: save to a local disk"):
        Engine().save(saved)
    assert len(Engine.open(saved)) == 5


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
@pytest.mark.parametrize("place", ["gtopss.engine.core.write_state", "os.fsync", "os.replace"])
def test_a_save_that_fails_leaves_the_last_one(
    saved: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException
) -> None:
    engine = Engine.open(saved)
    engine.remove("bound")

    def fail(*arguments: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        with pytest.raises((KeyboardInterrupt, SnapshotNotSaved), match=r"No space left|^$"):
            engine.save(saved)
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1
    engine.save(saved)
    assert len(Engine.open(saved)) == 4
    assert len(list(saved.iterdir())) == 3


def test_an_error_after_the_switch_keeps_the_new_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def replace_and_fail(*arguments: Path) -> None:
        replace(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace_and_fail)
    with pytest.raises(KeyboardInterrupt):
        Engine().save(saved)
    assert len(Engine.open(saved)) == 0


def test_each_step_is_on_the_disk_before_the_next(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def note_fsync(handle: int) -> None:
        steps.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
        fsync(handle)

    def note_replace(*arguments: Path) -> None:
        steps.append("replace")
        replace(*arguments)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    Engine.open(saved).save(saved)
    (snapshot,) = saved.glob("snapshot-*")
    files = {path.name for path in snapshot.iterdir()} - {"MANIFEST"}
    assert set(steps[: len(files)]) == files
    assert steps[len(files) :] == ["MANIFEST", snapshot.name, "engine", "CURRENT.new", "replace", "engine"]


def test_saves_at_once_take_turns(saved: Path) -> None:
    engines = [Engine.open(saved) for _ in range(4)]
    threads = [threading.Thread(target=engine.save, args=(saved,)) for engine in engines for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_a_lock_file_that_was_deleted_is_not_waited_for(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flock, calls = fcntl.flock, []

    def lock_and_delete(handle: int, kind: int) -> None:
        flock(handle, kind)
        calls.append(kind)
        if len(calls) == 1:
            (saved / "LOCK").unlink()

    monkeypatch.setattr(fcntl, "flock", lock_and_delete)
    Engine().save(saved)
    assert len(calls) == 2


def test_a_crash_in_the_first_save_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "snapshot-0123456789abcdef").mkdir()
    (tmp_path / "CURRENT.new").write_text("snapshot-0123456789abcdef")
    Engine().save(tmp_path)
    assert len(Engine.open(tmp_path)) == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_links_are_followed_but_for_the_lock(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(saved)
    expected = answers(Engine.open(saved))
    (snapshot,) = saved.glob("snapshot-*")
    (snapshot / "terms").rename(tmp_path / "terms")
    (snapshot / "terms").symlink_to(tmp_path / "terms")
    assert answers(Engine.open(tmp_path / "link")) == expected
    (tmp_path / "victim").write_text("mine")
    (saved / "LOCK").unlink()
    (saved / "LOCK").symlink_to(tmp_path / "victim")
    with pytest.raises(SnapshotNotSaved):
        Engine().save(saved)
    assert (tmp_path / "victim").read_text() == "mine"


def test_opening_begins_anew_only_while_others_save(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot is deleted at the worst moment: between reading CURRENT and opening the files."""
    engine, attempts = Engine.open(saved), []

    class SavedMeanwhile(SnapshotReader):
        def __init__(self, folder: Path, checksum: str) -> None:
            attempts.append(folder)
            if len(attempts) < 3:
                engine.save(saved)
            super().__init__(folder, checksum)

    monkeypatch.setattr(snapshot_folder, "SnapshotReader", SavedMeanwhile)
    assert answers(Engine.open(saved)) == answers(engine)
    assert len(attempts) == 3

    class NeverThere(SnapshotReader):
        def __init__(self, folder: Path, checksum: str) -> None:
            attempts.append(folder)
            raise InvalidSnapshot(folder, "it is missing")

    monkeypatch.setattr(snapshot_folder, "SnapshotReader", NeverThere)
    attempts.clear()
    with pytest.raises(InvalidSnapshot, match="it is missing"):
        Engine.open(saved)
    assert len(attempts) == 1
    names = iter(range(10**6))
    monkeypatch.setattr(
        snapshot_folder, "_read_current", lambda folder: snapshot_folder._Current(f"snapshot-{next(names):016x}", "")
    )
    with pytest.raises(InvalidSnapshot, match=f"saved again {MAX_ATTEMPTS} times"):
        Engine.open(saved)


def test_a_linked_snapshot_outlives_the_folder(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    link_snapshot(saved, tmp_path / "linked")
    expected = answers(Engine.open(saved))
    shutil.rmtree(saved)
    assert answers(Engine.open(tmp_path / "linked")) == expected
