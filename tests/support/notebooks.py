"""Run a notebook of examples/ from top to bottom, without Jupyter."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT


def run_notebook(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Execute the code cells in their order, in the folder of the notebook, as Jupyter does."""
    monkeypatch.chdir(ROOT / "examples")
    cells = json.loads((ROOT / "examples" / name).read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(code):
        exec(compile(cell, f"{name}, code cell {number}", "exec"), namespace)
