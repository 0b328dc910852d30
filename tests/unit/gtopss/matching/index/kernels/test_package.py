"""Kernels import only what the cache key covers: an edit elsewhere would not recompile them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.matching.index.kernels import namespaces
from gtopss.model import terms

KERNELS = sorted((ROOT / "gtopss").glob("**/kernels/*.py"))
LIBRARIES = {"numpy", "numba", "llvmlite"}


def imported_modules(path: Path) -> set[str]:
    modules = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    return modules


def is_covered(module: str) -> bool:
    top = module.split(".")[0]
    return top in LIBRARIES or top in sys.stdlib_module_names or module == "gtopss.compiled" or ".kernels." in module


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_a_kernel_imports_only_what_the_cache_key_covers(path: Path) -> None:
    assert {module for module in imported_modules(path) if not is_covered(module)} == set()


def test_the_namespaces_of_kernels_are_those_of_the_model() -> None:
    assert (namespaces.XSD, namespaces.XSD_STRING, namespaces.RDF) == (terms.XSD, terms.XSD_STRING, terms.RDF)
