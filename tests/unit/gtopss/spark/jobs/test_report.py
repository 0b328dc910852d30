from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from gtopss.spark.jobs.report import report_page
from gtopss.spark.jobs.report_data import MAX_LISTED_ROWS, ReportData

NOTHING = ReportData((), (), (), "day", (), ())


def test_texts_are_escaped() -> None:
    data = replace(NOTHING, by_subscription=(("$s_1$", 3),), by_source=(("<script>", 3),), errors=(("<b>", "<i>", ""),))
    page = report_page(data, {"<u>": "<s>"}, title="<em>")
    assert not any(tag in page for tag in ("<script>", "<b>", "<i>", "<u>", "<s>", "<em>"))
    assert "$s_1$" in page


def test_each_section_has_a_plot_or_says_that_there_is_nothing() -> None:
    assert report_page(NOTHING, {}).count('class="none"') == 5
    moments = ((datetime(2026, 1, 1), 4), (datetime(2026, 1, 2), 5))
    full = ReportData((("s", 9),), (("feed", 9),), moments, "day", (("reading", 10.0),), (("s", "no", "line 1"),))
    page = report_page(full, {"publications": 12345, "seconds": 1.25})
    assert page.count("<svg") == 4
    assert 'class="none"' not in page
    assert "by day of publication" in page
    assert "12,345" in page


def test_a_page_loads_nothing_and_is_the_same_each_time() -> None:
    page = report_page(replace(NOTHING, by_source=(("feed", 9),)), {})
    assert "default-src 'none'" in page
    assert page == report_page(replace(NOTHING, by_source=(("feed", 9),)), {})


def test_a_list_of_errors_that_was_cut_says_so() -> None:
    errors = (("s", "no", ""),) * MAX_LISTED_ROWS
    assert f"the first {MAX_LISTED_ROWS}" in report_page(replace(NOTHING, errors=errors), {})
