"""Lowering: from the text of a query to a Subscription, whose branches are what SPARQL's algebra says it means.

SPARQL evaluates groups inside out (SPARQL 1.1, section 18.2). Without OPTIONAL the result is a union of conjunctions,
so a query becomes branches, one for each choice of UNION arm and VALUES row:

- triples become edges, wherever they stand: joining two groups that only have edges is one larger pattern;
- VALUES and BIND give variables values; where an edge, or another of them, has the variable too, both must agree;
- a FILTER belongs to its own group. A variable that this group does not bind is unbound there, even if a group
  around it binds it, so its occurrence becomes `UNBOUND`, which is a type error;
- a constraint on one variable is attached to an edge that has it, as the paper's constraint sets are; the others are
  value constraints of the branch.

What is more than a union of conjunctions, such as OPTIONAL, becomes an algebra (`algebra.py`), which is evaluated for
the publications that satisfy its required part (`required.py`).

To add a graph pattern: a node in `sparqlish/ast.py`, its keyword in `tokens.py`, its syntax in `patterns.py` and
`printer.py`, and a case in `_Lowering._add_element` here, or in `algebra.py` and `gtopss/algebra/steps.py`.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

import sparqlish
from gtopss.algebra import check_query
from gtopss.errors import InvalidQuery, InvalidTerm, NeverBound
from gtopss.language.algebra import to_algebra
from gtopss.language.conjunction import Conjunction, join
from gtopss.language.convert import (
    operator_outputs,
    to_constraints,
    to_expression,
    to_scoped_expression,
    to_term,
    to_variable,
)
from gtopss.language.forms import elements_in, expressions_of, is_conjunctive
from gtopss.language.property_paths import expand_paths
from gtopss.language.required import required_branches
from gtopss.language.unbound import OnWarning, never_bound, result_bindings, result_variables, unbound_warning
from gtopss.model import Branch, Call, Subscription, Term
from gtopss.model.algebra import operators_in
from gtopss.model.expressions import calls_in, impossible_constraint, leaf_terms
from gtopss.model.terms import RDF_TYPE, is_hidden, is_variable, literal_parts
from gtopss.semantics import compile_error, function_arities
from sparqlish import ast, selected_variables

MAX_BRANCHES = 256
"""Branches of one subscription. A UNION of three arms five times over is 243; beyond, register several."""

MAX_EDGES = 10_000
"""Triple patterns of all branches of one subscription together."""

MAX_TERMS_OF_BRANCHES = 100_000
"""Terms in the constraints of all branches of one subscription together."""

OperatorArities: TypeAlias = Mapping[str, int | tuple[int, int | None] | None]
"""The operators that a text may call: name to number of arguments, as `sparqlish.parse` takes them."""


def subscription_from_text(
    text: str,
    id: str,
    *,
    prefixes: Mapping[str, str] | None = None,
    operators: OperatorArities | None = None,
    on_warning: OnWarning | None = None,
) -> Subscription:
    """Parse and lower the text of a query; raise InvalidQuery with the place of the problem if that fails.

    `on_warning` gets warnings about variables that are never bound; by default they are issued by `warnings.warn`.

    >>> adults = subscription_from_text("SELECT ?x { ?x foaf:age ?age FILTER(?age > 17) }", "adults")
    >>> [str(each) for each in adults.branches[0].tuples]
    ['?x <http://xmlns.com/foaf/0.1/age> ?age (?age > 17)']
    """
    try:
        query = sparqlish.parse(text, prefixes=prefixes, functions=function_arities(), operators=operators)
    except sparqlish.SparqlishError as error:
        raise InvalidQuery(id, str(error), line=error.line, column=error.column) from None
    found: list[NeverBound] = []
    made = lower_query(query, id, text, on_warning or found.append)
    for warning in found:
        warnings.warn(warning, stacklevel=2)
    return made


def lower_query(query: ast.Query, id: str, text: str, on_warning: OnWarning) -> Subscription:
    """Lower a parsed query to a subscription; `text` is only used to show places in messages."""
    warn = _UnboundWarnings(id, text, on_warning)
    if not is_conjunctive(query):
        query = expand_paths(query)
        if not is_conjunctive(query):
            return _lower_algebra(query, id, warn)
    unbound = never_bound(query)
    if query.computed:
        binds = (ast.Bind(tree, name) for name, tree in query.computed)
        query = replace(query, where=ast.Group((query.where, *binds)), computed=())
    try:
        branches = [each.to_branch() for each in _Lowering(id, text, query.where).group(query.where)]
    except InvalidTerm as error:
        raise InvalidQuery(id, str(error), line=None, column=None) from None
    branches = branches or [Branch([], [impossible_constraint("its VALUES leave no row")])]
    known = {name for branch in branches for name in branch.columns()}
    named = None if query.variables is None else [*map(to_variable, query.variables)]
    used = (*(named or ()), *(to_variable(ast.Variable(name)) for name in unbound))
    warn([name for name in used if name not in known], known, _out_of_scope(branches))
    if query.form == "ASK":
        return Subscription(id, branches=branches, select=(), distinct=True, prefixes=query.prefixes)
    # A selected variable that nothing binds is legal, and absent from every solution.
    select = None if named is None else [name for name in named if name in known]
    return Subscription(id, branches=branches, select=select, distinct=query.distinct, prefixes=query.prefixes)


def _lower_algebra(query: ast.Query, id: str, warn: _UnboundWarnings) -> Subscription:
    """Lower a query that is more than a union of conjunctions: its algebra, and the part that must hold."""
    try:
        algebra = to_algebra(query)
        if operators := operators_in(algebra):
            reason = f"the operator {operators[0]} cannot be called in a query that is more than a graph pattern"
            raise InvalidQuery(id, reason, line=None, column=None)
        check_query(id, algebra)
        branches = required_branches(algebra)
    except InvalidTerm as error:
        raise InvalidQuery(id, str(error), line=None, column=None) from None
    selected = [to_variable(name) for name in selected_variables(query)] if query.form == "SELECT" else []
    bound = result_bindings(query)
    unbound = [*(name for name in result_variables(query) if name not in bound), *never_bound(query)]
    warn([to_variable(ast.Variable(name)) for name in unbound], [to_variable(ast.Variable(name)) for name in bound])
    return Subscription(id, branches=branches, select=selected, query=algebra, prefixes=query.prefixes)


def _out_of_scope(branches: Iterable[Branch]) -> Iterator[Term]:
    """Yield the variables that constraints and binds use and their group does not bind."""
    for call in calls_in(itertools.chain.from_iterable(branch.expressions() for branch in branches)):
        if call.function == "UNBOUND" and call.arguments:
            yield Term(literal_parts(Term(str(call.arguments[0])))[0])


class _UnboundWarnings:
    """Warns of each variable of a query that is used and has no value."""

    def __init__(self, id: str, text: str, on_warning: OnWarning) -> None:
        self._id, self._text, self._on_warning = id, text, on_warning

    def __call__(self, unbound: Iterable[Term], known: Iterable[Term], out_of_scope: Iterable[Term] = ()) -> None:
        names = [name[1:] for name in known if is_variable(name) and not is_hidden(name)]
        for name in dict.fromkeys(unbound):
            self._on_warning(unbound_warning(self._id, name[1:], names, self._text))
        for name in dict.fromkeys(out_of_scope):
            if name[1:] in names:
                reason = f"{name} has no value inside this group, where a FILTER uses it: write the FILTER outside"
                self._on_warning(NeverBound(f"subscription {self._id!r}: {reason}"))


def locate_invalid_expression(text: str, id: str) -> InvalidQuery | None:
    """Find the first expression of a query that cannot be compiled, and return an error that points at its place.

    The text must be one that `subscription_from_text` accepts without prefixes and operators; an expression may still
    be invalid, for instance by a regular expression that RE2 cannot run.
    """
    query = sparqlish.parse(text, functions=function_arities())
    for tree, position in expressions_of(query):
        reason = compile_error(to_expression(tree))
        if reason is not None:
            return _invalid_query(id, text, reason, position)
    return None


class _Lowering:
    """Lowers the groups of one query."""

    def __init__(self, id: str, text: str, where: ast.Group) -> None:
        self.id, self.text = id, text
        labels = {term.label for term in _terms(where) if isinstance(term, ast.BlankNode)}
        self._new_labels = (label for label in (f"g{i}" for i in itertools.count()) if label not in labels)

    def group(self, group: ast.Group) -> list[Conjunction]:
        """Return the conjunctions whose union is the group."""
        parts = [Conjunction()]
        for element in group.elements:
            parts = self._add_element(parts, element)
            if len(parts) > MAX_BRANCHES or sum(len(part.edges) for part in parts) > MAX_EDGES:
                raise self._error(
                    f"its UNION and VALUES multiply to more than {MAX_BRANCHES} branches, or {MAX_EDGES} patterns in "
                    "them; register several subscriptions, or write long VALUES as FILTER(?x IN (...))",
                    getattr(element, "position", -1),
                )
        # Filters come last: they see the variables of the whole group, wherever they stand in it.
        filters = [element for element in group.elements if isinstance(element, ast.Filter)]
        outputs = {name for each in filters for name in operator_outputs(to_expression(each.expression))}
        terms = 0
        for part in parts:
            for each in filters:
                self._add_filter(part, each, outputs)
            trees = (*part.tests, *part.binds.values())
            terms += sum(1 for tree in trees for _ in leaf_terms(tree))
            if terms > MAX_TERMS_OF_BRANCHES:
                raise self._error(
                    f"its UNION and VALUES multiply its expressions to more than {MAX_TERMS_OF_BRANCHES:,} terms; "
                    "register several subscriptions",
                    getattr(filters[0], "position", -1) if filters else -1,
                )
        return parts

    def _add_element(self, parts: list[Conjunction], element: ast.Element) -> list[Conjunction]:
        """Return the group's conjunctions with one more element; a FILTER is left to the end of the group."""
        match element:
            case ast.Triple():
                return self._add_triple(parts, element)
            case ast.Bind():
                return [self._add_bind(part, element) for part in parts]
            case ast.Values():
                return self._join_all(parts, _values_rows(element))
            case ast.Union():
                return self._join_all(parts, [part for arm in element.branches for part in self.group(arm)])
            case ast.Group():
                return self._join_all(parts, self.group(element))
        return parts

    def _add_triple(self, parts: list[Conjunction], triple: ast.Triple) -> list[Conjunction]:
        edge = to_term(triple.subject), to_term(triple.predicate), to_term(triple.object)
        if any(part.binds for part in parts):  # a value bound before must agree with the edge's
            return self._join_all(parts, [Conjunction([edge])])
        for part in parts:
            part.edges.append(edge)
        return parts

    def _add_bind(self, part: Conjunction, bind: ast.Bind) -> Conjunction:
        bound = part.bound_variables() | operator_outputs(to_expression(bind.expression))
        value = to_scoped_expression(bind.expression, bound)
        return Conjunction(part.edges, {**part.binds, to_variable(bind.variable): value}, part.tests)

    def _join_all(self, parts: list[Conjunction], others: list[Conjunction]) -> list[Conjunction]:
        """Join each with each; stop one above the limit, which `group` then reports."""
        joined = (join(one, other, self._new_variable) for one in parts for other in others)
        return [part for part in itertools.islice(joined, MAX_BRANCHES + 1) if part is not None]

    def _new_variable(self) -> Term:
        """Return a hidden variable that the query does not use."""
        return Term(f"?_:{next(self._new_labels)}")

    def _add_filter(self, part: Conjunction, element: ast.Filter, outputs: set[Term]) -> None:
        """Add the constraints of a filter to `part`; `outputs` are the variables that the group's operators bind."""
        expression = element.expression
        if isinstance(expression, ast.Call) and expression.function == "instanceOf":
            self._bind_instance(part, expression, element.position)
        part.tests.extend(to_constraints(to_scoped_expression(expression, part.bound_variables() | outputs)))

    def _bind_instance(self, part: Conjunction, call: ast.Call, position: int) -> None:
        """Add an edge that binds the instance: `?x a/rdfs:subClassOf* C` is a pattern in SPARQL.

        Where nothing else binds ?x, the types that the publication states do.
        """
        instance, cls = call.arguments
        if isinstance(cls, (ast.Variable, ast.BlankNode)) and to_term(cls) not in part.bound_variables():
            reason = f"instanceOf needs a class: {to_term(cls)} is bound nowhere else in its group"
            raise self._error(reason, position)
        if not isinstance(instance, (ast.Variable, ast.BlankNode)) or to_term(instance) in part.bound_variables():
            return
        stated_type = self._new_variable()
        part.edges.append((to_term(instance), RDF_TYPE, stated_type))
        part.tests.append(Call("isA", (stated_type, to_expression(cls))))

    def _error(self, reason: str, position: int) -> InvalidQuery:
        return _invalid_query(self.id, self.text, reason, position)


def _invalid_query(id: str, text: str, reason: str, position: int) -> InvalidQuery:
    """Return the error at an offset of the text; a negative offset is an unknown place."""
    if position < 0:
        return InvalidQuery(id, reason, line=None, column=None)
    placed = sparqlish.SparqlishError.at(text, position, reason)
    return InvalidQuery(id, str(placed), line=placed.line, column=placed.column)


def _values_rows(values: ast.Values) -> list[Conjunction]:
    """Return one conjunction for each row of VALUES; UNDEF leaves its variable unbound."""
    return [
        Conjunction(
            binds={
                to_variable(name): to_term(value)
                for name, value in zip(values.variables, row, strict=True)
                if value is not None
            }
        )
        for row in values.rows
    ]


def _terms(group: ast.Group) -> Iterator[ast.Term]:
    """Yield every term of the triple patterns below a group."""
    for element in elements_in(group):
        if isinstance(element, ast.Triple):
            yield from (element.subject, element.predicate, element.object)
