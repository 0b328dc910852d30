"""Compare docs/limits.md with the code: every setting has the default on the page, and every row names a test."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from conftest import ROOT

from gtopss.net import FetchLimits
from gtopss.operators import OperatorLimits
from ontology.limits import DocumentLimits
from sparqlish import ParserLimits

UNITS = {"": 1, "s": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
HEADING = ["limit", "setting", "default", "to change it", "when it is reached", "test"]
NOT_LIMITS = {"values"}
"""Fields of the limit classes that are weights or choices."""


class Row(NamedTuple):
    limit: str
    setting: str
    default: str
    change: str
    reached: str
    test: str


def rows() -> Iterator[Row]:
    for line in (ROOT / "docs" / "limits.md").read_text().splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == len(HEADING), line
            if cells != HEADING and set(cells[0]) != {"-"}:
                yield Row(*cells)


ROWS = list(rows())


def value_of(path: str) -> Any:
    """Return what a dotted path names: a constant of a module, or the default of a dataclass's field."""
    *module, name = path.split(".")
    if module[-1][0].isupper():
        owner = getattr(importlib.import_module(".".join(module[:-1])), module[-1])
        return next(field.default for field in dataclasses.fields(owner) if field.name == name)
    return getattr(importlib.import_module(".".join(module)), name)


def number(text: str) -> float | None:
    """Read a default as the page writes it.

    >>> number("2 KiB"), number("10,000"), number("none")
    (2048.0, 10000.0, None)
    """
    if text == "none":
        return None
    amount, _, unit = text.partition(" ")
    return float(amount.replace(",", "")) * UNITS[unit]


@cache
def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.limit)
def test_the_default_is_the_codes(row: Row) -> None:
    path = re.fullmatch(r"`((?:gtopss|ontology|sparqlish)[\w.]+)`", row.setting)
    assert (path is None) == ("`" not in row.setting)
    if path is not None:
        assert value_of(path[1]) == number(row.default)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.limit)
def test_a_test_reaches_the_limit(row: Row) -> None:
    named = re.fullmatch(r"`(tests/[\w/]+\.py)::(test_\w+)`", row.test)
    assert named is not None, row.test
    assert named[2] in functions_of(named[1])
    assert row.change
    assert row.reached


@pytest.mark.parametrize(
    "limits", [ParserLimits, FetchLimits, OperatorLimits, DocumentLimits], ids=lambda each: each.__name__
)
def test_every_field_of_the_limit_classes_has_a_row(limits: type) -> None:
    listed = {row.setting.strip("`").rpartition(".")[2] for row in ROWS if limits.__name__ in row.setting}
    assert {field.name for field in dataclasses.fields(limits)} - NOT_LIMITS == listed


CONSTANT = re.compile(
    r"^(_?(?:MAX|MIN)_\w+|_?(?!DEFAULT)[A-Z]\w*_(?:LIMIT|SECONDS|BYTES|DEPTH|TIMEOUT))\b[^=\n]*= [\d(]", re.MULTILINE
)
"""Definitions of constants whose names say that they may be limits. A default belongs to a setting with a row."""
PACKAGES_WITHOUT_LIMITS = (
    "gtopss.experiments",
    "gtopss.attributes",
    "gtopss.matching.index.kernels",
    "gtopss.matching.literal.kernels",
)
"""Nothing from a stranger reaches the first two; constants of the kernels size their arrays and choose algorithms."""


def test_every_constant_has_a_row_or_is_named_as_no_limit() -> None:
    page = (ROOT / "docs" / "limits.md").read_text()
    missing = []
    for package in ("gtopss", "ontology", "sparqlish"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if not module.startswith(PACKAGES_WITHOUT_LIMITS):
                names = (f"{module}.{found[1]}" for found in CONSTANT.finditer(path.read_text()))
                missing += [name for name in names if f"`{name}`" not in page]
    assert not missing, "add a row to docs/limits.md, or name it under 'Sizes that change no answer'"


def test_what_is_named_as_no_limit_exists() -> None:
    _, _, names = (ROOT / "docs" / "limits.md").read_text().partition("## Sizes that change no answer")
    found = re.findall(r"`([\w.]+)`", names)
    assert len(found) > 30
    for name in found:
        value_of(name)
