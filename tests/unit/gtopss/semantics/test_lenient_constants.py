"""Constants of subscriptions that are read for lenient literals."""

from __future__ import annotations

import pytest
from support.language import only_branch, read

from gtopss.semantics.lenient_constants import read_branch_constants, read_constants, reads_literals


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('?y > "1999"', "?y > 1999"),
        ('"1999" = ?y', "1999 = ?y"),
        ('?y IN ("5", "abc", <urn:x>)', '?y IN (5, "abc", <urn:x>)'),
        ('?y + "1.5" < ABS("-2")', "?y + 1.5 < ABS(-2)"),
        ('!(?y = "5" || CONTAINS(?y, "5"))', '!(?y = 5 || CONTAINS(?y, "5"))'),
        ('IF(?y = "5", "6", "7") = ?y', 'IF(?y = 5, "6", "7") = ?y'),
        ('LCASE(?y) = "5" && sameTerm(?y, "5")', 'LCASE(?y) = 5 && sameTerm(?y, "5")'),
    ],
)
def test_operands_are_read_and_other_constants_stay(written: str, expected: str) -> None:
    branch = only_branch(f"SELECT * {{ ?x :p ?y FILTER({written}) }}")
    assert read_branch_constants(branch) == only_branch(f"SELECT * {{ ?x :p ?y FILTER({expected}) }}")


def test_edges_and_computed_values_stay_and_an_unchanged_subscription_is_the_same() -> None:
    unchanged = read('SELECT * { ?x :p "5" BIND("6" AS ?z) FILTER(?x != <urn:y>) }')
    assert read_constants(unchanged) is unchanged
    made = read_constants(read('SELECT DISTINCT ?z { ?x :p ?y BIND(?y + "6" AS ?z) }'))
    assert made == read("SELECT DISTINCT ?z { ?x :p ?y BIND(?y + 6 AS ?z) }")


def test_which_expressions_lenient_literals_may_change() -> None:
    for text, expected in (("?y > 5", True), ("!(?y = 5)", True), ("CONTAINS(?y, 'x')", False), ("isIRI(?y)", False)):
        (test,) = only_branch(f"SELECT * {{ ?x :p ?y FILTER({text}) }}").constraints()
        assert reads_literals(test) is expected
