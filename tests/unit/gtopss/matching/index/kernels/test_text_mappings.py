"""The compiled mappings are those of `str.lower`, `str.upper` and `words_text`, byte for byte."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
from conftest import ROOT, SOAK

from gtopss.matching.index.kernels.relations import LOWER, UPPER, WORDS
from gtopss.matching.index.kernels.text_mappings import GROWTH, NEEDS_PYTHON, ROOM, map_one_text
from gtopss.matching.index.text_tables import text_tables
from gtopss.semantics.html_text import INLINE_ELEMENTS, NAMED_CHARACTERS, RAW_ELEMENTS, SEPARATING_ELEMENTS
from gtopss.semantics.words import words_text

MAPPINGS = {LOWER: str.lower, UPPER: str.upper, WORDS: words_text}
GUARD = 0xAB


def mapped(mapping: int, data: bytes) -> bytes | None:
    """Map a text that stands between other bytes; None if it is left to Python. Nothing outside its room is written."""
    padded = np.frombuffer(b"<b>" + data + b"a;>-->", np.uint8)
    out = np.full(5 + GROWTH * len(data) + ROOM + 5, GUARD, np.uint8)
    end = map_one_text(text_tables(words=True), mapping, padded, 3, 3 + len(data), out, 5)
    assert (out[:5] == GUARD).all()
    assert (out[-5:] == GUARD).all()
    if end == NEEDS_PYTHON:
        return None
    return out[5:end].tobytes()


def assert_mapped_as_in_python(text: str) -> int:
    """Return how many mappings were left to Python."""
    left = 0
    for mapping, function in MAPPINGS.items():
        found = mapped(mapping, text.encode())
        left += found is None
        assert found is None or found.decode() == function(text), (mapping, text)
    return left


ODD = "aZ09.,-_'’ <>&;é\u0301ßΣςİı\u212aſ½²™©ﬁＡ"
ODD += "한가\u1112\u1161\u11ab語カガ\u3099ｶﾞภ\u0e49ำ👍🏽❤\ufe0f\u200d\u200b\u00ad\u0345\u1e9e\x1f"
PIECES = [
    "<", ">", "</", "/>", "<b>", "</b>", "<p>", "<BR/>", "<br ", "<a href=", "'", '"', "=", "='x>'", '="<"',
    "<!--", "-->", "->", "<!", "<?xml ?>", "<!DOCTYPE html>", "<![CDATA[", "]]>", "<script>", "</script>",
    "</SCRIPT ", "<style a=b>", "</style\n>", "<String>", "<blockquote>", "<blockquotes>", "<h1>", "<h7>", "&",
    "&amp;", "&AMP;", "&nbsp;", "&eacute;", "&shy;", "&NotEqualTilde;", "&acute", "&#", "&#65;", "&#x41;",
    "&#X2019;", "&#146;", "&#0;", "&#xD800;", "&#1114112;", "&#99999999999999999999999;", "&#0000000000065;",
    "&#769;", "&#46;", "&period;", "&unknown;", ";", "#", "1", "3.", ",5", "word", "Wörter", "ภาษา", "東京", "한국",
    "\n", "\t", "\x0c", " ",
]  # fmt: skip


def random_text(chance: random.Random) -> str:
    def character() -> str:
        while True:
            code = chance.choice([chance.randrange(0x250), chance.randrange(0x3100), chance.randrange(0x110000)])
            if not 0xD800 <= code < 0xE000:
                return chr(code)

    kinds = [character, lambda: chance.choice(ODD), lambda: chance.choice(PIECES)]
    kind = chance.randrange(4)
    text = "".join(chance.choice(kinds if kind == 3 else kinds[kind : kind + 1])() for _ in range(chance.randrange(25)))
    return chance.choice([text, text, unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)])


def test_random_texts_of_all_planes_and_fragments_of_html() -> None:
    chance = random.Random(17)
    count = 200_000 if SOAK else 3_000
    left = sum(assert_mapped_as_in_python(random_text(chance)) for _ in range(count))
    assert left < 0.4 * count  # of three mappings


def test_every_character_that_has_a_mapping() -> None:
    """All of them in the long run; otherwise those below U+2000, and a sample."""
    codes = range(0x110000) if SOAK else [*range(0x600), *range(0x600, 0x30000, 61)]
    for code in codes:
        if not 0xD800 <= code < 0xE000:
            assert_mapped_as_in_python(f"1.{chr(code)}a")


def test_only_assigned_characters_have_a_case() -> None:
    """The tables leave out what lies between and above the planes in use."""
    rest = "".join(map(chr, [*range(0x40000, 0xE0000), *range(0xE1000, 0x110000)]))
    assert rest.lower() == rest.upper() == rest
    assert {unicodedata.category(each) for each in rest} == {"Cn", "Co"}


def test_the_words_that_html_knows() -> None:
    for name in INLINE_ELEMENTS | SEPARATING_ELEMENTS | RAW_ELEMENTS:
        assert assert_mapped_as_in_python(f"x<{name}>y</{name.upper()} >z<{name}x>") == 0
    for name in NAMED_CHARACTERS:
        assert_mapped_as_in_python(f"x&{name};y")


def test_real_titles_and_descriptions() -> None:
    for path in [ROOT / "data" / "news" / "uci-news-aggregator-slice.csv", *(ROOT / "data" / "feeds").iterdir()]:
        lines = path.read_text(errors="replace").splitlines()
        for text in ["\n".join(lines), *lines[:: 1 if SOAK else 50]]:
            assert assert_mapped_as_in_python(text) == 0


@pytest.mark.parametrize(
    "data",
    [
        b"\x80", b"a\xffb", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80",
        b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xe2a\x82", b"\xc3a",
    ],
)  # fmt: skip
def test_malformed_utf_8_is_left_to_python(data: bytes) -> None:
    for mapping in MAPPINGS:
        assert mapped(mapping, data) is None


@pytest.mark.parametrize("text", ["ΟΔΟΣ", "Σ", "aΣb"])
def test_a_capital_sigma_is_left_to_python_in_lower_case(text: str) -> None:
    assert mapped(LOWER, text.encode()) is None
    assert assert_mapped_as_in_python(text) == 1


@pytest.mark.parametrize("text", ["e\u0302\u0323", "\u1112\u1161\u11ab", "ê\u0323"])
def test_what_composes_or_changes_places_is_left_to_python_in_words(text: str) -> None:
    assert mapped(WORDS, text.encode()) is None


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_run_of_any_piece_is_read_in_one_pass(piece: str) -> None:
    """Quadratic time would take minutes for these, and the test run would end by its time limit."""
    assert_mapped_as_in_python(piece * 20_000)
    assert_mapped_as_in_python(f"<b {piece * 20_000}")
