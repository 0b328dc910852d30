"""The pages in docs/: their code, and the site that is made of them."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT
from support.free_ports import free_port
from support.page_blocks import assert_shown, code_blocks, run_python_blocks, run_shell

import sparqlish
from gtopss.semantics import function_arities

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(ROOT)) for path in DOCS.rglob("*.md"))
PREFIXES_OF_READERS = {"ub": "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"}
"""Prefixes that pages use without declaring them."""
GENERATED = {"index.md", "CHANGELOG.md", "CONTRIBUTING.md", "data/PROVENANCE.md"}


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_are_valid_and_import_what_exists(page: str) -> None:
    for block in code_blocks(page, "python"):
        tree = compile(block, page, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    importlib.import_module(each.name)
            elif isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module or "")
                assert all(hasattr(module, each.name) for each in node.names), ast.unparse(node)


@pytest.mark.parametrize("page", PAGES)
def test_queries_and_json_are_valid(page: str) -> None:
    for block in code_blocks(page, "sparql"):
        sparqlish.parse(block, prefixes=PREFIXES_OF_READERS, functions=function_arities())
    for block in code_blocks(page, "json"):
        json.loads(block)


def test_every_page_is_in_the_navigation_once() -> None:
    site = tomllib.loads((DOCS / "zensical.toml").read_text())
    named = re.findall(r"'([\w./-]+\.md)'", str(site["project"]["nav"]))
    assert len(named) == len(set(named))
    pages = {page.removeprefix("docs/") for page in PAGES} | GENERATED
    assert pages - set(named) == set(), "name these pages in the navigation of docs/zensical.toml"
    assert {each for each in named if not each.startswith("reference/")} == pages


def test_links_are_rewritten_for_the_site_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    rewrite_links = importlib.import_module("build_site").rewrite_links
    linked: set[Path] = set()
    text = "`[` [docs/engine.md](docs/engine.md#batches), [a\nfile](examples/14_bytes.py) [x](https://a.example/b.md)"
    expected = (
        "`[` [The default matcher](engine.md#batches), [a\nfile](examples/14_bytes.py) [x](https://a.example/b.md)"
    )
    assert rewrite_links(text, ROOT / "README.md", linked) == expected
    assert linked == {DOCS / "engine.md", ROOT / "examples" / "14_bytes.py"}
    block = "```\n[a](docs/engine.md)\n```\n"
    assert rewrite_links(block, ROOT / "README.md", linked) == block


@pytest.mark.slow
def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, DOCS / "build_site.py", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    assert "Match publications" in (site / "reference" / "gtopss.html").read_text()
    assert "--allow" in (site / "reference" / "command-line.html").read_text()
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(PAGES)
    for page in pages:
        loaded = re.findall(
            r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(https?://[^\s\">]+)", page.read_text()
        )
        assert not loaded, f"{page}: {loaded}"
        assert 'class="mermaid"' not in page.read_text()  # would load its renderer


@pytest.mark.slow
def test_the_tests_on_the_page_of_the_first_day_exist() -> None:
    rows = [line for line in (ROOT / "docs" / "first-day.md").read_text().splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 15
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row.split(" | ")[-1])
        assert named, row
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"


def test_the_tutorial_on_feeds(tmp_path: Path) -> None:
    page = "docs/tutorials/filter-feeds.md"
    done = run_shell("\n".join(code_blocks(page, "shell")), tmp_path)
    assert done.returncode == 0, done.stdout
    assert_shown(page, done.stdout)
    matches = [json.loads(line) for line in (tmp_path / "matches.jsonl").read_text().splitlines()]
    assert len(matches) == 2


@pytest.mark.slow
def test_the_tutorial_on_the_service(tmp_path: Path) -> None:
    page, port = "docs/tutorials/service.md", str(free_port())
    (tmp_path / "small.ttl").write_text("<urn:Thing> a <http://www.w3.org/2000/01/rdf-schema#Class> .")
    script = "\n".join(code_blocks(page, "shell")).replace("8080", port)
    script = script.replace("gtopss serve ", f"gtopss serve --port {port} --no-examples -o small.ttl ")
    done = run_shell(script, tmp_path, {"GTOPSS_URL": f"http://127.0.0.1:{port}"})
    assert done.returncode == 0, done.stdout + (tmp_path / "serve.log").read_text()
    assert_shown(page, done.stdout)
    assert "car parks" not in done.stdout


def test_the_tutorial_for_rdf_developers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_python_blocks("docs/tutorials/rdf-developer.md")
    assert_shown("docs/tutorials/rdf-developer.md", capsys.readouterr().out)


def test_the_tutorial_on_spark(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    run_python_blocks("docs/tutorials/spark.md")
    printed = capsys.readouterr().out
    assert "friends-of-bob" in printed
    assert "open-source None" in printed


@pytest.mark.slow
def test_the_tutorial_for_researchers(tmp_path: Path) -> None:
    page = "docs/tutorials/researcher.md"
    done = run_shell("\n".join(code_blocks(page, "shell")), tmp_path)
    assert done.returncode == 0, done.stdout
    assert_shown(page, done.stdout)
