"""Predicates p(a1, ..., an), and when two of them are one (DEBS 2007, sections 2.1 and 3).

"Two predicates are considered to be the same if they have the same non-variable arguments and all their variable
arguments can be unified": variables are numbered in the order of their first occurrence, so that equal text is equal
meaning. Two kinds are told apart, which the paper, having no graph pattern, need not do: `?n` is a variable that the
operator fills, `$n` an input whose value comes from the pattern's row. A predicate with inputs becomes one `Request`
for each distinct tuple of their values.
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
class Request:
    """A call to be made: an operator and the values of its inputs. Made once per publication, whoever wants it."""

    operator: Operator
    inputs: tuple[Term, ...]

    def __str__(self) -> str:
        return f"{self.operator.name}({', '.join(map(_shown, self.inputs))})"


@dataclass(frozen=True, slots=True)
class Predicate:
    """An operator with its arguments: constants, `$n` for the n-th input variable, `?n` for the n-th output."""

    operator: Operator
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.operator.name}({', '.join(map(_shown, self.arguments))})"

    @property
    def is_closed(self) -> bool:
        """Whether it asks the same of every row."""
        return not any(argument[0] == "$" for argument in self.arguments)

    def request(self, values: tuple[Term, ...]) -> Request:
        """The call that answers it, given its input variables' values."""
        inputs = (each for place, each in enumerate(self.arguments) if place not in self.operator.binds)
        return Request(self.operator, tuple(values[int(each[1:])] if each[0] == "$" else Term(each) for each in inputs))

    def bindings(self, rows: Rows) -> Rows:
        """The values of its output variables in the rows that agree with its constants and repeated variables."""
        wanted = [self.arguments[place] for place in self.operator.binds]
        outputs = [each for each in wanted if each[0] == "?"]
        if len(set(outputs)) == len(wanted):
            return rows
        kept: dict[tuple[Term, ...], None] = {}
        for row in rows:
            values: dict[str, Term] = {}
            for name, value in zip(wanted, row, strict=True):
                expected = values.setdefault(name, value) if name[0] == "?" else name
                if expected != value:
                    break
            else:
                kept[tuple(values.values())] = None
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class Use:
    """A predicate as one subscription has it: the subscription's own names for its variables."""

    predicate: Predicate
    inputs: tuple[Term, ...]
    """The variables behind `$0`, `$1`, ..."""
    outputs: tuple[Term, ...]
    """The variables behind `?0`, `?1`, ..."""

    def values(self, row: Mapping[Term, Term]) -> tuple[Term, ...] | None:
        """The inputs' values in a row; None if one has none (a BIND that failed), which no operator can test."""
        try:
            return tuple(row[name] for name in self.inputs)
        except KeyError:
            return None


def use(subscription_id: str, call: Call, operators: Mapping[str, Operator], bound: Collection[Term]) -> Use:
    """A call in a subscription as the use of a predicate; `bound` are the variables that the pattern gives values to.

    A variable in a place that the operator fills is an output even if the pattern binds it: the two are joined.
    """
    operator = operators.get(call.function)
    if operator is None:
        raise UnknownOperator(subscription_id, call.function, operators)
    if not operator.accepts(len(call.arguments)):
        raise WrongArity(subscription_id, call.function, operator.wanted(), len(call.arguments))
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
    return Use(Predicate(operator, tuple(arguments)), tuple(inputs), tuple(outputs))


def _shown(argument: str) -> str:
    return literal_text(Term(argument)) if is_literal(Term(argument)) else argument
