"""Run the notebooks of examples/ and store their outputs, so that they can be read without being run.

    .venv/bin/pip install nbclient ipykernel
    .venv/bin/python docs/store_notebook_outputs.py [NAME.ipynb ...]

What a cell writes to stderr is not stored: it is progress, and warnings that name local paths.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def store_outputs(path: Path) -> None:
    """Execute a notebook in its folder, and write it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for each in sorted(EXAMPLES.glob("*.ipynb")):
        if not sys.argv[1:] or each.name in sys.argv[1:]:
            print(each.name)
            store_outputs(each)
