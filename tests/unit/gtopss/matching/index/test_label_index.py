"""The edges of labels: which texts get them, and what happens when subscriptions and the taxonomy change."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gtopss import Engine, Publication
from gtopss.matching.index import label_index, renumbering, writer
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.terms import literal
from ontology import Taxonomy

CATEGORY = "<urn:category>"


def taxonomy() -> Taxonomy:
    made = Taxonomy([("urn:Vaccine", "urn:Health"), ("urn:Sport", "urn:Topic"), ("urn:Health", "urn:Topic")])
    for name in ("Vaccine", "Health", "Sport"):
        made.add_label(f"urn:{name}", name, "en")
    return made


def engine_for(*classes: str, given: Taxonomy | None = None, **settings: int) -> Engine:
    engine = Engine(taxonomy=given or taxonomy(), **settings)  # type: ignore[arg-type]
    for cls in classes:
        engine.add(f"SELECT ?t {{ ?x {CATEGORY} ?t FILTER labelled(?t, <urn:{cls}>) }}", id=cls)
    return engine


def item(*texts: str, property: str = CATEGORY) -> Publication:
    return Publication("p", [("<urn:item>", property, literal(each)) for each in texts])


def found(engine: Engine, *texts: str) -> str:
    return " ".join(sorted(engine.match(item(*texts)).subscription_ids))


def matcher_of(engine: Engine) -> IndexMatcher:
    assert isinstance(engine._core.matcher, IndexMatcher)
    return engine._core.matcher


def test_a_subscription_is_found_by_its_edge_and_not_tested() -> None:
    engine = engine_for("Health", "Sport", "Topic", "Vaccine")
    report = engine.match(item("vaccine", "nothing"))
    assert sorted(report.subscription_ids) == ["Health", "Topic", "Vaccine"]
    assert {row["t"] for match in report for row in match.rows} == {literal("vaccine")}
    assert report.counters.constraints_tested == 0
    assert report.counters.candidates == 3


def test_alternatives_are_found_by_one_edge() -> None:
    engine = engine_for()
    test = 'labelled(?t, <urn:Sport>) || labelled(?t, <urn:Vaccine>) || words(?t, "flood")'
    engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER({test}) }}", id="or")
    engine.add(f"ASK {{ ?x {CATEGORY} ?t ; <urn:p> ?u FILTER(labelled(?t, <urn:Sport>) || ?u = 1) }}", id="mixed")
    for text, expected in [("SPORT", "or"), ("vaccine", "or"), ("a flood", "or"), ("health", "")]:
        report = engine.match(item(text))
        assert (" ".join(report.subscription_ids), report.counters.constraints_tested) == (expected, 0)


def test_texts_of_other_properties_are_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    look_up = label_index.LabelSearch._look_up
    monkeypatch.setattr(
        label_index.LabelSearch, "_look_up", lambda self, term: looked_up.append(term) or look_up(self, term)
    )
    engine = engine_for("Health")
    other = [("<urn:item>", "<urn:other>", '"health"'), ("<urn:item>", CATEGORY, "<urn:health>")]
    for _ in range(3):
        engine.match(Publication("p", [*item("vaccine").triples, *other]))
    assert looked_up == ['"vaccine"']  # once: what was found is kept
    engine.add("ASK { ?x ?p ?t FILTER labelled(?t, <urn:Sport>) }", id="anywhere")
    engine.match(Publication("p", [*item("vaccine").triples, *other]))
    assert looked_up == ['"vaccine"', '"vaccine"', '"health"']  # another property: all is looked up again
    engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER labelled(?t, <urn:Topic>) }}", id="Topic")
    assert sorted(engine.match(item("vaccine")).subscription_ids) == ["Health", "Topic"]
    assert len(looked_up) == 3  # another class: nothing is


def test_few_found_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_index, "_MAX_CACHED_TEXTS", 2)
    engine = engine_for("Health")
    for number in range(5):
        assert found(engine, f"text {number}", "vaccine") == "Health"
    search = matcher_of(engine)._writer._text_index.label_search()
    assert search is not None
    assert len(search._classes) <= 2


def test_nothing_is_looked_up_when_no_subscription_asks() -> None:
    engine = engine_for("Health", "Topic")
    texts = matcher_of(engine)._writer._text_index
    assert texts.label_search() is not None
    engine.remove("Health")
    assert found(engine, "vaccine") == "Topic"
    engine.remove("Topic")
    assert texts.label_search() is None
    assert found(engine, "vaccine") == ""


def test_edits_of_the_taxonomy_count_at_once_and_are_reported() -> None:
    engine = engine_for("Health", "Sport", "Topic")
    assert found(engine, "BCG") == found(engine, "football") == ""
    given = engine.taxonomy
    given.add_label("urn:Vaccine", "BCG")
    assert found(engine, "bcg") == "Health Topic"
    assert engine.affected_by_taxonomy() == ("Health", "Topic")
    given.add_subclass("urn:Football", "urn:Sport")
    assert engine.affected_by_taxonomy() == ()  # a class without labels changes nothing
    given.add_label("urn:Football", "football")
    assert found(engine, "football") == "Sport Topic"
    given.remove_subclass("urn:Vaccine", "urn:Health")
    assert found(engine, "bcg") == ""
    given.remove_label("urn:Football", "football")
    assert found(engine, "football") == ""
    assert engine.affected_by_taxonomy() == ("Health", "Sport", "Topic")
    assert engine.affected_by_taxonomy() == ()


def test_labels_are_saved_and_opened(tmp_path: Path) -> None:
    engine = engine_for("Health", "Sport")
    engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER(labelled(?t, <urn:Vaccine>) || labelled(?t, <urn:Sport>)) }}", id="or")
    engine.save(tmp_path / "engine")
    opened = Engine.open(tmp_path / "engine")
    assert list(opened.taxonomy.labels.statements()) == list(engine.taxonomy.labels.statements())
    assert found(opened, "vaccine") == "Health or"
    opened.remove("or")
    opened.taxonomy.add_label("urn:Vaccine", "BCG")
    assert found(opened, "bcg", "sport") == "Health Sport"
    assert found(engine.without_subscriptions(), "vaccine") == ""
    assert engine.without_subscriptions().taxonomy.labels.with_label("vaccine") == ("urn:Vaccine",)


def test_labels_survive_new_term_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 10)
    monkeypatch.setattr(writer, "MAX_USED_TO_RENUMBER", 1.0)
    engine = engine_for()
    for number in range(100):
        engine.add(f"ASK {{ ?x <urn:p{number}> <urn:o{number}> }}", id=str(number))
    engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER labelled(?t, <urn:Health>) }}", id="Health")
    engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER(labelled(?t, <urn:Sport>) || words(?t, 'x')) }}", id="or")
    for number in range(100):
        engine.remove(str(number))
    engine.taxonomy.add_label("urn:Sport", "football")
    engine.optimise()
    assert engine.affected_by_taxonomy() == ("or",)
    assert found(engine, "vaccine") == "Health"
    assert found(engine, "football") == "or"


def test_the_triples_that_labels_add_are_limited() -> None:
    chain = Taxonomy([(f"urn:c{number}", f"urn:c{number + 1}") for number in range(100)])
    chain.add_label("urn:c0", "zero")
    engine = engine_for(*(f"c{number}" for number in range(100)), given=chain, expansion_limit=50)
    over, under = engine.match(item("zero")), engine.match(item("one"))
    assert over.limits_reached == ("expansion_limit",)
    assert len(over) == 50
    assert under.limits_reached == ()


def test_texts_without_end_reach_the_limit_of_work() -> None:
    engine = engine_for("Health")
    matcher_of(engine)._writer._text_steps = 1_000
    over = engine.match(item("x" * 400, "y" * 400))
    assert over.limits_reached == ("publication_work_limit",)
    assert engine.match(item("vaccine")).limits_reached == ()


def test_several_threads_look_up_labels() -> None:
    engine = engine_for("Health", "Sport")
    wrong: list[str] = []

    def match() -> None:
        for number in range(100):
            if found(engine, f"no {number}", "Vaccine") != "Health":
                wrong.append("vaccine")

    threads = [threading.Thread(target=match) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(50):
        engine.add(f"ASK {{ ?x {CATEGORY} ?t FILTER labelled(?t, <urn:c{number}>) }}")
    for thread in threads:
        thread.join()
    assert not wrong
