"""`words`: what a word is in many languages, and what a needle may be."""

from __future__ import annotations

import unicodedata

import pytest
from conftest import ROOT, SOAK
from hypothesis import given, settings
from hypothesis import strategies as st
from support.evaluation import evaluate_text, examples

from gtopss import Engine, Publication, Subscription
from gtopss.errors import InvalidQuery, InvalidSubscription
from gtopss.model.expressions import words
from gtopss.model.terms import Term, literal
from gtopss.semantics.budget import BudgetExceeded, EvaluationBudget, EvaluationLimits
from gtopss.semantics.values import string_value
from gtopss.semantics.words import (
    MAX_NEEDLE_CHARACTERS,
    SEPARATOR,
    InvalidNeedle,
    has_words,
    words_needle,
    words_text,
)

LISTS = [
    # Latin letters, case, apostrophes, hyphens and other punctuation
    ("Open-Source software, v2!", "open source software v2"),
    ("NASA's don't l’ambassade O'Neill", "nasa s don t l ambassade o neill"),
    ("#climate_change @user e-mail: a.b@c.org", "climate change user e mail a b c org"),
    ("C++ C# F# .NET AT&T R&D", "c c f net at t r d"),
    ("Straße STRASSE ſtraße", "strasse strasse strasse"),
    ("ﬁne ﬂow Ⅳ ＮＡＳＡ", "fine flow iv nasa"),
    ("CO₂ CO<sub>2</sub> m²", "co2 co2 m2"),
    ("co\u00adop\u200bera\u2060tion", "coop eration"),
    # numbers
    ("3.14 1,000.50 10.0.0.1", "3.14 1,000.50 10.0.0.1"),
    ("$5.99, 50%, 3., .5 1..2 1,,2 2024-05-06 12:30", "5.99 50 3 5 1 2 1 2 2024 05 06 12 30"),
    ("a.5 5.a v1.2", "a 5 5 a v1.2"),
    ("٣.٤ ３.５ ½", "٣ ٤ 3.5 ½"),
    # accents and their two forms
    ("Café cafe\u0301 CAFÉ", "cafe\u0301 cafe\u0301 cafe\u0301"),
    ("ế e\u0302\u0301", "e\u0302\u0301 e\u0302\u0301"),
    ("ệ e\u0323\u0302 e\u0302\u0323 ê\u0323", "e\u0323\u0302 e\u0323\u0302 e\u0323\u0302 e\u0323\u0302"),
    ("İstanbul ISPARTA ısı", "i\u0307stanbul isparta ısı"),
    ("Įžuolas Łódź Øresund Ðorđe", "i\u0328z\u030cuolas ło\u0301dz\u0301 øresund ðorđe"),
    ("\u0301 a =\u0338 ≠", "a"),
    # Greek, Cyrillic, Armenian, Georgian
    ("ΟΔΟΣ οδος οδοσ", "οδοσ οδοσ οδοσ"),
    ("Москва ЙОД", "москва и\u0306од"),
    ("Եւ ԵՎ ᲗᲑᲘᲚᲘᲡᲘ თბილისი", "եւ եվ თბილისი თბილისი"),
    # Arabic, Hebrew, Devanagari, Bengali, Tamil
    ("می‌خواهم ﻣﺼﺮ", "میخواهم مصر"),
    ("שָׁלוֹם", unicodedata.normalize("NFD", "שָׁלוֹם")),
    ("हिन्दी में", "हिन्दी में"),
    ("বাংলা தமிழ்", unicodedata.normalize("NFD", "বাংলা தமிழ்")),
    # scripts without blanks: each character is a word
    ("東京タワー", "東 京 タ ワ ー"),
    ("東京 Tower2024年", "東 京 tower2024 年"),
    ("ガス ｶﾞｽ カ\u3099ス", "カ\u3099 ス カ\u3099 ス カ\u3099 ス"),
    ("ภาษาไทย", "ภ า ษ า ไ ท ย"),
    ("น้ำ", "น\u0e49 ำ"),
    ("ລາວ", "ລ า ວ".replace("า", "າ")),
    # Hangul
    ("한국어 \u1112\u1161\u11ab국어", "한국어 한국어"),
    ("ㅋㅋㅋ", "ㅋㅋㅋ"),
    # emoji
    ("👍🏽ok👍", "👍 ok 👍"),
    ("👨‍👩‍👧 ❤️", "👨 👩 👧 ❤"),
    ("🇫🇷", "🇫 🇷"),
    ("Apple® Watch™ 20°C", "apple watch 20 c"),
    # markup
    ("<p>Wo<b>rd</b>s</p><p>more&nbsp;words</p>", "words more words"),
    ("3<b>.</b>14", "3.14"),
    ("Caf&eacute; caf&#233;", "cafe\u0301 cafe\u0301"),
    ("<a href='http://example.org/hidden'>seen</a>", "seen"),
    ("List<String>", "list string"),
    ("&lt;b&gt;bold", "b bold"),
    ("", ""),
    ("\x1f\x1e\x1d", ""),
    ("a\x1db\x1ec\x1fd", "a b c d"),
    ("a\ud800b", "a b"),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_the_words_of_a_text(text: str, expected: str) -> None:
    assert words_text(text) == SEPARATOR + "".join(word + SEPARATOR for word in expected.split(" ") if word)


EXAMPLES = r"""
words("Open-source software", "open source")     -> true
WORDS("Open source", "Open SOURCE")              -> true
words("opensource", "open source")               -> false
words("source open", "open source")              -> false
words("open the source", "open source")          -> false
words("reopen", "open")                          -> false
words("opener", "open")                          -> false
words("opener", "open*")                         -> true
words("open sources", "open source*")            -> true
words("open", "open*")                           -> true
words("reopen", "open*")                         -> false
words("pi is 3.14", "3.14")                      -> true
words("pi is 3.14", "14")                        -> false
words("pi is 3.14", "3.1*")                      -> true
words("NASA's rocket", "nasa")                   -> true
words("NASA’s rocket", "NASA's")                 -> true
words("<p>AT&amp;T</p>", "AT&T")                 -> true
words("私は東京都に住む", "東京")                -> true
words("私は東京都に住む", "京東")                -> false
words("ภาษาไทย", "ไทย")                          -> true
words("한국어", "한국*")                         -> true
words("한국어", "하*")                           -> false
words("Ein Straßenfest", "STRASSEN*")            -> true
words("très Café"@fr, "café")                    -> true
words("a 👍🏿 b", "👍")                           -> true
words("x"^^xsd:string, "x")                      -> true
words("5", STR("*"))                             -> error
words("5", STR(""))                              -> error
words("5", STRLANG("5", "en"))                   -> error
words("5", 5 + 0)                                -> error
words(5, "5")                                    -> error
words(<urn:a>, "a")                              -> error
words(STR(<urn:a>), "a")                         -> true
words("x"^^<urn:t>, "x")                         -> error
"""


@pytest.mark.parametrize(("text", "result"), examples(EXAMPLES))
def test_words_by_example(text: str, result: str) -> None:
    expected = result if result == "error" else f'"{result}"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    assert evaluate_text(text) == expected


@pytest.mark.parametrize(
    ("needle", "reason"),
    [
        ("", "needs a word"),
        (" \n", "needs a word"),
        ("-- .,;", "needs a word"),
        ("\u0301", "needs a word"),
        ("\u00ad", "needs a word"),
        ("*", "only at the end of the last word"),
        ("open *", "only at the end of the last word"),
        ("open-*", "only at the end of the last word"),
        ("3.*", "only at the end of the last word"),
        ("open* source", "only at the end of the last word"),
        ("*pen", "only at the end of the last word"),
        ("open**", "only at the end of the last word"),
        ("open*.", "only at the end of the last word"),
    ],
)
def test_a_needle_that_asks_for_nothing_is_refused(needle: str, reason: str) -> None:
    with pytest.raises(InvalidNeedle, match=reason):
        words_needle(needle)
    with pytest.raises(InvalidSubscription, match=reason):
        Engine().add(Subscription("s", [("?x", "<urn:p>", "?t")], where=[words("t", needle)]))


def test_a_needle_that_is_too_long_is_refused() -> None:
    assert len(words_needle("a" * MAX_NEEDLE_CHARACTERS)) == MAX_NEEDLE_CHARACTERS + 2
    with pytest.raises(InvalidNeedle, match="at most 1,000 characters, not 1,001"):
        words_needle("a" * (MAX_NEEDLE_CHARACTERS + 1))


@pytest.mark.parametrize("needle", ['""', '"*"', '"x"@en', "5", "<urn:a>"])
def test_a_bad_needle_is_shown_at_its_place(needle: str) -> None:
    with pytest.raises(InvalidQuery, match="words") as caught:
        Engine().add(f"ASK {{\n  ?x <urn:p> ?t\n  FILTER words(?t, {needle}) }}")
    assert (caught.value.line, caught.value.column) == (3, 3)


def test_a_needle_may_come_from_the_publication() -> None:
    engine = Engine(allow_cartesian=True)
    engine.add("SELECT ?n { ?x <urn:text> ?t . ?x <urn:needle> ?n FILTER words(?t, ?n) }", id="s")
    texts = [("<urn:x>", "<urn:needle>", literal(each)) for each in ("open sour*", "*", "closed", "source")]
    (match,) = engine.match(Publication("p", [("<urn:x>", "<urn:text>", literal("Open Source")), *texts]))
    assert {row["n"] for row in match.rows} == {literal("open sour*"), literal("source")}


def test_a_text_is_charged_before_it_is_mapped() -> None:
    budget = EvaluationBudget(EvaluationLimits(work=1_000))
    with pytest.raises(BudgetExceeded) as caught:
        has_words(budget, string_value("a" * 1_000), string_value("a"))
    assert caught.value.limit == "work_limit"


def test_explanations_and_printed_subscriptions_name_it() -> None:
    engine = Engine()
    engine.add("SELECT ?t { ?x <urn:p> ?t FILTER words(?t, 'open source') }", id="s")
    publication = Publication("p", [("<urn:x>", "<urn:p>", literal("closed source"))])
    assert 'words(?t, "open source")' in str(engine.explain(publication, "s"))
    assert str(words("t", "open source")) == 'WORDS(?t, "open source")'


# --- properties ----------------------------------------------------------------------------------------------------

ALPHABET = st.one_of(
    st.characters(),
    st.sampled_from(
        "aA1.,'- <>&;éßΣσςİı\u212a가\u1112\u1161\u11abか\u3099ガ語ภ\u0e49👍\u200d\u00ad\u0301\u0323\u0345\x1f"
    ),
)


@settings(max_examples=100_000 if SOAK else 500)
@given(st.text(ALPHABET))
def test_equivalent_texts_have_the_same_words(text: str) -> None:
    plain = text.replace("<", " ").replace("&", " ")
    forms = {words_text(unicodedata.normalize(form, plain)) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@settings(max_examples=100_000 if SOAK else 500)
@given(st.text(ALPHABET), st.text(ALPHABET, max_size=3), st.text(ALPHABET))
def test_a_phrase_is_found_where_it_stands_alone(before: str, phrase: str, after: str) -> None:
    plain = phrase.replace("*", " ").replace("<", " ").replace("&", " ")
    try:
        needle = words_needle(plain)
    except InvalidNeedle:
        return
    assert needle in words_text(f"{before.replace('<', ' ')} {plain} {after}")


@settings(max_examples=100_000 if SOAK else 500)
@given(st.text(ALPHABET))
def test_a_mapped_text_is_words_between_separators(text: str) -> None:
    mapped = words_text(text)
    assert mapped.startswith(SEPARATOR)
    assert mapped.endswith(SEPARATOR)
    assert SEPARATOR * 2 not in mapped
    assert not {"\x1d", "\x1e", "<", ">", " "} & set(mapped)


def test_real_titles_have_their_own_words() -> None:
    engine = Engine()
    lines = (ROOT / "data" / "news" / "uci-news-aggregator-slice.csv").read_text().splitlines()[:300]
    for number, line in enumerate(lines):
        publication = Publication(f"p{number}", [(Term("<urn:x>"), Term("<urn:t>"), literal(line))])
        found = words_text(line).split(SEPARATOR)[1:-1]
        assert found
        phrase = " ".join(found[1:4])
        assert words_needle(phrase) in words_text(line)
        if number < 20:
            engine.add(Subscription(f"s{number}", [("?x", "<urn:t>", "?t")], where=[words("t", phrase)]))
            assert f"s{number}" in {match.subscription_id for match in engine.match(publication)}
