"""Subscriptions in little room: what many have in common once, and of each only its constants, as numbers.

A million subscriptions are rarely a million ideas: they say the same with other constants. The common part, with holes
for the constants, is a *template*; a *record* is a template, an id and the numbers of the terms for its holes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from gtopss.model.expressions import Call, Expression
from gtopss.model.subscription import Bind, Branch, FiveTuple, Subscription, restore_unchecked
from gtopss.model.terms import Term

Tree: TypeAlias = "int | str | tuple[str | Tree, ...]"
"""An expression with holes: a hole's number, a variable, or a function's name and its arguments."""


class BranchTemplate(NamedTuple):
    """A branch with holes; an edge's parts are trees that are no calls."""

    tuples: tuple[tuple[Tree, Tree, Tree, tuple[Tree, ...], tuple[Tree, ...]], ...]
    where: tuple[Tree, ...]
    binds: tuple[tuple[Term, Tree], ...]


class Template(NamedTuple):
    """A subscription with holes."""

    branches: tuple[BranchTemplate, ...]
    select: tuple[Term, ...]
    distinct: bool


class Record(NamedTuple):
    """A subscription in little room."""

    id: str
    template: Template
    constants: bytes  # the numbers of the terms, hole by hole

    def numbers(self) -> array[int]:
        made = array("i")
        made.frombytes(self.constants)
        return made


class Press:
    """Makes records and reads them, with a dictionary that numbers terms.

    >>> terms: list[Term] = []
    >>> press = Press(lambda term: terms.append(term) or len(terms) - 1, terms.__getitem__)
    >>> one = Subscription("s1", [("?x", "<urn:p>", "<urn:a>")])
    >>> other = Subscription("s2", [("?x", "<urn:p>", "<urn:b>")])
    >>> press.record(one).template is press.record(other).template, press.subscription(press.record(other)) == other
    (True, True)
    """

    def __init__(self, number: Callable[[Term], int], text: Callable[[int], Term]) -> None:
        self._number, self._text = number, text
        self._templates: dict[Template, Template] = {}

    def adopt(self, record: Record) -> Record:
        """A record that another press made with the same dictionary; from now on it shares templates with ours."""
        return record._replace(template=self._templates.setdefault(record.template, record.template))

    def record(self, subscription: Subscription) -> Record:
        holes: dict[Term, int] = {}
        made = Template(
            tuple(_emptied(branch, holes) for branch in subscription.branches),
            subscription.select,
            subscription.distinct,
        )
        template = self._templates.setdefault(made, made)
        number = self._number
        return Record(subscription.id, template, array("i", [number(term) for term in holes]).tobytes())

    def subscription(self, record: Record) -> Subscription:
        terms = [self._text(number) for number in record.numbers()]
        branches = tuple(_filled(branch, terms) for branch in record.template.branches)
        return restore_unchecked(Subscription, record.id, branches, record.template.select, record.template.distinct)

    def branch(self, record: Record, number: int) -> Branch:
        """One branch of the record's subscription."""
        return _filled(record.template.branches[number], [self._text(each) for each in record.numbers()])


def _emptied(branch: Branch, holes: dict[Term, int]) -> BranchTemplate:
    tuples = []
    for each in branch.tuples:
        s, p, o = each.subject, each.property, each.object
        tuples.append(
            (
                s if s[0] == "?" else holes.setdefault(s, len(holes)),
                p if p[0] == "?" else holes.setdefault(p, len(holes)),
                o if o[0] == "?" else holes.setdefault(o, len(holes)),
                tuple(_tree(test, holes) for test in each.subject_constraints) if each.subject_constraints else (),
                tuple(_tree(test, holes) for test in each.object_constraints) if each.object_constraints else (),
            )
        )
    where = tuple(_tree(test, holes) for test in branch.where) if branch.where else ()
    binds = tuple((name, _tree(value, holes)) for name, value in branch.binds) if branch.binds else ()
    return BranchTemplate(tuple(tuples), where, binds)


def _tree(expression: Expression, holes: dict[Term, int]) -> Tree:
    if isinstance(expression, Call):
        return (expression.function, *(_tree(argument, holes) for argument in expression.arguments))
    return expression if expression[0] == "?" else holes.setdefault(expression, len(holes))


def _filled(branch: BranchTemplate, terms: Sequence[Term]) -> Branch:
    tuples = tuple(
        restore_unchecked(
            FiveTuple,
            _term(s, terms),
            _term(p, terms),
            _term(o, terms),
            tuple(_test(test, terms) for test in on_subject),
            tuple(_test(test, terms) for test in on_object),
        )
        for s, p, o, on_subject, on_object in branch.tuples
    )
    where = tuple(_test(test, terms) for test in branch.where)
    return restore_unchecked(
        Branch, tuples, where, tuple(Bind(name, _expression(tree, terms)) for name, tree in branch.binds)
    )


def _expression(tree: Tree, terms: Sequence[Term]) -> Expression:
    if isinstance(tree, tuple):
        return _test(tree, terms)
    return terms[tree] if isinstance(tree, int) else Term(tree)


def _test(tree: Tree, terms: Sequence[Term]) -> Call:
    assert isinstance(tree, tuple)
    function, *arguments = tree
    assert isinstance(function, str)
    return Call(function, tuple(_expression(argument, terms) for argument in arguments))


def _term(tree: Tree, terms: Sequence[Term]) -> Term:
    made = _expression(tree, terms)
    assert not isinstance(made, Call)
    return made
