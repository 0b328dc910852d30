"""The one list of matchers for every suite that compares them with an oracle, built from `MATCHERS`.

A new matcher takes part in all suites without a change. What it cannot do is listed in `EXCEPTIONS` with a reason.
`gm-batch` is the index again, asked for batches in several threads, whose arrays are read.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import pytest

from gtopss import MATCHERS
from support.batch_matcher import BatchIndexMatcher

MATCHERS.setdefault(BatchIndexMatcher.name, BatchIndexMatcher)  # the index once more, through arrays and threads

Suite: TypeAlias = Literal["contract", "agreement", "language", "many rows", "odd values", "paper", "stateful", "w3c"]

_REWRITES = "Oxigraph's store rewrites literals (01 to 1, xsd:byte to xsd:integer)"
_TWIN = "the oracle of this suite is the same program"

EXCEPTIONS: dict[tuple[Suite, str], pytest.MarkDecorator] = {
    ("agreement", "naive"): pytest.mark.skip(reason=_TWIN),
    ("agreement", "sparql"): pytest.mark.skip(reason=f"{_REWRITES}: compared over canonical literals by its own test"),
    ("agreement", "sparql-rdflib"): pytest.mark.skip(reason="slow: compared on fewer cases by its own test"),
    ("many rows", "naive"): pytest.mark.skip(reason="takes minutes for a million rows"),
    ("many rows", "ops"): pytest.mark.skip(reason="takes minutes for a million rows"),
    ("many rows", "vf2"): pytest.mark.skip(reason="takes minutes for a million rows"),
    ("many rows", "sparql-rdflib"): pytest.mark.skip(reason="takes minutes for a million rows"),
    ("stateful", "sparql"): pytest.mark.skip(reason=_REWRITES),
    ("stateful", "sparql-rdflib"): pytest.mark.skip(reason="slow: takes many minutes for the runs of a state machine"),
    ("odd values", "sparql-rdflib"): pytest.mark.skip(reason="rdflib raises on numbers of many digits"),
}

SLOW_MATCHERS = {"sparql-rdflib"}
"""Matchers that get fewer generated examples."""


def every_matcher(suite: Suite) -> list[Any]:
    """Return all matchers as pytest parameters, the exceptions of a suite marked with their reason."""
    return [
        pytest.param(name, marks=[EXCEPTIONS[suite, name]] if (suite, name) in EXCEPTIONS else []) for name in MATCHERS
    ]


def matcher_names(suite: Suite) -> list[str]:
    """Return the names of the matchers that have no exception in this suite."""
    return [name for name in MATCHERS if (suite, name) not in EXCEPTIONS]
