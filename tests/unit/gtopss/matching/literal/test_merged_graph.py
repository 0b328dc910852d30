"""GM from subscriptions: bounds that the kernels may test, and the numbers of terms."""

from __future__ import annotations

import math

import pytest

from gtopss.matching.literal.merged_graph import GraphDepartures, build_graph, integer_value
from gtopss.model import Branch, Term
from gtopss.model.expressions import compare
from gtopss.model.terms import term


@pytest.mark.parametrize(
    ("sign", "low", "high"),
    [("<", -math.inf, 4), ("<=", -math.inf, 5), ("=", 5, 5), (">=", 5, math.inf), (">", 6, math.inf)],
)
def test_comparisons_with_integers_become_bounds(sign: str, low: float, high: float) -> None:
    built = build_graph([Branch([("?x", "<urn:p>", "?y", [], [compare("y", sign, 5)])])], GraphDepartures())
    assert built.arrays.bounds.tolist() == [[low, high]]
    assert built.columns[0][built.arrays.bound_columns[0]] == "?y"


@pytest.mark.parametrize("bound", [1.5, '"5"', 10**16, "<urn:a>"])
def test_other_comparisons_are_left_to_python(bound: object) -> None:
    branch = Branch([("?x", "<urn:p>", "?y", [], [compare("y", ">", bound)])])  # type: ignore[arg-type]
    assert not build_graph([branch], GraphDepartures()).has_bounds


def test_only_short_integers_have_values() -> None:
    assert integer_value(term(-7)) == -7
    assert math.isnan(integer_value(term(1.5)))
    assert math.isnan(integer_value(term(10**15)))
    assert math.isnan(integer_value(Term('"7"')))


def test_figure_7_has_one_pair_with_two_labels() -> None:
    branches = [Branch([("<urn:A>", "<urn:a>", "<urn:B>")]), Branch([("<urn:A>", "<urn:a>", "<urn:B>")])]
    branches.append(Branch([("<urn:A>", "<urn:b>", "<urn:B>"), ("?x", "<urn:a>", "?y")]))
    arrays = build_graph(branches, GraphDepartures()).arrays
    assert (arrays.pairs[:, 2] >= 0).sum() == 2
    assert sorted(arrays.subs.tolist()) == [0, 1, 2, 2]
    assert arrays.star_pairs.tolist() == [[-1, -2]]
