"""The Table 1 workload with real data; `test_gtopss_table1.py` tests what both kinds of data share."""

from __future__ import annotations

from gtopss.experiments.workloads.gtopss_table1_real import shipped_publications


def test_shipped_publications_are_more_than_a_thousand() -> None:
    assert len(shipped_publications()) > 1_000
