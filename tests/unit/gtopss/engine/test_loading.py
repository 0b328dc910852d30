"""An engine from files: one bad subscription does not stop the others."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from gtopss import Engine, EngineConfig
from gtopss.engine.loading import load_engine, load_isolated_taxonomy
from gtopss.errors import CartesianSubscription, DuplicateSubscription, InvalidTaxonomy
from ontology import ImportNotFollowed, Taxonomy, load


def test_subscriptions_are_loaded_and_the_refused_are_returned(tmp_path: Path) -> None:
    (tmp_path / "good.rq").write_text("SELECT ?x { ?x <urn:p> ?y }")
    (tmp_path / "bad.rq").write_text("SELECT nonsense")
    (tmp_path / "never.rq").write_text("SELECT ?x { ?x <urn:p> ?y FILTER(1 = 2) }")
    loaded = load_engine(tmp_path, config=EngineConfig(matcher="naive"), row_limit=7)
    assert sorted(each.id for each in loaded.engine.subscriptions()) == ["good", "never"]
    assert loaded.engine.config == EngineConfig(matcher="naive", row_limit=7)
    assert ["bad.rq" in str(error) for error in loaded.refused] == [True]
    assert ["'never'" in message for message in loaded.warnings] == [True]


def test_a_saved_engine_is_opened_with_its_own_settings(tmp_path: Path) -> None:
    engine = Engine(row_limit=9, taxonomy=Taxonomy([("urn:a", "urn:b")]))
    engine.add("SELECT ?x { ?x <urn:p> ?y }", id="s")
    engine.save(tmp_path)
    loaded = load_engine(tmp_path, work_limit=5)
    assert [each.id for each in loaded.engine.subscriptions()] == ["s"]
    assert loaded.engine.config == EngineConfig(row_limit=9)
    assert (loaded.refused, loaded.warnings) == ((), ())


def test_a_name_that_is_used_twice_is_refused_with_its_file_and_line(tmp_path: Path) -> None:
    query = "ASK { ?x rss:title ?y }"
    (tmp_path / "subscriptions.txt").write_text("a = linux\na = windows\n# c\nmac\nmac\nb = (\nb = bsd\n")
    (tmp_path / "q.jsonl").write_text(f'{{"id": "q", "query": "{query}"}}\n\n{{"id": "q", "query": "{query}"}}\n')
    (tmp_path / "r.rq").write_text(query)
    (tmp_path / "r.sparql").write_text(query)
    loaded = load_engine(tmp_path, short_forms=["a = x"], matcher="naive")
    assert {each.id for each in loaded.engine.subscriptions()} == {"a", "mac", "b", "q", "r"}
    assert [str(each) for each in loaded.refused if isinstance(each, DuplicateSubscription)] == [
        f"{tmp_path}/q.jsonl, line 3: the name 'q' is already used: choose another name",
        f"{tmp_path}/r.sparql: the name 'r' is already used: choose another name",
        f"{tmp_path}/subscriptions.txt, line 2: the name 'a' is already used: choose another name",
        f"{tmp_path}/subscriptions.txt, line 5: the name 'mac' is already used: choose another name",
        "--subscribe: the name 'a' is already used: choose another name",
    ]
    assert len(loaded.refused) == 6


def test_the_name_of_a_refused_subscription_can_be_used(tmp_path: Path) -> None:
    cartesian, good = "ASK { ?x rss:title ?y . ?z rss:link ?l }", "ASK { ?x rss:title ?y }"
    lines = (f'{{"id": "q", "query": "{query}"}}\n' for query in (cartesian, good))
    (tmp_path / "q.jsonl").write_text("".join(lines))
    loaded = load_engine(tmp_path)
    assert len(loaded.engine) == 1
    assert [type(each) for each in loaded.refused] == [CartesianSubscription]


@pytest.mark.parametrize("name", ["bibliography.ttl", "foaf.n3", "pizza.owl", "univ-bench.owl"])
def test_an_isolated_taxonomy_is_the_one_of_the_process(name: str, data: Path) -> None:
    path = data / "ontologies" / name
    with warnings.catch_warnings(record=True) as isolated:
        warnings.simplefilter("always")
        taxonomy = load_isolated_taxonomy(path)
    with warnings.catch_warnings(record=True) as direct:
        warnings.simplefilter("always")
        assert taxonomy.to_json() == load(path).to_json()
    of_imports, expected = (
        [str(each.message) for each in caught if each.category is ImportNotFollowed] for caught in (isolated, direct)
    )
    assert of_imports == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<urn:a> <urn:p> 'open", "Quote expected"),
        ("<urn:a> <urn:p> " + "(" * 300, "max_depth"),
        (
            "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
            "<urn:a> rdfs:subClassOf <urn:b> . <urn:b> rdfs:subClassOf <urn:a> .",
            "cycle",
        ),
    ],
)
def test_what_is_wrong_with_an_isolated_taxonomy_is_said_as_in_the_process(
    text: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "zoo.ttl"
    path.write_text(text)
    with pytest.raises(InvalidTaxonomy, match=reason) as isolated:
        load_isolated_taxonomy(path)
    with pytest.raises(InvalidTaxonomy) as direct:
        Engine(taxonomy=str(path))
    assert str(isolated.value) == str(direct.value)
    with pytest.raises(InvalidTaxonomy, match="cannot be read"):
        load_isolated_taxonomy(tmp_path / "missing.ttl")
