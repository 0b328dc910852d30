"""Measure what joins could gain that overlapping patterns share (G-ToPSS, section 6).

"Furthermore, we are currently examining ways of doing natural join for overlapping subscriptions in a way that takes
advantage of the overlap." The default matcher joins equal patterns once, and patterns that overlap in part each by
itself. This experiment estimates what sharing could save, on a workload that is made for it: all patterns begin with
the same two edges, no edge has a constant, and every table is long:

    (?x p ?y), (?y q ?z), (?z r_i ?w)

"With sharing" is the sum of two measured times: the join of the common part alone, once, and the search of patterns in
which this part is one edge, (?row pq ?z), with a triple for each of its rows. The sum is an estimate: it includes the
look-up of these triples, and does not include the search for common parts and the storage of their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.timing import time_interleaved
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT
from gtopss.model import Publication, Subscription
from gtopss.model.terms import Triple
from ontology import Taxonomy

SUBSCRIPTIONS = 2_000
NODES = 24
"""Nodes in each of the four layers: every edge of a pattern has a table of so many rows, one triple from each node."""
COPIES = 64
"""Copies of the publication that one search gets."""
SEPARATE, SHARED = "each pattern by itself", "with sharing, estimated"
SEPARATE_IDS, SHARED_IDS = f"{SEPARATE}, ids", f"{SHARED}, ids"


class _Case(NamedTuple):
    """The same question with and without the common part joined in advance."""

    subscriptions: list[Subscription]
    publication: Publication


def _edge(layer: str, node: int, property: str, to: str, other: int) -> Triple:
    return f"<urn:{layer}{node}>", f"<urn:{property}>", f"<urn:{to}{other}>"  # type: ignore[return-value]


def _cases(fired: int) -> tuple[_Case, _Case, _Case]:
    """Return the patterns as written, the common part alone, and the patterns with the common part as one edge."""
    common = [_edge("x", n, "p", "y", n % 4) for n in range(NODES)] + [
        _edge("y", n % 4, "q", "z", n) for n in range(NODES)
    ]
    rest = [_edge("z", n, f"r{number}", "w", n) for number in range(fired) for n in range(NODES)]
    joined = [
        _edge("row", number, "pq", "z", z)
        for number, (x, z) in enumerate((x, z) for x in range(NODES) for z in range(NODES) if x % 4 == z % 4)
    ]
    first, second = ("?x", "<urn:p>", "?y"), ("?y", "<urn:q>", "?z")
    written = [
        Subscription(f"s{number}", [first, second, ("?z", f"<urn:r{number}>", "?w")]) for number in range(SUBSCRIPTIONS)
    ]
    shortened = [
        Subscription(f"s{number}", [("?row", "<urn:pq>", "?z"), ("?z", f"<urn:r{number}>", "?w")])
        for number in range(SUBSCRIPTIONS)
    ]
    return (
        _Case(written, Publication("written", common + rest)),
        _Case([Subscription("common", [first, second])], Publication("common", common)),
        _Case(shortened, Publication("shortened", joined + rest)),
    )


def _matcher(case: _Case) -> IndexMatcher:
    matcher = IndexMatcher(Taxonomy())
    for subscription in case.subscriptions:
        matcher.add(subscription)
    matcher.optimise()
    return matcher


def _measure(x: float, settings: ExperimentSettings) -> list[Point]:
    cases = _cases(int(x))
    matchers = [_matcher(case) for case in cases]
    found = [matcher.match(case.publication) for matcher, case in zip(matchers, cases, strict=True)]
    rows = [{match.subscription_id: len(match.solutions) for match in report} for report in found]
    require_equal_answers({"written": rows[0], "shortened": rows[2]}, f"{x:g} patterns that fire")
    tasks: dict[str, Callable[[], object]] = {}
    for name, matcher, case in zip(("written", "common", "shortened"), matchers, cases, strict=True):
        copies = [case.publication.replace(id=f"copy {number}") for number in range(COPIES)]
        tasks[name] = matcher.encoded_search(copies, DEFAULT_ROW_LIMIT)
        tasks[f"{name}, ids"] = matcher.encoded_search(copies, 0)
    times = {name: 1e6 * each.minimum / COPIES for name, each in time_interleaved(tasks, settings.repeats).items()}
    shared = times["common"] + times["shortened"]
    shared_ids = times["common, ids"] + times["shortened, ids"]
    solutions = {"solutions": float(sum(rows[0].values()))}
    return [
        Point(SEPARATE, x, times["written"], solutions),
        Point(SHARED, x, shared, solutions),
        Point(SEPARATE_IDS, x, times["written, ids"], solutions),
        Point(SHARED_IDS, x, shared_ids, solutions),
    ]


def _gain_at_most(separate: str, shared: str, most: float) -> Callable[[Curves], Finding]:
    """Sharing saves at most this share of the time at every x."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(separate, shared)
        if not pairs:
            return Finding(None, "")
        saved = [1 - after.y / before.y for before, after in pairs]
        shown = ", ".join(f"{each:.0%} at {before.x:g}" for each, (before, _) in zip(saved, pairs, strict=True))
        return Finding(max(saved) <= most, f"saved: {shown}")

    return holds


def _gain_at_least(separate: str, shared: str, least: float) -> Callable[[Curves], Finding]:
    """Sharing saves at least this share of the time at the largest x."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(separate, shared)
        if not pairs:
            return Finding(None, "")
        saved = 1 - pairs[-1][1].y / pairs[-1][0].y
        return Finding(saved >= least, f"{saved:.0%} at {pairs[-1][0].x:g}")

    return holds


def _fired(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((1, 10), (1, 2, 5, 10, 20)) if settings.data == "synthetic" else ()


SHARED_JOINS = Experiment(
    name="gtopss-shared-joins",
    paper=citations.GTOPSS,
    figure="Section 6",
    title="joins of overlapping patterns, by patterns that fire",
    paper_says="we are currently examining ways of doing natural join for overlapping subscriptions in a way that "
    "takes advantage of the overlap.",
    x_label="overlapping patterns that fire",
    y_label="µs per publication, search alone",
    scale="linear",
    shown_measurements=("solutions",),
    curves=(SEPARATE, SHARED, SEPARATE_IDS, SHARED_IDS),
    xs=_fired,
    measure=_measure,
    parameters={"subscriptions": SUBSCRIPTIONS, "rows per table": NODES},
    checks=(
        Check(
            "ours: where all rows are needed, sharing could save a tenth or more at the largest x",
            _gain_at_least(SEPARATE, SHARED, 0.1),
        ),
        Check(
            "ours: where ids are enough, sharing could save at most a tenth",
            _gain_at_most(SEPARATE_IDS, SHARED_IDS, 0.1),
        ),
    ),
)
