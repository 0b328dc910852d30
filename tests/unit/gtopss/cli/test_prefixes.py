"""`gtopss prefixes`."""

from __future__ import annotations

from typer.testing import CliRunner

from gtopss.cli.commands import app
from sparqlish import parse

run = CliRunner().invoke


def test_prefixes_can_be_pasted_into_a_query() -> None:
    lines = run(app, ["prefixes"]).stdout
    assert "PREFIX schema: <https://schema.org/>" in lines
    parse(lines + "ASK { ?x schema:name ?y }", prefixes={})
