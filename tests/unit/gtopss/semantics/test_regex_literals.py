"""Literals of regular expressions: whatever RE2 matches contains one of them."""

from __future__ import annotations

import random
import unicodedata

import pytest
import re2
from conftest import SOAK

from gtopss.semantics.regex import compile_regex
from gtopss.semantics.regex_literals import _UNCASED, required_literals, same_without_case


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("storm", ["storm"]),
        ("^Breaking: .* storm$", ["Breaking: "]),
        (r"\bfoo\b.*bar\.baz", ["bar.baz"]),
        ("flood|storm", ["flood", "storm"]),
        ("(flood|storm) warning", ["flood warning", "storm warning"]),
        ("colou?r", ["color", "colour"]),
        ("floods?", ["flood"]),
        ("a(bc)?d", ["abcd", "ad"]),
        ("ab+cd", ["ab"]),
        ("a{2,3}bcd", ["bcd"]),
        ("(storm){2}", ["storm"]),
        ("flo{0}od", ["flod"]),
        ("xab{0}?c", ["xac"]),
        ("flo{01}od", ["flo{01}od"]),
        ("flo{00}od", ["flo{00}od"]),
        ("flo{1,02}od", ["flo{1,02}od"]),
        ("storm{0,0}s", ["stor"]),
        ("x(?:storm|flood).*", ["xflood", "xstorm"]),
        ("(?P<kind>storm)s", ["storms"]),
        (r"storm\x{2019}s", ["storm’s"]),
        (r"\$5\.00\t", ["$5.00\t"]),
        (r"[Ss]torm", ["torm"]),
        (r"\d+ dead", [" dead"]),
        (r"\p{Lu}storm\pN", ["storm"]),
        ("[]]storm[^]a]", ["storm"]),
        ("storm{", ["storm{"]),
        ("storm{,3}", ["storm{,3}"]),
        ("日本|中国", ["中国", "日本"]),
        ("(a|b)(c|d)(e|f)(g|h)(i|j)k", None),
        ("storm|", None),
        ("storm*|flood", ["flood", "stor"]),
        ("(storm)*", None),
        ("(storm)?", None),
        ("storm|[a-z]+", None),
        (".*", None),
        ("", None),
        ("^$", None),
        ("(?i)storm", None),  # flags within a pattern are not read
        ("(?:" * 200 + "storm" + ")" * 200, None),
    ],
)
def test_literals_by_example(pattern: str, literals: list[str] | None) -> None:
    found = required_literals(pattern)
    if literals is None and pattern.startswith("(a|b)"):
        assert found is not None
        assert len(found.alternatives) <= 16
        return
    assert (None if found is None else list(found.alternatives)) == literals


@pytest.mark.parametrize(
    ("pattern", "flags", "is_exact"),
    [
        ("storm", "", True),
        ("floods?|(heavy|tropical) storm", "", True),
        ("flood(s|ed)?", "sm", True),
        ("a.b", "q", True),
        ("a.b", "", False),
        ("^storm", "", False),
        ("storm$", "", False),
        (r"\bstorm", "", False),
        (r"\Astorm", "", False),
        ("storms*", "", False),
        ("(storm){2}", "", False),
        ("storm[a-z]?", "", False),
        ("storm", "i", False),
        ("storm|^flood", "", False),
    ],
)
def test_a_pattern_without_anything_else_is_its_literals(pattern: str, flags: str, is_exact: bool) -> None:
    found = required_literals(pattern, flags)
    assert found is not None
    assert found.is_exact == is_exact


@pytest.mark.parametrize(
    ("pattern", "flags", "literals", "case"),
    [
        ("Hurricane", "i", ["hurricane"], "LCASE"),
        ("storm", "i", ["STORM"], "UCASE"),  # ſ is an s, and stays ſ in lower case
        ("kilo", "i", ["kilo"], "LCASE"),  # the Kelvin sign is a k, and stays one in upper case
        ("stock", "i", ["tock"], "LCASE"),
        ("ΟΔΟΣ", "i", ["ΟΔΟΣ"], "UCASE"),
        ("groß", "i", ["groß"], "LCASE"),
        ("日本", "i", ["日本"], "LCASE"),
        ("a.b|c", "q", ["a.b|c"], None),
        ("A.b|C", "qi", ["a.b|c"], "LCASE"),
        ("storm", "sm", ["storm"], None),
    ],
)
def test_flags(pattern: str, flags: str, literals: list[str], case: str | None) -> None:
    found = required_literals(pattern, flags)
    assert found is not None
    assert (list(found.alternatives), found.case) == (literals, case)


ALPHABET = "abkKsSſ\u212aßẞσςΣiIıİéÉe\u0301ǆǅ语.1ΐ\u1fd3ﬅﬆ"
ATOMS = [".", "[ab]", "[^a]", r"\w", r"\d", r"\p{Lu}", r"\b", "^", "$", r"\.", r"\x{17F}", r"[\w-]", "(?:ks)", "(s|K)"]


def random_pattern(chance: random.Random, depth: int = 2) -> str:
    made = []
    for _ in range(chance.randint(1, 4)):
        kind = chance.random()
        if kind < 0.6:
            atom = "".join(chance.choice(ALPHABET) for _ in range(chance.randint(1, 3))).replace(".", r"\.")
        elif kind < 0.8 or not depth:
            atom = chance.choice(ATOMS)
        else:
            atom = f"({random_pattern(chance, depth - 1)})"
        made.append(
            atom
            + chance.choice(["", "", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,}", "+?", "??", "{0}", "{01}", "{1}"])
        )
    choices = "".join(made)
    return f"{choices}|{random_pattern(chance, depth - 1)}" if depth and chance.random() < 0.2 else choices


def random_text(chance: random.Random, pattern: str) -> str:
    """A text with pieces of the pattern, in another case at times."""
    pieces = []
    for _ in range(chance.randint(1, 5)):
        start = chance.choice([0, 0, chance.randrange(len(pattern))])
        piece = pattern[start : start + chance.choice([2, 4, 6, len(pattern)])]
        pieces.append(chance.choice([piece, piece.upper(), piece.lower(), piece.swapcase(), chance.choice(ALPHABET)]))
    text = "".join(pieces)
    return "".join(each for each in text if each not in r"()\{}?*+|[]^$")


def test_whatever_matches_contains_a_literal() -> None:
    chance = random.Random(17)
    tried = matching = known = exact = 0
    mapped = {None: str, "LCASE": str.lower, "UCASE": str.upper}
    while tried < (300_000 if SOAK else 4_000):
        pattern, flags = random_pattern(chance), chance.choice(["", "i", "i", "si", "m"])
        try:
            compiled = compile_regex(pattern, flags)
        except ValueError:
            continue
        literals = required_literals(pattern, flags)
        for _ in range(4):
            text = random_text(chance, pattern)
            tried += 1
            is_found = compiled.tester.search(text.encode()) is not None
            if literals is not None and literals.is_exact:
                exact += 1
                assert is_found == any(each in text for each in literals.alternatives), (pattern, flags, text, literals)
            if is_found:
                matching += 1
                if literals is not None:
                    known += 1
                    searched = mapped[literals.case](text)
                    assert any(each in searched for each in literals.alternatives), (pattern, flags, text, literals)
    assert matching > 0.2 * tried
    assert known > 0.1 * tried
    assert exact > 0.02 * tried


def test_what_re2_takes_for_one_letter() -> None:
    assert same_without_case("s") == set("sSſ")
    assert same_without_case("K") == set("kK\u212a")
    assert same_without_case("ς") == set("σςΣ")
    assert same_without_case("i") == set("iI")
    assert same_without_case("語") == {"語"}


@pytest.mark.slow
def test_uncased_characters_are_nothing_else_to_re2() -> None:
    """RE2's Unicode may be newer than Python's, and know a case of a character that had none."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    uncased = [each for each in everything if unicodedata.category(each) in _UNCASED]
    options = re2.Options()
    options.max_mem = 1 << 28
    for start in range(0, len(uncased), 2_000):
        chunk = uncased[start : start + 2_000]
        pattern = re2.compile("(?i)[" + "".join(f"\\x{{{ord(each):X}}}" for each in chunk) + "]", options)
        assert set(pattern.findall(everything)) == set(chunk)
