"""Split a branch into the part for the graph matcher and the part for the operators.

Operator calls are among a branch's constraints, or are the whole value of a BIND: `BIND(mobPattern() AS ?people)` is
`mobPattern(?people)`, with the variable in the first position that the operator computes. Constraints and BINDs that
read an operator's output, directly or through other BINDs, are evaluated after the join. All others stay with the
matcher, which lets fewer subscriptions through.

An operator must be a test of its own. Inside another expression (`! locIn(...)`, `locIn(...) || ...`) its answer would
have to be known before anything else, so that is rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gtopss.model import Bind, Branch, Call, Expression, FiveTuple, Term
from gtopss.model.expressions import variables
from gtopss.model.terms import is_variable
from gtopss.operators.declaration import Operator
from gtopss.operators.errors import InvalidPredicate, WrongArity


class SplitBranch(NamedTuple):
    """`pattern` is for the matcher. `OperatorStage.add` takes the other fields, with `bound=pattern.columns()`."""

    pattern: Branch
    calls: tuple[Call, ...]
    where: tuple[Call, ...]
    binds: tuple[Bind, ...]


def split_branch(subscription_id: str, branch: Branch, operators: Mapping[str, Operator]) -> SplitBranch:
    """Split a branch. Without operator calls, the pattern is the branch itself.

    Raises InvalidPredicate or WrongArity.
    """
    if not (branch.where or branch.binds or any(each.constraints() for each in branch.tuples)):
        return SplitBranch(branch, (), (), ())
    calls, computed = _separate_calls(subscription_id, branch, operators)
    if not calls:
        _refuse_nested(subscription_id, branch, operators)
        return SplitBranch(branch, (), (), ())
    known = {*branch.variables(), *(bind.variable for bind in computed)}
    outputs = {name for call in calls for name in _outputs(call, operators, known)} - set(branch.variables())
    before, after = _separate_binds(computed, outputs)
    late = outputs | {bind.variable for bind in after}
    where = [test for test in branch.where if test.function not in operators]
    tuples = [_without_operators(each, operators) for each in branch.tuples]
    pattern = Branch(tuples, [test for test in where if not variables(test) & late], before)
    late_where = tuple(test for test in where if variables(test) & late)
    _refuse_nested(subscription_id, Branch(pattern.tuples, where, computed), operators)
    return SplitBranch(pattern, tuple(dict.fromkeys(calls)), late_where, tuple(after))


def _separate_calls(
    subscription_id: str, branch: Branch, operators: Mapping[str, Operator]
) -> tuple[list[Call], list[Bind]]:
    """Return the operator calls of a branch, and its BINDs that are none."""
    calls = [test for test in branch.written_constraints() if test.function in operators]
    computed: list[Bind] = []
    for bind in branch.binds:
        if isinstance(bind.expression, Call) and bind.expression.function in operators:
            operator = operators[bind.expression.function]
            calls.append(_with_output(subscription_id, operator, bind.expression, bind.variable))
        else:
            computed.append(bind)
    return calls, computed


def _separate_binds(binds: Sequence[Bind], outputs: set[Term]) -> tuple[list[Bind], list[Bind]]:
    """Return the BINDs that the matcher can compute, and those that depend on an operator's output."""
    late = set(outputs)
    before: list[Bind] = []
    after: list[Bind] = []
    for bind in binds:
        if variables(bind.expression) & late:
            late.add(bind.variable)
            after.append(bind)
        else:
            before.append(bind)
    return before, after


def _with_output(subscription_id: str, operator: Operator, call: Call, variable: Term) -> Call:
    """Return the call with the variable of its BIND as an argument."""
    if not operator.binds and not operator.binds_any:
        reason = f"{operator.name} is true or false and computes no value for {variable}: write FILTER({call})"
        raise InvalidPredicate(subscription_id, operator.name, reason)
    place = len(call.arguments) if operator.binds_any else operator.binds[0]
    if place > len(call.arguments):
        raise WrongArity(subscription_id, operator.name, operator.arity_text(), len(call.arguments) + 1)
    return Call(call.function, (*call.arguments[:place], variable, *call.arguments[place:]))


def _outputs(call: Call, operators: Mapping[str, Operator], known: set[Term]) -> set[Term]:
    """Return the variables that the operator computes; `known` are those that have a value without operators."""
    operator = operators[call.function]
    return {
        argument
        for place, argument in enumerate(call.arguments)
        if not isinstance(argument, Call)
        and is_variable(argument)
        and (place in operator.binds or (operator.binds_any and argument not in known))
    }


def _without_operators(each: FiveTuple, operators: Mapping[str, Operator]) -> FiveTuple:
    """Return the 5-tuple without its operator calls."""
    constraints = (
        [test for test in tests if test.function not in operators]
        for tests in (each.subject_constraints, each.object_constraints)
    )
    return FiveTuple(*each.edge(), *constraints)


def _refuse_nested(subscription_id: str, branch: Branch, operators: Mapping[str, Operator]) -> None:
    trees: list[Expression] = [*branch.written_constraints(), *(bind.expression for bind in branch.binds)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Call):
            if tree.function in operators:
                reason = f"{tree} is inside another expression: write the operator as a FILTER or BIND of its own"
                raise InvalidPredicate(subscription_id, tree.function, reason)
            trees.extend(tree.arguments)
