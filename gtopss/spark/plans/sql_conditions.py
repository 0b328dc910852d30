"""Translate filters to Spark SQL that means exactly what `semantics` means; raise NotExpressibleInSql otherwise.

SPARQL's type error is SQL's NULL: both make a filter fail, and `||`, `&&` and `!` treat them alike (SPARQL 1.1, 17.2).

| test                                                          | becomes                                              |
|---------------------------------------------------------------|------------------------------------------------------|
| `= != < <= > >= IN` of a value and a constant                 | comparisons of the two readings (`term_columns`)     |
| `CONTAINS STRSTARTS STRENDS` of a text and a constant         | the same in Spark, on the text without escapes       |
| `LANGMATCHES`, `isIRI` and their like, `sameTerm`, `BOUND`    | a test of the reading                                |
| `isA instanceOf directlyA` of a variable and a class          | whether the node has the class (`triple_graphs`)     |
| `|| && !`                                                     | `OR AND NOT`                                         |
| REGEX, LCASE, WORDS, LABELLED, arithmetic, two variables, ... | refused: Java's texts and decimals differ            |

A value is a variable, STR, LANG or DATATYPE of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gtopss.model import Call, Expression, Term
from gtopss.model.expressions import TAXONOMY_FUNCTIONS, expression_text, variables
from gtopss.model.terms import is_iri, is_variable, literal_parts
from gtopss.semantics.class_members import RELATIONS
from gtopss.semantics.values import ValueKind, value_of
from gtopss.spark.plans.term_columns import constant_reading

_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TEXT_TESTS = {"CONTAINS": "contains", "STRSTARTS": "startswith", "STRENDS": "endswith"}
_TERM_TESTS = {
    "ISIRI": f"= {ValueKind.IRI:d}",
    "ISURI": f"= {ValueKind.IRI:d}",
    "ISBLANK": f"= {ValueKind.BLANK:d}",
    "ISLITERAL": f"<= {ValueKind.OTHER:d}",
    "ISNUMERIC": f"<= {ValueKind.DOUBLE:d}",
}
_LOWERED = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ\u212a', 'abcdefghijklmnopqrstuvwxyzk'"
"""The characters whose lower case is an ASCII letter: the last is the Kelvin sign."""


class NotExpressibleInSql(Exception):
    """Spark SQL cannot express an expression. The message names the part."""


class _Value(NamedTuple):
    """SQL for the fields of a value that comparisons read."""

    kind: str
    term: str
    text: str
    key: str = "NULL"
    zoned: str = "NULL"
    wide: str = "NULL"
    narrow: str = "NULL"


@dataclass(slots=True)
class SqlConditions:
    """Builds the conditions of one branch, and collects the constants and variables that they read.

    Values are read from the struct `r<place>` of a variable, constants from the array `tested`, classes from the array
    `k<place>`.
    """

    places: Mapping[Term, int]  # of the variables in the shape
    tested: list[dict[str, Any]] = field(default_factory=list)
    read: set[int] = field(default_factory=set)
    classed: set[int] = field(default_factory=set)
    classes: set[tuple[str, Term]] = field(default_factory=set)

    def condition(self, test: Expression) -> str:
        """Return SQL that is true exactly if the filter holds, and NULL if it has a type error."""
        if not isinstance(test, Call):
            raise NotExpressibleInSql(f"the truth value of {expression_text(test)}")
        if not variables(test):
            return self._without_variables(test)
        function, arguments = test.function, test.arguments
        if function in ("||", "&&"):
            glue = " OR " if function == "||" else " AND "
            return f"({glue.join(map(self.condition, arguments))})"
        if function == "!":
            return f"(NOT {self.condition(arguments[0])})"
        if function in _MIRRORED:
            return self._comparison(test)
        if function in ("in", "not in"):
            return self._among(test)
        if make := _MAKERS.get(function):
            return make(self, test)
        raise NotExpressibleInSql(f"{function} in {expression_text(test)}")

    def _without_variables(self, test: Call) -> str:
        """Return true: a false constant filter has removed its branch before, unless the taxonomy decides it."""
        if _mentions(test, TAXONOMY_FUNCTIONS):
            raise NotExpressibleInSql(f"a test of a constant by the taxonomy in {expression_text(test)}")
        return "true"

    # --- values ----------------------------------------------------------------------------------------------

    def _place(self, term: Expression, test: Call) -> int:
        if isinstance(term, Call) or term not in self.places:
            raise NotExpressibleInSql(f"{expression_text(term)} in {expression_text(test)} is not an edge variable")
        return self.places[term]

    def _value(self, tree: Expression, test: Call) -> _Value:
        function = tree.function if isinstance(tree, Call) else None
        if function is not None and function not in ("STR", "LANG", "DATATYPE"):
            raise NotExpressibleInSql(f"{function} in {expression_text(test)}")
        place = self._place(tree.arguments[0] if isinstance(tree, Call) else tree, test)
        self.read.add(place)
        r = f"r{place}"
        if function is None:
            return _Value(*(f"{r}.{name}" for name in _Value._fields))
        if function == "DATATYPE":
            kind = f"IF({r}.datatype IS NULL, NULL, {ValueKind.IRI:d})"
            return _Value(kind, f"concat('<', {r}.datatype, '>')", f"{r}.datatype")
        text = f"{r}.text" if function == "STR" else f"{r}.language"
        return _Value(f"IF({text} IS NULL, NULL, {ValueKind.STRING:d})", "NULL", text)

    def _constant(self, tree: Expression, test: Call) -> str:
        if isinstance(tree, Call) or is_variable(tree):
            raise NotExpressibleInSql(f"{expression_text(test)} does not compare with a constant")
        reading = constant_reading(tree)
        if reading is None:
            raise NotExpressibleInSql(
                f"the {'duration' if value_of(tree).kind is ValueKind.DURATION else 'year'} in {expression_text(test)}"
            )
        self.tested.append(reading)
        return f"get(tested, {len(self.tested) - 1})"

    # --- comparisons -----------------------------------------------------------------------------------------

    def _comparison(self, test: Call) -> str:
        sign, (one, other) = test.function, test.arguments
        if not variables(one):
            sign, one, other = _MIRRORED[sign], other, one
        value, constant = self._value(one, test), self._constant(other, test)
        if sign in ("=", "!="):
            same = _equal(value, constant)
            return same if sign == "=" else f"(NOT {same})"
        return _ordered(value, sign, constant)

    def _among(self, test: Call) -> str:
        one, *others = test.arguments
        value = self._value(one, test)
        found = " OR ".join(_equal(value, self._constant(other, test)) for other in others) or "false"
        return f"(NOT ({found}))" if test.function == "not in" else f"({found})"

    def _same_term(self, test: Call) -> str:
        one, other = test.arguments
        if not variables(one):
            one, other = other, one
        return f"(v{self._place(one, test)} = {self._constant(other, test)}.term)"

    # --- texts and terms -------------------------------------------------------------------------------------

    def _text_test(self, test: Call) -> str:
        value, wanted = self._value(test.arguments[0], test), self._plain(test.arguments[1], test)
        strings = f"{value.kind} IN ({ValueKind.STRING:d}, {ValueKind.LANGUAGE_STRING:d})"
        return f"IF({strings}, {_TEXT_TESTS[test.function]}({value.text}, {wanted}.text), NULL)"

    def _language(self, test: Call) -> str:
        """Translate LANGMATCHES (RFC 4647, basic filtering). Folding ASCII letters suffices for an ASCII range."""
        given, wanted = test.arguments
        value = self._value(given, test)
        constant = self._plain(wanted, test)
        if not literal_parts(Term(str(wanted)))[0].isascii():
            raise NotExpressibleInSql(f"the language range in {expression_text(test)}")
        tag, pattern = f"translate({value.text}, {_LOWERED})", f"translate({constant}.text, {_LOWERED})"
        found = (
            f"CASE WHEN {pattern} = '*' THEN {tag} <> '' WHEN {pattern} = '' THEN {tag} = '' "
            f"ELSE {tag} = {pattern} OR startswith({tag}, concat({pattern}, '-')) END"
        )
        return f"IF({value.kind} = {ValueKind.STRING:d}, {found}, NULL)"

    def _plain(self, tree: Expression, test: Call) -> str:
        """Return the reading of a constant that must be a string without a language."""
        if not isinstance(tree, Call) and not is_variable(tree) and value_of(tree).kind is ValueKind.STRING:
            return self._constant(tree, test)
        raise NotExpressibleInSql(f"{expression_text(tree)} in {expression_text(test)} is not a plain string")

    def _term_test(self, test: Call) -> str:
        return f"({self._value(test.arguments[0], test).kind} {_TERM_TESTS[test.function]})"

    def _bound(self, test: Call) -> str:
        self._place(test.arguments[0], test)
        return "true"

    def _is_a(self, test: Call) -> str:
        term, cls = test.arguments
        place = self._place(term, test)
        if isinstance(cls, Call) or not is_iri(cls):
            raise NotExpressibleInSql(f"{expression_text(cls)} in {expression_text(test)} is not the IRI of a class")
        self.classed.add(place)
        self.classes.add((test.function, cls))
        return (
            f"coalesce(array_contains(k{place}, concat('{test.function} ', {self._constant(cls, test)}.term)), false)"
        )


_MAKERS: dict[str, Callable[[SqlConditions, Call], str]] = {
    **dict.fromkeys(_TEXT_TESTS, SqlConditions._text_test),
    **dict.fromkeys(_TERM_TESTS, SqlConditions._term_test),
    **dict.fromkeys(RELATIONS, SqlConditions._is_a),
    "LANGMATCHES": SqlConditions._language,
    "SAMETERM": SqlConditions._same_term,
    "BOUND": SqlConditions._bound,
}


def _mentions(tree: Expression, functions: frozenset[str]) -> bool:
    if not isinstance(tree, Call):
        return False
    return tree.function in functions or any(_mentions(argument, functions) for argument in tree.arguments)


def _numbers(v: _Value, sign: str, c: str) -> str:
    """Compare numbers, promoted to the wider kind. NaN needs a case: for Spark it equals itself and exceeds all."""
    floats = "CASE WHEN isnan({0}) OR isnan({1}) THEN false ELSE {0} {2} {1} END"
    return (
        f"CASE WHEN {v.kind} <= {ValueKind.DECIMAL:d} AND {c}.kind <= {ValueKind.DECIMAL:d} "
        f"THEN {v.key} {sign} {c}.key "
        f"WHEN {v.kind} = {ValueKind.DOUBLE:d} OR {c}.kind = {ValueKind.DOUBLE:d} "
        f"THEN {floats.format(v.wide, f'{c}.wide', sign)} "
        f"ELSE {floats.format(v.narrow, f'{c}.narrow', sign)} END"
    )


def _ordered(v: _Value, sign: str, c: str) -> str:
    """Compare by `<`, `<=`, `>`, `>=`. If one side lacks a time zone, moments within 14 hours have no order."""
    below, above = ("true", "false") if sign[0] == "<" else ("false", "true")
    return (
        f"CASE WHEN {v.kind} <= {ValueKind.DOUBLE:d} AND {c}.kind <= {ValueKind.DOUBLE:d} THEN {_numbers(v, sign, c)} "
        f"WHEN {v.kind} <> {c}.kind THEN NULL "
        f"WHEN {v.kind} = {ValueKind.STRING:d} THEN {v.text} {sign} {c}.text "
        f"WHEN {v.kind} = {ValueKind.BOOLEAN:d} THEN {v.key} {sign} {c}.key "
        f"WHEN {v.kind} BETWEEN {ValueKind.DATE_TIME:d} AND {ValueKind.TIME:d} THEN CASE WHEN {v.zoned} = {c}.zoned "
        f"THEN {v.key} {sign} {c}.key WHEN {v.key} < {c}.low THEN {below} WHEN {v.key} > {c}.high THEN {above} END END"
    )


def _equal(v: _Value, c: str) -> str:
    """Compare by `=`, case by case as `semantics.values.equal` does."""
    return (
        f"CASE WHEN {v.kind} IS NULL THEN NULL "
        f"WHEN {v.kind} <= {ValueKind.DOUBLE:d} AND {c}.kind <= {ValueKind.DOUBLE:d} THEN {_numbers(v, '=', c)} "
        f"WHEN {v.kind} = {ValueKind.OTHER:d} OR {c}.kind = {ValueKind.OTHER:d} "
        f"THEN CASE WHEN {v.term} = {c}.term THEN true "
        f"WHEN {v.kind} <= {ValueKind.OTHER:d} AND {c}.kind <= {ValueKind.OTHER:d} "
        f"AND {v.kind} <> {ValueKind.LANGUAGE_STRING:d} "
        f"AND {c}.kind <> {ValueKind.LANGUAGE_STRING:d} THEN NULL ELSE false END "
        f"WHEN {v.kind} <> {c}.kind THEN false "
        f"WHEN {v.kind} = {ValueKind.STRING:d} THEN {v.text} = {c}.text "
        f"WHEN {v.kind} = {ValueKind.BOOLEAN:d} THEN {v.key} = {c}.key "
        f"WHEN {v.kind} BETWEEN {ValueKind.DATE_TIME:d} AND {ValueKind.TIME:d} THEN CASE WHEN {v.zoned} = {c}.zoned "
        f"THEN {v.key} = {c}.key WHEN {v.key} < {c}.low OR {v.key} > {c}.high THEN false END "
        f"ELSE {v.term} = {c}.term END"
    )
