"""A folder always holds one whole snapshot."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.errors import InvalidSnapshot


def test_a_folder_without_an_engine(tmp_path: Path) -> None:
    with pytest.raises(InvalidSnapshot, match="no engine is saved here"):
        Engine.open(tmp_path)
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InvalidSnapshot, match="it holds letter"):
        Engine().save(tmp_path)
    (tmp_path / "CURRENT").write_text("../../etc")
    with pytest.raises(InvalidSnapshot, match="CURRENT"):
        Engine.open(tmp_path)


def test_a_save_that_is_interrupted_leaves_the_last_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine.open(saved)
    engine.remove("bound")

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gtopss.engine.engine.write_state", fail)
    with pytest.raises(KeyboardInterrupt):
        engine.save(saved)
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_saves_at_once_take_turns(saved: Path) -> None:
    engines = [Engine.open(saved) for _ in range(4)]
    threads = [threading.Thread(target=engine.save, args=(saved,)) for engine in engines for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_a_crash_in_the_first_save_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "snapshot-0123").mkdir()
    (tmp_path / "CURRENT.new").write_text("snapshot-0123")
    Engine().save(tmp_path)
    assert len(Engine.open(tmp_path)) == 0
