"""REGEX and REPLACE, by the specification's own examples and against Oxigraph (SPARQL 1.1, 17.4.3.14-15)."""

from __future__ import annotations

import itertools

import pytest
from support.evaluation import TEXTS, assert_agrees_with_oxigraph, evaluate_text, examples, expected_term

from gtopss.semantics.budget import BudgetExceeded, EvaluationBudget, EvaluationLimits
from gtopss.semantics.regex import (
    MAX_PATTERN_CHARACTERS,
    PROGRAM_BYTES_PER_STEP,
    PatternTooLarge,
    compile_regex,
    matches,
)
from gtopss.semantics.values import TRUE, string_value

EXAMPLES = r"""
REGEX("Alice", "^ali", "i")                 -> true
REGEX("Alice", "^ali")                      -> false
REGEX("Alice"@en, "^Ali")                   -> true
REGEX("a\nb", "a.b")                        -> false
REGEX("a\nb", "a.b", "s")                   -> true
REGEX("a\nb", "^b$", "m")                   -> true
REGEX("a\n", "a$")                          -> false
REGEX("٣", "^\\d$")                         -> true
REGEX("é", "^\\w$")                         -> true
REGEX("é", "^[\\W]$")                       -> false
REGEX("a b", "^[^\\S]$|a\\sb")              -> true
REGEX("[", "[[:]")                          -> true
REGEX("Alice", STR("^ali"), STR("i"))       -> true
REGEX("Alice", STR("("))                    -> error
REGEX("Alice", STR("[a-z-[c]]"))            -> error
REGEX("Alice", STR("\\C"))                  -> error
REGEX("Alice", 5)                           -> error
REGEX("Alice", "a"@en)                      -> error
REGEX(<urn:a>, "a")                         -> error
REPLACE("abcd", "b", "Z")                   -> "aZcd"
REPLACE("abab", "B", "Z", "i")              -> "aZaZ"
REPLACE("abab", "B.", "Z", "i")             -> "aZb"
REPLACE("abracadabra", "bra", "*")          -> "a*cada*"
REPLACE("abracadabra", "a.*a", "*")         -> "*"
REPLACE("abracadabra", "a.*?a", "*")        -> "*c*bra"
REPLACE("abracadabra", "a", "")             -> "brcdbr"
REPLACE("abracadabra", "a(.)", "a$1$1")     -> "abbraccaddabbra"
REPLACE("abracadabra", ".*?", "$1")         -> error
REPLACE("AAAA", "A+", "b")                  -> "b"
REPLACE("AAAA", "A+?", "b")                 -> "bbbb"
REPLACE("darted", "^(.*?)d(.*)$", "$1c$2")  -> "carted"
REPLACE("abcd", "(ab)|(a)", "[1=$1][2=$2]") -> "[1=ab][2=]cd"
REPLACE("abcd", "(b)", "$12$2")             -> "ab2cd"
REPLACE("a.c", "\\.", "\\$1\\\\")           -> "a$1\\c"
REPLACE("a.c", ".", "$0", "q")              -> "a$0c"
REPLACE("abc", "b", "$")                    -> error
REPLACE("abc", "b", "\\n")                  -> error
REPLACE("abc"@en, "b", "é")                 -> "aéc"@en
REPLACE("abc", "b", "x"@en)                 -> error
REPLACE(5, "b", "x")                        -> error
REPLACE("abc", STR("b"), "x")               -> "axc"
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


def test_replace_is_oxigraphs() -> None:
    patterns = ['"b"', '"(b)"', '"[^a-z0-9]"', '"B"', '"x*"', r'"\\d|b"', '"(b)|(c)"']
    replacements = ['"-"', '"[$1]"', '"$0$0"', '""', r'"\\$"', '"é"']
    for parts in itertools.product(TEXTS, patterns, replacements):
        assert_agrees_with_oxigraph(f"REPLACE({', '.join(parts)}{flags})" for flags in ("", ', "i"', ', "q"'))


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "is malformed: missing )"),
        ("é(", "is malformed: missing )"),
        ("x[b-a]", "is malformed: invalid character class range: b-a"),
        ("a**", "is malformed: bad repetition operator: **"),
        ("a{2,1}", "is malformed: invalid repetition size: {2,1}"),
        ("(?z)a", "is malformed: unknown kind of group: (?z"),
        ("(?=a)b", "uses what cannot run in linear time, such as look-ahead or back-references: (?="),
        ("(?<!a)b", "uses what cannot run in linear time, such as look-ahead or back-references: (?<!"),
        (r"(a)\1", r"uses what cannot run in linear time, such as look-ahead or back-references: \1"),
        ("(a{100}){11}", "repeats a part more than 1,000 times, counting nested repetitions: {11}"),
    ],
)
def test_a_refused_pattern_is_either_malformed_or_not_supported(pattern: str, problem: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the whole message is compared
        compile_regex(pattern)
    assert str(error.value) == f"the REGEX {pattern!r} {problem}"


def test_a_pattern_that_is_too_long_is_refused() -> None:
    with pytest.raises(PatternTooLarge, match="at most 100,000 characters, this one 100,001"):
        compile_regex("a" * (MAX_PATTERN_CHARACTERS + 1))


@pytest.mark.parametrize(
    "pattern",
    [r"\w", r"\W+", r"[\w-]", r"\d{3}", "é", "語", "[語-錯]", r"[^\x00-\xFF]", "[^^]", "[^]a]", r"\p{Han}", ".", r"\."],
)
def test_the_size_of_a_pattern_grows_with_its_repetition(pattern: str) -> None:
    once, often = compile_regex(pattern), compile_regex(f"(?:{pattern}.*){{20}}")
    assert 0 < once.size < 50
    assert 15 * once.size < often.size + 300


def test_a_call_is_charged_for_text_times_program() -> None:
    budget = EvaluationBudget(EvaluationLimits())
    pattern = compile_regex("a.*b.*c")
    pattern.found_in(string_value("x" * 100_000), budget)
    assert budget.steps == 100_000 * pattern.size // PROGRAM_BYTES_PER_STEP
    with pytest.raises(BudgetExceeded, match="work_limit"):
        compile_regex("|".join(f".*{n}.*b" for n in range(2_000))).found_in(string_value("x" * 1_000_000), budget)


def test_computed_patterns_are_charged_when_they_are_compiled() -> None:
    budget = EvaluationBudget(EvaluationLimits())
    for _ in range(2):
        assert matches(budget, string_value("abc"), string_value("b")) is TRUE
    once = budget.steps
    for number in range(20):
        matches(budget, string_value("abc"), string_value(rf"\w{number}"))
    assert budget.steps > 20 * 1_000 * 12
    assert once < 1_000
    assert len(budget.patterns) <= 16


@pytest.mark.parametrize(("length", "most"), [(2_000_000, 2), (1_000, 64)])
def test_the_time_of_replacements_in_a_long_text_is_charged_after_each_match(
    length: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = itertools.chain([0.0, 0.0], itertools.repeat(1e6))  # at the start, after the first match, later
    monkeypatch.setattr("gtopss.semantics.regex.time.thread_time", lambda: next(times))
    replaced = []

    class CountingBudget(EvaluationBudget):
        def reserve(self, characters: int) -> None:
            replaced.append(characters)

    budget = CountingBudget(EvaluationLimits(work=10**9))
    with pytest.raises(BudgetExceeded):
        compile_regex("(a|b)+1|a").replace(string_value("a" * length), string_value("x"), budget)
    assert 1 < len(replaced) <= most + 1
