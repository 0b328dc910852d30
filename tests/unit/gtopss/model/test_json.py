"""Subscriptions as JSON."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import LITERALS, publications, subscriptions

from gtopss import Publication, Subscription
from gtopss.errors import GtopssError, InvalidSubscription


@given(st.data(), publications())
def test_json_gives_back_the_subscription(data: st.DataObject, publication: Publication) -> None:
    made = data.draw(subscriptions(publication, "s", LITERALS))
    assert Subscription.from_json(json.loads(json.dumps(made.to_json()))) == made


@pytest.mark.parametrize(
    "wrong",
    [
        [], {}, {"id": 5}, {"id": "s"}, {"id": "s", "tuples": 5}, {"id": "s", "tuples": [["?x"]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "text"]]}, {"id": "s", "tuples": [["?x", "<urn:p>", None]]},
        {"id": "s", "branches": [None]}, {"id": "s", "branches": 7}, {"id": "s", "tupels": []},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y", ["?x"], []]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "where": [[">"], [[]]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "where": [["<", "?q", "?x"]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "select": 5},
    ],
)  # fmt: skip
def test_json_of_another_shape_is_an_invalid_subscription(wrong: Any) -> None:
    with pytest.raises(InvalidSubscription):
        Subscription.from_json(wrong)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["?x", "<urn:p>", "isA"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["tuples", "where"]), inner),
    max_leaves=12,
)


@given(json_values, json_values, json_values)
def test_any_json_is_a_subscription_or_a_gtopss_error(tuples: Any, where: Any, select: Any) -> None:
    with contextlib.suppress(GtopssError):
        Subscription.from_json({"id": "s", "tuples": tuples, "where": where, "select": select})
