from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gtopss.attributes.matchers.predicate_bits import PredicateBits

numbers = st.lists(st.integers(0, 40), unique=True)


@given(st.lists(st.lists(numbers, min_size=1, max_size=3), max_size=4))
def test_bits_are_the_numbers_in_groups(satisfied: list[list[list[int]]]) -> None:
    single = sorted({number for group in satisfied if len(group) == 1 for number in group[0]})
    several = [[sorted(each) for each in group] for group in satisfied if len(group) > 1]
    bits = PredicateBits.of(satisfied, 41)
    assert bits.satisfied() == [[single], *several]
    assert all(len(vector) == 6 for vector in bits)  # 41 predicates in bytes
