"""Why a constraint holds or fails on a row: values put in, ways up the taxonomy, what came closest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gtopss.explain.explanation import Check, ClosestValue, ComputedValue, IsACheck
from gtopss.explain.row_search import Row
from gtopss.model import Bind, Branch, Call, Expression, Term
from gtopss.model.expressions import COMPARISONS, IS_A, variables
from gtopss.model.terms import iri_text, is_iri
from gtopss.semantics import BranchExpressions, CompiledTest, EvaluationContext, compile_expressions
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from gtopss.semantics.values import TypeMismatch, Value, ValueKind, effective_boolean, less, promote, term_of, value_of

PARENTS = 5  # how many of a term's classes are named where it is not in the wanted one
ORDERED = COMPARISONS - {"=", "!="}
_LEFT, _RIGHT = Term("?_:left"), Term("?_:right")  # no variable of a subscription that is read here
_KINDS = {
    ValueKind.STRING: "a plain string",
    ValueKind.LANGUAGE_STRING: "a string in a language",
    ValueKind.BOOLEAN: "a boolean",
    ValueKind.DATE_TIME: "a dateTime",
    ValueKind.DATE: "a date",
    ValueKind.TIME: "a time",
    ValueKind.DURATION: "a duration",
    ValueKind.OTHER: "a literal of a type we cannot read",
    ValueKind.IRI: "an IRI",
    ValueKind.BLANK: "a blank node",
}


def substituted(tree: Expression, values: Row) -> Expression:
    """The expression with the row's values in place of its variables; one without a value stays."""
    if isinstance(tree, Call):
        return Call(tree.function, tuple(substituted(argument, values) for argument in tree.arguments))
    return values.get(tree, tree)


def check_constraint(test: CompiledTest, values: Row, scope: EvaluationContext) -> Check:
    """The constraint on one row, down to the part of it that decided."""
    holds, error = _outcome(test, values, scope)
    asked = test
    while not holds and asked.call.function == "&&":
        for argument in asked.call.arguments:
            clause = _compiled(argument) if isinstance(argument, Call) else None
            if clause is not None and not clause.holds(values, scope):
                asked = clause
                _, error = _outcome(clause, values, scope)
                break
        else:
            break
    shown = substituted(asked.call, values)
    assert isinstance(shown, Call)
    if error is not None:
        error = _mismatch(asked.call, values, scope) or error
    return Check(test.call, asked.call, shown, holds, error, tuple(_questions(asked.call, values, scope)))


def compute(
    branch: Branch, rules: BranchExpressions, row: Row, scope: EvaluationContext
) -> tuple[Row, tuple[ComputedValue, ...]]:
    """The row with the values of the binds, and how they came about."""
    values, made = dict(row), []
    for bind, (name, evaluate) in zip(branch.binds, rules.binds, strict=True):
        value, error = None, None
        try:
            value = term_of(evaluate(values, scope))
        except TypeMismatch as mismatch:
            error = str(mismatch)
        made.append(ComputedValue(name, substituted(bind.expression, values), value, error))
        if value is not None:
            values[name] = value
    return values, tuple(made)


def closest(
    asked: Call, rows: Sequence[Row], scope: EvaluationContext, *, alone: bool
) -> tuple[int, ClosestValue] | None:
    """Where an ordered comparison fails, the row whose value came nearest to the limit.

    Against a constant the order itself says what is nearest, for numbers, dates and strings alike; between two
    values of a row it takes a difference, so there only numbers count.
    """
    if asked.function not in ORDERED or len(asked.arguments) != 2:
        return None
    left, right = asked.arguments
    sides, test = _sides(left, right), _compiled(asked)
    fixed_right, fixed_left = not variables(right), not variables(left)
    upward = (asked.function in (">", ">=")) is fixed_right  # the failing values lie below, so the largest is nearest
    best: tuple[int, Value, Value] | None = None
    for number, row in enumerate(rows):
        pair = _both(sides, row, scope)
        if pair is None or not _ordered(*pair) or test.holds(row, scope):
            continue
        if best is None:
            best = number, *pair
            continue
        if fixed_right or fixed_left:
            old, new = (best[1], pair[0]) if fixed_right else (best[2], pair[1])
            nearer = _less(old, new) if upward else _less(new, old)
        else:
            nearer = _gap(*pair) < _gap(best[1], best[2])
        if nearer:
            best = number, *pair
    if best is None:
        return None
    number, one, other = best
    if fixed_left:
        one, other = other, one
    return number, ClosestValue(term_of(one), term_of(other), alone)


def _outcome(test: CompiledTest, values: Row, scope: EvaluationContext) -> tuple[bool, str | None]:
    try:
        return effective_boolean(test.evaluate(values, scope)), None
    except TypeMismatch as mismatch:
        return False, str(mismatch)


def _compiled(call: Call) -> CompiledTest:
    (test,) = compile_expressions("explain", Branch((), [call])).tests
    return test


def _sides(left: Expression, right: Expression) -> BranchExpressions:
    """Two expressions made runnable, by way of two binds."""
    return compile_expressions("explain", Branch((), binds=[Bind(_LEFT, left), Bind(_RIGHT, right)]))


def _both(sides: BranchExpressions, row: Row, scope: EvaluationContext) -> tuple[Value, Value] | None:
    values = dict(row)
    sides.bind(values, scope)
    if _LEFT not in values or _RIGHT not in values:
        return None
    return value_of(values[_LEFT]), value_of(values[_RIGHT])


def _ordered(one: Value, other: Value) -> bool:
    """Whether two values have an order, and neither is NaN, which has none."""
    if one.data != one.data or other.data != other.data:
        return False
    try:
        less(one, other)
    except TypeMismatch:
        return False
    return True


def _less(one: Value, other: Value) -> bool:
    """Two values that compare with the same limit need not compare with each other (a missing time zone)."""
    try:
        return less(one, other)
    except TypeMismatch:
        return False


def _gap(one: Value, other: Value) -> float:
    if not (one.numeric and other.numeric):
        return float("inf")
    _, left, right = promote(one, other)
    try:
        return abs(float(left - right))
    except OverflowError:
        return float("inf")


def _mismatch(asked: Call, values: Row, scope: EvaluationContext) -> str | None:
    """What is wrong with the two sides of a comparison, where it is their types."""
    if asked.function not in COMPARISONS or len(asked.arguments) != 2:
        return None
    if any(name not in values for name in variables(asked)):
        return None
    pair = _both(_sides(*asked.arguments), values, scope)
    if pair is None:
        return None
    one, other = sorted(pair, key=lambda value: value.numeric)
    if one.kind is ValueKind.STRING and other.numeric:
        return "a plain string never compares as a number"
    if one.kind is other.kind and ValueKind.DATE_TIME <= one.kind <= ValueKind.TIME:
        return "one side has no time zone, and the gap is too small to tell the order without it"
    names = list(dict.fromkeys(_KINDS.get(value.kind, "a number") for value in pair))
    if len(names) == 1:
        return f"{names[0]} and another such have no order" if asked.function in ORDERED else None
    return f"{names[0]} does not compare with {names[1]}"


# --- is-a --------------------------------------------------------------------------------------------------------


def _questions(tree: Expression, values: Row, scope: EvaluationContext) -> Iterator[IsACheck]:
    if not isinstance(tree, Call):
        return
    if tree.function in IS_A and len(tree.arguments) == 2:
        bound = dict(values)
        _sides(*tree.arguments).bind(bound, scope)
        if _LEFT in bound and _RIGHT in bound:
            yield _question(tree.function, bound[_LEFT], bound[_RIGHT], scope)
    for argument in tree.arguments:
        yield from _questions(argument, values, scope)


def _question(function: str, term: Term, cls: Term, scope: EvaluationContext) -> IsACheck:
    answer = IS_A_FUNCTIONS[function](term, cls, scope)
    lower, upper = (cls, term) if function == "ancestorOf" else (term, cls)
    path, stated = _path(function if answer else "isA", lower, upper, scope)
    parents = () if answer else tuple(_parents(lower, scope))[:PARENTS]
    return IsACheck(function, term, cls, answer, path, stated, parents)


def _path(function: str, lower: Term, upper: Term, scope: EvaluationContext) -> tuple[tuple[Term, ...], bool]:
    """A way up that answers the question with yes, and whether its first step is the publication's own."""
    taxonomy = scope.taxonomy
    if is_iri(lower) and is_iri(upper):
        low, up = iri_text(lower), iri_text(upper)
        if function == "directlyA":
            if taxonomy.directly_a(low, up):
                return (lower, upper), False
        elif function == "instanceOf":
            ways = (taxonomy.path(cls, up) for cls in sorted(taxonomy.types(low)) if taxonomy.is_subclass(cls, up))
            if way := min(ways, key=len, default=None):
                return (lower, *map(_term, way)), False
        elif way := taxonomy.path(low, up):
            return tuple(map(_term, way)), False
    if lower == upper and function not in ("directlyA", "instanceOf"):
        return (lower,), False
    if function == "directlyA":
        return (lower, upper), True
    steps = list[tuple[Term, ...]]()
    for stated in scope.stated_types(lower):
        if stated == upper:
            steps.append((lower, stated))
        elif is_iri(stated) and is_iri(upper) and taxonomy.is_subclass(iri_text(stated), iri_text(upper)):
            steps.append((lower, *map(_term, taxonomy.path(iri_text(stated), iri_text(upper)))))
    way = min(steps, key=len, default=())
    return way, bool(way)


def _parents(term: Term, scope: EvaluationContext) -> Iterator[Term]:
    """What a term is by assertion: the publication's word first."""
    stated = dict.fromkeys(scope.stated_types(term))
    yield from stated
    if is_iri(term):
        yield from (cls for cls in map(_term, sorted(scope.taxonomy.parents(iri_text(term)))) if cls not in stated)


def _term(name: str) -> Term:
    """A taxonomy's name as a term; its blank nodes carry their `_:`."""
    return Term(name) if name.startswith("_:") else Term(f"<{name}>")
