from __future__ import annotations

from gtopss import Engine
from gtopss.experiments.benchmark.whole_queries import measure_whole_queries
from gtopss.experiments.workloads.whole_queries import half_whole_queries, only_patterns


def test_half_of_the_subscriptions_are_whole_queries_and_the_others_the_same() -> None:
    whole, plain = (list(each(60).subscriptions()) for each in (half_whole_queries, only_patterns))
    assert sum(each.query is not None for each in whole) == 30
    assert all(each.query is None for each in plain)
    assert [each.branches for each in whole[1::2]] == [each.branches for each in plain[1::2]]
    assert [len(each.branches[0].edges()) for each in whole] == [len(each.branches[0].edges()) for each in plain]


def test_fewer_match_with_not_exists_and_having() -> None:
    matched = []
    for workload in (half_whole_queries(300), only_patterns(300)):
        engine = Engine(matcher="naive")
        engine.add_many(workload.subscriptions())
        reports = engine.match_many(workload.publications(12), bindings=False)
        matched.append({(report.publication_id, id) for report in reports for id in report.subscription_ids})
    assert matched[0] < matched[1]


def test_times_are_measured() -> None:
    found = measure_whole_queries("naive", 30, items=5)
    assert min(found.ids_us, found.plain_ids_us, found.rows_us, found.plain_rows_us) > 0
