"""The command line as a whole: version, help and errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gtopss import __version__
from gtopss.cli.commands import COMMANDS, app, load_command

run = CliRunner().invoke


def test_error_is_printed_as_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gtopss.cli import main; main()", "demo", "--copy", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"gtopss: {tmp_path} cannot be written: it exists already")
    assert len(done.stderr.splitlines()) == 1


def test_version_and_help() -> None:
    assert run(app, ["--version"]).stdout.strip() == f"gtopss {__version__}"
    assert "demo" in run(app, ["--help"]).stdout
    assert run(app, ["-V"]).stdout.strip() == f"gtopss {__version__}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_is_the_first_paragraph_of_its_help(name: str) -> None:
    first = (load_command(name).help or "").split("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name].summary


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"prefixes"}))  # which cannot fail
def test_help_has_the_exit_codes(name: str) -> None:
    command = load_command(name)
    for each in getattr(command, "commands", {"": command}).values():
        assert "Exit code 0: " in each.help, each.name


def test_help_of_a_command() -> None:
    asked = run(app, ["help", "feeds", "add"])
    assert asked.exit_code == 0
    assert asked.stdout == run(app, ["feeds", "add", "--help"]).stdout
    assert "Usage: gtopss feeds add [OPTIONS] ADDRESS" in asked.stdout.replace("root", "gtopss")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_shows_a_type_of_python(name: str) -> None:
    shown = run(app, [name, "--help"]).stdout
    assert "<bool>" not in shown
    assert "list[" not in shown
    assert "{" not in shown.split("\n\n")[0].splitlines()[-1]


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"bench"}))  # the list of workloads is one long word
def test_help_is_not_cut_in_a_terminal_of_80_columns(name: str) -> None:
    assert "…" not in run(app, [name, "--help"], env={"COLUMNS": "80"}).stdout


def test_a_missing_argument_is_named_as_in_the_usage_line() -> None:
    refused = run(app, ["filter"])
    assert refused.exit_code == 2
    assert "Missing argument SOURCES." in refused.output


def test_the_help_of_an_unknown_command_names_the_commands() -> None:
    refused = run(app, ["help", "nosuch"])
    assert refused.exit_code == 2
    assert "nosuch" in refused.output
    assert "filter" in refused.output


def test_a_misspelt_command_gets_a_guess() -> None:
    refused = run(app, ["filtr"])
    assert refused.exit_code == 2
    assert "'filter'" in refused.output


def test_a_wrong_value_is_refused_in_plain_words() -> None:
    for arguments, reason in (
        (["filter", "x", "--output", "json"], "Invalid value for '--output': 'json' is not one of 'table'"),
        (["serve", "--port", "99999"], "Invalid value for '--port': it must be less than or equal to 65535"),
    ):
        refused = run(app, arguments)
        assert refused.exit_code == 2
        assert reason in " ".join(refused.output.replace("│", " ").split())


def test_version_and_help_import_no_command() -> None:
    code = "import sys; from gtopss.cli.commands import app; app({}, standalone_mode=False); print(*sys.modules)"
    for arguments in ("['--version']", "['--help']"):
        done = subprocess.run(
            [sys.executable, "-c", code.format(arguments)], capture_output=True, text=True, check=True
        )
        assert not {"numpy", "rdflib", "numba", "gtopss.engine"} & set(done.stdout.split())
