"""From a query's text to a Subscription: what SPARQL's algebra says, as branches of 5-tuples.

SPARQL evaluates groups inside out (SPARQL 1.1, section 18.2). Without OPTIONAL the result is a union of conjunctions,
so a query becomes branches, one for each choice of UNION arm and VALUES row:

- triples become edges, wherever they stand: joining two groups that only have edges is one larger pattern;
- VALUES and BIND give variables values; where an edge, or another of them, has the variable too, both must agree;
- a FILTER belongs to its own group. A variable that this group does not bind is unbound there, even if a group
  around it binds it, so its occurrence becomes `UNBOUND`, which is a type error;
- a test of one variable is attached to an edge that has it, as the paper's constraint sets are; the others are value
  constraints of the branch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import sparqlish
from gtopss.errors import InvalidQuery, InvalidTerm
from gtopss.model import Branch, Call, Expression, FiveTuple, Subscription, Term
from gtopss.model.expressions import impossible_constraint, is_operator, substitute, variables
from gtopss.model.terms import RDF_TYPE, XSD, iri, is_hidden, is_literal, literal
from sparqlish import ast

MAX_BRANCHES = 256
"""A UNION of three arms five times over is 243 branches; beyond, somebody should register several subscriptions."""

MAX_EDGES = 10_000
"""Patterns of all branches together."""

_FALSE = literal("false", XSD + "boolean")
_Edge: TypeAlias = tuple[Term, Term, Term]

OperatorArities: TypeAlias = Mapping[str, int | tuple[int, int | None] | None]
"""Operators that a text may call: a name, and how many arguments it takes."""


def subscription_from_text(
    text: str,
    id: str,
    *,
    prefixes: Mapping[str, str] | None = None,
    operators: OperatorArities | None = None,
) -> Subscription:
    """The subscription that a query in the language of `sparqlish` is.

    >>> made = subscription_from_text("SELECT ?x { ?x foaf:age ?age FILTER(?age > 17) }", "adults")
    >>> [str(each) for each in made.branches[0].tuples]
    ['?x <http://xmlns.com/foaf/0.1/age> ?age (?age > 17)']
    """
    try:
        query = sparqlish.parse(text, prefixes=prefixes, operators=operators)
    except sparqlish.SparqlishError as error:
        raise InvalidQuery(id, str(error), line=error.line, column=error.column) from error
    return lower_query(query, id, text)


def lower_query(query: ast.Query, id: str, text: str = "") -> Subscription:
    """The subscription that a parsed query is; `text` is only for error messages."""
    lowering = _Lowering(id, text, query)
    try:
        branches = [part.branch() for part in lowering.group(query.where)]
    except InvalidTerm as error:
        raise InvalidQuery(id, str(error), line=None, column=None) from error
    branches = branches or [Branch([], [impossible_constraint("its VALUES leave no row")])]
    if query.form == "ASK":
        return Subscription(id, branches=branches, select=(), distinct=True)
    known = {name for branch in branches for name in branch.columns()}
    if query.variables is None:
        select = None
    else:  # a selected variable that nothing binds is legal, and absent from every solution
        select = [name for name in (_variable(variable) for variable in query.variables) if name in known]
    return Subscription(id, branches=branches, select=select, distinct=query.distinct)


def locate_invalid_expression(text: str, id: str, refused: Callable[[Expression], str | None]) -> InvalidQuery | None:
    """The place of the first expression that is `refused`, for whom it was refused after it had been lowered."""
    query = sparqlish.parse(text)
    lowering = _Lowering(id, text, query)
    for element in _elements(query.where):
        if isinstance(element, (ast.Filter, ast.Bind)):
            reason = refused(_expression(element.expression))
            if reason is not None:
                return lowering.error(reason, element.position)
    return None


@dataclass(slots=True)
class _Part:
    """One conjunction in the making."""

    edges: list[_Edge] = field(default_factory=list)
    binds: dict[Term, Expression] = field(default_factory=dict)
    tests: list[Call] = field(default_factory=list)

    def bound(self) -> set[Term]:
        """The variables that have, or may have, a value here."""
        found = {name for tree in self.binds.values() for name in _outputs(tree)}
        return {part for edge in self.edges for part in edge if part[0] == "?"} | self.binds.keys() | found

    def branch(self) -> Branch:
        """The finished branch, with tests of one variable on the ends of edges."""
        on_subject: dict[int, list[Call]] = {}
        on_object: dict[int, list[Call]] = {}
        where = [test for test in map(_literal_subject, self.edges) if test is not None]
        ends: dict[Term, tuple[dict[int, list[Call]], int]] = {}
        for number, (subject, _, object_) in enumerate(self.edges):
            ends.setdefault(subject, (on_subject, number))
            ends.setdefault(object_, (on_object, number))
        for test in dict.fromkeys(self.tests):
            names = variables(test)
            place = ends.get(next(iter(names))) if len(names) == 1 else None
            if place is None:
                where.append(test)
            else:
                place[0].setdefault(place[1], []).append(test)
        tuples = [
            FiveTuple(*edge, on_subject.get(number, ()), on_object.get(number, ()))
            for number, edge in enumerate(self.edges)
            if not is_literal(edge[0])
        ]
        return Branch(tuples, where, self.binds.items())


class _Lowering:
    """Walks a query's groups."""

    def __init__(self, id: str, text: str, query: ast.Query) -> None:
        self.id, self.text = id, text
        self._labels = {term.label for term in _terms(query.where) if isinstance(term, ast.BlankNode)}
        self._fresh = (label for label in (f"g{i}" for i in itertools.count()) if label not in self._labels)

    def group(self, group: ast.Group) -> list[_Part]:
        parts = [_Part()]
        filters = []
        for element in group.elements:
            match element:
                case ast.Triple():
                    edge = _term(element.subject), _term(element.predicate), _term(element.object)
                    if any(part.binds for part in parts):
                        parts = self.joined(parts, [_Part([edge])])
                    else:
                        for part in parts:
                            part.edges.append(edge)
                case ast.Filter():
                    filters.append(element)
                case ast.Bind():
                    parts = [self.extended(part, element) for part in parts]
                case ast.Values():
                    parts = self.joined(parts, [_row(element.variables, row) for row in element.rows])
                case ast.Union():
                    arms = [part for arm in element.branches for part in self.group(arm)]
                    parts = self.joined(parts, arms)
                case ast.Group():
                    parts = self.joined(parts, self.group(element))
            if len(parts) > MAX_BRANCHES or sum(len(part.edges) for part in parts) > MAX_EDGES:
                raise self.error(
                    f"its UNION and VALUES multiply to more than {MAX_BRANCHES} branches, or {MAX_EDGES} patterns in "
                    "them; register several subscriptions, or write long VALUES as FILTER(?x IN (...))",
                    getattr(element, "position", -1),
                )
        found = {name for each in filters for name in _outputs(_expression(each.expression))}
        for part in parts:
            for each in filters:
                self.filter(part, each, found)
        return parts

    def joined(self, ones: list[_Part], others: list[_Part]) -> list[_Part]:
        made = (self.join(one, other) for one in ones for other in others)
        return [part for part in itertools.islice(made, MAX_BRANCHES + 1) if part is not None]

    def join(self, one: _Part, other: _Part) -> _Part | None:
        """Both conjunctions at once; None if a variable would need two different constants."""
        left = _Part([*one.edges], dict(one.binds), [*one.tests])
        right = _Part([*other.edges], dict(other.binds), [*other.tests])
        agreements: list[Call] = []
        merged: dict[Term, Expression] = {}
        for name in dict.fromkeys((*one.binds, *other.binds)):
            if name in one.binds and name in other.binds:
                mine, yours = one.binds[name], other.binds[name]
                if _constant(mine) and _constant(yours):
                    if mine != yours:
                        return None
                    del right.binds[name]
                    continue
                first, second = self.hide(left, name), self.hide(right, name)
                agreements.append(_agree(first, second))
                merged[name] = Call("COALESCE", (first, second))
            elif name in one.binds and name in _edge_variables(other):
                agreements.append(self.agreement(left, name))
            elif name in other.binds and name in _edge_variables(one):
                agreements.append(self.agreement(right, name))
        return _Part(
            left.edges + right.edges,
            {**left.binds, **right.binds, **merged},
            [*left.tests, *right.tests, *agreements],
        )

    def agreement(self, part: _Part, name: Term) -> Call:
        """An edge of the other part gives `name` a value; the value it has in this part must be the same."""
        value = part.binds[name]
        if _constant(value):
            del part.binds[name]
            return Call("SAMETERM", (name, value))
        return _agree(self.hide(part, name), name)

    def hide(self, part: _Part, name: Term) -> Term:
        """Give a computed variable another name inside its part, so that it can be compared with its namesake."""
        hidden = Term(f"?_:{next(self._fresh)}")
        renamed = {name: hidden}
        part.binds = {renamed.get(key, key): substitute(tree, renamed) for key, tree in part.binds.items()}
        part.tests = [_call(substitute(test, renamed)) for test in part.tests]
        return hidden

    def extended(self, part: _Part, bind: ast.Bind) -> _Part:
        value = _scoped(bind.expression, part.bound() | _outputs(_expression(bind.expression)))
        return _Part(part.edges, {**part.binds, _variable(bind.variable): value}, part.tests)

    def filter(self, part: _Part, element: ast.Filter, found: set[Term]) -> None:
        """`found` are the variables that operators in the group's filters may find values for."""
        expression = element.expression
        if isinstance(expression, ast.Call) and expression.function == "instanceOf":
            self.bind_instance(part, expression, element.position)
        part.tests.extend(_conjuncts(_scoped(expression, part.bound() | found)))

    def bind_instance(self, part: _Part, call: ast.Call, position: int) -> None:
        """`?x a/rdfs:subClassOf* C` is a pattern in SPARQL: where nothing else binds ?x, its stated types do."""
        instance, cls = call.arguments
        if isinstance(cls, (ast.Variable, ast.BlankNode)) and _term(cls) not in part.bound():
            raise self.error(f"instanceOf needs a class: {_term(cls)} is bound nowhere else in its group", position)
        if not isinstance(instance, (ast.Variable, ast.BlankNode)) or _term(instance) in part.bound():
            return
        stated = Term(f"?_:{next(self._fresh)}")
        part.edges.append((_term(instance), RDF_TYPE, stated))
        part.tests.append(Call("isA", (stated, _expression(cls))))

    def error(self, reason: str, position: int) -> InvalidQuery:
        if position < 0:
            return InvalidQuery(self.id, reason, line=None, column=None)
        placed = sparqlish.SparqlishError.at(self.text, position, reason)
        return InvalidQuery(self.id, str(placed), line=placed.line, column=placed.column)


def _term(term: ast.Term) -> Term:
    match term:
        case ast.IRI():
            return iri(term.value)
        case ast.Variable():
            return Term(f"?{term.name}")
        case ast.BlankNode():
            return Term(f"?_:{term.label}")
    return literal(term.lexical, term.datatype, term.language)


def _variable(variable: ast.Variable) -> Term:
    return Term(f"?{variable.name}")


def _expression(tree: ast.Expression) -> Expression:
    return Call(tree.function, tuple(map(_expression, tree.arguments))) if isinstance(tree, ast.Call) else _term(tree)


def _outputs(tree: Expression) -> set[Term]:
    """The variables among an operator's arguments: it may find values for them (a FILTER's conjuncts are looked at)."""
    if not isinstance(tree, Call):
        return set()
    if tree.function == "&&":
        return {name for argument in tree.arguments for name in _outputs(argument)}
    return set(variables(tree)) if is_operator(tree.function) else set()


def _scoped(tree: ast.Expression, bound: set[Term]) -> Expression:
    """The expression as its group sees it: what the group does not bind is unbound."""
    if isinstance(tree, ast.Call):
        if tree.function == "BOUND" and _expression(tree.arguments[0]) not in bound:
            return _FALSE
        return Call(tree.function, tuple(_scoped(argument, bound) for argument in tree.arguments))
    made = _term(tree)
    return Call("UNBOUND", (literal(made),)) if made[0] == "?" and made not in bound else made


def _conjuncts(tree: Expression) -> Iterator[Call]:
    """The tests that a FILTER's expression is the conjunction of; a row must pass all of them."""
    if not isinstance(tree, Call):
        yield Call("&&", (tree,))  # a variable or a constant, for its truth value
    elif tree.function == "&&":
        for argument in tree.arguments:
            yield from _conjuncts(argument)
    else:
        yield tree


def _row(names: Iterable[ast.Variable], row: Iterable[ast.IRI | ast.Literal | None]) -> _Part:
    """A row of VALUES; UNDEF leaves its variable open."""
    pairs = zip(names, row, strict=True)
    return _Part(binds={_variable(name): _term(value) for name, value in pairs if value is not None})


def _agree(one: Term, other: Term) -> Call:
    """SPARQL's compatibility: two values of a variable are the same, or one of them is missing."""
    missing = [Call("!", (Call("BOUND", (name,)),)) for name in (one, other) if is_hidden(name)]
    return Call("||", (*missing, Call("SAMETERM", (one, other))))


def _constant(tree: Expression) -> bool:
    return not isinstance(tree, Call) and tree[0] != "?"


def _edge_variables(part: _Part) -> set[Term]:
    return {each for edge in part.edges for each in edge if each[0] == "?"}


def _call(tree: Expression) -> Call:
    assert isinstance(tree, Call)
    return tree


def _literal_subject(edge: _Edge) -> Call | None:
    if not is_literal(edge[0]):
        return None
    return impossible_constraint(f"the literal {edge[0]} cannot be a subject")


def _elements(group: ast.Group) -> Iterator[ast.Element]:
    """Every element below a group."""
    for element in group.elements:
        yield element
        for inner in element.branches if isinstance(element, ast.Union) else (element,):
            if isinstance(inner, ast.Group):
                yield from _elements(inner)


def _terms(group: ast.Group) -> Iterator[ast.Term]:
    """Every term of the patterns below a group."""
    for element in _elements(group):
        if isinstance(element, ast.Triple):
            yield from (element.subject, element.predicate, element.object)
