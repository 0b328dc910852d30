"""docs/papers.md: files and experiments that it names exist, and every experiment is named."""

from __future__ import annotations

import re

from conftest import ROOT

from gtopss.experiments.papers.experiment_table import EXPERIMENTS

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("|")]
ITEMS = [row for row in ROWS if len(row) == 6 and row[0] not in ("section", "---") and "---" not in row[0]]
STATUSES = (
    "as printed",
    "corrected",
    "reconstructed",
    "departs",
    "partly",
    "missing",
    "announced",
    "repeated",
    "ours",
)


def test_every_named_file_exists() -> None:
    named = re.findall(r"`((?:gtopss|tests|ontology|examples)/[\w/.]+)`", PAGE)
    assert len(named) > 100
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_experiment_of_the_papers_is_in_the_page() -> None:
    names = list(EXPERIMENTS)
    found: set[str] = set()
    for first, last in re.findall(r"`([\w-]+)` to `([\w-]+)`", PAGE):
        found.update(names[names.index(first) : names.index(last) + 1])
    found |= {name for name in re.findall(r"`([\w-]+)`", PAGE) if name in EXPERIMENTS}
    assert set(names) - found == set()


def test_every_comparison_has_a_saved_result() -> None:
    assert "Every comparison has a saved result." in PAGE
    saved = {path.stem for path in (ROOT / "docs").glob("*/*.json")}
    assert {name for name in EXPERIMENTS if not {name, f"{name}-full"} & saved} == set()


def test_every_item_has_a_status_and_a_test_or_a_reason() -> None:
    assert len(ITEMS) > 90
    assert [row[0] for row in ROWS if len(row) == 2 and row[0] in STATUSES] == list(STATUSES)
    for section, item, status, module, test, comparison in ITEMS:
        assert status.startswith(STATUSES), (section, item)
        assert test or comparison or status.startswith("missing"), (section, item)
        assert module or test or comparison or status.startswith("missing"), (section, item)
