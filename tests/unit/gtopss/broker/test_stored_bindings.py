from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gtopss.broker.stored_bindings import decode, encode
from gtopss.model.results_json import rows_to_json
from gtopss.model.terms import blank, iri, literal

terms = st.one_of(
    st.builds(literal, st.text()),
    st.builds(lambda text: literal(text, language="fr"), st.text()),
    st.sampled_from([iri("urn:a"), blank("b0"), literal("5", "http://www.w3.org/2001/XMLSchema#integer")]),
)
solutions = st.lists(st.dictionaries(st.sampled_from(["x", "y", "été"]), terms).map(lambda row: tuple(row.items())))


@given(solutions)
def test_what_is_stored_is_read_as_json(given: list[tuple[tuple[str, str], ...]]) -> None:
    text, is_cut = encode(given, 10**6)
    assert decode(text) == rows_to_json(map(dict, given))
    assert not is_cut
    assert "\0" not in text


def test_solutions_beyond_the_limit_are_left_out() -> None:
    rows = [[("x", iri(f"urn:{number}"))] for number in range(9)]
    text, is_cut = encode(rows, 30)
    assert is_cut
    assert [row["x"]["value"] for row in decode(text)] == ["urn:0", "urn:1", "urn:2"]


def test_notifications_of_older_versions_are_json() -> None:
    rows = [{"x": {"type": "uri", "value": "urn:a"}}, {}]
    assert decode(json.dumps(rows)) == rows
    assert decode("") == []
