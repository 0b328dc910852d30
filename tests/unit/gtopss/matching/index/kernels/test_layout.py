"""The layout of segments: constants with one meaning each."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.matching.index.kernels.layout import (
    ENTRY_COUNT,
    LOOP_PAIR,
    STAR_PAIR,
    empty_segment,
)

KERNELS = sorted((ROOT / "gtopss").glob("**/kernels/*.py"))


def assigned_names(path: Path) -> list[str]:
    """Return every name that a module assigns at its top level, as often as it does."""
    targets = [node for statement in ast.parse(path.read_text()).body for node in _targets(statement)]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_no_constant_is_assigned_twice(path: Path) -> None:
    assert [name for name, times in Counter(assigned_names(path)).items() if times > 1] == []


def test_an_empty_segment_has_no_entries_and_no_special_pairs() -> None:
    sizes = empty_segment().graph.sizes
    assert sizes[ENTRY_COUNT] == 0
    assert sizes[STAR_PAIR] == sizes[LOOP_PAIR] == -1
