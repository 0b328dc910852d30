"""The one table of functions that an expression may call: those of SPARQL 1.1 (section 17.4), `words` and the like.

To add a function, add one line to `FUNCTIONS`: its name, the least and the largest number of its arguments, and the
Python function that computes its value. The parser gets names and numbers of arguments from this table
(`function_arities`), `evaluate` compiles calls of it, and the printer writes it as it is named here. Functions on
strings, numbers, dates, terms and the casts have modules of their own; `special_forms` has those that do not simply
take the values of all their arguments.

A function returns a value or raises `TypeMismatch` for any arguments; it raises nothing else, except `BudgetExceeded`
if it takes the budget. The texts that functions return are charged by `evaluate`.
"""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gtopss.semantics import dates, new_terms, numbers, regex, special_forms, strings, term_functions, words
from gtopss.semantics.casts import CASTS
from gtopss.semantics.dates import CALENDAR, CLOCK
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from gtopss.semantics.special_forms import SpecialForm
from gtopss.semantics.term_functions import boolean
from gtopss.semantics.values import Value, ValueKind, effective_boolean, equal, less


class Function(NamedTuple):
    """A function's numbers of arguments, and what it computes.

    `most` is None where there is no limit. A function has `apply`, which takes the values of its arguments, or
    `special_form`, which compiles the call itself; where it has both, `special_form` is the faster way. `apply` takes
    the budget first if the function may need much more of it than its arguments are long (`takes_budget`). A function
    that `reads_literals` compares or computes with numbers or dates: with lenient literals, plain literals among its
    arguments are read (`lenient_literals`).
    """

    least: int
    most: int | None
    apply: Callable[..., Value] | None = None
    special_form: SpecialForm | None = None
    takes_budget: bool = False
    reads_literals: bool = False


FUNCTIONS: dict[str, Function] = {
    # forms and terms
    "BOUND": Function(1, 1, special_form=special_forms.bound),
    "IF": Function(3, 3, special_form=special_forms.if_then_else),
    "COALESCE": Function(0, None, special_form=special_forms.coalesce),
    "STR": Function(1, 1, term_functions.text),
    "LANG": Function(1, 1, term_functions.language),
    "LANGMATCHES": Function(2, 2, term_functions.language_matches),
    "DATATYPE": Function(1, 1, term_functions.datatype),
    "SAMETERM": Function(2, 2, term_functions.same_term),
    "ISIRI": Function(1, 1, lambda value: boolean(value.kind is ValueKind.IRI)),
    "ISURI": Function(1, 1, lambda value: boolean(value.kind is ValueKind.IRI)),
    "ISBLANK": Function(1, 1, lambda value: boolean(value.kind is ValueKind.BLANK)),
    "ISLITERAL": Function(1, 1, lambda value: boolean(value.literal)),
    "ISNUMERIC": Function(1, 1, lambda value: boolean(value.numeric)),
    "IRI": Function(1, 1, term_functions.to_iri),
    "URI": Function(1, 1, term_functions.to_iri),
    "STRLANG": Function(2, 2, term_functions.with_language),
    "STRDT": Function(2, 2, term_functions.with_datatype),
    "BNODE": Function(0, 1, special_form=new_terms.written_only_in_queries),
    "UUID": Function(0, 0, special_form=new_terms.written_only_in_queries),
    "STRUUID": Function(0, 0, special_form=new_terms.written_only_in_queries),
    # strings
    "CONTAINS": Function(2, 2, strings.text_test(lambda text, part: part in text)),
    "STRSTARTS": Function(2, 2, strings.text_test(str.startswith)),
    "STRENDS": Function(2, 2, strings.text_test(str.endswith)),
    "STRBEFORE": Function(2, 2, strings.before),
    "STRAFTER": Function(2, 2, strings.after),
    "STRLEN": Function(1, 1, strings.length),
    "SUBSTR": Function(2, 3, strings.substring),
    "UCASE": Function(1, 1, strings.upper, takes_budget=True),
    "LCASE": Function(1, 1, strings.lower, takes_budget=True),
    "CONCAT": Function(0, None, strings.concatenation, takes_budget=True),
    "ENCODE_FOR_URI": Function(1, 1, strings.encode_for_uri, takes_budget=True),
    "REGEX": Function(2, 3, regex.matches, special_forms.regex_test, takes_budget=True),
    "REPLACE": Function(3, 4, regex.replaced, special_forms.regex_replacement, takes_budget=True),
    "WORDS": Function(2, 2, words.has_words, special_forms.words_test, takes_budget=True),
    "HAS": Function(2, 3, special_form=special_forms.has_test),
    "LABELLED": Function(2, 2, special_form=special_forms.labelled_test),
    **{name: Function(1, 1, strings.digest(name.lower())) for name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512")},
    # numbers
    "ABS": Function(1, 1, numbers.absolute, reads_literals=True),
    "CEIL": Function(1, 1, numbers.ceiling, reads_literals=True),
    "FLOOR": Function(1, 1, numbers.floor, reads_literals=True),
    "ROUND": Function(1, 1, numbers.rounded, reads_literals=True),
    # dates and times
    "NOW": Function(0, 0, special_form=special_forms.now),
    "YEAR": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.year), reads_literals=True),
    "MONTH": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.month), reads_literals=True),
    "DAY": Function(1, 1, dates.part(CALENDAR, lambda fields: fields.day), reads_literals=True),
    "HOURS": Function(1, 1, dates.part(CLOCK, lambda fields: fields.hours), reads_literals=True),
    "MINUTES": Function(1, 1, dates.part(CLOCK, lambda fields: fields.minutes), reads_literals=True),
    "SECONDS": Function(1, 1, dates.seconds, reads_literals=True),
    "TIMEZONE": Function(1, 1, dates.timezone, reads_literals=True),
    "TZ": Function(1, 1, dates.zone_text, reads_literals=True),
}
"""What a query may call by name, in any case; the names here are in upper case."""

SIGNS: dict[str, Function] = {
    "||": Function(1, None, special_form=special_forms.logical_or),
    "&&": Function(1, None, special_form=special_forms.logical_and),
    "in": Function(1, None, special_form=special_forms.membership, reads_literals=True),
    "not in": Function(1, None, special_form=special_forms.membership, reads_literals=True),
    "!": Function(1, 1, lambda value: boolean(not effective_boolean(value))),
    "=": Function(2, 2, lambda one, other: boolean(equal(one, other)), reads_literals=True),
    "!=": Function(2, 2, lambda one, other: boolean(not equal(one, other)), reads_literals=True),
    "<": Function(2, 2, lambda one, other: boolean(less(one, other)), reads_literals=True),
    ">": Function(2, 2, lambda one, other: boolean(less(other, one)), reads_literals=True),
    "<=": Function(2, 2, lambda one, other: boolean(term_functions.at_most(one, other)), reads_literals=True),
    ">=": Function(2, 2, lambda one, other: boolean(term_functions.at_most(other, one)), reads_literals=True),
    "+": Function(2, 2, numbers.arithmetic(operator.add), takes_budget=True, reads_literals=True),
    "-": Function(2, 2, numbers.arithmetic(operator.sub), takes_budget=True, reads_literals=True),
    "*": Function(2, 2, numbers.arithmetic(operator.mul), takes_budget=True, reads_literals=True),
    "/": Function(2, 2, numbers.arithmetic(operator.truediv), takes_budget=True, reads_literals=True),
    "unary-": Function(1, 1, numbers.negative, reads_literals=True),
    "unary+": Function(1, 1, numbers.positive, reads_literals=True),
}
"""What the grammar writes by signs and by IN, under the names that the parser gives them."""

_CASTS = {f"<{datatype}>": Function(1, 1, cast) for datatype, cast in CASTS.items()}
_IS_A = {name: Function(2, 2, special_form=special_forms.is_a_form(ask)) for name, ask in IS_A_FUNCTIONS.items()}
# Only `gtopss.language` writes these; no query text can.
_INTERNAL = {
    "UNBOUND": Function(0, 1, special_form=special_forms.unbound),
    "NEVER": Function(1, 1, special_form=special_forms.never),
    "EXISTS": Function(1, 1, special_form=special_forms.exists),
    "STATED": Function(2, 3, special_form=special_forms.stated_test),
    "SOLUTION": Function(0, 0, special_form=new_terms.solution_number),
    "NEW": Function(3, 4, special_form=new_terms.new_term),
}

DEFINITIONS: Mapping[str, Function] = ChainMap(FUNCTIONS, SIGNS, _CASTS, _IS_A, _INTERNAL)
"""All that an expression may call: `FUNCTIONS`, and what the grammar writes by signs, IRIs or forms of its own."""


def function_arities() -> dict[str, int | tuple[int, int | None]]:
    """Return the functions a query may call by name, with their numbers of arguments, as `sparqlish.parse` takes them.

    >>> arities = function_arities()
    >>> arities["CONTAINS"], arities["SUBSTR"], arities["CONCAT"]
    (2, (2, 3), (0, None))
    """
    return {
        name: function.least if function.least == function.most else (function.least, function.most)
        for name, function in FUNCTIONS.items()
    }
