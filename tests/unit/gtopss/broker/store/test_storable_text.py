from __future__ import annotations

import pytest

from gtopss.broker.store.storable_text import MAX_STORED_CHARACTERS, storable_text


@pytest.mark.parametrize("length", [0, 1, MAX_STORED_CHARACTERS])
def test_a_text_that_can_be_stored_stays_as_it_is(length: int) -> None:
    assert storable_text("ü" * length) == "ü" * length


def test_a_long_text_loses_its_middle() -> None:
    text = storable_text("a" * 600 + "b" * 600)
    assert len(text) == MAX_STORED_CHARACTERS
    assert text.strip("ab") == "..."
    assert text.startswith("a")
    assert text.endswith("b")


def test_what_a_database_refuses_is_replaced() -> None:
    assert storable_text("a\0b\udfff") == "a?b?"
