"""Compatible solutions: the definitions of section 18.5, checked by their own words on random tables."""

from __future__ import annotations

import random

import pytest

from gtopss.algebra import Dataset
from gtopss.algebra.evaluation import Evaluation, Row
from gtopss.algebra.joins import are_compatible, difference, join, left_join
from gtopss.algebra.results import start_evaluation
from gtopss.model import Publication, Term
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from ontology import Taxonomy

NAMES = [Term(f"?{name}") for name in "abc"]
VALUES = [Term(f"<urn:{number}>") for number in range(3)]


def evaluation(work: int = 10_000_000) -> Evaluation:
    context = EvaluationContext(Publication("p", []), Taxonomy(), EvaluationLimits(work=work))
    return start_evaluation(context, Dataset([]))


def table(chance: random.Random) -> list[Row]:
    """Solutions in which some variables have no value."""
    return [
        {name: chance.choice(VALUES) for name in NAMES if chance.random() < 0.6} for _ in range(chance.randrange(6))
    ]


def as_sets(rows: list[Row]) -> list[list[tuple[Term, Term]]]:
    return sorted(sorted(row.items()) for row in rows)


def agree(one: Row, other: Row) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys())


@pytest.mark.parametrize("seed", range(30))
def test_joins_follow_their_definitions(seed: int) -> None:
    chance = random.Random(seed)
    left, right = table(chance), table(chance)
    state = evaluation()
    pairs = [{**one, **other} for one in left for other in right if agree(one, other)]
    assert as_sets(list(join(left, right, state))) == as_sets(pairs)
    alone = [one for one in left if not any(agree(one, other) for other in right)]
    assert as_sets(list(left_join(left, right, None, state))) == as_sets(pairs + alone)
    kept = [one for one in left if not any(agree(one, other) and one.keys() & other.keys() for other in right)]
    assert as_sets(list(difference(left, right, state))) == as_sets(kept)


def test_a_condition_of_a_left_join_decides_which_pairs_count() -> None:
    left, right = [{NAMES[0]: VALUES[0]}], [{NAMES[1]: VALUES[0]}, {NAMES[1]: VALUES[1]}]
    state = evaluation()
    found = list(left_join(left, right, lambda row: row[NAMES[1]] == VALUES[1], state))
    assert found == [{NAMES[0]: VALUES[0], NAMES[1]: VALUES[1]}]
    assert list(left_join(left, right, lambda row: False, state)) == left


def test_compatible_solutions_agree_where_both_have_a_value() -> None:
    a, b, _ = NAMES
    assert are_compatible({a: VALUES[0]}, {b: VALUES[1]})
    assert are_compatible({}, {a: VALUES[0]})
    assert not are_compatible({a: VALUES[0], b: VALUES[1]}, {a: VALUES[1]})


def test_a_product_ends_at_the_work_limit() -> None:
    left = [{NAMES[0]: Term(f"<urn:{number}>")} for number in range(100)]
    right = [{NAMES[1]: Term(f"<urn:{number}>")} for number in range(100)]
    with pytest.raises(BudgetExceeded):
        list(join(left, right, evaluation(work=10_000)))
