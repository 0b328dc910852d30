from __future__ import annotations

from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.errors import GtopssError
from gtopss.spark.runtime.engine_versions import EngineVersions


def write(folder: Path, **queries: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, query in queries.items():
        (folder / f"{name}.rq").write_text(query)
    return folder


def test_a_version_is_made_when_the_files_change_and_only_then(tmp_path: Path) -> None:
    files = write(tmp_path / "subscriptions", a="ASK { ?x <urn:p> ?y }", bad="ASK {")
    versions = EngineVersions(tmp_path / "versions", files)
    first = versions.newest()
    assert versions.newest() == first == EngineVersions(tmp_path / "versions", files).newest()
    assert [row["subscription_id"] for row in versions.refused(first)] == ["bad"]
    write(files, b="ASK { ?x <urn:q> ?y }")
    second = versions.newest()
    assert second != first
    assert len(Engine.open(versions.path(first))) == 1
    assert len(Engine.open(versions.path(second))) == 2
    versions.delete_except([first])
    assert not versions.path(second).exists()
    assert versions.newest() == second
    assert versions.path(second).exists()


def test_a_saved_engine_outlives_its_successor(tmp_path: Path) -> None:
    engine = Engine()
    engine.add("ASK { ?x <urn:p> ?y }", id="a")
    engine.save(tmp_path / "saved")
    versions = EngineVersions(tmp_path / "versions", tmp_path / "saved")
    first = versions.newest()
    engine.add("ASK { ?x <urn:q> ?y }", id="b")
    engine.save(tmp_path / "saved")
    second = versions.newest()
    assert [len(Engine.open(versions.path(each))) for each in (first, second)] == [1, 2]


def test_a_reasoner_makes_another_version_with_what_it_infers(tmp_path: Path) -> None:
    files = write(tmp_path / "subscriptions", a="ASK { ?x <urn:in> ?y FILTER(isA(?x, <http://zoo/Pet>)) }")
    (tmp_path / "zoo.ttl").write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "@prefix : <http://zoo/> . :Animal a owl:Class . :Owned a owl:Class ."
        ":Pet a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf (:Animal :Owned) ] ."
        ":Cat a owl:Class ; rdfs:subClassOf :Animal, :Owned . :tom a :Cat ."
    )
    plain = EngineVersions(tmp_path / "versions", files, tmp_path / "zoo.ttl")
    inferred = EngineVersions(tmp_path / "versions", files, tmp_path / "zoo.ttl", reasoner="hermit")
    event = [("<http://zoo/tom>", "<urn:in>", "<http://zoo/house>")]
    matched = [len(Engine.open(each.path(each.newest())).match(event)) for each in (plain, inferred)]
    assert matched == [0, 1]


def test_a_cycle_is_refused_or_condensed(tmp_path: Path) -> None:
    files = write(tmp_path / "subscriptions", a="ASK { ?x <urn:in> ?y FILTER(isA(?x, <urn:a>)) }")
    below = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    (tmp_path / "o.ttl").write_text(f"<urn:a> {below} <urn:b> . <urn:b> {below} <urn:a> .")
    with pytest.raises(GtopssError, match="cycle"):
        EngineVersions(tmp_path / "versions", files, tmp_path / "o.ttl").newest()
    versions = EngineVersions(tmp_path / "versions", files, tmp_path / "o.ttl", cycles="condense")
    event = [("<urn:b>", "<urn:in>", "<urn:house>")]
    assert len(Engine.open(versions.path(versions.newest())).match(event)) == 1
