"""Chained operators: the output of one is the input of another (DEBS 2007, section 2.1).

"It is possible for variables to be shared across different predicates in a subscription." Operators that compute a
shared variable each are joined. An operator that *needs* its value can only be called once another has computed it. The
calls of a conjunction are therefore split into levels: the calls of a level need only variables that the pattern or an
earlier level binds. Each level is evaluated for all subscriptions at once, in the order of the strategy, and only for
the rows that are left of the earlier levels.

An operator that computes any of its arguments (`binds="any"`) waits for the variables that an operator with fixed
outputs computes, and takes them as inputs; it computes all other unbound variables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from gtopss.model import Call, Term
from gtopss.model.expressions import variables
from gtopss.model.terms import is_variable
from gtopss.operators.declaration import Operator
from gtopss.operators.predicates import resolve_call


class FirstLevel(NamedTuple):
    """The calls that can be made now, and those that need their outputs."""

    calls: tuple[Call, ...]
    later_calls: tuple[Call, ...]
    outputs: frozenset[Term]
    """The variables that `calls` compute."""
    tests: tuple[Call, ...]
    """The value constraints that can be tested after this level."""
    later_tests: tuple[Call, ...]


def split_first_level(
    subscription_id: str,
    calls: Iterable[Call],
    tests: Iterable[Call],
    operators: Mapping[str, Operator],
    bound: Collection[Term],
) -> FirstLevel:
    """Split the calls of a conjunction; `bound` are the variables that have values before.

    Calls that can never be made are in `calls`, whose registration refuses them.
    """
    all_calls, all_tests = tuple(calls), tuple(tests)
    computed = {name for call in all_calls for name in _fixed_outputs(call, operators)} - set(bound)
    ready = tuple(call for call in all_calls if not _waits_for(call, operators) & computed)
    if len(ready) == len(all_calls) or not ready:
        return FirstLevel(all_calls, (), frozenset(), all_tests, ())
    outputs = frozenset(
        name for call in ready for name in resolve_call(subscription_id, call, operators, bound).outputs
    )
    later = tuple(call for call in all_calls if call not in ready)
    early = tuple(test for test in all_tests if variables(test) <= outputs | set(bound))
    return FirstLevel(ready, later, outputs, early, tuple(test for test in all_tests if test not in early))


def _fixed_outputs(call: Call, operators: Mapping[str, Operator]) -> set[Term]:
    """Return the variables in positions that an operator always computes."""
    binds = operators[call.function].binds if call.function in operators else ()
    return _variables_at(call, lambda place: place in binds)


def _waits_for(call: Call, operators: Mapping[str, Operator]) -> set[Term]:
    """Return the variables that a call takes as inputs if anything computes them."""
    binds = operators[call.function].binds if call.function in operators else ()
    return _variables_at(call, lambda place: place not in binds)


def _variables_at(call: Call, chosen: Callable[[int], bool]) -> set[Term]:
    return {
        argument
        for place, argument in enumerate(call.arguments)
        if chosen(place) and not isinstance(argument, Call) and is_variable(argument)
    }
