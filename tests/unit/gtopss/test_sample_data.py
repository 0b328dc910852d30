"""The sample data, in the repository and in a wheel."""

from __future__ import annotations

import tomllib

import pytest
from conftest import ROOT

from gtopss.errors import GtopssError
from gtopss.sample_data import sample_data


def test_the_repository_has_the_data_once() -> None:
    assert sample_data() == ROOT / "data"
    assert (ROOT / "gtopss" / "data").is_symlink()


def test_a_wheel_has_every_file_of_the_sample_data() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["gtopss"]
    shipped = {path.resolve() for pattern in patterns for path in (ROOT / "gtopss").glob(pattern)}
    assert {path for path in (ROOT / "data").rglob("*") if path.is_file()} <= shipped


def test_a_missing_file_is_named() -> None:
    with pytest.raises(GtopssError, match=r"there is no .*no-such-file"):
        sample_data("no-such-file")
