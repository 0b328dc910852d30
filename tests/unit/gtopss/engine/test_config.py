"""Every setting of an engine: checked, saved, copied and sharded whole."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from gtopss import Engine, EngineConfig, GtopssError, Subscription
from gtopss.engine.config import EngineSettings, make_config
from gtopss.errors import UnknownSetting
from gtopss.operators import OperatorLimits
from gtopss.spark.runtime.engine_shards import shards
from ontology.limits import DocumentLimits

OTHER_VALUES: dict[str, Any] = {
    "matcher": "gm",  # the only one that can be saved
    "entailment": "rdfs",
    "literals": "lenient",
    "row_limit": 77,
    "work_limit": 12_345,
    "row_text_limit": 5_000,
    "publication_text_limit": 50_000,
    "value_limit": 4_321,
    "expansion_limit": 999,
    "allow_cartesian": True,
    "strategy": "sequential",
    "document_limits": DocumentLimits(max_depth=9),
    "threads": 3,
    "operator_limits": OperatorLimits(concurrency=3, seconds=2.5, values={"s": 4.0}),
}
"""For each setting a value that is not the default, where there is another one."""


@pytest.fixture
def config() -> EngineConfig:
    return EngineConfig(**OTHER_VALUES)


def test_every_setting_has_a_test_value_and_a_keyword() -> None:
    names = {field.name for field in dataclasses.fields(EngineConfig)}
    assert names == set(OTHER_VALUES) == set(EngineSettings.__annotations__)
    config_types, setting_types = get_type_hints(EngineConfig), get_type_hints(EngineSettings)
    assert all(config_types[name] == setting_types[name] for name in names)
    defaults = EngineConfig()
    assert all(OTHER_VALUES[name] != getattr(defaults, name) for name in names - {"matcher"})


def test_every_setting_survives_json(config: EngineConfig) -> None:
    assert EngineConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert EngineConfig.from_json(EngineConfig().to_json()) == EngineConfig()


def test_every_setting_survives_saving_copying_and_sharding(config: EngineConfig, tmp_path: Path) -> None:
    engine = Engine(config)
    engine.add(Subscription("s", [("?x", "<urn:p>", "?y")]))
    engine.save(tmp_path)
    assert Engine.open(tmp_path).config == config
    assert engine.without_subscriptions().config == config
    assert [part.config for part in shards(engine, 2)] == [config, config]


def test_a_setting_given_to_open_replaces_the_saved_one(config: EngineConfig, tmp_path: Path) -> None:
    Engine(config).save(tmp_path)
    assert Engine.open(tmp_path, row_limit=5).config == dataclasses.replace(config, row_limit=5)


def test_keywords_replace_settings_of_a_config(config: EngineConfig) -> None:
    assert Engine(row_limit=5).config == EngineConfig(row_limit=5)
    assert Engine(config, row_limit=5).config == dataclasses.replace(config, row_limit=5)
    assert make_config(None, {}) == EngineConfig()


def test_an_unknown_setting_is_refused_with_the_close_ones() -> None:
    with pytest.raises(UnknownSetting, match="no setting 'row_limits': did you mean row_limit") as caught:
        Engine(row_limits=5)  # type: ignore[call-arg]
    assert isinstance(caught.value, GtopssError)
    assert isinstance(caught.value, TypeError)
    with pytest.raises(UnknownSetting, match="use one of allow_cartesian, document_limits"):
        Engine(zzz=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"matcher": "guess"}, "choose one of auto, gm, .*naive, ops, reference"),
        ({"matcher": []}, "no matcher"),
        ({"entailment": "owl"}, "entailment"),
        ({"literals": "loose"}, "use 'sparql' or 'lenient'"),
        ({"row_limit": 0}, "row_limit is 0"),
        ({"row_limit": True}, "row_limit is True"),
        ({"work_limit": 0}, "steps"),
        ({"work_limit": 10**30}, "steps"),
        ({"work_limit": 10, "matcher": "naive"}, "work_limit needs the matcher 'gm'"),
        ({"value_limit": 0}, "value_limit is 0: it is a number of values"),
        ({"value_limit": 1.5}, "value_limit is 1.5"),
        ({"expansion_limit": 10**9}, "expansion_limit is 1000000000: it is a number of triples"),
        ({"threads": 0}, "threads is 0: it is a number of threads"),
        ({"threads": 10**6}, "from 1 to 1024"),
        ({"strategy": "guess"}, "guess"),
        ({"strategy": []}, "strategy"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(GtopssError, match=message):
        EngineConfig(**settings)


def test_literals_of_a_saved_engine_cannot_be_changed(tmp_path: Path) -> None:
    Engine(literals="lenient").save(tmp_path)
    assert Engine.open(tmp_path, literals="lenient").config.literals == "lenient"
    with pytest.raises(GtopssError, match="saved with literals='lenient'"):
        Engine.open(tmp_path, literals="sparql")
