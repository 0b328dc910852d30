"""What the README and the packages promise."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT
from support.feed_server import feed_server
from support.page_blocks import code_blocks, run_python_blocks

import gtopss
import ontology
from gtopss.operators import REGISTRY


def test_the_code_in_the_readme_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    run_python_blocks("README.md")
    assert "ArnosPaper17" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("page", "printed"),
    [("operators.md", ["'people': rdflib.term.Literal('60'", "'n': rdflib.term.Literal('1'"]), ("attributes.md", [])],
    ids=["operators", "attributes"],
)
def test_the_code_in_the_papers_pages_runs(
    page: str, printed: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    known = set(REGISTRY)
    try:
        run_python_blocks(f"docs/{page}")
    finally:
        for name in set(REGISTRY) - known:
            REGISTRY.remove(name)
    output = capsys.readouterr().out
    assert [each for each in printed if each not in output] == []


def test_the_first_example_of_the_broker_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It runs with the reference matcher, which is not compiled."""
    example = code_blocks("docs/broker.md", "python")[0]
    assert "Engine()" in example
    exec(compile(example.replace("Engine()", 'Engine(matcher="reference")'), "docs/broker.md", "exec"), {})
    assert capsys.readouterr().out == "1 Wheat rises\n"


@pytest.mark.slow
def test_the_feed_recipe_in_the_readme_runs(tmp_path: Path) -> None:
    (recipe,) = (block.removeprefix("$ ") for block in code_blocks("README.md", "console"))
    page = tmp_path / "health.html"
    command = shlex.split(recipe.replace("\\\n", " ").replace("health.html", str(page)))
    assert command[0] == "gtopss"
    done = subprocess.run(
        [sys.executable, "-m", "gtopss", *command[1:]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "medical marijuana" in done.stdout
    assert "medical marijuana" in page.read_text()


def test_the_hourly_recipe_in_the_readme_runs_twice(tmp_path: Path) -> None:
    """One feed answers 304 the second time. The other one is dead: an error once, and then not due."""
    (script,) = code_blocks("README.md", "sh")
    (folder,) = code_blocks("README.md", "bash")
    assert len(script.splitlines()) <= 10
    command = shlex.join([sys.executable, "-m", "gtopss"])
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    subprocess.run(["sh", "-ec", folder.replace("gtopss demo", f"{command} demo")], env=environment, check=True)
    news = tmp_path / "news"
    assert "https://site.example/feed.xml" in (news / "feeds.opml").read_text()
    (news / "subscriptions.txt").write_text((news / "subscriptions.txt").read_text().strip() + ' OR "star city"')
    with feed_server() as host, socket.create_server(("127.0.0.1", 0)) as closed:
        dead = f"127.0.0.1:{closed.getsockname()[1]}"
        closed.close()
        outlines = "".join(f'<outline xmlUrl="http://{each}/feed"/>' for each in (host, dead))
        (news / "feeds.opml").write_text(f'<opml version="2.0"><body>{outlines}</body></opml>')
        script = script.replace("gtopss filter", f"{command} filter --allow {host} --allow {dead}")

        def run() -> tuple[subprocess.CompletedProcess[str], bytes]:
            done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=False)
            return done, (news / "health.atom").read_bytes()

        first, feed = run()
        assert (first.returncode, "a feed or a subscription was refused" in first.stdout) == (1, True), first.stderr
        assert b"Star City" in feed
        second, again = run()
        assert (second.returncode, second.stdout, second.stderr) == (0, "", "")  # cron has nothing to send
        assert again == feed


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
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
    gtopss: "MATCHERS Branch Engine EngineConfig Explanation FiveTuple GtopssError Match MatchBatch MatchReport "
    "Publication Subscription operator",
    ontology: "Axioms CyclePolicy CyclicTaxonomy EdgeKind ImportNotFollowed InconsistentOntology MalformedOntology "
    "MalformedXML NothingLoaded OntologyError Reasoner ReasonerFailed RemoteContextRefused Taxonomy UnsafeXML load "
    "load_owl load_rdfs",
}


@pytest.mark.parametrize("package", NAMES, ids=lambda package: package.__name__)
def test_the_public_names(package: ModuleType) -> None:
    """Pinned: a name that appears or goes is a decision, not an accident."""
    assert package.__all__ == NAMES[package].split()
    assert all(hasattr(package, name) for name in package.__all__)
