"""The reasons of pydantic in plain words."""

from __future__ import annotations

import pytest

from gtopss.http.validation_texts import reason_of


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ({"type": "missing", "msg": "Field required"}, "it is missing"),
        ({"type": "extra_forbidden", "msg": "Extra inputs are not permitted"}, "there is no such member"),
        ({"type": "too_long", "ctx": {"max_length": 5}, "msg": "List should ..."}, "it must have at most 5 items"),
        ({"type": "string_type", "msg": "Input should be a valid string"}, "it must be a valid string"),
        (
            {"type": "json_invalid", "ctx": {"error": "Expecting value"}, "msg": "JSON decode error"},
            "Invalid JSON: Expecting value",
        ),
        ({"type": "value_error", "msg": "Value error, give seconds"}, "give seconds"),
        ({"type": "other", "msg": "something else"}, "something else"),
    ],
)
def test_a_reason_is_in_plain_words(error: dict[str, object], reason: str) -> None:
    assert reason_of(error) == reason
