"""Matches and reports."""

from __future__ import annotations

from gtopss import Engine


def test_a_long_term_is_one_object_in_all_bindings() -> None:
    engine = Engine(matcher="naive")
    engine.add("SELECT * { ?x <urn:p> ?long . ?x <urn:q> ?y }")
    long = ("<urn:a>", "<urn:p>", f'"{"a" * 5_000}"')
    (match,) = engine.match([long, *(("<urn:a>", "<urn:q>", f'"{n}"') for n in range(3))])
    assert len(match.bindings) == 3
    assert len({id(row["long"]) for row in match.bindings}) == 1
