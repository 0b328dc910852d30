"""The table of matchers: its names are those of the matchers, and it imports only what is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gtopss.matching.table import MATCHERS


@pytest.mark.parametrize("name", MATCHERS)
def test_a_matcher_has_the_name_under_which_it_is_listed(name: str) -> None:
    assert MATCHERS[name].name == name


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        MATCHERS["no such matcher"]
    assert "no such matcher" not in MATCHERS


def test_packages_that_only_other_matchers_and_reasoners_need_are_not_imported() -> None:
    code = "import sys, gtopss; gtopss.Engine(); print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"networkx", "owlready2", "pyparsing"} & set(loaded)
