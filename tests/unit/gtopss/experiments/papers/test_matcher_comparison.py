"""Matchers are compared before they are timed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gtopss.experiments.answer_agreement import Disagreement
from gtopss.experiments.papers import matcher_comparison
from gtopss.experiments.papers.matcher_comparison import matchers_with_equal_answers
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.matching.table import MATCHERS
from gtopss.model import MatchReport, Publication
from ontology import Taxonomy


def test_a_matcher_with_wrong_answers_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def liar(taxonomy: Taxonomy) -> object:
        matcher = MATCHERS["reference"](taxonomy)

        def match(publication: Publication, row_limit: int = 0) -> MatchReport:
            return MatchReport(publication.id, ())

        monkeypatch.setattr(matcher, "match", match)
        return matcher

    monkeypatch.setitem(matcher_comparison.EXPERIMENTAL_MATCHERS, "liar", liar)
    workload = synthetic_table1(replace(GtopssTable1(), subscriptions=50, matching=0.1))
    assert [each.name for each in matchers_with_equal_answers(("reference", "nobody", "ops"), workload)] == [
        "reference",
        "ops",
    ]
    with pytest.raises(Disagreement, match="liar and reference"):
        matchers_with_equal_answers(("reference", "liar"), workload)
