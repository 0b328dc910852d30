"""What the README and the packages promise."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import gtopss
import ontology


def test_the_code_in_the_readme_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "ArnosPaper17" in capsys.readouterr().out


@pytest.mark.slow
def test_the_feed_recipe_in_the_readme_runs(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```console\n\$ (.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    page = tmp_path / "health.html"
    command = shlex.split(recipe.replace("\\\n", " ").replace("health.html", str(page)))
    assert command[0] == ".venv/bin/gtopss"
    done = subprocess.run(
        [sys.executable, "-m", "gtopss", *command[1:]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "medical marijuana" in done.stdout
    assert "medical marijuana" in page.read_text()


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_design_page_names_files_that_exist() -> None:
    """A path is relative to the repository, or to the package that the same line names before it."""
    named = 0
    for line in (ROOT / "docs" / "design.md").read_text().splitlines():
        folder = ROOT
        for path in re.findall(r"`((?:gtopss|ontology|sparqlish|tests)[\w/.]*|[\w/]+(?:\.py|/))`", line):
            found = next((base / path for base in (ROOT, folder) if (base / path).exists()), None)
            assert found is not None, f"{path} in {line}"
            if found == ROOT / path:
                folder = found if found.is_dir() else found.parent
            named += 1
    assert named > 60


NAMES = {
    gtopss: "MATCHERS Branch Engine EngineConfig Explanation FiveTuple GtopssError Match MatchReport Publication "
    "Subscription operator",
    ontology: "Axioms CyclePolicy CyclicTaxonomy EdgeKind ImportNotFollowed InconsistentOntology MalformedOntology "
    "MalformedXML OntologyError Reasoner ReasonerFailed RemoteContextRefused Taxonomy UnsafeXML load "
    "load_owl load_rdfs",
}


@pytest.mark.parametrize("package", NAMES, ids=lambda package: package.__name__)
def test_the_public_names(package: ModuleType) -> None:
    """Pinned: a name that appears or goes is a decision, not an accident."""
    assert package.__all__ == NAMES[package].split()
    assert all(hasattr(package, name) for name in package.__all__)
