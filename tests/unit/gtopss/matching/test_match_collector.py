"""Matches of one publication: what is found before a limit or an error is reported, and said to be some of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gtopss.matching.match_collector import EngineFailure, MatchCollector
from gtopss.model import Counters, Exceeded, Publication, Solution, Subscription, Term, Undecided
from gtopss.semantics import BudgetExceeded, EvaluationContext
from ontology import Taxonomy

SUBSCRIPTION = Subscription("s", [("?x", "<urn:p>", "?y")])
CONTEXT = EvaluationContext(Publication("p", []), Taxonomy())


def solutions(count: int, error: Exception | None = None) -> Iterator[Solution]:
    for number in range(count):
        yield Solution(SUBSCRIPTION.branches[0], (Term(f"<urn:{number}>"), Term("<urn:y>")))
    if error is not None:
        raise error


@pytest.mark.parametrize(("found", "row_limit", "truncated"), [(2, 5, False), (2, 1, True), (2, 0, False)])
def test_all_solutions_up_to_the_row_limit(found: int, row_limit: int, truncated: bool) -> None:
    collector = MatchCollector(CONTEXT, row_limit)
    collector.add(SUBSCRIPTION, solutions(found))
    (match,) = report = collector.report(Counters())
    assert (len(match.solutions), match.truncated) == (min(found, row_limit), truncated)
    assert (report.exceeded, report.undecided, report.counters.matched) == ((), (), 1)


def test_a_limit_ends_one_subscription_and_its_match_is_truncated() -> None:
    collector = MatchCollector(CONTEXT, 5)
    collector.add(SUBSCRIPTION, solutions(2, BudgetExceeded("row_text_limit", 7)))
    collector.add(Subscription("other", [("?x", "<urn:p>", "?y")]), solutions(1))
    report = collector.report(Counters())
    assert report.exceeded == (Exceeded("s", 7, "row_text_limit"),)
    assert [(each.subscription_id, each.truncated) for each in report] == [("s", True), ("other", False)]
    assert str(report.exceeded[0]) == (
        "matching stopped at row_text_limit, after 7 characters: it may match, or have more solutions"
    )


def test_a_match_that_is_complete_up_to_the_row_limit_did_not_exceed_anything() -> None:
    collector = MatchCollector(CONTEXT, 1)
    collector.add(SUBSCRIPTION, solutions(2, BudgetExceeded("work_limit", 7)))
    assert collector.report(Counters()).exceeded == ()


def test_an_engine_that_fails_leaves_the_subscription_undecided() -> None:
    collector = MatchCollector(CONTEXT, 5)
    collector.add(SUBSCRIPTION, solutions(0, EngineFailure("error: no")))
    report = collector.report(Counters())
    assert (report.matches, report.undecided) == ((), (Undecided("s", ("error: no",)),))
