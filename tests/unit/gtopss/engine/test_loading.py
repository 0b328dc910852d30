"""An engine from files: one bad subscription does not stop the others."""

from __future__ import annotations

from pathlib import Path

from gtopss import Engine, EngineConfig
from gtopss.engine.loading import load_engine
from ontology import Taxonomy


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
