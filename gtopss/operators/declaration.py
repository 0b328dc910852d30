"""Operators: named functions of a publication that may be expensive to call (DEBS 2007, section 2.1).

The paper's operator takes a predicate's arguments. It returns true or false, and the feasible values of the arguments
that are variables. Here an operator declares which argument positions it computes (`binds`); it is called with the
other arguments, its inputs, and returns rows of values for those positions. What the predicate requires of them (a
constant, or the same variable twice) is checked afterwards, so that p(?x, ?y), p(?x, ?x) and p(250, ?y) are three
predicates but one call.

"Any subset of these arguments may be variables": an operator with `binds="any"` is called with all its arguments, None
in place of those that have no value, and returns rows of values for these. A predicate chooses the variant that
computes its own unbound variables (`Operator.variant`); each variant is an operator of its own for calls and estimates.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import sparqlish
from gtopss.errors import InvalidTerm, short_repr
from gtopss.model import Term
from gtopss.model.expressions import is_operator
from gtopss.model.terms import is_variable, term
from gtopss.operators.errors import InvalidOperator
from gtopss.operators.limits import DEFAULT_TIMEOUT_SECONDS, MAX_ROWS_PER_CALL
from gtopss.semantics import function_arities

Function: TypeAlias = Callable[..., Any]
Rows: TypeAlias = tuple[tuple[Term, ...], ...]
"""The answer to a call: one tuple per row, one term per position in `binds`. True is one empty row, false is no row."""

TRUE_ROWS: Rows = ((),)
FALSE_ROWS: Rows = ()


class InvalidAnswer(Exception):
    """An operator returned something that is not an answer."""


@dataclass(frozen=True, slots=True)
class AnswerWithCost:
    """An answer with the cost of this call, for operators that know it: a language model that counts tokens, say."""

    answer: Any
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """An operator: a named function with its number of arguments, its timeout, and estimates of its cost."""

    name: str
    function: Function
    min_arguments: int
    max_arguments: int | None
    """Arguments that a predicate may have, including those that the function computes. None means no maximum."""
    binds: tuple[int, ...] = ()
    """Argument positions, from 0, whose values the function computes. It is called without them."""
    cost: float = 1.0
    """The expected cost of one call, in any unit that is the same for all operators. Must be positive."""
    selectivity: float = 0.5
    """The expected fraction of calls that are true."""
    timeout: float | None = DEFAULT_TIMEOUT_SECONDS
    """Seconds after which the answer is unknown. With None the function runs in the caller's thread, unlimited."""
    batch: int | None = None
    """Calls that one batch may hold. If set, the function takes a list of argument tuples and returns a list."""
    pure: bool = False
    """Whether the answer depends on the arguments alone. Then the function is called without the publication, and its
    answers are cached."""
    check: Callable[..., object] | None = None
    """Called with a predicate's arguments, None for its variables, when a subscription is registered. A ValueError
    rejects the subscription: use it for a pattern that does not compile, or an unknown place."""
    binds_any: bool = False
    """Whether the function computes any of its arguments: it takes all of them, None for those without a value."""
    _variants: dict[tuple[tuple[int, ...], int], Operator] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if reason := _find_contradiction(self):
            raise InvalidOperator(self.name, reason)

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    def variant(self, outputs: tuple[int, ...], arguments: int) -> Operator:
        """Return the operator for predicates with so many arguments that computes these positions of them.

        The same positions give the same operator, so that its calls are shared.
        """
        known = self._variants.get((outputs, arguments))
        if known is None:
            function = _with_gaps(self, outputs)
            known = replace(
                self, function=function, min_arguments=arguments, max_arguments=arguments, binds=outputs, _variants={},
                binds_any=False,
            )  # fmt: skip
            self._variants[outputs, arguments] = known
        return known

    def arity_text(self) -> str:
        """Return the number of arguments as text for users."""
        if self.max_arguments is None:
            return f"{self.min_arguments} or more"
        if self.min_arguments == self.max_arguments:
            return str(self.min_arguments)
        return f"{self.min_arguments} to {self.max_arguments}"

    def accepts(self, count: int) -> bool:
        """Return whether a predicate may have this number of arguments."""
        return self.min_arguments <= count and (self.max_arguments is None or count <= self.max_arguments)

    def to_rows(self, value: object) -> Rows:
        """Convert the function's result to rows.

        Raises InvalidAnswer for anything else: truthiness is never interpreted.
        """
        if isinstance(value, bool) or _is_numpy_bool(value):
            if self.binds and value:
                raise InvalidAnswer(f"returned True, expected rows of {len(self.binds)} values")
            return TRUE_ROWS if value else FALSE_ROWS
        if not self.binds:
            raise InvalidAnswer(f"returned {short_repr(value)}, expected True or False")
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
            raise InvalidAnswer(f"returned {short_repr(value)}, expected rows")
        rows: dict[tuple[Term, ...], None] = {}
        for count, row in enumerate(value):
            if count == MAX_ROWS_PER_CALL:  # count duplicates too, or a generator of them would never end
                raise InvalidAnswer(f"returned more than {MAX_ROWS_PER_CALL} rows")
            rows[self._to_row(row)] = None
        return tuple(rows)

    def _to_row(self, row: Any) -> tuple[Term, ...]:
        values = row if isinstance(row, (tuple, list)) else (row,)
        if len(values) != len(self.binds):
            raise InvalidAnswer(f"returned the row {short_repr(row)}, expected {len(self.binds)} values")
        try:
            terms = tuple(term(each) for each in values)
        except InvalidTerm as error:
            raise InvalidAnswer(f"returned the row {short_repr(row)}: {error}") from None
        if any(map(is_variable, terms)):
            raise InvalidAnswer(f"returned the row {short_repr(row)}, which contains a variable")
        return terms


def declare_operator(
    name: str | None,
    function: Function,
    *,
    arity: int | tuple[int, int | None] | None = None,
    binds: int | Iterable[int] | Literal["any"] = (),
    pure: bool = False,
    batch: int | None = None,
    **settings: Any,
) -> Operator:
    """Create an operator. Name and arity are those of the function unless given; `settings` are fields of `Operator`.

    >>> declare_operator("mobPattern", lambda publication: [60], binds=0).arity_text()
    '1'
    """
    operator_name = name if name is not None else getattr(function, "__name__", repr(function))
    positions: tuple[int, ...] = ()
    if isinstance(binds, int):
        positions = (binds,)
    elif binds != "any":
        positions = tuple(binds)
    if arity is None:
        if batch is not None:
            raise InvalidOperator(operator_name, "the arity of a batched function cannot be inferred: state it")
        least, most = _infer_inputs(operator_name, function, pure)
        least, most = least + len(positions), None if most is None else most + len(positions)
    else:
        least, most = (arity, arity) if isinstance(arity, int) else arity
    settings = {"pure": pure, "batch": batch, "binds_any": binds == "any", **settings}
    return Operator(operator_name, function, least, most, binds=positions, **settings)


def _with_gaps(operator: Operator, outputs: tuple[int, ...]) -> Function:
    """Return the function of an operator without the given positions, which get None."""
    function, first = operator.function, 0 if operator.pure else 1

    def filled(inputs: Sequence[Term]) -> tuple[Term | None, ...]:
        arguments: list[Term | None] = list(inputs)
        for place in outputs:
            arguments.insert(place, None)
        return tuple(arguments)

    def all_arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
        if operator.batch is not None:
            return (*given[:first], [filled(inputs) for inputs in given[first]])
        return (*given[:first], *filled(given[first:]))

    async def call_async(*given: Any) -> Any:
        return await function(*all_arguments(given))

    def call(*given: Any) -> Any:
        return function(*all_arguments(given))

    return call_async if operator.is_async else call


def _infer_inputs(name: str, function: Function, pure: bool) -> tuple[int, int | None]:
    """Return how many inputs a function takes: its positional parameters without the publication."""
    least, most = 0, 0
    is_unbounded = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            is_unbounded = True
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            least += parameter.default is parameter.empty
    if not pure:
        if most == 0 and not is_unbounded:
            raise InvalidOperator(name, "its function takes no publication: add that parameter, or declare it pure")
        least, most = max(least - 1, 0), max(most - 1, 0)
    return least, None if is_unbounded else most


def _can_be_written(name: str) -> bool:
    """Return whether a query can call an operator of this name: `where` and `contains` are reserved."""
    try:
        text = f"ASK {{ FILTER({name}()) }}"
        query = sparqlish.parse(text, functions=function_arities(), operators={name: None})
    except sparqlish.SparqlishError:
        return False
    (element,) = query.where.elements
    expression = element.expression if isinstance(element, sparqlish.ast.Filter) else None
    return isinstance(expression, sparqlish.ast.Call) and expression.function == name


def _find_contradiction(operator: Operator) -> str | None:
    """Return why a declaration is not possible, or None."""
    least, most = operator.min_arguments, operator.max_arguments
    if not isinstance(operator.name, str) or not operator.name:
        return "its name must be a non-empty string"
    if not is_operator(operator.name) or not _can_be_written(operator.name):
        return "its name must be a word with a lower-case letter that is not a reserved word, in any case"
    if not callable(operator.function):
        return f"{short_repr(operator.function)} cannot be called"
    if least < 0 or (most is not None and most < least):
        return f"its arity {least} to {most} is impossible"
    if len(set(operator.binds)) < len(operator.binds) or not all(0 <= place < least for place in operator.binds):
        return f"binds {operator.binds} must be distinct positions among its first {least} arguments"
    if not 0 < operator.cost < float("inf"):
        return f"its cost {operator.cost} must be positive and finite"
    if not 0 <= operator.selectivity <= 1:
        return f"its selectivity {operator.selectivity} must be from 0 to 1"
    if operator.timeout is not None and not operator.timeout > 0:
        return f"its timeout {operator.timeout} must be positive, or None to run it in the caller's thread"
    if operator.is_async and operator.timeout is None:
        return "an async function needs a timeout"
    if operator.batch is not None and operator.batch < 1:
        return f"its batch {operator.batch} must be at least 1"
    return None


def _is_numpy_bool(value: object) -> bool:
    numpy = sys.modules.get("numpy")  # slow to import; a value of it exists only if it is loaded
    return numpy is not None and isinstance(value, numpy.bool_)
