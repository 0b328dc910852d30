"""Explanations as data."""

from __future__ import annotations

import json

from support.explanations import A, B, P, X, Y

from gtopss.explain import (
    Explanation,
    explain,
)
from gtopss.model import Publication, Subscription, Term
from ontology import Taxonomy


def test_equal_inputs_have_equal_explanations() -> None:
    """Frozen data: comparable, and hashable."""
    one, other = (explain(Subscription("s", [(X, P, Y)]), Publication("p", [(A, P, B)]), Taxonomy()) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one, Explanation)


def test_a_long_explanation_is_cut_and_says_so() -> None:
    """Every solution shows the triple behind each edge, so a long term is shown often."""
    long = Term(f'"{"a" * 100_000}"')
    edges = [(X, Term(f"<urn:p{n}>"), Y) for n in range(40)]
    made = explain(Subscription("s", edges), Publication("p", [(A, p, long) for _, p, _ in edges]), Taxonomy())
    assert made.to_json(text_limit=10**9)["limits_reached"] == []
    assert len(json.dumps(made.to_json(text_limit=10**9))) > 8_000_000
    short = made.to_json(text_limit=1_000_000)
    assert short["limits_reached"] == ["output_text_limit"]
    assert len(json.dumps(short, ensure_ascii=False)) < 1_100_000
    assert len(json.dumps(made.to_json(text_limit=1))) < 100_000
    text = made.text(text_limit=5_000)
    assert text.endswith("(the explanation is longer: it reached output_text_limit)")
    assert len(text) < 5_100
    assert "output_text_limit" not in made.text()


def test_a_long_term_is_one_object_in_json() -> None:
    """It may be the value of a thousand variables, in each of ten solutions: copies of it would take gigabytes."""
    long = Term(f'"{"a" * 5_000}"')
    edges = [(X, P, Term(f"?v{number}")) for number in range(20)]
    made = explain(Subscription("s", edges), Publication("p", [(A, P, long)]), Taxonomy())
    data = made.to_json(text_limit=10**9)
    values = [row[f"v{number}"] for row in (data["branches"][0]["bindings"],) for number in range(20)]
    values += [each for row in data["branches"][0]["solutions"] for each in row["bindings"].values()]
    assert len({id(each["value"]) for each in values if len(each["value"]) == 5_000}) == 1
