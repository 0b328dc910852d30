"""Find the texts that a constraint needs: what must be in a term so that the constraint can hold.

An index that looks for many texts at once (`matching/index/text_index.py`) tests these first. A constraint needs
*clauses*, all of them; a clause needs one of its *atoms*; an atom is one text in the value of one variable.

| constraint                                | clauses                                                          |
|-------------------------------------------|------------------------------------------------------------------|
| `CONTAINS`, `STRSTARTS`, `STRENDS`, `words` | one, of one atom                                               |
| `LCASE(?t) = "x"`, `sameTerm(?x, c)`      | one, of one atom                                                 |
| `?x IN (...)`                             | one, with an atom for each member                                |
| `REGEX`                                   | one, with the texts of which every match has one; else the pattern |
| `labelled`                                | one, of one atom: the class whose labels are looked for          |
| `&&`                                      | those of all arguments                                           |
| `||`                                      | one, which joins one clause of each argument; so nothing multiplies |

The clauses may be *exact*: then they are the whole constraint. Otherwise a term that satisfies them must still be
tested by `evaluate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from gtopss.model.expressions import Call, Expression
from gtopss.model.terms import (
    RDF_LANG_STRING,
    XSD_STRING,
    Term,
    iri_text,
    is_iri,
    is_literal,
    is_variable,
    literal_parts,
)
from gtopss.semantics.regex import compile_regex
from gtopss.semantics.regex_literals import required_literals
from gtopss.semantics.values import ValueKind, value_of
from gtopss.semantics.words import words_needle, words_text

MAX_NEEDLE_CHARACTERS = 100
"""Characters of a text that are looked for at once. Of a longer text the beginning is looked for first."""


MIN_LITERAL_CHARACTERS = 2
"""Characters of a literal of REGEX below which looking for it first is not worth it: nearly every text has it."""


MAX_SHARED_PROGRAM = 100
"""Size of a REGEX's program (`regex.Pattern.size`) up to which it is matched together with those of others. What a
larger one costs is its own subscription's work."""


class TextMapping(IntEnum):
    """What is done to the text of a term before another text is looked for in it."""

    WRITTEN = 0
    LOWER = 1
    UPPER = 2
    WORDS = 3
    TERM = 4
    """The whole term in N-Triples, with its brackets, quotes, language and datatype."""


class TextKind(IntEnum):
    """Where in a text another one must be."""

    CONTAINS = 0
    STARTS = 1
    ENDS = 2
    EQUALS = 3
    MATCHES = 4
    """The needle is a regular expression, for which no literal is known; `TextAtom.flags` has its flags."""
    LABELLED = 5
    """The needle is the IRI of a class: the text must be a label of it, or of a term below it."""


class TextAtom(NamedTuple):
    """A text, the *needle*, that must be in the value of a variable."""

    variable: Term
    mapping: TextMapping
    kind: TextKind
    of_str: bool
    """Whether IRIs and typed literals count too, as under STR; otherwise only strings do."""
    needle: str
    constant: Term | None
    """The constant of the constraint if the needle is its whole text, and nothing but the needle must be tested."""
    flags: str = ""


class TextNeeds(NamedTuple):
    """The clauses of a constraint, and whether they are the whole constraint."""

    clauses: tuple[tuple[TextAtom, ...], ...]
    exact: bool


NO_NEEDS = TextNeeds((), False)
SUBSTRING_KINDS = {"CONTAINS": TextKind.CONTAINS, "STRSTARTS": TextKind.STARTS, "STRENDS": TextKind.ENDS}
CASE_MAPPINGS = {"LCASE": TextMapping.LOWER, "UCASE": TextMapping.UPPER}
STRING_DATATYPES = (XSD_STRING, RDF_LANG_STRING)
_EQUAL_ONLY_TO_THEMSELVES = (ValueKind.IRI, ValueKind.STRING, ValueKind.LANGUAGE_STRING)
_FUNCTIONS = frozenset({*SUBSTRING_KINDS, "=", "SAMETERM", "REGEX", "WORDS", "LABELLED", "in", "&&", "||", "!"})


def may_need_text(function: str) -> bool:
    """Return whether calls of a function may need texts, or need that a text is absent."""
    return function in _FUNCTIONS


def text_needs(test: Expression) -> TextNeeds:
    """Return what a constraint needs; no clauses if nothing is known.

    >>> from gtopss.model.expressions import call
    >>> text_needs(call("CONTAINS", call("LCASE", "?t"), '"flood"')).clauses[0][0].needle
    'flood'
    """
    if not isinstance(test, Call):
        return NO_NEEDS
    match test.function:
        case "&&":
            parts = [text_needs(argument) for argument in test.arguments]
            return TextNeeds(tuple(clause for part in parts for clause in part.clauses), all(p.exact for p in parts))
        case "||":
            return _any_of([text_needs(argument) for argument in test.arguments])
        case "CONTAINS" | "STRSTARTS" | "STRENDS":
            tested, needle = test.arguments
            return _all_of(_substring(tested, needle, SUBSTRING_KINDS[test.function]))
        case "WORDS":
            tested, phrase = test.arguments
            return _all_of(_words(tested, phrase))
        case "LABELLED":
            return _all_of(_labelled(*test.arguments))
        case "=" | "SAMETERM":
            one, other = test.arguments
            if isinstance(one, Call) or is_variable(one):
                return _all_of(_equality(one, other, test.function))
            return _all_of(_equality(other, one, test.function))
        case "REGEX":
            return _regex(test)
        case "in":
            tested, *members = test.arguments
            return _any_of([_all_of(_equality(tested, member, "=")) for member in members])
    return NO_NEEDS


def _all_of(atom: TextAtom | None) -> TextNeeds:
    return NO_NEEDS if atom is None else TextNeeds(((atom,),), atom.constant is not None)


def _any_of(parts: Iterable[TextNeeds]) -> TextNeeds:
    """Return the needs of a disjunction: one clause that joins the most selective one of each argument."""
    atoms: dict[TextAtom, None] = {}
    exact = True
    for part in parts:
        if not part.clauses:
            return NO_NEEDS
        exact &= part.exact and len(part.clauses) == 1
        best, *others = part.clauses
        for clause in others:
            best = max(best, clause, key=_selectivity)
        atoms.update(dict.fromkeys(best))
    return TextNeeds((tuple(atoms),), exact) if atoms else NO_NEEDS


def _selectivity(clause: tuple[TextAtom, ...]) -> tuple[int, int]:
    return -len(clause), min(len(atom.needle) for atom in clause)


class _Tested(NamedTuple):
    """The expression that a text is looked for in."""

    variable: Term
    mapping: TextMapping
    of_str: bool


def _tested(tree: Expression) -> _Tested | None:
    """Read a variable, alone or under STR, LCASE or UCASE, or LCASE or UCASE of STR."""
    mapping, of_str = TextMapping.WRITTEN, False
    if isinstance(tree, Call) and tree.function in CASE_MAPPINGS:
        mapping, (tree,) = CASE_MAPPINGS[tree.function], tree.arguments
    if isinstance(tree, Call) and tree.function == "STR":
        of_str, (tree,) = True, tree.arguments
    return None if isinstance(tree, Call) or not is_variable(tree) else _Tested(tree, mapping, of_str)


def _substring(tree: Expression, constant: Expression, kind: TextKind) -> TextAtom | None:
    tested = _tested(tree)
    if tested is None or isinstance(constant, Call) or not is_literal(constant):
        return None
    value = value_of(constant)
    if value.kind is ValueKind.STRING:
        return _atom(tested, kind, str(value.data), constant)
    if value.kind is ValueKind.LANGUAGE_STRING and not tested.of_str:
        return _atom(tested, kind, str(value.data[0]), None)  # the language is tested later
    return None


def _words(tree: Expression, constant: Expression) -> TextAtom | None:
    tested = _tested(tree)
    if tested is None or tested.mapping is not TextMapping.WRITTEN:
        return None
    phrase = plain_text(constant)
    if phrase is None:
        return None
    needle = words_needle(phrase)
    assert not isinstance(constant, Call)
    return _atom(tested._replace(mapping=TextMapping.WORDS), TextKind.CONTAINS, needle, constant)


def _labelled(text: Expression, cls: Expression) -> TextAtom | None:
    if isinstance(text, Call) or not is_variable(text) or isinstance(cls, Call) or not is_iri(cls):
        return None
    return TextAtom(text, TextMapping.WRITTEN, TextKind.LABELLED, False, iri_text(cls), cls)


def _regex(test: Call) -> TextNeeds:
    """Return the literals of which every match has one. Some patterns are the same as CONTAINS of one of them."""
    tested, texts = _tested(test.arguments[0]), [plain_text(argument) for argument in test.arguments[1:]]
    if tested is None or None in texts:
        return NO_NEEDS
    pattern, flags = texts[0] or "", "".join(each or "" for each in texts[1:])
    if not flags and pattern.replace(" ", "").isalnum():
        constant = test.arguments[1]
        assert not isinstance(constant, Call)
        return _all_of(_atom(tested, TextKind.CONTAINS, pattern, constant))
    literals = required_literals(pattern, flags)
    if literals is None or min(map(len, literals.alternatives)) < MIN_LITERAL_CHARACTERS:
        if tested.mapping is not TextMapping.WRITTEN or compile_regex(pattern, flags).size > MAX_SHARED_PROGRAM:
            return NO_NEEDS
        return TextNeeds(((TextAtom(*tested[:2], TextKind.MATCHES, tested.of_str, pattern, None, flags),),), True)
    if literals.is_exact and max(map(len, literals.alternatives)) <= MAX_NEEDLE_CHARACTERS:
        atoms = (_atom(tested, TextKind.CONTAINS, each, None) for each in literals.alternatives)
        return TextNeeds((tuple(atom for atom in atoms if atom is not None),), exact=True)
    if literals.case is not None:
        if tested.mapping not in (TextMapping.WRITTEN, CASE_MAPPINGS[literals.case]):
            return NO_NEEDS
        tested = tested._replace(mapping=CASE_MAPPINGS[literals.case])
    return _any_of([_all_of(_atom(tested, TextKind.CONTAINS, each, None)) for each in literals.alternatives])


def plain_text(argument: Expression) -> str | None:
    """Return the text of a constant string without a language; None for any other expression.

    >>> plain_text(Term('"flood"')), plain_text(Term('"flood"@en'))
    ('flood', None)
    """
    if isinstance(argument, Call) or not is_literal(argument):
        return None
    if argument[-1] == '"' and "\\" not in argument:
        return argument[1:-1]
    value = value_of(argument)
    return str(value.data) if value.kind is ValueKind.STRING else None


def _equality(tree: Expression, constant: Expression, function: str) -> TextAtom | None:
    tested = _tested(tree)
    if tested is None or isinstance(constant, Call) or is_variable(constant):
        return None
    value = value_of(constant)
    if not isinstance(tree, Call):
        if function != "SAMETERM" and value.kind not in _EQUAL_ONLY_TO_THEMSELVES:
            return None
        return _atom(tested._replace(mapping=TextMapping.TERM), TextKind.EQUALS, constant, constant)
    if value.kind is ValueKind.STRING:
        return _atom(tested, TextKind.EQUALS, str(value.data), constant)
    if value.kind is ValueKind.LANGUAGE_STRING and not tested.of_str:
        return _atom(tested, TextKind.CONTAINS, str(value.data[0]), None)
    return None


def _atom(tested: _Tested, kind: TextKind, needle: str, constant: Term | None) -> TextAtom | None:
    """Return the atom of a needle; of a long one its beginning, which is not all that must be tested."""
    if not needle:
        return None
    if len(needle) > MAX_NEEDLE_CHARACTERS:
        kind = {TextKind.ENDS: TextKind.CONTAINS, TextKind.EQUALS: TextKind.STARTS}.get(kind, kind)
        needle, constant = needle[:MAX_NEEDLE_CHARACTERS], None
    return TextAtom(tested.variable, tested.mapping, kind, tested.of_str, needle, constant)


def map_text(term: Term, mapping: TextMapping) -> str:
    """Return the text of a term in which needles are looked for.

    >>> map_text(Term('"Straße"@de'), TextMapping.UPPER)
    'STRASSE'
    """
    if mapping is TextMapping.TERM:
        return term
    text = literal_parts(term)[0] if is_literal(term) else iri_text(term)
    match mapping:
        case TextMapping.LOWER:
            return text.lower()
        case TextMapping.UPPER:
            return text.upper()
        case TextMapping.WORDS:
            return words_text(text)
    return text


def never_occurs(test: Call) -> str | None:
    """Return why a text test can never hold: a capital letter under LCASE, or a language under STR; else None.

    >>> from gtopss.model.expressions import call
    >>> never_occurs(call("CONTAINS", call("LCASE", "?t"), '"NASA"'))
    'LCASE never gives the letter "N"'
    """
    if test.function not in SUBSTRING_KINDS and test.function != "=":
        return None
    one, other = test.arguments
    if not isinstance(one, Call):
        one, other = other, one
    if not isinstance(one, Call) or isinstance(other, Call) or not is_literal(other):
        return None
    text, _, language = literal_parts(other)
    inner = one.arguments[0] if one.function in CASE_MAPPINGS else one
    if language is not None and isinstance(inner, Call) and inner.function == "STR":
        return f"STR has no language, and {other} has one"
    if one.function in CASE_MAPPINGS:
        change = str.lower if one.function == "LCASE" else str.upper
        for character in text:
            if change(character) != character:  # both mappings leave what they give unchanged
                return f'{one.function} never gives the letter "{character}"'
    return None
