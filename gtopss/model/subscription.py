"""Subscriptions: graph patterns with constraints (G-ToPSS, section 3.2).

The paper's subscription is a set of 5-tuples `(subject, property, object, constraintSet(subject),
constraintSet(object))`. Here that is a `Branch`, which also holds what a 5-tuple cannot (a constraint on several
variables, or on a property variable); a subscription has one or more branches, of which any may match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from gtopss.errors import InvalidSubscription, InvalidTerm, UnknownVariable, short_repr
from gtopss.model.expressions import (
    MAX_CALL_DEPTH,
    MAX_EXPRESSION_TERMS,
    Call,
    Expression,
    call_depth,
    expression,
    expression_text,
    is_operator,
    leaf_terms,
    variables,
)
from gtopss.model.terms import (
    Term,
    TermLike,
    hidden_variable,
    is_blank,
    is_hidden,
    is_iri,
    is_literal,
    is_variable,
    term,
    variable,
)


class Bind(NamedTuple):
    """A variable that gets the value of an expression after the 5-tuples are matched (SPARQL's BIND)."""

    variable: Term
    expression: Expression


_Part = TypeVar("_Part", "FiveTuple", "Branch", "Subscription")
TupleLike: TypeAlias = "FiveTuple | tuple[Any, ...]"
Constraints: TypeAlias = Iterable[Call] | Call | None
"""Constraints as a caller may write them: several, one alone, or None."""


@dataclass(frozen=True, slots=True, init=False)
class FiveTuple:
    """A triple pattern with the constraints on its subject and its object.

    >>> FiveTuple("<urn:SIGMOD>", "<urn:year>", "?year").variables()
    ('?year',)
    """

    subject: Term
    property: Term
    object: Term
    subject_constraints: tuple[Call, ...]
    object_constraints: tuple[Call, ...]

    def __init__(
        self,
        subject: TermLike,
        property: TermLike,
        object: TermLike,
        subject_constraints: Constraints = (),
        object_constraints: Constraints = (),
    ) -> None:
        ends = _pattern_term(subject), _pattern_term(property), _pattern_term(object)
        if is_literal(ends[0]):
            raise InvalidTerm(subject, "a literal cannot be a subject; no triple would ever match it")
        if not is_iri(ends[1]) and (not is_variable(ends[1]) or ends[1] != term(property)):
            raise InvalidTerm(property, "a property is an IRI or a variable")
        values = (*ends, _constraint_set(subject_constraints), _constraint_set(object_constraints))
        for name, value in zip(self.__slots__, values, strict=True):
            _set(self, name, value)

    def edge(self) -> tuple[Term, Term, Term]:
        """Return the triple pattern without its constraints."""
        return self.subject, self.property, self.object

    def variables(self) -> tuple[Term, ...]:
        """Return each variable once, in the order subject, property, object."""
        return tuple(dict.fromkeys(part for part in self.edge() if is_variable(part)))

    def constraints(self) -> tuple[Call, ...]:
        """Return the constraints on the subject, then those on the object."""
        return self.subject_constraints + self.object_constraints

    def __str__(self) -> str:
        return " ".join((*map(expression_text, self.edge()), *map(str, dict.fromkeys(self.constraints()))))


@dataclass(frozen=True, slots=True, init=False)
class Branch:
    """A conjunction: 5-tuples that must all match, and constraints over their variables.

    `where` holds the constraints that a 5-tuple cannot have: on several variables (`?y > 2 * ?z`), or on a property
    variable. `binds` are variables with computed values (SPARQL's BIND), which are evaluated before the constraints; a
    variable stays unbound if its expression has a type error.
    """

    tuples: tuple[FiveTuple, ...]
    where: tuple[Call, ...]
    binds: tuple[Bind, ...]

    def __init__(
        self, tuples: Iterable[TupleLike], where: Iterable[Call] = (), binds: Iterable[tuple[Any, Any]] = ()
    ) -> None:
        made = (each if isinstance(each, FiveTuple) else _five_tuple(each) for each in tuples)
        _set(self, "tuples", tuple(dict.fromkeys(made)))
        _set(self, "where", _constraint_set(where))
        _set(self, "binds", tuple(Bind(_pattern_term(name), _check_size(expression(tree))) for name, tree in binds))

    def edges(self) -> tuple[tuple[Term, Term, Term], ...]:
        """Return the distinct triple patterns: the same edge written twice is one edge."""
        return tuple(dict.fromkeys(each.edge() for each in self.tuples))

    def variables(self) -> tuple[Term, ...]:
        """Return each variable of the 5-tuples once, in the written order."""
        return tuple(dict.fromkeys(name for each in self.tuples for name in each.variables()))

    def columns(self) -> tuple[Term, ...]:
        """Return the columns of a solution: the variables of the 5-tuples and of `binds`, and operators' outputs."""
        return self.variables() + tuple(bind.variable for bind in self.binds) + self.operator_outputs()

    def operator_outputs(self) -> tuple[Term, ...]:
        """Return the variables that only operators' calls have; the operators bind them."""
        trees = [*self.where, *(bind.expression for bind in self.binds)]
        calls = [tree for tree in trees if isinstance(tree, Call) and is_operator(tree.function)]
        if not calls:
            return ()
        known = {*self.variables(), *(bind.variable for bind in self.binds)}
        named = (leaf for tree in calls for leaf in tree.arguments if not isinstance(leaf, Call))
        return tuple(dict.fromkeys(leaf for leaf in named if is_variable(leaf) and leaf not in known))

    def constraints(self) -> tuple[Call, ...]:
        """Return each constraint once: those of the 5-tuples, then those of `where`."""
        return tuple(dict.fromkeys(self.written_constraints()))

    def written_constraints(self) -> list[Call]:
        """Return the constraints of the 5-tuples, then those of `where`; one that is written twice is there twice."""
        return [*(test for each in self.tuples for test in each.constraints()), *self.where]

    def expressions(self) -> tuple[Expression, ...]:
        """Return all expressions: the constraints, and the values of `binds`."""
        return (*self.constraints(), *(bind.expression for bind in self.binds))

    def connected_parts(self) -> tuple[tuple[FiveTuple, ...], ...]:
        """Return the connected parts of the pattern; the rows of different parts multiply.

        Two 5-tuples are connected by a common variable, by an equality over variables of both, or by a constant that
        is the subject of one of them: the paper's S2 (`?y conference SIGMOD`, `SIGMOD year ?x`) is one part, while
        `?a type C`, `?b type C` is every pair of Cs. A 5-tuple without variables multiplies nothing and is in no part.
        """
        if self._is_connected_in_order():
            return (tuple(each for each in self.tuples if each.variables()),)
        joined = _UnionFind()
        subjects = {each.subject for each in self.tuples}
        for number, each in enumerate(self.tuples):
            for name in each.variables():
                joined.unite(number, name)
            for node in {each.subject, each.object} & subjects:
                joined.unite(number, node)
        for test in self.where:
            if test.function in ("=", "SAMETERM") or (test.function == "in" and len(test.arguments) == 2):
                names = sorted(variables(test))
                for name in names[1:]:
                    joined.unite(names[0], name)
        for bind in self.binds:
            for name in variables(bind.expression):
                joined.unite(bind.variable, name)
        parts: dict[object, list[FiveTuple]] = {}
        for number, each in enumerate(self.tuples):
            if each.variables():
                parts.setdefault(joined.root(number), []).append(each)
        return tuple(tuple(part) for part in parts.values())

    def _is_connected_in_order(self) -> bool:
        """Return whether each 5-tuple shares a variable with an earlier one, the usual case: then there is one part."""
        seen: set[Term] = set()
        for each in self.tuples:
            names = {part for part in each.edge() if part[0] == "?"}
            if names and seen and seen.isdisjoint(names):
                return False
            seen |= names
        return bool(seen)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Subscription:
    """A graph pattern with an id. It matches a publication if one of its branches does. Immutable.

    Most programs pass the text of a query to `Engine.add`, which returns a Subscription. To build one in Python, give
    `tuples`: 5-tuples (subject, property, object[, constraints on the subject, constraints on the object]), all of
    which must match, and `where`: further constraints. Give `branches` instead for alternatives (UNION).

    `select` lists the variables that a match reports, by default all that are not blank nodes. `distinct` drops equal
    solutions, as in SPARQL. `query` is the algebra of a whole query (`gtopss.model.algebra`), whose solutions are then
    reported; the branches are the conditions that a publication must satisfy so that the query can have a solution.

    Raises InvalidSubscription or UnknownVariable.

    >>> from gtopss.model.expressions import compare
    >>> s1 = Subscription("s1", [("<urn:SIGMOD>", "<urn:year>", "?z", [], [compare("z", ">", 2000)])])
    >>> Subscription.from_json(s1.to_json()) == s1
    True
    """

    id: str
    branches: tuple[Branch, ...]
    select: tuple[Term, ...]
    distinct: bool
    query: Call | None
    prefixes: tuple[tuple[str, str], ...] = field(compare=False)
    """The prefixes and namespaces that the text declares, for showing its terms."""

    def __init__(
        self,
        id: str,
        tuples: Iterable[TupleLike] = (),
        *,
        where: Iterable[Call] = (),
        branches: Iterable[Branch] | None = None,
        select: Iterable[str] | None = None,
        distinct: bool = False,
        query: Call | None = None,
        prefixes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        if not isinstance(id, str) or not id:
            raise InvalidSubscription(repr(id), "its id must be a non-empty string")
        if isinstance(select, str):
            raise InvalidSubscription(id, f"select must be a list of variables, not the string {select!r}")
        tuples, where = list(tuples), list(where)
        if branches is not None and (tuples or where):
            raise InvalidSubscription(id, "branches cannot be combined with tuples and where: put them into a Branch")
        try:
            made = (Branch(tuples, where),) if branches is None else tuple(branches)
            chosen = None if select is None else tuple(dict.fromkeys(map(variable, select)))
        except InvalidTerm as error:
            raise InvalidSubscription(id, str(error)) from None
        except TypeError as error:
            reason = f"a 5-tuple is (subject, property, object[, constraints on subject, on object]): {error}"
            raise InvalidSubscription(id, reason) from None
        if not all(isinstance(branch, Branch) for branch in made):
            raise InvalidSubscription(id, "its branches must be made by Branch(...)")
        if not made:
            raise InvalidSubscription(id, "it has no branch; give it at least one 5-tuple")
        for branch in made:
            _check_branch(id, branch)
        known = tuple(dict.fromkeys(name for branch in made for name in branch.columns()))
        for name in chosen or ():
            if name not in known and query is None:
                raise UnknownVariable(id, name, "SELECT", known)
        _set(self, "id", id)
        _set(self, "branches", made)
        _set(self, "select", tuple(v for v in known if not is_hidden(v)) if chosen is None else chosen)
        _set(self, "distinct", bool(distinct))
        _set(self, "query", query)
        _set(self, "prefixes", prefixes)

    def __repr__(self) -> str:
        from gtopss.model.display import subscription_line

        return f"<{subscription_line(self)}>"

    def to_json(self) -> dict[str, Any]:
        """Return lists, strings and dicts, with terms as N-Triples text."""
        from gtopss.model.json import subscription_to_json

        return subscription_to_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Subscription:
        """Return the subscription that `to_json` wrote; raise InvalidSubscription for other data."""
        from gtopss.model.json import subscription_from_json

        return subscription_from_json(data)


def _set(target: object, name: str, value: object) -> None:
    object.__setattr__(target, name, value)


def restore_unchecked(cls: type[_Part], *values: object) -> _Part:
    """Make a FiveTuple, Branch or Subscription of fields that are known to be valid, without checking them again."""
    made = object.__new__(cls)
    for name, value in zip(cls.__slots__, values, strict=True):
        object.__setattr__(made, name, value)
    return made


def _pattern_term(value: TermLike) -> Term:
    made = term(value)
    return hidden_variable(made) if is_blank(made) else made


def _five_tuple(given: tuple[Any, ...]) -> FiveTuple:
    if not 3 <= len(given) <= 5:
        raise TypeError(f"{short_repr(given)} has {len(given)} parts")
    return FiveTuple(*given)


def _constraint_set(constraints: Constraints) -> tuple[Call, ...]:
    if constraints is None:
        return ()
    one_alone = isinstance(constraints, (Call, str)) or not isinstance(constraints, Iterable)
    made: tuple[Any, ...] = (constraints,) if one_alone else tuple(cast(Iterable[Call], constraints))
    for each in made:
        if not isinstance(each, Call):
            reason = "a constraint is made by a function of gtopss.model.expressions, such as compare(...) or is_a(...)"
            raise InvalidTerm(each, reason)
        _check_size(each)
    return tuple(dict.fromkeys(made))


def _check_size(tree: Expression) -> Expression:
    """Return the expression if it is small enough to be compiled and printed; raise InvalidTerm otherwise."""
    for count, leaf in enumerate(leaf_terms(tree)):
        if count > MAX_EXPRESSION_TERMS:
            raise InvalidTerm("an expression", f"it has more than {MAX_EXPRESSION_TERMS} terms")
        if not isinstance(leaf, str):
            raise InvalidTerm(leaf, "an expression holds terms: make it by call(...)")
    if call_depth(tree) > MAX_CALL_DEPTH:
        raise InvalidTerm("an expression", f"it nests deeper than {MAX_CALL_DEPTH} calls")
    return tree


def _check_branch(subscription_id: str, branch: Branch) -> None:
    known = branch.variables() + branch.operator_outputs()
    for number, each in enumerate(branch.tuples, start=1):
        for end, constraints in (
            (each.subject, each.subject_constraints),
            (each.object, each.object_constraints),
        ):
            for test in constraints:
                for name in variables(test) - {end}:
                    place = f"the constraint {test} on {end} in 5-tuple {number}"
                    if name in known:
                        reason = f"{place} uses {name}: put a constraint on other variables into `where`"
                        raise InvalidSubscription(subscription_id, reason)
                    raise UnknownVariable(subscription_id, name, place, known)
    for bind in branch.binds:
        if bind.variable in known or not is_variable(bind.variable):
            reason = f"{bind.variable} cannot be bound to {bind.expression}: it has a value already"
            raise InvalidSubscription(subscription_id, reason)
        for name in variables(bind.expression) - set(known):
            raise UnknownVariable(subscription_id, name, f"the value of {bind.variable}", known)
        known += (bind.variable,)
    for test in branch.where:
        for name in variables(test) - set(known):
            raise UnknownVariable(subscription_id, name, f"the value constraint {test}", known)


class _UnionFind:
    """Disjoint sets over any hashable keys."""

    def __init__(self) -> None:
        self._parents: dict[object, object] = {}

    def root(self, key: object) -> object:
        while (parent := self._parents.setdefault(key, key)) != key:
            self._parents[key] = key = self._parents.setdefault(parent, parent)
        return key

    def unite(self, one: object, other: object) -> None:
        self._parents[self.root(one)] = self.root(other)
