"""The code blocks of README.md and of the pages in docs/, and how they are run."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from conftest import ROOT

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
DEADLINE_SECONDS = 900
"""For a script. The first use of the engine compiles its loops, which may take minutes on a busy machine."""


def code_blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page that are marked with this language. `page` is a path in the repository."""
    return [code for marked, code in BLOCK.findall((ROOT / page).read_text()) if marked == language]


def run_python_blocks(page: str) -> dict[str, object]:
    """Run the Python blocks of a page as one program, and return its names."""
    blocks = code_blocks(page, "python")
    assert blocks, page
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    return names


def run_shell(
    script: str, folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder that is also its home, with `gtopss` and `python3` as those of this repository.

    What it leaves running in the background is killed. Standard error is in its output.
    """
    python = shlex.quote(sys.executable)
    functions = f'gtopss() {{ {python} -m gtopss "$@"; }}\npython3() {{ {python} "$@"; }}\nset -e\n'
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
        **(variables or {}),
    }
    output = folder / "output-of-the-script"
    with output.open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-c", functions + script],
            cwd=folder,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=DEADLINE_SECONDS)
        finally:
            with suppress(ProcessLookupError):  # nothing was left running
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return subprocess.CompletedProcess(process.args, process.returncode, output.read_text())


def assert_shown(page: str, output: str) -> None:
    """Assert that every line of the page's `text` blocks, which show what is printed, is in the output."""
    printed = {" ".join(line.split()) for line in output.splitlines()}
    for block in code_blocks(page, "text"):
        for line in filter(None, (" ".join(line.split()) for line in block.splitlines())):
            assert line in printed, f"{page}: {line!r} is not in\n{output}"
