"""The radix sort of savings."""

from __future__ import annotations

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.operators.kernels.chain_order import sort_descending


@given(st.lists(st.sampled_from([1e-300, 0.5, 0.5, 1.0, 1.5, 2.0, 3e200]) | st.floats(1e-320, 1e300), max_size=50))
@settings(max_examples=100, deadline=None)
def test_savings_are_sorted_as_numpy_does(saved: list[float]) -> None:
    numbers = numpy.array(saved, numpy.float64)
    assert sort_descending(numbers).tolist() == numpy.argsort(-numbers, kind="stable").tolist()
