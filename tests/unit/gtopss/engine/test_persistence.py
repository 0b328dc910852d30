"""An engine that is saved and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.index_publications import P, node, ring
from support.snapshot_damage import answers, snapshot_files

from gtopss import Engine, Subscription
from gtopss.engine.persistence import read_state
from gtopss.engine.snapshot_folder import new_snapshot, open_snapshot
from gtopss.errors import DuplicateSubscription, InvalidSnapshot


def test_a_saved_engine_continues_where_it_was(saved: Path) -> None:
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


def test_the_files_of_a_saved_engine(saved: Path) -> None:
    names = [path.name for path in snapshot_files(saved)]
    assert names == ["CURRENT", "MANIFEST", "engine", "needles", "records", "records.names", "segment-0", "terms"]


def test_an_open_engine_goes_on_when_its_files_are_deleted(saved: Path) -> None:
    engine = Engine.open(saved)
    expected = answers(Engine.open(saved))
    Engine().save(saved)
    assert answers(engine) == expected


@pytest.mark.parametrize(
    ("field", "value"), [("config", {"row_limit": "many"}), ("config", {"speed": 9}), ("taxonomy", 7), ("registry", [])]
)
def test_a_state_that_cannot_be_used_is_refused_by_name(saved: Path, field: str, value: object) -> None:
    state = open_snapshot(saved).json("engine")
    with new_snapshot(saved) as writer:
        writer.write_json("engine", {**state, field: value})
    with pytest.raises(InvalidSnapshot, match="engine: its content") as caught:
        read_state(open_snapshot(saved))
    assert caught.value.path.endswith("/engine")
    with new_snapshot(saved) as writer:
        writer.write_json("engine", {key: each for key, each in state.items() if key != field})
    with pytest.raises(InvalidSnapshot, match=field):
        read_state(open_snapshot(saved))


def test_files_of_the_index_that_contradict_each_other_are_refused(saved: Path) -> None:
    snapshot = open_snapshot(saved)
    for missing in snapshot.names():
        with new_snapshot(saved) as writer:
            for name in snapshot.names():
                if name != missing:
                    writer.write_arrays(name, snapshot.arrays(name))
        if missing != "segment-0":
            with pytest.raises(InvalidSnapshot, match=missing):
                Engine.open(saved)
    for changed, arrays in {
        "records": {**snapshot.arrays("records"), "constants": snapshot.arrays("records")["constants"] + 1_000_000},
        "segment-0": {name: array.astype("i8") for name, array in snapshot.arrays("segment-0").items()},
        "records.names": snapshot.arrays("terms"),
    }.items():
        with new_snapshot(saved) as writer:
            for name in snapshot.names():
                writer.write_arrays(name, arrays if name == changed else snapshot.arrays(name))
        with pytest.raises(InvalidSnapshot, match=changed):
            Engine.open(saved)
