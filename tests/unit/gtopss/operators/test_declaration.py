"""Declarations of operators that are accepted or refused."""

from __future__ import annotations

from typing import Any

import pytest

from gtopss.model import Publication
from gtopss.operators import (
    InvalidOperator,
    Operator,
)
from gtopss.operators.declaration import declare_operator


def test_arity_is_read_from_the_function() -> None:
    assert declare_operator("test", lambda publication, a, b=None: True).arity_text() == "1 to 2"
    assert declare_operator("test", lambda publication, *words: True).arity_text() == "0 or more"
    assert declare_operator("test", lambda a: [], pure=True, binds=1).arity_text() == "2"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"cost": 0}, "cost"),
        ({"selectivity": 2}, "selectivity"),
        ({"timeout": -1}, "timeout"),
        ({"binds": (0, 0), "arity": 2}, "binds"),
        ({"binds": 5, "arity": 2}, "binds"),
        ({"batch": 3}, "state it"),
        ({"batch": 0, "arity": 1}, "batch"),
        ({"arity": (2, 1)}, "arity"),
    ],
)
def test_declarations_that_contradict_themselves(facts: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidOperator, match=reason):
        declare_operator("odd", lambda publication: True, **facts)


def test_other_declarations_that_are_refused() -> None:
    async def answer(publication: Publication) -> bool:
        return True

    with pytest.raises(InvalidOperator, match="takes no publication"):
        declare_operator("odd", lambda: True)
    with pytest.raises(InvalidOperator, match="async"):
        declare_operator("odd", answer, timeout=None)
    with pytest.raises(InvalidOperator, match="cannot be called"):
        Operator("odd", 5, 0, 0)  # type: ignore[arg-type]
