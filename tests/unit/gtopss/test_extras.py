"""Missing extras: the error says what to type."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

from gtopss.extras import PACKAGE_OF_EXTRA, MissingExtra, require_extra

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_every_extra_is_known_by_one_of_its_own_packages() -> None:
    assert set(PACKAGE_OF_EXTRA) == set(EXTRAS) - {"dev"}
    for extra, package in PACKAGE_OF_EXTRA.items():
        assert any(each.lower().startswith(package) for each in EXTRAS[extra])


def test_an_extra_has_those_that_its_commands_import() -> None:
    assert {"gtopss[broker,client]"} <= set(EXTRAS["serve"])
    assert {"gtopss[broker]"} <= set(EXTRAS["compare"])


def test_a_missing_extra_is_an_import_error_that_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra("spark", "this")
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtra, match=r"^this needs pyspark, .*: pip install 'gtopss\[spark\]'$"):
        require_extra("spark", "this")
    assert issubclass(MissingExtra, ImportError)


@pytest.mark.parametrize(
    ("arguments", "packages", "extra"),
    [
        (["serve"], ["sqlalchemy", "fastapi"], "serve"),
        (["list"], ["httpx"], "client"),
        (["subscribe", "linux"], ["httpx"], "client"),
        (["tail", "id", "--ticket", "gt_x"], ["httpx"], "client"),
        (["feeds", "--store", "memory:"], ["sqlalchemy", "fastapi"], "serve"),
        (["store", "shares", "memory:"], ["sqlalchemy"], "broker"),
        (["pipeline", "x", "-s", "y", "--out", "z"], ["pyspark"], "spark"),
        (["spark", "fetch-jars"], ["pyspark"], "spark"),
        (["bench", "--quick"], ["matplotlib"], "compare"),
        (["compare"], ["matplotlib", "sqlalchemy"], "compare"),
    ],
)
def test_a_command_whose_extra_is_missing_prints_one_line(
    arguments: list[str], packages: list[str], extra: str
) -> None:
    code = f"import sys; sys.modules |= dict.fromkeys({packages}); from gtopss.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith(f"pip install 'gtopss[{extra}]'\n"), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "gtopss." not in done.stderr, "a module of Python, in place of the command"


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("gtopss.broker.broker", "sqlalchemy", "broker"),
        ("gtopss.broker.store.open_store", "sqlalchemy", "broker"),
        ("gtopss.client", "httpx", "client"),
        ("gtopss.http.app", "fastapi", "serve"),
    ],
)
def test_importing_a_module_whose_extra_is_missing_says_what_to_type(module: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith(f"pip install 'gtopss[{extra}]'\n"), done.stderr
    assert done.stderr.count("Traceback") == 1, done.stderr
