"""Matches and reports."""

from __future__ import annotations

import json

import pytest

from gtopss import Engine
from gtopss.model.matches import OUTPUT_TEXT_LIMIT


def test_a_long_term_is_one_object_in_all_bindings() -> None:
    engine = Engine(matcher="naive")
    engine.add("SELECT * { ?x <urn:p> ?long . ?x <urn:q> ?y }")
    long = ("<urn:a>", "<urn:p>", f'"{"a" * 5_000}"')
    (match,) = engine.match([long, *(("<urn:a>", "<urn:q>", f'"{n}"') for n in range(3))])
    assert len(match.bindings) == 3
    assert len({id(row["long"]) for row in match.bindings}) == 1


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_a_long_term_is_one_object_in_all_matches(matcher: str) -> None:
    """Otherwise a megabyte that a thousand subscriptions match would be copied a thousand times."""
    engine = Engine(matcher=matcher)
    for number in range(3):
        engine.add("SELECT * { ?x <urn:p> ?long }", id=str(number))
    iri = f"<urn:{'a' * 5_000}>"
    report = engine.match([("<urn:a>", "<urn:p>", f'"{"a" * 5_000}"'), ("<urn:a>", "<urn:p>", iri)])
    assert len({id(row["long"]) for match in report for row in match.bindings}) == 2


LONG = ("<urn:a>", "<urn:p>", f'"{"a" * 5_000}"')


def test_the_text_of_solutions_is_limited() -> None:
    """A long term in many rows takes little memory, and would be long as text."""
    engine = Engine(matcher="naive")
    engine.add("SELECT ?long { ?x <urn:p> ?long . ?x <urn:q> ?y }")
    (match,) = engine.match([LONG, *(("<urn:a>", "<urn:q>", f'"{n}"') for n in range(4_000))])
    written = match.to_json()
    assert 3_000 < len(written["bindings"]) < len(match.rows) == 4_000
    assert len(json.dumps(written)) < 1.1 * OUTPUT_TEXT_LIMIT
    assert written["truncated"]
    assert written["limits_reached"] == ["output_text_limit"]
    assert match.to_json(text_limit=100)["bindings"] == []
    whole = match.to_json(text_limit=10**9)
    assert (len(whole["bindings"]), whole["truncated"], whole["limits_reached"]) == (4_000, False, [])


def test_the_matches_of_a_publication_share_their_text() -> None:
    engine = Engine(matcher="naive")
    for number in range(10):
        engine.add("SELECT ?long { ?x <urn:p> ?long . ?x <urn:q> ?y }", id=str(number))
    report = engine.match([LONG, *(("<urn:a>", "<urn:q>", f'"{n}"') for n in range(5))])
    written = [len(data["bindings"]) for data in report.matches_to_json(text_limit=40_000)]
    assert written == [5, 2, *[1] * 8]
