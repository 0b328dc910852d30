"""Where words are: the same words as the mapping of a text finds, for any characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtopss.semantics.word_places import find_words, word_places
from gtopss.semantics.words import SEPARATOR, plain_words

# Letters, marks, solo characters, points, digits (also fullwidth), ignored characters, Hangul as syllables and as jamo.
ALPHABET = "aZßİſ\u0301\u0308 -.,09３½²①é語ภี\u3099ｶﾞ한\u1112\u1161\u11ab👍🏽\u200d\ufe0f\u00ad\u200b_'ǅﬁ\u0345"


@given(st.text(st.sampled_from(ALPHABET), max_size=12) | st.text(max_size=12))
def test_each_word_of_the_mapped_text_has_its_place(text: str) -> None:
    words = plain_words(text).strip(SEPARATOR).split(SEPARATOR) if plain_words(text) != SEPARATOR else []
    places = list(word_places(text))
    assert [plain_words(text[start:end]).strip(SEPARATOR) for start, end in places] == words


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("reopen, then open it", "OPEN", "open"),
        ("Le Cafe\u0301 des Arts", "café", "Cafe\u0301"),
        ("Die STRASSE dort", "straße", "STRASSE"),
        ("Die Straße dort", "STRASSE", "Straße"),
        ("ﬁnal ﬁx", "fix", "ﬁx"),
        ("天気は東京都", "東京", "東京"),
        ("Open-Source code", "open sour*", "Open-Source"),
        ("it costs 1,000.50 now", "1,000.50", "1,000.50"),
        ("so\u00adft ware", "soft", "so\u00adft"),
        ("ok 👍🏽!", "👍", "👍"),
    ],
)
def test_words_are_found_in_the_text_as_it_was_written(text: str, needle: str, found: str) -> None:
    place = find_words(text, needle)
    assert place is not None
    assert text[slice(*place)] == found


def test_words_that_are_not_there_have_no_place() -> None:
    assert find_words("They reopen sources", "open source") is None
