"""Compiling kernels: the cache key covers every kernel, and there is always a folder to cache in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.compiled import cache_key, compiled, inlined, inner, kernel_sources


def run(script: str, **changes: str | None) -> str:
    """Run a script in a process of its own, with some environment variables changed, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    for name, value in changes.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_an_edit_of_any_kernel_changes_the_cache_key(tmp_path: Path) -> None:
    (tmp_path / "compiled.py").touch()
    keys = {cache_key(tmp_path)}
    for package in ("operators/kernels", "matching/index/kernels"):
        (tmp_path / package).mkdir(parents=True)
        for text in ("a = 1", "a = 2"):
            (tmp_path / package / "heap.py").write_text(text)
            keys.add(cache_key(tmp_path))
    assert len(keys) == 5


def test_every_compiled_function_is_covered_by_the_cache_key() -> None:
    covered = set(kernel_sources())
    package = ROOT / "gtopss"
    decorating = {
        path
        for path in package.rglob("*.py")
        if "njit(" in path.read_text() or "from gtopss.compiled" in path.read_text()
    }
    assert decorating <= covered
    assert len(decorating) > 20


@pytest.mark.parametrize("decorator", [compiled, inner, inlined])
def test_a_kernel_elsewhere_is_refused(decorator: object) -> None:
    def elsewhere() -> None: ...

    with pytest.raises(TypeError, match="a package named 'kernels'"):
        decorator(elsewhere)  # type: ignore[operator]


SHOW_FOLDER = "from gtopss.compiled import CACHE_FOLDER\nprint(CACHE_FOLDER)"
NOTHING_WRITABLE = "import os; os.access = lambda *a, **k: False\n"


def test_a_read_only_install_without_a_home_caches_in_a_temporary_folder(tmp_path: Path) -> None:
    shown = run(NOTHING_WRITABLE + SHOW_FOLDER, HOME="/nonexistent", TMPDIR=str(tmp_path))
    assert shown.startswith(str(tmp_path))


def test_a_temporary_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    first = Path(run(NOTHING_WRITABLE + SHOW_FOLDER, TMPDIR=str(tmp_path)).strip())
    first.chmod(0o777)
    second = Path(run(NOTHING_WRITABLE + SHOW_FOLDER, TMPDIR=str(tmp_path)).strip())
    assert second != first
    assert second.parent == tmp_path


def test_without_home_and_password_entry_the_package_still_imports(tmp_path: Path) -> None:
    without_entry = "import pwd, sys\ndef missing(uid): raise KeyError(uid)\npwd.getpwuid = missing\n"
    shown = run(without_entry + NOTHING_WRITABLE + "import gtopss\n" + SHOW_FOLDER, HOME=None, TMPDIR=str(tmp_path))
    assert shown.startswith(str(tmp_path))
