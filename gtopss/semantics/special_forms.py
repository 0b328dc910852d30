"""Special forms: calls that do not simply apply a function to the values of all their arguments.

`||`, `&&`, IN, IF and COALESCE may skip arguments or survive their errors; BOUND tests a variable and not its value;
NOW, HAS, LABELLED and the is-a functions read the evaluation context; REGEX and REPLACE compile a constant pattern
once, and WORDS checks a constant needle.

Each form takes the call and the compiler for its arguments, and returns an evaluator. The number of arguments has been
checked against the table in `functions` before. A form raises ValueError for a call that can never be evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gtopss.model.expressions import Call, Expression
from gtopss.model.terms import Term, is_iri, is_variable
from gtopss.semantics import regex, words
from gtopss.semantics.constant_set import ConstantSet
from gtopss.semantics.context import EvaluationContext, Evaluator, RowValues
from gtopss.semantics.dates import date_time_value
from gtopss.semantics.has import has_value_of_class, has_value_with_words
from gtopss.semantics.labelled import is_labelled
from gtopss.semantics.lenient_literals import read_literal
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    TypeMismatch,
    Value,
    ValueKind,
    effective_boolean,
    equal,
    term_of,
    value_of,
)

Compiler: TypeAlias = Callable[[Expression], Evaluator]
SpecialForm: TypeAlias = Callable[[Call, Compiler], Evaluator]


def constant(value: Value) -> Evaluator:
    """Return an evaluator that always has the same value."""
    return lambda values, context: value


def _logic(decisive: bool) -> SpecialForm:
    """Make `||` (one true argument decides) or `&&` (one false argument decides).

    An error counts only where no argument decides (SPARQL 1.1, section 17.2: three-valued logic).
    """

    def form(call: Call, compile_argument: Compiler) -> Evaluator:
        arguments = [compile_argument(argument) for argument in call.arguments]

        def evaluate(values: RowValues, context: EvaluationContext) -> Value:
            error: TypeMismatch | None = None
            for argument in arguments:
                try:
                    if effective_boolean(argument(values, context)) is decisive:
                        return TRUE if decisive else FALSE
                except TypeMismatch as mismatch:
                    error = mismatch
            if error is not None:
                raise error
            return FALSE if decisive else TRUE

        return evaluate

    return form


logical_or = _logic(decisive=True)
logical_and = _logic(decisive=False)


def membership(call: Call, compile_argument: Compiler) -> Evaluator:
    """`in` and `not in`: a chain of `=` joined by `||`. The constants are one set, whatever their number."""
    first = compile_argument(call.arguments[0])
    members = call.arguments[1:]
    written = [value_of(each) for each in members if not isinstance(each, Call) and not is_variable(each)]
    read = [read_literal(each) for each in written]
    written_constants = ConstantSet(written)
    read_constants = written_constants if read == written else ConstantSet(read)
    others = [compile_argument(each) for each in members if isinstance(each, Call) or is_variable(each)]
    found, missing = (FALSE, TRUE) if call.function == "not in" else (TRUE, FALSE)
    if len(call.arguments) == 1:
        return constant(missing)

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        error: TypeMismatch | None = None
        one = context.operand(first(values, context))
        constants = read_constants if context.is_lenient else written_constants
        try:
            if constants.has_equal(one):
                return found
        except TypeMismatch as mismatch:
            error = mismatch
        for other in others:
            try:
                if equal(one, context.operand(other(values, context))):
                    return found
            except TypeMismatch as mismatch:
                error = mismatch
        if error is not None:
            raise error
        return missing

    return evaluate


def bound(call: Call, compile_argument: Compiler) -> Evaluator:
    """BOUND: whether a variable has a value."""
    (name,) = call.arguments
    if isinstance(name, Call) or not is_variable(name):
        raise ValueError("BOUND takes a variable")
    return lambda values, context: TRUE if name in values else FALSE


def unbound(call: Call, compile_argument: Compiler) -> Evaluator:
    """UNBOUND: a variable out of its scope, as `language.lower` writes it. Always a type error."""

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        raise TypeMismatch("the variable is not bound")

    return evaluate


def exists(call: Call, compile_argument: Compiler) -> Evaluator:
    """EXISTS: whether a pattern has a solution for the row. Only a query with patterns has it (`gtopss.algebra`)."""
    (pattern,) = call.arguments

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        if context.exists is None:
            raise TypeMismatch("EXISTS is evaluated only within a query")
        return TRUE if context.exists(pattern, values) else FALSE

    return evaluate


def never(call: Call, compile_argument: Compiler) -> Evaluator:
    """NEVER: a constraint that was found impossible before registration (`expressions.impossible_constraint`)."""
    return constant(FALSE)


def if_then_else(call: Call, compile_argument: Compiler) -> Evaluator:
    """IF: only the chosen branch is evaluated (SPARQL 1.1, 17.4.1.2)."""
    condition, then, otherwise = map(compile_argument, call.arguments)
    return lambda values, context: (
        then(values, context) if effective_boolean(condition(values, context)) else otherwise(values, context)
    )


def coalesce(call: Call, compile_argument: Compiler) -> Evaluator:
    """COALESCE: the first argument without an error; a type error if there is none."""
    arguments = [compile_argument(argument) for argument in call.arguments]

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        for argument in arguments:
            try:
                return argument(values, context)
            except TypeMismatch:
                continue
        raise TypeMismatch("every argument of COALESCE has an error")

    return evaluate


def now(call: Call, compile_argument: Compiler) -> Evaluator:
    """NOW: the time at which the publication arrived, the same for all subscriptions and in its explanations."""

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        if context.now is None:
            raise TypeMismatch("nobody says when the publication arrived")
        return date_time_value(context.now)

    return evaluate


def is_a_form(ask: Callable[[Term, Term, EvaluationContext], bool]) -> SpecialForm:
    """Make the form of an is-a function, which compares terms and reads the taxonomy."""

    def form(call: Call, compile_argument: Compiler) -> Evaluator:
        term, cls = map(compile_argument, call.arguments)
        return lambda values, context: (
            TRUE if ask(term_of(term(values, context)), term_of(cls(values, context)), context) else FALSE
        )

    return form


def labelled_test(call: Call, compile_argument: Compiler) -> Evaluator:
    """LABELLED(text, class), which reads the taxonomy."""
    text, cls = map(compile_argument, call.arguments)
    return lambda values, context: TRUE if is_labelled(text(values, context), cls(values, context), context) else FALSE


def regex_test(call: Call, compile_argument: Compiler) -> Evaluator:
    """REGEX(text, pattern[, flags])."""
    subject, *others = map(compile_argument, call.arguments)
    pattern = constant_pattern(call)
    if pattern is None:
        return lambda values, context: regex.matches(
            context.budget, subject(values, context), *(other(values, context) for other in others)
        )
    return lambda values, context: pattern.found_in(subject(values, context), context.budget)


def regex_replacement(call: Call, compile_argument: Compiler) -> Evaluator:
    """REPLACE(text, pattern, replacement[, flags])."""
    subject, *others = map(compile_argument, call.arguments)
    pattern = constant_pattern(call)
    replacement = others[1]

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        budget = context.budget
        if pattern is None:
            made = regex.replaced(budget, subject(values, context), *(other(values, context) for other in others))
        else:
            made = pattern.replace(subject(values, context), replacement(values, context), budget)
        budget.charge_result(made.data)
        return made

    return evaluate


def words_test(call: Call, compile_argument: Compiler) -> Evaluator:
    """WORDS(text, needle). Raises ValueError for a constant needle that can never be found."""
    subject, needle = call.arguments
    if not isinstance(needle, Call) and not is_variable(needle):
        _check_needle(value_of(needle))
    read_subject, read_needle = compile_argument(subject), compile_argument(needle)
    return lambda values, context: words.has_words(
        context.budget, read_subject(values, context), read_needle(values, context)
    )


def has_test(call: Call, compile_argument: Compiler) -> Evaluator:
    """HAS(subject, property[, words or class]). Raises ValueError unless the last two are constants of these kinds."""
    subject, property, *others = call.arguments
    wanted = others[0] if others else None
    if isinstance(property, Call) or isinstance(wanted, Call) or not is_iri(property):
        raise ValueError("has takes a property and a text or a class that are constants")
    read_subject = compile_argument(subject)
    if wanted is None:
        return lambda values, context: (
            TRUE if context.objects(term_of(read_subject(values, context)), property) else FALSE
        )
    if is_variable(wanted):
        raise ValueError("has takes a property and a text or a class that are constants")
    if is_iri(wanted):
        return lambda values, context: (
            TRUE if has_value_of_class(term_of(read_subject(values, context)), property, wanted, context) else FALSE
        )
    needle = value_of(wanted)
    _check_needle(needle)
    return lambda values, context: (
        TRUE if has_value_with_words(term_of(read_subject(values, context)), property, needle, context) else FALSE
    )


def stated_test(call: Call, compile_argument: Compiler) -> Evaluator:
    """STATED(subject, property[, object]): whether the publication has such a triple."""
    subject, property, *others = call.arguments
    wanted = others[0] if others else None
    if isinstance(property, Call) or isinstance(wanted, Call):
        raise ValueError("STATED takes a property and an object that are constants")
    read_subject = compile_argument(subject)

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        found = context.objects(term_of(read_subject(values, context)), property)
        return TRUE if (wanted in found if wanted is not None else found) else FALSE

    return evaluate


def _check_needle(value: Value) -> None:
    if value.kind is not ValueKind.STRING:
        raise words.InvalidNeedle("words looks for a string without a language, in texts of any language")
    words.words_needle(str(value.data))


def constant_pattern(call: Call) -> regex.Pattern | None:
    """Compile the pattern of REGEX or REPLACE if it and its flags are constant strings, else return None.

    Raises ValueError if RE2 cannot run it.
    """
    _, pattern, *others = call.arguments
    texts: list[str] = []
    for argument in (pattern, *(others if call.function == "REGEX" else others[1:])):
        if isinstance(argument, Call) or is_variable(argument):
            return None
        value = value_of(argument)
        if value.kind is not ValueKind.STRING:
            return None
        texts.append(str(value.data))
    return regex.compile_regex(*texts)
