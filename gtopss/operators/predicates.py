"""Predicates p(a1, ..., an), and when two of them are the same (DEBS 2007, sections 2.1 and 3).

"Two predicates are considered to be the same if they have the same non-variable arguments and all their variable
arguments can be unified": variables are numbered in the order of their first occurrence, so that equal predicates have
equal text. The paper has no graph pattern. We have one, and so two kinds of variables: `?n` is an output, which the
operator computes; `$n` is an input, whose value comes from a row of the pattern. A predicate with inputs becomes one
`OperatorCall` for each distinct tuple of their values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gtopss.model import Call, Term
from gtopss.model.expressions import literal_text
from gtopss.model.terms import is_literal, is_variable
from gtopss.operators.declaration import Operator, Rows
from gtopss.operators.errors import InvalidPredicate, UnboundArgument, UnknownOperator, WrongArity


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """An operator with values for its inputs. Made once per publication, however many subscriptions need it."""

    operator: Operator
    inputs: tuple[Term, ...]

    def __str__(self) -> str:
        return f"{self.operator.name}({', '.join(map(_show_argument, self.inputs))})"


@dataclass(frozen=True, slots=True)
class Predicate:
    """An operator with its arguments: constants, `$n` for the n-th input variable, `?n` for the n-th output."""

    operator: Operator
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.operator.name}({', '.join(map(_show_argument, self.arguments))})"

    @property
    def has_inputs(self) -> bool:
        """Whether its calls depend on the row of the pattern."""
        return any(argument[0] == "$" for argument in self.arguments)

    def call(self, values: tuple[Term, ...]) -> OperatorCall:
        """Return the call that answers it, given the values of its input variables."""
        inputs = (each for place, each in enumerate(self.arguments) if place not in self.operator.binds)
        terms = tuple(values[int(each[1:])] if each[0] == "$" else Term(each) for each in inputs)
        return OperatorCall(self.operator, terms)

    def bindings(self, rows: Rows) -> Rows:
        """Return the output variables' values in the rows that agree with its constants and repeated variables."""
        required = [self.arguments[place] for place in self.operator.binds]
        outputs = [each for each in required if each[0] == "?"]
        if len(set(outputs)) == len(required):
            return rows
        agreeing: dict[tuple[Term, ...], None] = {}
        for row in rows:
            values: dict[str, Term] = {}
            for name, value in zip(required, row, strict=True):
                expected = values.setdefault(name, value) if name[0] == "?" else name
                if expected != value:
                    break
            else:
                agreeing[tuple(values.values())] = None
        return tuple(agreeing)


@dataclass(frozen=True, slots=True)
class PredicateUse:
    """A predicate in one subscription, with the subscription's own names for its variables."""

    predicate: Predicate
    inputs: tuple[Term, ...]
    """The variables behind `$0`, `$1`, ..."""
    outputs: tuple[Term, ...]
    """The variables behind `?0`, `?1`, ..."""

    def input_values(self, row: Mapping[Term, Term]) -> tuple[Term, ...] | None:
        """Return the inputs' values in a row; None if one is unbound (its BIND failed): no operator can test it."""
        try:
            return tuple(row[name] for name in self.inputs)
        except KeyError:
            return None


def resolve_call(
    subscription_id: str, call: Call, operators: Mapping[str, Operator], bound: Collection[Term]
) -> PredicateUse:
    """Turn a subscription's call into the use of a predicate; `bound` are the variables that the pattern binds.

    A variable in a position that the operator computes is an output even if the pattern binds it: the two are joined.
    An operator that computes any of its arguments computes those that are not bound.
    Raises UnknownOperator, WrongArity, UnboundArgument or InvalidPredicate.
    """
    operator = operators.get(call.function)
    if operator is None:
        raise UnknownOperator(subscription_id, call.function, operators)
    if not operator.accepts(len(call.arguments)):
        raise WrongArity(subscription_id, call.function, operator.arity_text(), len(call.arguments))
    if operator.binds_any:
        unbound = (
            place
            for place, each in enumerate(call.arguments)
            if not isinstance(each, Call) and is_variable(each) and each not in bound
        )
        operator = operator.variant(tuple(unbound), len(call.arguments))
    inputs: dict[Term, str] = {}
    outputs: dict[Term, str] = {}
    arguments: list[str] = []
    for place, argument in enumerate(call.arguments):
        if isinstance(argument, Call):
            reason = f"argument {place + 1} of {call.function} is {argument}: BIND it to a variable first"
            raise InvalidPredicate(subscription_id, call.function, reason)
        if not is_variable(argument):
            arguments.append(argument)
        elif place in operator.binds:
            arguments.append(outputs.setdefault(argument, f"?{len(outputs)}"))
        elif argument in bound:
            arguments.append(inputs.setdefault(argument, f"${len(inputs)}"))
        else:
            raise UnboundArgument(subscription_id, call.function, argument, place)
    if operator.check is not None:
        try:
            operator.check(*(None if each[0] in "$?" else each for each in arguments))
        except ValueError as error:
            raise InvalidPredicate(subscription_id, call.function, f"in {call}: {error}") from error
    return PredicateUse(Predicate(operator, tuple(arguments)), tuple(inputs), tuple(outputs))


def _show_argument(argument: str) -> str:
    return literal_text(Term(argument)) if is_literal(Term(argument)) else argument
