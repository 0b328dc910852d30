from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from gtopss.spark.jobs.report import report_page
from gtopss.spark.jobs.report_data import MAX_LISTED_ROWS, MatchedItem, ReportData

ITEMS = (
    MatchedItem("s", "A <title>", "https://a.example/?b=1&c", datetime(2026, 1, 2, 3, 4)),
    MatchedItem("s", "no link", None, None),
)
NOTHING = ReportData((), (), (), "day", (), ())


def test_texts_are_escaped() -> None:
    data = replace(NOTHING, by_subscription=(("$s_1$", 3),), by_source=(("<script>", 3),), errors=(("<b>", "<i>", ""),))
    page = report_page(data, {"<u>": "<s>"}, title="<em>")
    assert not any(tag in page for tag in ("<script>", "<b>", "<i>", "<u>", "<s>", "<em>"))
    assert "$s_1$" in page


def test_each_section_has_a_plot_or_says_that_there_is_nothing() -> None:
    assert report_page(NOTHING, {}).count('class="none"') == 6
    moments = ((datetime(2026, 1, 1), 4), (datetime(2026, 1, 2), 5))
    full = ReportData(
        (("s", 9),), (("feed", 9),), moments, "day", (("reading", 10.0),), (("s", "no", "line 1"),), ITEMS
    )
    page = report_page(full, {"publications": 12345, "seconds": 1.25})
    assert page.count("<svg") == 4
    assert 'class="none"' not in page
    assert "by day of publication" in page
    assert "12,345" in page


def test_matched_items_have_their_titles_and_links() -> None:
    page = report_page(replace(NOTHING, items=ITEMS), {})
    assert '<a href="https://a.example/?b=1&amp;c" rel="noreferrer">A &lt;title&gt;</a>' in page
    assert "<td>no link</td>" in page
    assert "2026-01-02 03:04" in page


def test_a_time_without_matches_stays_empty() -> None:
    """Two years with a gap are two columns, and nothing joins them."""
    both = ((datetime(2003, 1, 1), 4), (datetime(2020, 1, 1), 5))
    pages = [report_page(replace(NOTHING, over_time=both[:count], time_unit="year"), {}) for count in (1, 2)]
    columns = [page.count('<g id="patch_') for page in pages]
    assert columns[1] == columns[0] + 1


def test_a_page_loads_nothing_and_is_the_same_each_time() -> None:
    page = report_page(replace(NOTHING, by_source=(("feed", 9),)), {})
    assert "default-src 'none'" in page
    assert page == report_page(replace(NOTHING, by_source=(("feed", 9),)), {})


def test_a_list_of_errors_that_was_cut_says_so() -> None:
    errors = (("s", "no", ""),) * MAX_LISTED_ROWS
    assert f"the first {MAX_LISTED_ROWS}" in report_page(replace(NOTHING, errors=errors), {})
