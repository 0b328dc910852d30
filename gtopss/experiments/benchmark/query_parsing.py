"""Measure parsing and lowering of a subscription's text, against rdflib's parser on the same text, in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from rdflib.plugins.sparql import prepareQuery

from gtopss.language import subscription_from_text

TEXT = """PREFIX bib: <http://example.org/bib#>
SELECT ?paper ?year WHERE {
    ?paper bib:author "Arno Jacobsen" ;
           bib:conference ?conference .
    ?conference bib:year ?year .
    FILTER (?year > 1999)
    FILTER (?conference = bib:SIGMOD || ?conference = bib:VLDB)
}"""


def measure_query_parsing(rounds: int = 7) -> dict[str, Any]:
    """Measure microseconds per text: medians of alternating rounds, so that other load affects both."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_microseconds(lambda: subscription_from_text(TEXT, "s"), 200))
        theirs.append(_microseconds(lambda: prepareQuery(TEXT), 5))
    our_us, their_us = statistics.median(ours), statistics.median(theirs)
    return {"parse_and_lower_us": our_us, "rdflib_prepareQuery_us": their_us, "ratio": their_us / our_us}


def _microseconds(function: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        function()
    return 1e6 * (time.perf_counter() - started) / times
