"""Prepare a subscription for registration: parse, check, split off the operators, normalise, refuse products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from gtopss.algebra import check_query
from gtopss.errors import CartesianSubscription, InvalidQuery, InvalidSubscription
from gtopss.language import locate_invalid_expression, rewrite_subscription, subscription_from_text
from gtopss.language.rewrite import RewriteResult
from gtopss.language.row_source import find_row_source
from gtopss.model import FiveTuple, Subscription
from gtopss.model.display import describe_value
from gtopss.model.subscription import TupleLike
from gtopss.model.term_text import shorten_iris
from gtopss.operators import Registry, SplitBranch, split_branch
from gtopss.semantics import check_expressions, uses_now
from gtopss.semantics.lenient_constants import read_constants
from gtopss.semantics.lenient_literals import LiteralRules
from sparqlish import PREFIXES

SubscriptionLike: TypeAlias = "Subscription | str | FiveTuple | Sequence[TupleLike]"
"""A subscription, the text of one, or its 5-tuples."""


@dataclass(frozen=True, slots=True)
class PreparedSubscription:
    """A subscription that passed all checks, in the forms that the engine registers."""

    written: Subscription
    normal: Subscription | None
    """The form for the matcher; None if no branch can match, or if branches call operators."""
    impossible: tuple[str, ...]
    """Why branches can never match, one reason each."""
    operator_parts: Sequence[SplitBranch] | None
    """Per branch, its pattern and its operator calls; None if no branch calls an operator."""

    @property
    def is_not_indexed(self) -> bool:
        """Whether it has a query of which no part must hold, so that it is evaluated for each publication."""
        return self.written.query is not None and not all(branch.tuples for branch in self.written.branches)

    @property
    def uses_now(self) -> bool:
        return uses_now(self.written)


_SHORT_FORM_HINT = (
    "This is not a SPARQL query. The short form is written into a .txt file, or given to "
    "gtopss.short_form.to_query() in Python."
)


def parse_subscription(
    given: SubscriptionLike,
    id: str | None,
    next_id: Callable[[], str],
    operators: Registry,
    on_warning: Callable[[UserWarning], object],
) -> Subscription:
    """Return a subscription from the text or object that a caller gave. `next_id` names a text without an id."""
    if isinstance(given, str):
        name = id if id is not None else next_id()
        try:
            return subscription_from_text(given, name, operators=operators.arities(), on_warning=on_warning)
        except InvalidQuery as error:
            if "{" in given or (error.line, error.column) != (1, 1):
                raise
            raise InvalidQuery(name, f"{error.reason}\n{_SHORT_FORM_HINT}", line=1, column=1) from None
    if isinstance(given, (FiveTuple, tuple, list)):
        return Subscription(id if id is not None else next_id(), _five_tuples(given))
    if not isinstance(given, Subscription):
        reason = f"{describe_value(given)} is not a subscription: give the text of a query, 5-tuples or a Subscription"
        raise InvalidSubscription(id if id is not None else "?", reason)
    if id is not None and id != given.id:
        raise InvalidSubscription(given.id, f"it already has an id, so it cannot be added as {id!r}: leave out `id`")
    return given


def _five_tuples(given: FiveTuple | Sequence[Any]) -> Sequence[TupleLike]:
    """Return the 5-tuples that a caller gave: several of them, or one alone."""
    if isinstance(given, FiveTuple):
        return (given,)
    if isinstance(given, tuple) and given and not isinstance(given[0], (FiveTuple, tuple, list)):
        return (given,)
    return given


def prepare_subscription(
    subscription: Subscription,
    text: str | None,
    operators: Registry,
    *,
    allow_cartesian: bool,
    literals: LiteralRules = "sparql",
    entailed: bool = False,
    evaluates_queries: bool = False,
) -> PreparedSubscription:
    """Check and normalise a subscription. `text` is its query, to locate an error. Raises InvalidSubscription.

    `evaluates_queries` says that the matcher gets a query whole, and not only the part that must hold.
    """
    if subscription.query is not None:
        return _prepare_query(subscription, _Rules(literals, entailed), evaluates_queries=evaluates_queries)
    is_lenient = literals == "lenient"
    read = read_constants(subscription) if is_lenient else subscription
    parts = [split_branch(subscription.id, branch, operators) for branch in read.branches]
    if any(part.calls for part in parts):
        return PreparedSubscription(subscription, None, (), parts)
    try:
        check_expressions(subscription)
    except InvalidSubscription:
        if text is not None and (located := locate_invalid_expression(text, subscription.id)) is not None:
            raise located from None
        raise
    normal, impossible = rewrite_subscription(read, lenient_literals=is_lenient, entailed=entailed)
    if normal is not None and not allow_cartesian:
        refuse_products(normal)
    return PreparedSubscription(subscription, normal, impossible, None)


class _Rules(NamedTuple):
    """How publications are read."""

    literals: LiteralRules
    entailed: bool

    def normalise(self, required: Subscription) -> RewriteResult:
        """Return the required part of a query in its normal form."""
        is_lenient = self.literals == "lenient"
        read = read_constants(required) if is_lenient else required
        return rewrite_subscription(read, lenient_literals=is_lenient, entailed=self.entailed)


def _prepare_query(subscription: Subscription, rules: _Rules, *, evaluates_queries: bool) -> PreparedSubscription:
    """Check a query, and normalise the part of it that a publication must satisfy: the matcher finds that it does."""
    assert subscription.query is not None
    check_query(subscription.id, subscription.query)
    required = Subscription(subscription.id, branches=subscription.branches, select=(), distinct=True)
    check_expressions(required)
    normal, impossible = rules.normalise(required)
    reasons = impossible if normal is None else ()  # a branch of the required part is no branch of the query
    if normal is not None and evaluates_queries:
        normal = _marked_query(subscription, normal, rules)
    return PreparedSubscription(subscription, normal, reasons, None)


def _marked_query(subscription: Subscription, required: Subscription, rules: _Rules) -> Subscription:
    """Return a query for a matcher that evaluates it, with its normalised required part.

    Where the rows of that part are solutions of a pattern in the query, the query says so (`language.row_source`).
    """
    assert subscription.query is not None
    query, branches = subscription.query, required.branches
    source = find_row_source(query)
    if source is not None:
        part = Subscription(subscription.id, branches=source.branches, select=(), distinct=True)
        normal, _ = rules.normalise(part)
        if normal is not None:
            query, branches = source.query, normal.branches
    return Subscription(subscription.id, branches=branches, select=subscription.select, query=query)


def refuse_products(subscription: Subscription) -> None:
    """Raise if the number of rows is not bounded by joins: branches without edges, or parts that share no variable."""
    for branch in subscription.branches:
        if not branch.tuples:
            reason = "a branch without 5-tuples matches every publication; use Engine(allow_cartesian=True) to have it"
            raise InvalidSubscription(subscription.id, reason)
        parts = branch.connected_parts()
        if len(parts) > 1:
            prefixes = {**PREFIXES, **dict(subscription.prefixes)}
            shown = [shorten_iris(" . ".join(map(str, part)), prefixes) for part in parts]
            raise CartesianSubscription(subscription.id, shown)
