from __future__ import annotations

import pytest

from gtopss.errors import InvalidQuery
from gtopss.short_form import ShortForm, read_lines


def test_a_file_has_one_subscription_per_line_with_or_without_a_name() -> None:
    text = "# my news\n\nhealth = topic:health -sport\r\n  open   source\nwords:a=b\n"
    assert list(read_lines(text)) == [
        (3, ShortForm("health", "topic:health -sport")),
        (4, ShortForm("open source", "open   source")),
        (5, ShortForm("words:a=b", "words:a=b")),
    ]


def test_an_error_names_the_subscription_and_the_column() -> None:
    with pytest.raises(InvalidQuery, match=r"subscription 'news'.*column 1") as error:
        ShortForm.read("news = topik:a").query()
    assert error.value.column == 1
