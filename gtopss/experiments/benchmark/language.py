"""Reading a subscription's text: parse and lower, against rdflib's parser on the same text, in one run."""

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


def compare_readers(rounds: int = 7) -> dict[str, Any]:
    """Microseconds a text, medians of alternating rounds, so that a noisy neighbour troubles both."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_time(lambda: subscription_from_text(TEXT, "s"), 200))
        theirs.append(_time(lambda: prepareQuery(TEXT), 5))
    mine, his = statistics.median(ours), statistics.median(theirs)
    return {"parse_and_lower_us": mine, "rdflib_prepareQuery_us": his, "ratio": his / mine}


def _time(function: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        function()
    return 1e6 * (time.perf_counter() - started) / times
