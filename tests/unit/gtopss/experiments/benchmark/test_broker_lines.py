from __future__ import annotations

from gtopss.experiments.benchmark.broker_lines import at_least, at_most


def test_a_line_says_whether_its_target_is_met() -> None:
    assert at_least("a", "1/s", 30.0, 10.0, 3.0, "peer").met
    missed = at_least("a", "1/s", 29.0, 10.0, 3.0, "peer")
    assert (missed.ratio, missed.target, missed.met) == (2.9, "3 x peer", False)
    assert at_least("a", "1/s", 30.0, None, 3.0, "peer").met is None
    assert at_most("a", "us", 11.0, 10.0, 1.15, "one").met
    assert not at_most("a", "us", 12.0, 10.0, 1.15, "one").met
