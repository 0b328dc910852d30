"""What the README and the package promise."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

import gtopss
import ontology
import sparqlish


def test_the_code_in_the_readme_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "ArnosPaper17" in capsys.readouterr().out


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_public_names() -> None:
    assert gtopss.__all__ == [
        "MATCHERS", "Branch", "Engine", "Explanation", "FiveTuple", "GtopssError", "Match", "MatchReport", "Publication",
        "Subscription",
    ]  # fmt: skip
    assert ontology.__all__ == [
        "CyclePolicy", "CyclicTaxonomy", "EdgeKind", "ImportNotFollowed", "InconsistentOntology", "MalformedOntology",
        "OntologyError", "Reasoner", "ReasonerFailed", "RemoteContextRefused", "Taxonomy", "load", "load_owl", "load_rdfs",
    ]  # fmt: skip
    assert {"parse", "print_query", "PREFIXES", "Limits", "SparqlishError"} <= set(sparqlish.__all__)
    for package in (gtopss, ontology, sparqlish):
        assert all(hasattr(package, name) for name in package.__all__)
