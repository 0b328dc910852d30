"""A branch in two: what the graph matcher answers, and what is left for the operators.

Calls of operators stand among a branch's constraints, wherever the language put them, or are the whole value of a bind:
`BIND(mobPattern() AS ?people)` is `mobPattern(?people)`, the variable in the first place that the operator binds. What
reads an operator's output, by way of other binds too, is tested after the join; the rest stays with the matcher, which
so lets fewer subscriptions through.

An operator is asked as a test of its own. Inside another expression (`! locIn(...)`, `locIn(...) || ...`) its answer
would have to be known before anything else is, so that is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gtopss.model import Bind, Branch, Call, Expression, FiveTuple, Term
from gtopss.model.expressions import variables
from gtopss.model.terms import is_variable
from gtopss.operators.declaration import Operator
from gtopss.operators.errors import InvalidPredicate, WrongArity


class Parts(NamedTuple):
    """`pattern` is for the matcher; the others are what `OperatorStage.add` takes, with `bound=pattern.columns()`."""

    pattern: Branch
    calls: tuple[Call, ...]
    where: tuple[Call, ...]
    binds: tuple[Bind, ...]


def split(subscription_id: str, branch: Branch, operators: Mapping[str, Operator]) -> Parts:
    """The parts of a branch; without calls of operators, the branch itself is the pattern."""
    if not (branch.where or branch.binds or any(each.constraints() for each in branch.tuples)):
        return Parts(branch, (), (), ())
    calls = [test for test in branch.constraints() if test.function in operators]
    computed: list[Bind] = []
    for bind in branch.binds:
        if isinstance(bind.expression, Call) and bind.expression.function in operators:
            operator = operators[bind.expression.function]
            calls.append(_with_output(subscription_id, operator, bind.expression, bind.variable))
        else:
            computed.append(bind)
    if not calls:
        _refuse_nested(subscription_id, branch, operators)
        return Parts(branch, (), (), ())
    late = {name for call in calls for name in _outputs(call, operators)} - set(branch.variables())
    before: list[Bind] = []
    after: list[Bind] = []
    for bind in computed:
        if variables(bind.expression) & late:
            late.add(bind.variable)
            after.append(bind)
        else:
            before.append(bind)
    where = [test for test in branch.where if test.function not in operators]
    tuples = [_without(each, operators) for each in branch.tuples]
    pattern = Branch(tuples, [test for test in where if not variables(test) & late], before)
    waiting = tuple(test for test in where if variables(test) & late)
    _refuse_nested(subscription_id, Branch(pattern.tuples, where, computed), operators)
    return Parts(pattern, tuple(dict.fromkeys(calls)), waiting, tuple(after))


def _with_output(subscription_id: str, operator: Operator, call: Call, variable: Term) -> Call:
    if not operator.binds:
        reason = f"{operator.name} is true or false, and finds no value for {variable}: write FILTER({call})"
        raise InvalidPredicate(subscription_id, operator.name, reason)
    place = operator.binds[0]
    if place > len(call.arguments):
        raise WrongArity(subscription_id, operator.name, operator.wanted(), len(call.arguments) + 1)
    return Call(call.function, (*call.arguments[:place], variable, *call.arguments[place:]))


def _outputs(call: Call, operators: Mapping[str, Operator]) -> set[Term]:
    binds = operators[call.function].binds
    return {
        argument
        for place, argument in enumerate(call.arguments)
        if place in binds and not isinstance(argument, Call) and is_variable(argument)
    }


def _without(each: FiveTuple, operators: Mapping[str, Operator]) -> FiveTuple:
    """The 5-tuple without its calls of operators."""
    constraints = (
        [test for test in tests if test.function not in operators]
        for tests in (each.subject_constraints, each.object_constraints)
    )
    return FiveTuple(*each.edge(), *constraints)


def _refuse_nested(subscription_id: str, branch: Branch, operators: Mapping[str, Operator]) -> None:
    trees: list[Expression] = [*branch.constraints(), *(bind.expression for bind in branch.binds)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Call):
            if tree.function in operators:
                reason = f"{tree} stands inside another expression: an operator is asked as a FILTER or BIND of its own"
                raise InvalidPredicate(subscription_id, tree.function, reason)
            trees.extend(tree.arguments)
