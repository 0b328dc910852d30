"""Explanations as data."""

from __future__ import annotations

from support.explanations import A, B, P, X, Y

from gtopss.explain import (
    Explanation,
    explain,
)
from gtopss.model import Publication, Subscription
from ontology import Taxonomy


def test_equal_inputs_have_equal_explanations() -> None:
    """Frozen data: comparable, and hashable."""
    one, other = (explain(Subscription("s", [(X, P, Y)]), Publication("p", [(A, P, B)]), Taxonomy()) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one, Explanation)
