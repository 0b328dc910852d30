"""The command line as a whole: version, help and errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from gtopss import __version__
from gtopss.cli.commands import app

run = CliRunner().invoke


def test_error_is_printed_as_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gtopss.cli import main; main()", "demo", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("gtopss: there is no figure5 folder")
    assert len(done.stderr.splitlines()) == 1


def test_version_and_help() -> None:
    assert run(app, ["--version"]).stdout.strip() == f"gtopss {__version__}"
    assert "demo" in run(app, ["--help"]).stdout
