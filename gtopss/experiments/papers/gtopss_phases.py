"""The phases of Figure 9(b), "structure matching phase and constraint evaluation phase", and stage 1 of the algorithm,
without which Figure 9(f) is "the time to calculate all the bindings" (G-ToPSS, section 5).

The matcher joins and tests rows one by one. The phases are therefore measured separately, on the same GM: the structure
phase finds and joins all rows without testing them, and the constraint phase evaluates the constraints of these rows. A
check tests whether they add up to the whole, which also makes the report.

What constraints cost in all (section 6) is the difference from a second GM, which has the same patterns without their
constraints: both make a report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gtopss.experiments.papers.experiment import Curves, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.gtopss_parameter_sweeps import table_for_settings, workload_for_settings
from gtopss.experiments.papers.matcher_comparison import matchers_with_equal_answers, registered_matcher
from gtopss.experiments.timing import time_interleaved
from gtopss.experiments.workloads import Workload
from gtopss.matching.reference import ConstrainedRow, ReferenceMatcher
from gtopss.model import Counters, Subscription
from gtopss.semantics import EvaluationContext

STRUCTURE, CONSTRAINTS = "reference, structure", "reference, constraints"
WITHOUT_CONSTRAINTS = "reference, without constraints"
STAGE_1 = "reference, stage 1"


def measure_phases(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the milliseconds of the matchers on constrained subscriptions, of the reference's two phases, and of the
    reference on the same patterns without constraints."""
    workload = workload_for_settings(
        replace(table_for_settings(settings), subscriptions=int(x), constrained=1.0), settings
    )
    publication = workload.first_publication
    matchers = {each.name: each.matcher for each in matchers_with_equal_answers(("reference", "gm"), workload)}
    tasks: dict[str, Callable[[], object]] = {
        name: partial(matcher.match, publication) for name, matcher in matchers.items()
    }
    reference = matchers["reference"]
    assert isinstance(reference, ReferenceMatcher)
    rows = reference.match_structure(publication)
    unconstrained = registered_matcher(
        "reference", workload.taxonomy, map(_without_constraints, workload.subscriptions())
    )
    tasks[WITHOUT_CONSTRAINTS] = partial(unconstrained.match, publication)
    tasks[STRUCTURE] = partial(reference.match_structure, publication)
    tasks[CONSTRAINTS] = partial(_evaluate, rows, EvaluationContext(publication, workload.taxonomy))
    measured = time_interleaved(tasks, settings.repeats)
    return [Point(name, x, 1e3 * each.minimum, {"rows": len(rows)}) for name, each in measured.items()]


def measure_stage_1(workload: Workload, x: float, rounds: int) -> Point:
    """Measure the milliseconds of the reference's stage 1: fill the tables of the edges that fire, and count them."""
    matcher = ReferenceMatcher(workload.taxonomy)
    for each in workload.subscriptions():
        matcher.add(each)

    def stage_1() -> None:
        matcher.count_edges(matcher.fire(workload.first_publication, Counters()))

    return Point(STAGE_1, x, 1e3 * time_interleaved({STAGE_1: stage_1}, rounds)[STAGE_1].minimum)


def bindings_grow_most(curves: Curves) -> Finding:
    """From the first x to the last, more than half of the growth is not in stage 1, but in the bindings."""
    pairs = curves.pairs("reference", STAGE_1)
    if len(pairs) < 2:
        return Finding(None, "")
    (first, first_stage), (last, last_stage) = pairs[0], pairs[-1]
    growth = last.y - first.y
    share = 1 - (last_stage.y - first_stage.y) / growth if growth > 0 else 0.0
    return Finding(share > 0.5, f"{share:.0%} of the growth")


def phases_add_up(curves: Curves) -> Finding:
    """The two phases together take the time of the whole, within 20% at every x."""
    shares = [
        (structure.y + constraints.y) / whole.y
        for (structure, constraints), (whole, _) in zip(
            curves.pairs(STRUCTURE, CONSTRAINTS), curves.pairs("reference", STRUCTURE), strict=True
        )
    ]
    if not shares:
        return Finding(None, "")
    off = max(abs(share - 1) for share in shares)
    return Finding(off <= 0.2, f"{min(shares):.0%} to {max(shares):.0%} of the whole")


def _without_constraints(subscription: Subscription) -> Subscription:
    return Subscription(subscription.id, [edge for branch in subscription.branches for edge in branch.edges()])


def _evaluate(rows: Sequence[ConstrainedRow], context: EvaluationContext) -> None:
    for tests, values in rows:
        all(test.holds(values, context) for test in tests)
