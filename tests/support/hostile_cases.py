"""Run generated hostile cases, in a process that may use little memory and time.

    python -m support.hostile_cases           run each seed that is read from stdin, and print what happened, as JSON
    python -m support.hostile_cases SEED      print the case of a seed, and run it

A case is a few subscriptions and documents. The kernel kills the process when a case takes too long; nothing else could
stop native code.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from gtopss import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport
from support.hostile_publications import TAXONOMIES, Document, document, taxonomy
from support.hostile_queries import crowd, query

MEMORY_BYTES = 2 * 2**30
CASE_SECONDS = 10.0
"""CPU time for one case, which other processes on the machine do not change."""
GOOD = b"<urn:good> <urn:good> <urn:good> .\n"


class Case(NamedTuple):
    """Subscriptions, documents, and how the engine is set up."""

    queries: list[str]
    documents: list[Document]
    taxonomy: int
    allow_cartesian: bool
    entailment: bool
    explained: bool


def make_case(seed: int) -> Case:
    """Return the case of a seed."""
    chance = random.Random(seed)
    return Case(
        crowd(chance) if chance.random() < 0.1 else [query(chance) for _ in range(chance.choice((1, 1, 2, 4)))],
        [document(chance) for _ in range(chance.choice((1, 1, 2)))],
        chance.randrange(TAXONOMIES),
        chance.random() < 0.5,
        chance.random() < 0.2,
        chance.random() < 0.2,
    )


def run_case(case: Case) -> dict[str, Any]:
    """Add the subscriptions, match the documents and read all that the reports hold. Return counts.

    A subscription or document may be refused. Whatever happens, a harmless subscription and document beside them match.
    """
    engine = Engine(
        taxonomy=taxonomy(case.taxonomy),
        allow_cartesian=case.allow_cartesian,
        entailment="rdfs" if case.entailment else None,
    )
    refused = 0
    for number, text in enumerate(case.queries):
        try:
            engine.add(text, id=f"s{number}")
        except GtopssError:
            refused += 1
    engine.add("ASK { ?x <urn:good> ?x }", id="good")
    found = errors = exceeded = 0
    for data, format in case.documents:
        if format in ("xml", "json-ld"):
            (hostile,), good = engine.match_many([data], format), engine.match(GOOD, "nt")
        else:
            hostile, good = engine.match_many([data, GOOD], format)
        assert "good" in good.subscription_ids, "the harmless subscription does not match"
        found += _read(hostile)
        errors += hostile.error is not None
        exceeded += len(hostile.exceeded)
        if case.explained:
            with suppress(GtopssError):
                explanation = engine.explain(data, "s0", format)
                len(str(explanation))
                len(json.dumps(explanation.to_json()))
    return {"refused": refused, "errors": errors, "exceeded": exceeded, "rows": found}


def _read(report: MatchReport) -> int:
    """Read the matches as callers do, and return the number of their rows."""
    rows = 0
    for match in report:
        rows += len(match.bindings)
    for data in report.matches_to_json():
        len(json.dumps(data))
    len(str(report.error))
    return rows


def _peak_bytes() -> int:
    """Return the largest address space that this process has had."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmPeak")).split()[1]) * 1024


def serve() -> None:
    """Run the seeds from stdin, one per line, and print one line for each."""
    Engine().match(GOOD, "nt")  # compiles or loads the kernels, before the limits apply
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)  # at its end, SIGPROF kills this process
        before = resource.getrusage(resource.RUSAGE_SELF)
        try:
            outcome = run_case(make_case(int(line)))
        except BaseException as error:
            outcome = {"failure": f"{type(error).__name__}: {str(error)[:200]}"}
        signal.setitimer(signal.ITIMER_PROF, 0)
        after = resource.getrusage(resource.RUSAGE_SELF)
        outcome["seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        outcome["peak_bytes"] = _peak_bytes()
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        serve()
    else:
        made = make_case(int(sys.argv[1]))
        for text in made.queries[:20]:
            print(text[:2_000])
        for data, format in made.documents:
            print(format, len(data), repr(data[:500]))
        print(made[2:])
        print(run_case(made))
