"""What a release consists of: one version, a changelog, a citation file, the supported versions of Python."""

from __future__ import annotations

import re
import tomllib

import yaml
from conftest import ROOT

import gtopss

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_is_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", gtopss.__version__)
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "gtopss.__version__"}
    assert "version" not in yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_the_changelog_begins_with_this_version() -> None:
    sections = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == gtopss.__version__


def test_the_source_distribution_has_the_changelog_and_the_citation_file() -> None:
    """By itself, setuptools adds only the packages, README.md, LICENSE and pyproject.toml. `make release` checks it."""
    command, *files = (ROOT / "MANIFEST.in").read_text().split()
    assert command == "include"
    assert files == ["CHANGELOG.md", "CITATION.cff"]
    assert all((ROOT / each).is_file() for each in files)


def test_the_classifiers_name_the_supported_versions_of_python() -> None:
    named = [each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if ":: Python :: 3." in each]
    assert named == ["3.11", "3.12", "3.13"]
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_citation_file_has_what_its_format_requires() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])
