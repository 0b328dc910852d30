"""Damage of a saved engine, and other processes at work in its folder: it opens as it was saved, or is refused.

GTOPSS_SOAK=1 flips every bit of every header, 1,000 bits anywhere, opens 500 times during saves and kills 100 saves.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from conftest import SOAK
from support.index_publications import P
from support.snapshot_damage import (
    answers,
    copy_folder,
    flip,
    header_bits,
    refusal,
    replaced,
    saving_process,
    snapshot_files,
)

from gtopss import Engine, Subscription
from ontology import Taxonomy

HEADER_FLIPS = None if SOAK else 150
FLIPS, OPENS, KILLS = (1_000, 500, 100) if SOAK else (100, 25, 3)


def engine_with(*more: str) -> Engine:
    engine = Engine(taxonomy=Taxonomy([("urn:n1", "urn:n2")]))
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:n2>)) }", id="is-a")
    engine.add('SELECT ?x { ?x <urn:q> ?y FILTER(CONTAINS(STR(?y), "n")) }', id="text")
    engine.add('SELECT ?x { ?x <urn:p> ?y FILTER(words(?y, "text") || CONTAINS(?y, "tex")) }', id="texts")
    engine.add("SELECT ?x { ?x <urn:q> ?y FILTER(STRLEN(STR(?y)) > 1) }", id="residual")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5) }", id="bound")
    engine.match([("<urn:a>", P, 7)])
    for name in more:
        engine.add(Subscription(name, [("?x", P, "?y"), ("?y", f"<urn:{name}>", "?z")]))
        engine.match([("<urn:a>", P, "<urn:b>"), ("<urn:b>", f"<urn:{name}>", 1)])
    return engine


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("snapshots") / "engine"
    engine_with().save(folder)
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("snapshots") / "other"
    engine_with("more").save(folder)
    return folder


def flips(saved: Path) -> Iterator[tuple[Path, int]]:
    files, chooser = snapshot_files(saved), random.Random(1)
    headers = [(path, bit) for path in files for bit in range(header_bits(path))]
    yield from headers if HEADER_FLIPS is None else chooser.sample(headers, HEADER_FLIPS)
    sizes = [8 * path.stat().st_size for path in files]
    for path in chooser.choices(files, sizes, k=FLIPS):
        yield path, chooser.randrange(8 * path.stat().st_size)


def test_no_bit_can_change(saved: Path) -> None:
    expected = answers(Engine.open(saved))
    for path, bit in flips(saved):
        with replaced(path, flip(path.read_bytes(), bit)):
            refusal(saved)
    assert answers(Engine.open(saved)) == expected


def test_no_file_can_be_missing_cut_off_longer_or_added(saved: Path) -> None:
    chooser = random.Random(2)
    for path in snapshot_files(saved):
        whole = path.read_bytes()
        lengths = {0, 1, 7, 8, len(whole) // 2, len(whole) - 1, chooser.randrange(len(whole))}
        for data in (None, whole + b"\0", b"<html>" + whole, *(whole[:length] for length in lengths)):
            with replaced(path, data):
                error = refusal(saved)
                assert error.path.endswith(path.name) or path.name in ("CURRENT", "MANIFEST")
    extra = snapshot_files(saved)[1].with_name("segment-7")
    extra.write_bytes(b"")
    assert "segment-7" in refusal(saved).path
    extra.unlink()
    Engine.open(saved)


def test_no_file_can_be_swapped(saved: Path, other: Path) -> None:
    """With another file of the same snapshot, and with the same file of another one."""
    files = snapshot_files(saved)
    for one, another in permutations(files, 2):
        with replaced(one, another.read_bytes()):
            refusal(saved)
    for path, foreign in zip(files, snapshot_files(other), strict=False):
        if path.read_bytes() != foreign.read_bytes():
            with replaced(path, foreign.read_bytes()):
                refusal(saved)


def test_a_pipe_or_a_folder_in_the_place_of_a_file(saved: Path) -> None:
    for path in snapshot_files(saved):
        with replaced(path, None):
            os.mkfifo(path)
            refusal(saved)
            path.unlink()
            path.mkdir()
            refusal(saved)
            path.rmdir()


def test_opening_while_another_process_saves(saved: Path, tmp_path: Path) -> None:
    engines = [engine_with(), engine_with("more", "yet more".replace(" ", "-"))]
    expected = {answers(engine) for engine in engines}
    folder = copy_folder(saved, tmp_path / "engine")
    with saving_process(engines, folder) as process:
        found = [answers(Engine.open(folder)) for _ in range(OPENS)]
        assert process.is_alive()
    assert set(found) <= expected
    assert answers(Engine.open(folder)) in expected


def test_saves_that_are_killed(saved: Path, tmp_path: Path) -> None:
    """The last whole snapshot stays, whoever is killed when; the next save removes what is left."""
    engines = [engine_with(), engine_with("more")]
    expected = {answers(engine) for engine in engines}
    folder, chooser = copy_folder(saved, tmp_path / "engine"), random.Random(3)
    for _ in range(KILLS):
        with saving_process(engines, folder) as one, saving_process(engines, folder) as another:
            one.join(chooser.random() / 20)
            another.join(chooser.random() / 20)
        assert answers(Engine.open(folder)) in expected
    engines[0].save(folder)
    assert len(list(folder.glob("snapshot-*"))) == 1
    assert {path.name for path in folder.iterdir() if not path.name.startswith("snapshot-")} == {"CURRENT", "LOCK"}
