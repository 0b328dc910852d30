from __future__ import annotations

from gtopss.feeds.text import clean_literal, clean_text
from gtopss.model.terms import literal


def test_long_texts_are_quoted_as_literals_are() -> None:
    for given in ('a"b\\c\nd\re\tf\x7fg', "", "\\", "é\U0001f600"):
        assert clean_literal(clean_text(given)) == literal(clean_text(given))
    assert clean_text("a\x00\ud800b\ufffe") == "ab"
