"""Read the constants of a subscription for lenient literals, so that rewriting and the index see numbers and dates.

`?year > "1999"` becomes `?year > 1999`, and `?year = "1999"` no longer fixes the term, only its value. Constants are
read where evaluation would read them: as direct arguments of functions that read literals. Those in edges stay, since
an edge compares terms.
"""

from __future__ import annotations

from gtopss.model import Bind, Branch, FiveTuple, Subscription
from gtopss.model.expressions import Call, Expression
from gtopss.model.terms import is_variable
from gtopss.semantics.functions import DEFINITIONS
from gtopss.semantics.lenient_literals import read_literal_term


def read_constants(subscription: Subscription) -> Subscription:
    """Return the subscription with its plain constants read; the same object if there is nothing to read."""
    branches = [read_branch_constants(branch) for branch in subscription.branches]
    if all(one is other for one, other in zip(branches, subscription.branches, strict=True)):
        return subscription
    return Subscription(subscription.id, branches=branches, select=subscription.select, distinct=subscription.distinct)


def reads_literals(tree: Expression) -> bool:
    """Return whether an expression calls a function that reads literals, so that lenient literals may change it."""
    if not isinstance(tree, Call):
        return False
    return _reads(tree.function) or any(map(reads_literals, tree.arguments))


def _reads(function: str) -> bool:
    definition = DEFINITIONS.get(function)  # None for an operator
    return definition is not None and definition.reads_literals


def read_branch_constants(branch: Branch) -> Branch:
    """Return the branch with its plain constants read; the same object if there is nothing to read."""
    expressions = branch.expressions()
    if not any(_read(tree) is not tree for tree in expressions):
        return branch
    tuples = [
        FiveTuple(*each.edge(), map(_read_call, each.subject_constraints), map(_read_call, each.object_constraints))
        for each in branch.tuples
    ]
    binds = [Bind(bind.variable, _read(bind.expression)) for bind in branch.binds]
    return Branch(tuples, map(_read_call, branch.where), binds)


def _read_call(test: Call) -> Call:
    made = _read(test)
    assert isinstance(made, Call)
    return made


def _read(tree: Expression) -> Expression:
    """Return an expression with its plain constants read; the same object if there is nothing to read."""
    if not isinstance(tree, Call):
        return tree
    reads = _reads(tree.function)
    arguments = tuple(
        _read(each) if isinstance(each, Call) else read_literal_term(each) if reads and not is_variable(each) else each
        for each in tree.arguments
    )
    if all(one is other for one, other in zip(arguments, tree.arguments, strict=True)):
        return tree
    return Call(tree.function, arguments)
