"""Expressions that are built in Python."""

from __future__ import annotations

import pytest

from gtopss.errors import UnknownComparison
from gtopss.model.expressions import compare


@pytest.mark.parametrize(("sign", "guess"), [("=>", ">="), ("=<", "<="), ("==", "="), ("<>", "!=")])
def test_a_wrong_sign_of_comparison_is_guessed(sign: str, guess: str) -> None:
    with pytest.raises(UnknownComparison, match=f"no comparison '{sign}': did you mean '{guess}'"):
        compare("?y", sign, 2)


def test_an_unknown_sign_of_comparison_lists_the_known_ones() -> None:
    with pytest.raises(UnknownComparison, match="no comparison '~': The comparisons are != < <= = > >="):
        compare("?y", "~", 2)
