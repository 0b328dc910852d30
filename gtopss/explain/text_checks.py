"""Explain the text tests of a constraint: where each needle was found, or in what text it was not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gtopss.explain.excerpts import make_excerpt, text_start
from gtopss.explain.explanation import TextCheck
from gtopss.explain.limits import MAX_NEEDLE_CHARACTERS
from gtopss.explain.needle_places import CASE_MAPPINGS, find_needle
from gtopss.explain.operands import compile_operands, operand_terms
from gtopss.explain.triple_index import Row
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.term_text import shorten
from gtopss.model.terms import is_literal, literal, literal_parts
from gtopss.semantics import EvaluationContext, compile_expressions
from gtopss.semantics.budget import CHARACTERS_PER_STEP
from gtopss.semantics.html_text import html_text
from gtopss.semantics.values import TypeMismatch, effective_boolean

_FUNCTIONS = frozenset({"CONTAINS", "STRSTARTS", "STRENDS", "WORDS", "REGEX"})
_READ_WITHOUT_HTML = frozenset({"WORDS", "HAS"})


def is_text_test(call: Call) -> bool:
    """Return whether a call looks for a needle: `LCASE(?t) = "x"` and `has(?x, p, "words")` do too."""
    if call.function == "HAS":
        return any(not isinstance(each, Call) and is_literal(each) for each in call.arguments[2:])
    return call.function in _FUNCTIONS or (call.function == "=" and any(map(_is_mapped, call.arguments)))


def is_of_texts(call: Call) -> bool:
    """Return whether a constraint consists of tests of texts and labels alone, combined by `&&`, `||` and `!`."""
    if call.function in ("&&", "||", "!"):
        return all(isinstance(each, Call) and is_of_texts(each) for each in call.arguments)
    return is_text_test(call) or call.function == "LABELLED"


def text_tests(expression: Expression) -> Iterator[Call]:
    """Yield the text tests in an expression."""
    if not isinstance(expression, Call):
        return
    if is_text_test(expression):
        yield expression
        return
    for argument in expression.arguments:
        yield from text_tests(argument)


def text_check(test: Call, values: Row, context: EvaluationContext) -> TextCheck | None:
    """Evaluate a text test on a row; None if it has a type error, or if the context's budget is spent."""
    (compiled,) = compile_expressions("explain", Branch((), [test])).tests
    try:
        context.start_row(0)
        holds = effective_boolean(compiled.evaluate(values, context))
        searched = _searched(test, values, context)
        if searched is None:
            return None
        return _shown(test, searched, holds, context)
    except TypeMismatch:
        return None


class _Searched(NamedTuple):
    """The needle of a test, the texts in which it is looked for, and the function that maps them, if there is one."""

    needle: Term
    texts: list[Term]
    mapping: str | None


def _searched(test: Call, values: Row, context: EvaluationContext) -> _Searched | None:
    if test.function == "HAS":
        subject, property, needle = test.arguments
        assert not isinstance(needle, Call)
        operands = operand_terms(compile_operands(subject, property), values, context)
        found = [] if operands is None else context.objects(*operands)
        return _Searched(needle, [each for each in found if is_literal(each)], None)
    tested, wanted = test.arguments[:2]
    if test.function == "=" and not _is_mapped(tested):
        tested, wanted = wanted, tested
    mapping = None
    if isinstance(tested, Call) and _is_mapped(tested):
        mapping, (tested,) = tested.function, tested.arguments
    operands = operand_terms(compile_operands(tested, wanted), values, context)
    if operands is None:
        return None
    text, needle = operands
    return _Searched(needle, [text], mapping) if is_literal(text) and is_literal(needle) else None


def _shown(test: Call, searched: _Searched, holds: bool, context: EvaluationContext) -> TextCheck:
    needle = literal_parts(searched.needle)[0]
    shown_needle = _with_type_of(searched.needle, shorten(needle, MAX_NEEDLE_CHARACTERS))
    mapping = None if searched.mapping is None else CASE_MAPPINGS[searched.mapping]
    for term in searched.texts if holds else ():
        try:
            place = find_needle(test, mapping, _text(term, context), needle, context.budget)
        except TypeMismatch:  # there are no steps left
            break
        if place is not None:
            return TextCheck(test.function, shown_needle, holds, make_excerpt(*place))
    if not searched.texts:
        return TextCheck(test.function, shown_needle, holds)
    first = searched.texts[0]
    text = _text(first, context)
    if test.function in _READ_WITHOUT_HTML:
        context.budget.spend(len(text))
        text = html_text(text)
    return TextCheck(test.function, shown_needle, holds, text=_with_type_of(first, text_start(text)))


def _text(term: Term, context: EvaluationContext) -> str:
    context.budget.spend(len(term) // CHARACTERS_PER_STEP)
    return literal_parts(term)[0]


def _with_type_of(term: Term, text: str) -> Term:
    """Return a literal with another text, and the language or datatype of a literal."""
    return Term(literal(text) + term[term.rindex('"') + 1 :])


def _is_mapped(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.function in CASE_MAPPINGS
