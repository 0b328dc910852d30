"""Options that several commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gtopss.cli import serve
from gtopss.cli.arguments import declare_operators
from gtopss.cli.commands import COMMANDS, app, load_command
from gtopss.operators import REGISTRY

ZOO = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://zoo/> .
:Pet a owl:Class ; rdfs:label "pet" ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf (:Animal :Owned) ] .
:Animal a owl:Class . :Owned a owl:Class . :Cat a owl:Class ; rdfs:subClassOf :Animal, :Owned .
"""
QUERY = "SELECT ?pet { ?pet <http://zoo/in> ?home . FILTER(isA(?pet, <http://zoo/Pet>)) }"
EVENT = "<http://zoo/tom> <http://zoo/in> <http://zoo/house> ; a <http://zoo/Cat> ."


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {"zoo.ttl": ZOO + ":tom a :Cat .", "pets.rq": QUERY, "event.ttl": EVENT}
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in made}


@pytest.mark.slow
@pytest.mark.parametrize("reasoner", ["hermit", "pellet"])
def test_a_reasoner_infers_what_the_ontology_does_not_state(files: dict[str, str], reasoner: str) -> None:
    arguments = ["match", files["event.ttl"], "-s", files["pets.rq"], "-o", files["zoo.ttl"]]
    assert CliRunner().invoke(app, arguments).stdout == ""
    done = CliRunner().invoke(app, [*arguments, "--reasoner", reasoner])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["bindings"] == [{"pet": {"type": "uri", "value": "http://zoo/tom"}}]


def options_of(command: str) -> set[str]:
    """Return the long names of the options of a command."""
    return {option for parameter in load_command(command).params for option in parameter.opts}


def test_every_command_with_an_ontology_takes_a_reasoner() -> None:
    with_ontology = {name for name in COMMANDS if "--ontology" in options_of(name)}
    assert {
        "match",
        "filter",
        "explain",
        "check",
        "plan",
        "pipeline",
        "serve",
        "terms",
        "subscribe",
        "publish",
    } <= with_ontology
    assert {name for name in with_ontology if "--reasoner" not in options_of(name)} == set()


def test_commands_that_evaluate_subscriptions_take_operators() -> None:
    for command in ("match", "filter", "explain", "check", "plan", "pipeline", "serve"):
        assert "--operators" in options_of(command), command


@pytest.mark.slow
def test_terms_counts_what_a_reasoner_puts_below_a_class(files: dict[str, str]) -> None:
    arguments = ["terms", "pet", "-o", files["zoo.ttl"]]
    assert "below it: 0" in CliRunner().invoke(app, arguments).stdout
    done = CliRunner().invoke(app, [*arguments, "--reasoner", "hermit"])
    assert "below it: 2" in done.stdout, done.output  # Cat and tom


def test_a_reasoner_needs_an_ontology(files: dict[str, str]) -> None:
    done = CliRunner().invoke(app, ["match", files["event.ttl"], "-s", files["pets.rq"], "--reasoner", "hermit"])
    assert done.exit_code == 2
    assert "a reasoner needs an ontology" in done.stderr


def test_operators_come_from_a_file_or_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "import gtopss\n@gtopss.operator('argumentsTest')\ndef arguments_test(publication):\n    return True\n"
    (tmp_path / "my_operators.py").write_text(made)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for source in (None, "my_operators.py", "my_operators"):
        try:
            declare_operators(source)
            assert ("argumentsTest" in REGISTRY) is (source is not None)
        finally:
            if "argumentsTest" in REGISTRY:
                REGISTRY.remove("argumentsTest")
    sys.modules.pop("my_operators", None)


@pytest.mark.parametrize("source", ["nothing.py", "no_such_module", "a/b", "gtopss.no_such_module"])
def test_operators_that_are_not_there_are_a_wrong_argument(source: str) -> None:
    with pytest.raises(typer.BadParameter, match="there is no file"):
        declare_operators(source)


def test_a_module_that_imports_what_is_not_there_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_operators.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        declare_operators("broken_operators")


def test_serve_takes_a_strategy_and_operators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "import gtopss\n@gtopss.operator('serveTest')\ndef serve_test(publication):\n    return True\n"
    (tmp_path / "operators.py").write_text(made)
    taken: list[str] = []
    monkeypatch.setattr(serve, "_run", lambda settings, *rest, **more: taken.append(settings.engine.strategy))
    options = ["--operators", str(tmp_path / "operators.py"), "--strategy", "sequential"]
    try:
        done = CliRunner().invoke(app, ["serve", "--store", "memory:", *options])
        assert "serveTest" in REGISTRY, done.output
    finally:
        REGISTRY.remove("serveTest")
    assert taken == ["sequential"]


@pytest.mark.parametrize("option", ["--matcher", "--strategy"])
def test_an_unknown_name_of_an_option_is_wrong_usage_of_every_command(option: str) -> None:
    commands = [name for name in COMMANDS if option in options_of(name)]
    assert len(commands) >= 4
    for name in commands:
        parameters = load_command(name).params
        needed = ["x" for each in parameters if each.param_type_name == "argument" and each.required]
        done = CliRunner().invoke(app, [name, *needed, option, "nothing-of-this-name"])
        assert done.exit_code == 2, (name, done.output)
        assert "there is no" in done.output, (name, done.output)
