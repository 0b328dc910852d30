"""Every matcher against naive, and naive against pyoxigraph's and rdflib's SPARQL, bindings included.

A case is a taxonomy, up to four subscriptions and a publication. The share of cases in which something matches is
asserted too: a generator whose patterns never match would prove nothing. Naive answers the subscriptions as written,
the engine after normalising them, so that the normaliser is compared too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from conftest import SOAK
from hypothesis import given, settings
from support.answers import ask, ask_directly
from support.matchers import every_matcher
from support.strategies import CANONICAL, LITERALS, Case, cases

from gtopss.model import Term


def compare(matcher: str, literals: list[Term], examples: int, ask: Any = ask) -> None:
    """The matcher gives naive's answers on so many generated cases, a fifth or more of which match something."""
    tally: Counter[str] = Counter()

    @settings(max_examples=examples * (250 if SOAK else 1))
    @given(cases(literals))
    def agrees(case: Case) -> None:
        expected = ask_directly("naive", case.taxonomy, case.subscriptions, case.publication)
        assert ask(matcher, case.taxonomy, case.subscriptions, case.publication) == expected
        tally["cases"] += 1
        tally["matching"] += bool(expected)

    agrees()
    assert tally["cases"] >= examples
    assert tally["matching"] >= 0.2 * tally["cases"], tally


@pytest.mark.parametrize("matcher", every_matcher("agreement"))
def test_agrees_with_naive(matcher: str) -> None:
    compare(matcher, LITERALS, 300)


def test_oxigraph_agrees_with_naive() -> None:
    """Over canonical literals only: Oxigraph's store rewrites others ("01" to "1", xsd:byte to xsd:integer)."""
    compare("sparql", CANONICAL, 300, ask_directly)


def test_rdflib_agrees_with_naive() -> None:
    compare("sparql-rdflib", LITERALS, 60, ask_directly)
