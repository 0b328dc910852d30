from __future__ import annotations

import pytest
from support.feed_samples import AS_ATOM, AS_JSON, AS_RSS1, AS_RSS2, only, values

from gtopss.feeds.text import clean_text, line_text, term_line, text_line
from gtopss.feeds.vocabulary import DESCRIPTION, SUBJECT
from gtopss.model.terms import Term, literal


def test_long_texts_are_quoted_as_literals_are() -> None:
    for given in ('a"b\\c\nd\re\tf\x7fg', "", "\\", "é\U0001f600", 'a"b\\c\nd\re\tf\x7fé' * 100):
        assert text_line(clean_text(given)) == term_line(literal(clean_text(given)))
        assert line_text(text_line(clean_text(given))) == clean_text(given)
    assert clean_text("a\x00\ud800b\ufffe") == "ab"


@pytest.mark.parametrize("written", ["cafÃ©", "cafÃ\x83Â©"])
@pytest.mark.parametrize("sample", [AS_RSS1, AS_RSS2, AS_ATOM, AS_JSON])
def test_double_encoded_text_is_the_same_in_every_format(sample: str, written: str) -> None:
    data = sample.replace("short", written).replace("cats", "it\x92s").replace("45.5", written).encode()
    one = only(data)
    assert values(one, DESCRIPTION) == ["café"]
    assert values(one, SUBJECT) == ["it’s"]
    assert values(one, Term("<http://www.w3.org/2003/01/geo/wgs84_pos#lat>")) in (["café"], [])  # JSON has no modules
