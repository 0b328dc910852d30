"""Figure 9(b)'s split: "The time to match a publication is split between structure matching phase and constraint
evaluation phase" (G-ToPSS, section 5).

It is measured from outside, since nothing in the matcher marks where one phase ends and the other begins: rows are
joined and checked one by one. The structure phase is matching the same patterns without their constraints; the
constraint phase is asking the constraints of every row that came out of it. A check says whether the two make up the
whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import TypeAlias

from gtopss.experiments.papers.agreement import take_turns
from gtopss.experiments.papers.contenders import enter, registered
from gtopss.experiments.papers.experiment import Curves, Finding, Point, Scale
from gtopss.experiments.papers.table1 import table_of, workload_of
from gtopss.model import MatchReport, Subscription, Term
from gtopss.semantics import CompiledTest, EvaluationContext, compile_expressions

STRUCTURE, CONSTRAINTS = "reference, structure", "reference, constraints"
Question: TypeAlias = tuple[tuple[CompiledTest, ...], dict[Term, Term]]


def phases(x: float, scale: Scale) -> list[Point]:
    """Milliseconds of the matchers on constrained subscriptions, and of the reference's two phases."""
    workload = workload_of(replace(table_of(scale), subscriptions=int(x), constrained=1.0), scale)
    tasks: dict[str, Callable[[], object]] = {
        each.name: partial(each.matcher.match, workload.publication) for each in enter(("reference", "gm"), workload)
    }
    bare = [Subscription(each.id, each.branches[0].edges()) for each in workload.subscriptions]
    structure = registered("reference", workload.taxonomy, bare)
    questions = _questions(structure.match(workload.publication), workload.subscriptions)
    tasks[STRUCTURE] = partial(structure.match, workload.publication)
    tasks[CONSTRAINTS] = partial(_ask, questions, EvaluationContext(workload.publication, workload.taxonomy))
    measured = take_turns(tasks, scale.repeats)
    return [Point(name, x, 1e3 * each.least, {"rows": len(questions)}) for name, each in measured.items()]


def phases_add_up(curves: Curves) -> Finding:
    shares = [
        (structure.y + constraints.y) / whole.y
        for (structure, constraints), (whole, _) in zip(
            curves.pairs(STRUCTURE, CONSTRAINTS), curves.pairs("reference", STRUCTURE), strict=True
        )
    ]
    if not shares:
        return Finding(None, "")
    return Finding(abs(mean(shares) - 1) <= 0.2, f"{mean(shares):.0%} of the whole")


def _questions(matched: MatchReport, subscriptions: Sequence[Subscription]) -> list[Question]:
    """The constraints of each row that the structure phase lets through, with its values."""
    branches = {each.id: each.branches[0] for each in subscriptions}
    tests = {match.subscription_id: compile_expressions("", branches[match.subscription_id]).tests for match in matched}
    return [(tests[match.subscription_id], each.values()) for match in matched for each in match.solutions]


def _ask(questions: Sequence[Question], scope: EvaluationContext) -> None:
    for tests, values in questions:
        all(test.holds(values, scope) for test in tests)
