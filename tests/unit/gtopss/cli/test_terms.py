from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from gtopss.cli.commands import app

run = CliRunner().invoke
ONTOLOGY = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://e.example/> .
:health a skos:Concept ; skos:prefLabel "health"@en, "Gesundheit"@de ; skos:altLabel "wellbeing"@en .
:vaccine a skos:Concept ; skos:broader :health ; skos:prefLabel "vaccine"@en .
"""


def test_a_class_is_found_by_its_label_with_its_iri_and_parents(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    found = run(app, ["terms", "GESUNDHEIT", "-o", str(tmp_path / "o.ttl")])
    assert found.exit_code == 0, found.output
    assert "<http://e.example/health>\n" in found.stdout
    assert "below it: 1" in found.stdout
    child = run(app, ["terms", "vacine", "-o", str(tmp_path / "o.ttl")])
    assert child.stdout.startswith("vaccine\t<http://e.example/vaccine>\n")
    assert "is a: <http://e.example/health> (health)" in child.stdout
    nothing = run(app, ["terms", "football", "-o", str(tmp_path / "o.ttl")])
    assert nothing.exit_code == 1
    assert "no class has a label like 'football'" in nothing.stderr


def test_classes_in_a_cycle_are_found_if_it_is_condensed(tmp_path: Path) -> None:
    circle = ":health skos:broader :vaccine ."
    (tmp_path / "o.ttl").write_text(ONTOLOGY + circle)
    command = ["terms", "vaccine", "-o", str(tmp_path / "o.ttl")]
    refused = run(app, command)
    assert refused.exit_code == 1
    assert "--cycles condense" in str(refused.exception)
    found = run(app, [*command, "--cycles", "condense"])
    assert found.exit_code == 0, found.output
    assert "<http://e.example/vaccine>" in found.stdout
