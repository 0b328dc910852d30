"""Encode subscriptions compactly: a template that many share, and the constants of each as term numbers.

A million subscriptions are rarely a million ideas: most differ only in their constants. The common part, with numbered
holes in place of the constants, is a *template*. An encoded subscription is an id, a template and one term number per
hole.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from gtopss.model.expressions import Call, Expression
from gtopss.model.subscription import Bind, Branch, FiveTuple, Subscription, restore_unchecked
from gtopss.model.terms import Term

Tree: TypeAlias = "int | str | tuple[str | Tree, ...]"
"""An expression with holes: the number of a hole, a variable (or a constant that all have), or a function name followed
by its arguments."""


_SHAPES = frozenset(("AGGREGATE", "SLICE", "REPEAT"))
"""Calls whose constants are part of a template: they say which operator it is (`gtopss.model.algebra`)."""


class BranchTemplate(NamedTuple):
    """A branch with holes. The parts of an edge are trees that are not calls."""

    tuples: tuple[tuple[Tree, Tree, Tree, tuple[Tree, ...], tuple[Tree, ...]], ...]
    where: tuple[Tree, ...]
    binds: tuple[tuple[Term, Tree], ...]


class Template:
    """A subscription with holes. Equal templates of one codec are one object, so they are compared by identity."""

    __slots__ = ("__weakref__", "branches", "distinct", "plan", "query", "query_plan", "select")

    def __init__(
        self,
        branches: tuple[BranchTemplate, ...],
        select: tuple[Term, ...],
        distinct: bool,
        query: Tree | None = None,
    ) -> None:
        self.branches, self.select, self.distinct, self.query = branches, select, distinct, query
        self.plan: Any = None
        """What the owner of the codec computes once per template."""
        self.query_plan: Any = None
        """The same for its query; None if it has none."""


class EncodedSubscription(NamedTuple):
    """A subscription as a shared template and its constants."""

    id: str
    template: Template
    constants: bytes  # term numbers as 32-bit integers, hole by hole

    def numbers(self) -> array[int]:
        """Return the term number of each hole."""
        made = array("i")
        made.frombytes(self.constants)
        return made


class SubscriptionCodec:
    """Encode and decode subscriptions with a dictionary that numbers terms.

    Encoded subscriptions of one codec share templates: equal templates are one object, which lives as long as one of
    them. Not thread-safe: the caller holds a lock while encoding.

    >>> terms: list[Term] = []
    >>> codec = SubscriptionCodec(lambda term: terms.append(term) or len(terms) - 1, terms.__getitem__)
    >>> one = Subscription("s1", [("?x", "<urn:p>", "<urn:a>")])
    >>> other = Subscription("s2", [("?x", "<urn:p>", "<urn:b>")])
    >>> codec.encode(one).template is codec.encode(other).template, codec.decode(codec.encode(other)) == other
    (True, True)
    """

    def __init__(
        self,
        number: Callable[[Term], int],
        text: Callable[[int], Term],
        plan: Callable[[Template], Any] | None = None,
    ) -> None:
        """Create a codec. `plan` returns what each new template has as its `plan`."""
        self._number, self._text, self._plan = number, text, plan
        self._templates: WeakValueDictionary[tuple[Any, ...], Template] = WeakValueDictionary()

    def with_numbers(self, number: Callable[[Term], int], text: Callable[[int], Term]) -> SubscriptionCodec:
        """Return a codec with other term numbers that shares the templates of this one."""
        made = SubscriptionCodec(number, text, self._plan)
        made._templates = self._templates
        return made

    def shared_template(self, made: Template) -> Template:
        """Return this codec's template object that equals another, which becomes it if there is none."""
        key = (made.branches, made.select, made.distinct, made.query)
        known = self._templates.get(key)
        if known is None:
            if self._plan is not None:
                made.plan = self._plan(made)
            known = self._templates[key] = made
        return known

    def encode(self, subscription: Subscription) -> EncodedSubscription:
        """Encode a subscription; its constants get term numbers."""
        holes: dict[Term, int] = {}
        made = Template(
            tuple(_encode_branch(branch, holes) for branch in subscription.branches),
            subscription.select,
            subscription.distinct,
            None if subscription.query is None else _tree(subscription.query, holes),
        )
        template, number = self.shared_template(made), self._number
        return EncodedSubscription(subscription.id, template, array("i", [number(term) for term in holes]).tobytes())

    def decode(self, encoded: EncodedSubscription) -> Subscription:
        """Return the subscription that was encoded."""
        template, terms = encoded.template, self.constants(encoded)
        branches = tuple(_decode_branch(branch, terms) for branch in template.branches)
        query = None if template.query is None else decode_test(template.query, terms)
        return restore_unchecked(Subscription, encoded.id, branches, template.select, template.distinct, query, ())

    def constants(self, encoded: EncodedSubscription) -> list[Term]:
        """Return the constants of a subscription, hole by hole."""
        return [self._text(each) for each in encoded.numbers()]

    def constant(self, encoded: EncodedSubscription, hole: int) -> Term:
        """Return the constant of one hole."""
        return self._text(int.from_bytes(encoded.constants[4 * hole : 4 * hole + 4], sys.byteorder))

    def decode_branch(self, encoded: EncodedSubscription, number: int) -> Branch:
        """Return one branch of the subscription that was encoded."""
        return _decode_branch(encoded.template.branches[number], self.constants(encoded))


def _encode_branch(branch: Branch, holes: dict[Term, int]) -> BranchTemplate:
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
        if expression.function in _SHAPES:
            return (
                expression.function,
                *(_tree(each, holes) if isinstance(each, Call) else each for each in expression.arguments),
            )
        return (expression.function, *(_tree(argument, holes) for argument in expression.arguments))
    return expression if expression[0] == "?" else holes.setdefault(expression, len(holes))


def _decode_branch(branch: BranchTemplate, terms: Sequence[Term]) -> Branch:
    tuples = tuple(
        restore_unchecked(
            FiveTuple,
            _term(s, terms),
            _term(p, terms),
            _term(o, terms),
            tuple(decode_test(test, terms) for test in on_subject),
            tuple(decode_test(test, terms) for test in on_object),
        )
        for s, p, o, on_subject, on_object in branch.tuples
    )
    where = tuple(decode_test(test, terms) for test in branch.where)
    return restore_unchecked(
        Branch, tuples, where, tuple(Bind(name, _expression(tree, terms)) for name, tree in branch.binds)
    )


def _expression(tree: Tree, terms: Sequence[Term]) -> Expression:
    if isinstance(tree, tuple):
        return decode_test(tree, terms)
    return terms[tree] if isinstance(tree, int) else Term(tree)


def decode_test(tree: Tree, terms: Sequence[Term]) -> Call:
    """Return a constraint with the terms of its holes."""
    assert isinstance(tree, tuple)
    function, *arguments = tree
    assert isinstance(function, str)
    return Call(function, tuple(_expression(argument, terms) for argument in arguments))


def _term(tree: Tree, terms: Sequence[Term]) -> Term:
    made = _expression(tree, terms)
    assert not isinstance(made, Call)
    return made
