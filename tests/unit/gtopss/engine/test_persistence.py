"""An engine that is saved and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.index_publications import P, node, ring

from gtopss import Engine, Subscription
from gtopss.errors import DuplicateSubscription, InvalidSnapshot
from gtopss.matching.index.array_files import read_json, write_json


def test_a_saved_engine_goes_on(saved: Path) -> None:
    engine = Engine.open(saved)
    assert (len(engine), engine.config.row_limit, engine.config.allow_cartesian) == (5, 77, True)
    assert set(engine.match(ring(5)).subscription_ids) == {"is-a", "residual\nname", "pushed in"}
    assert engine.match([(node(0), P, 6)]).subscription_ids == ("bound",)
    assert "FILTER" not in str(engine.subscription("pushed in"))
    assert engine.explain(ring(3), "never").impossible
    with pytest.raises(DuplicateSubscription):
        engine.add(Subscription("never", [("?x", P, "?y")]))
    assert {each.id for each in engine.subscriptions()} == {"is-a", "residual\nname", "bound", "pushed in", "never"}
    engine.remove("is-a")
    engine.add(Subscription("new", [("?x", P, "?y")]))
    engine.save(saved)
    again = Engine.open(saved)
    assert set(again.match(ring(5)).subscription_ids) == {"new", "residual\nname", "pushed in"}
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_every_file_that_is_cut_off_or_changed_is_refused_by_name(saved: Path) -> None:
    (folder,) = saved.glob("snapshot-*")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["engine", "records", "records.names", "segment-0", "terms"]
    for path in folder.iterdir():
        whole = path.read_bytes()
        changed = bytearray(whole)
        changed[-1 if path.name != "terms" else 70] ^= 1
        for damaged in (
            whole[:10],
            whole[:-1],
            b"",
            b"<html>" + whole,
            bytes(changed),
            whole[:8] + b"\x09" + whole[9:],
        ):
            path.write_bytes(damaged)
            with pytest.raises(InvalidSnapshot, match=path.name):
                Engine.open(saved)
        path.unlink()
        if not path.name.startswith("segment"):
            with pytest.raises(InvalidSnapshot, match=path.name):
                Engine.open(saved)
        path.write_bytes(whole)
    assert len(Engine.open(saved)) == 5


def test_a_state_of_another_version_is_refused(saved: Path) -> None:
    (folder,) = saved.glob("snapshot-*")
    state = read_json(folder / "engine")
    del state["operator_subscriptions"]
    write_json(folder / "engine", state)
    with pytest.raises(InvalidSnapshot, match="operator_subscriptions"):
        Engine.open(saved)
