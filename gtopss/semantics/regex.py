"""REGEX and REPLACE (SPARQL 1.1, 17.4.3.14-15): XPath's regular expressions, run by RE2 in linear time.

XPath 2.0 (7.6.1) and RE2 share most of their syntax. Where RE2 would silently read something else, the pattern is
translated (`\\d`, `\\w`, `\\s` are Unicode's in XPath, ASCII's in RE2) or refused (subtraction in a character class;
`\\C`, which is a byte in RE2). RE2 itself refuses what cannot run in linear time.

Linear in the text is not enough: the time is proportional to the text times the program in the worst case, and a call
cannot be interrupted. So the program is limited (`MAX_PATTERN_CHARACTERS`, `MAX_PROGRAM_BYTES`), and a call is charged
for bytes of the text times size of the program before it runs. The size is that of the program for bytes: compiled for
characters, one `\\w` takes 1,500 instructions, of which a few are looked at for any one character.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from gtopss.semantics.budget import STEPS_PER_SECOND, EvaluationBudget
from gtopss.semantics.strings import bytes_of, plain_text_of, text_of, with_language_of
from gtopss.semantics.values import FALSE, TRUE, TypeMismatch, Value

MAX_PATTERN_CHARACTERS = 100_000
"""Characters of a pattern; a longer one is refused."""
MAX_PROGRAM_BYTES = 4 << 20
"""RE2's memory for a pattern: its program, and the states of its automaton. A larger program is refused."""
PROGRAM_BYTES_PER_STEP = 20
"""Bytes of text times instructions of the program that a step of the budget pays for: 50 to 150 ns at worst."""
_STEPS_PER_MATCH = 20  # what Python does for one replacement
_STEPS_PER_INSTRUCTION = 12  # for compiling
_STEPS_PER_PATTERN_CHARACTER = 10  # for translating and parsing
_MAX_PATTERNS_PER_PUBLICATION = 16
_MAX_MATCHES_PER_TIME_CHECK = 64
_MAX_BYTES_PER_TIME_CHECK = 1_000_000  # a few milliseconds, if RE2 reads each time to the end of the text

MAX_REPETITIONS = 1_000
"""Repetitions that RE2 allows in `{...}`, those of nested repetitions multiplied."""

_FLAGS = "ism"
_UNSUPPORTED_PARTS = frozenset({"(?=", "(?!", "(?<=", "(?<!", "(?>", "(?("})
_BACK_REFERENCE = re.compile(r"\\[1-9k]")
_BOUNDS = re.compile(r"\{(\d{1,9}),(\d{1,9})\}")
_WORD_CLASSES = r"\p{L}\p{M}\p{N}\p{S}"  # in XPath, all but punctuation, separators and others
_BLANKS = r" \t\n\r"
_ESCAPES_OUTSIDE_CLASS = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": f"[{_WORD_CLASSES}]", "W": f"[^{_WORD_CLASSES}]",
    "s": f"[{_BLANKS}]", "S": f"[^{_BLANKS}]",
}  # fmt: skip
_ESCAPES_INSIDE_CLASS = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": _WORD_CLASSES, "W": r"\p{P}\p{Z}\p{C}", "s": _BLANKS,
    "S": r"\x00-\x08\x0B\x0C\x0E-\x1F\x21-\x{10FFFF}",
}  # fmt: skip
_REFUSED_ESCAPES = frozenset("iIcCQ")
_TOKEN = re.compile(r"\\.|\[\^?\]?|.", re.DOTALL)  # `]` right after the opening bracket is a literal character
# A named class, or one in brackets that has an escape, a negation or a character above Latin-1; one such character.
_CLASS = re.compile(
    r"(\\[pP](?:\{[^}]*\}|.)|\[(?=\^|[^\]]+[^\x00-\x5b\x5d-\xff])\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(\\x\{[^}]*\}|[^\x00-\xff])|\\.",
    re.DOTALL,
)
_SMALL_CLASS = "[acegikmoqs]"  # ten ranges: about as many as RE2 looks at for one character of a large class
_REFERENCE = re.compile(r"\\([\\$])|\$(\d+)|([\\$])|[^\\$]+", re.ASCII)


class PatternTooLarge(ValueError):
    """A pattern or its program is above a limit: not a mistake, but more than may be run."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled regular expression; with the flag q, replacements are literal text too."""

    program: Any
    tester: Any
    """The same without capturing groups, for which RE2 has faster ways."""
    size: int
    """What a call is charged for each byte of its text; see `PROGRAM_BYTES_PER_STEP`."""
    quoted: bool

    def found_in(self, text: Value, budget: EvaluationBudget) -> Value:
        """Return whether the pattern matches somewhere in a string. Raises BudgetExceeded."""
        encoded = bytes_of(text_of(text))
        budget.spend(len(encoded) * self.size // PROGRAM_BYTES_PER_STEP)
        return TRUE if self.tester.search(encoded) else FALSE

    def place_in(self, text: str, budget: EvaluationBudget) -> tuple[int, int] | None:
        """Return the start and the end of the first match in a text, or None. Raises BudgetExceeded."""
        encoded = bytes_of(text)
        budget.spend(len(encoded) * self.size * (1 + self.program.groups) // PROGRAM_BYTES_PER_STEP)
        found = self.program.search(encoded)
        if found is None:
            return None
        start = len(encoded[: found.start()].decode())
        return start, start + len(encoded[found.start() : found.end()].decode())

    def replace(self, text: Value, replacement: Value, budget: EvaluationBudget) -> Value:
        """Replace every match, left to right; a pattern that matches the empty string is a type error (FORX0003).

        RE2 starts anew after each match and does not say how far it reads ahead, which may be to the end of the text
        each time. Only the time on the processor shows it, so that is charged too. Raises BudgetExceeded.
        """
        source, template = text_of(text), plain_text_of(replacement)
        if self.tester.search(b"") is not None:
            raise TypeMismatch("the pattern matches the empty text")
        budget.spend(len(bytes_of(source)) * self.size * (1 + self.program.groups) // PROGRAM_BYTES_PER_STEP)
        parts = [template] if self.quoted else _parse_replacement(template, self.program.groups)
        matches_per_check = min(_MAX_MATCHES_PER_TIME_CHECK, 1 + _MAX_BYTES_PER_TIME_CHECK // (1 + len(source)))
        made, end, size, started = list[str](), 0, 0, time.thread_time()
        for number, match in enumerate(self.program.finditer(source)):
            filled = [part if isinstance(part, str) else match.group(part) or "" for part in parts]
            made += [source[end : match.start()], *filled]
            size += match.start() - end + sum(map(len, filled))
            end = match.end()
            budget.reserve(size)
            budget.spend(_STEPS_PER_MATCH)
            if number % matches_per_check == 0:
                now = time.thread_time()
                budget.spend(int((now - started) * STEPS_PER_SECOND))
                started = now
        budget.reserve(size + len(source) - end)
        return with_language_of(text, "".join([*made, source[end:]]))


@lru_cache(maxsize=64)
def compile_regex(pattern: str, flags: str = "") -> Pattern:
    """Compile a pattern; raise ValueError with the reason if RE2 cannot run it in linear time."""
    if unknown := set(flags) - {*_FLAGS, "q"}:
        raise ValueError(f"the REGEX flag {sorted(unknown)[0]!r} is not supported; use i, s, m or q")
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise PatternTooLarge(f"a REGEX has at most {MAX_PATTERN_CHARACTERS:,} characters, this one {len(pattern):,}")
    text = re2_text(pattern, flags)
    program = _compile_re2(text, pattern)
    tester = _compile_re2(text, pattern, never_capture=True) if program.groups else program
    size = _size(text, program)
    re2.purge()  # it would keep another 128 patterns, of any size
    return Pattern(program, tester, size, "q" in flags)


def re2_text(pattern: str, flags: str) -> str:
    """Return a pattern with its flags in RE2's syntax. Raises ValueError if RE2 has nothing that means the same."""
    text = re2.escape(pattern) if "q" in flags else translate_to_re2(pattern)
    inline = "".join(dict.fromkeys(flag for flag in flags if flag in _FLAGS))
    return f"(?{inline}){text}" if inline else text


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_PROGRAM_BYTES
    return options


def _compile_re2(text: str, pattern: str, *, never_capture: bool = False) -> Any:
    options = _options()
    options.never_capture = never_capture
    try:
        return re2.compile(text, options)
    except re2.error as error:
        shown = repr(pattern) if len(pattern) <= 200 else f"{pattern[:200]!r}..."
        if "too large" in str(error):
            reason = f"the REGEX {shown} makes a program above {MAX_PROGRAM_BYTES >> 20} MiB; make it shorter"
            raise PatternTooLarge(reason) from None
        raise ValueError(f"the REGEX {shown} {_problem(error, text)}") from None


def _problem(error: re2.error, text: str) -> str:
    """Return in words why RE2 refuses a pattern: it needs more than linear time, or it is malformed."""
    message = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
    reason, _, part = message.partition(": ")  # the part of the pattern; all of it tells nothing
    if part in _UNSUPPORTED_PARTS or _BACK_REFERENCE.fullmatch(part):
        return f"uses what cannot run in linear time, such as look-ahead or back-references: {part}"
    if reason == "invalid repetition size":
        bounds = _BOUNDS.fullmatch(part)
        if bounds is None or int(bounds[1]) <= int(bounds[2]):
            return f"repeats a part more than {MAX_REPETITIONS:,} times, counting nested repetitions: {part}"
    reason = reason.replace("invalid perl operator", "unknown kind of group")
    return f"is malformed: {reason}" + (f": {part}" if part not in ("", text) else "")


def _size(text: str, program: Any) -> int:
    """Return the size of a pattern's program for bytes, in which every class of characters is a small one."""
    options = _options()
    options.encoding = re2.Options.Encoding.LATIN1
    try:
        return int(re2.compile(_simplify_classes(text), options).programsize)
    except re2.error:
        return int(program.programsize)


def _simplify_classes(pattern: str) -> bytes:
    r"""Return a pattern of the same shape for texts of bytes. No class in it is empty, which would hide what follows.

    >>> _simplify_classes(r"\p{Nd}+[^é-\x{10FFFF}][ab]語\\")
    b'[acegikmoqs]+[acegikmoqs][ab]a\\\\'
    """

    def simplified(found: re.Match[str]) -> str:
        of_characters, character = found.groups()
        return _SMALL_CLASS if of_characters else "a" if character else found[0]

    return _CLASS.sub(simplified, pattern).encode("latin-1")


def matches(budget: EvaluationBudget, text: Value, pattern: Value, flags: Value | None = None) -> Value:
    """REGEX with a pattern that is computed for each row."""
    return _pattern(pattern, flags, budget).found_in(text, budget)


def replaced(
    budget: EvaluationBudget, text: Value, pattern: Value, replacement: Value, flags: Value | None = None
) -> Value:
    """REPLACE with a pattern that is computed for each row."""
    return _pattern(pattern, flags, budget).replace(text, replacement, budget)


def _pattern(pattern: Value, flags: Value | None, budget: EvaluationBudget) -> Pattern:
    """Compile a pattern that is a value, once per publication; the budget pays for it."""
    key = plain_text_of(pattern), plain_text_of(flags) if flags else ""
    compiled: Pattern | None = budget.patterns.get(key)
    if compiled is None:
        budget.spend(len(key[0]) * _STEPS_PER_PATTERN_CHARACTER)
        try:
            compiled = compile_regex(*key)
        except PatternTooLarge:
            budget.exceed("regex_limit", len(key[0]))
        except ValueError as error:
            raise TypeMismatch(str(error)) from None
        budget.spend(compiled.program.programsize * _STEPS_PER_INSTRUCTION)
        if len(budget.patterns) >= _MAX_PATTERNS_PER_PUBLICATION:
            budget.patterns.clear()
        budget.patterns[key] = compiled
    return compiled


def translate_to_re2(pattern: str) -> str:
    r"""Translate a pattern from XPath's syntax to RE2's.

    >>> translate_to_re2(r"[\d-]\d\.")
    '[\\p{Nd}-]\\p{Nd}\\.'
    """
    made: list[str] = []
    inside, last = False, ""
    for token in _TOKEN.findall(pattern):
        if token[0] == "\\":
            if token[1:] in _REFUSED_ESCAPES:
                raise ValueError(f"the REGEX {pattern!r} has {token}, which is not supported")
            made.append((_ESCAPES_INSIDE_CLASS if inside else _ESCAPES_OUTSIDE_CLASS).get(token[1:], token))
        elif not inside:
            inside = token[0] == "["
            made.append(token)
        elif token[0] == "[":
            if last == "-":
                raise ValueError(f"the REGEX {pattern!r} subtracts one character class from another; write it out")
            inside = not token.endswith("]")
            made.append("\\" + token)  # without the backslash it might open RE2's [:alpha:]
        else:
            inside = token != "]"
            made.append(token)
        last = token
    return "".join(made)


def _parse_replacement(replacement: str, groups: int) -> list[str | int]:
    r"""Split a replacement into texts and group numbers (XPath 2.0, 7.6.3): `$1`, `\$`, `\\`.

    Of `$12` with fewer than twelve groups, the 2 is a character.

    >>> _parse_replacement(r"[$12] costs \$5", 1)
    ['[', 1, '2', '] costs ', '$', '5']
    """
    parts: list[str | int] = []
    for found in _REFERENCE.finditer(replacement):
        escaped, digits, stray = found.groups()
        if stray:
            raise TypeMismatch(r"a replacement writes a dollar as \$ and a backslash as \\")
        if not digits:
            parts.append(escaped or found[0])
            continue
        size = next((n for n in range(min(len(digits), 9), 1, -1) if int(digits[:n]) <= groups), 1)
        number = int(digits[:size])
        parts.append(number if number <= groups else "")  # a group that does not exist is empty
        if digits[size:]:
            parts.append(digits[size:])
    return parts
