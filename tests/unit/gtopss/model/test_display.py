"""How publications and reports show themselves in a REPL and in a notebook."""

from __future__ import annotations

import pytest

from gtopss import Engine, MatchReport, Publication
from gtopss.errors import MalformedPublication
from gtopss.model.display import MAX_SHOWN_ROWS

HOSTILE = "<script>alert(1)</script>\x1b[31m"


@pytest.fixture(params=["gm", "naive"])
def report(request: pytest.FixtureRequest) -> MatchReport:
    engine = Engine(matcher=request.param)
    engine.add("SELECT ?x ?y { ?x <urn:p> ?y }", id=HOSTILE)
    return engine.match([("<urn:a>", "<urn:p>", 5), ("<urn:a>", "<urn:p>", f'"{HOSTILE[:25]}"')], id="p")


def test_a_report_is_one_line_and_a_table(report: MatchReport) -> None:
    assert repr(report) == "<MatchReport of 'p': 1 match ('<script>alert(1)</script>\\u001B[31m')>"
    shown = report._repr_html_()
    assert "?x = &lt;urn:a&gt;, ?y = 5" in shown
    assert "<script" not in shown
    assert "\x1b" not in shown


def test_a_report_without_matches_and_one_with_an_error() -> None:
    assert repr(MatchReport("p", ())) == "<MatchReport of 'p': 0 matches>"
    failed = MatchReport("p", (), error=MalformedPublication("this is not Turtle"))
    assert "this is not Turtle" in repr(failed)
    assert "<table" not in failed._repr_html_()


def test_a_publication_is_one_line_and_a_table() -> None:
    many = [(f"<urn:{number}>", "<http://purl.org/rss/1.0/title>", f'"{HOSTILE[:25]}"') for number in range(30)]
    publication = Publication("p", many, source="a feed")
    assert repr(publication) == "<Publication 'p' from 'a feed': 30 triples>"
    shown = publication._repr_html_()
    assert shown.count("<tr>") == MAX_SHOWN_ROWS + 1
    assert "and 10 more" in shown
    assert "rss:title" in shown
    assert "<script" not in shown


def test_the_solutions_of_a_report_are_a_table(report: MatchReport) -> None:
    frame = report.to_dataframe()
    assert list(frame.columns) == ["publication", "subscription", "?x", "?y"]
    assert set(frame["?y"]) == {5, HOSTILE[:25]}
    assert set(report.to_arrow().column("?x").to_pylist()) == {"<urn:a>"}
    empty = MatchReport("p", ())
    assert list(empty.to_dataframe().columns) == empty.to_arrow().column_names == ["publication", "subscription"]
