"""Find variables that a query uses and nothing in it binds: most often a name is misspelled.

Such a query is legal. A FILTER over an unbound variable is a type error, so it is never true. BOUND and COALESCE are
made for variables that may have no value, such as those of OPTIONAL; a variable that occurs in no pattern at all is a
mistake there too. A triple in the template of CONSTRUCT is never made if a solution cannot bind its variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from gtopss.errors import NeverBound
from gtopss.language.convert import operator_outputs, to_expression
from gtopss.language.forms import elements_in, expressions_of
from sparqlish import SparqlishError, ast, selected_variables, visible_variables
from sparqlish.tokens import tokenize

OnWarning = Callable[[NeverBound], object]


def never_bound(query: ast.Query) -> list[str]:
    """Return the names of the variables in expressions that no part of the query binds, in the order of their use."""
    bound = set(_bound_names(query))
    return [name for name in dict.fromkeys(_used_names(query)) if name not in bound]


def result_variables(query: ast.Query) -> list[str]:
    """Return the names of the variables that the result of a query needs: those of SELECT, CONSTRUCT or DESCRIBE."""
    template = (term for triple in query.template for term in (triple.subject, triple.predicate, triple.object))
    terms = (*(selected_variables(query) if query.form == "SELECT" else ()), *template, *(query.described or ()))
    return list(dict.fromkeys(term.name for term in terms if isinstance(term, ast.Variable)))


def result_bindings(query: ast.Query) -> set[str]:
    """Return the names of the variables that a solution of a query may bind."""
    names = {variable.name for variable in visible_variables(query.where)}
    names.update(variable.name for variable, _ in query.computed)
    names.update(key.variable.name for key in query.group_by if key.variable is not None)
    if query.values is not None:
        names.update(variable.name for variable in query.values.variables)
    for element in elements_in(query.where):
        if isinstance(element, ast.Filter):
            names.update(_bound_by_filter(element.expression))
    return names


def unbound_warning(id: str, name: str, known: Iterable[str], text: str) -> NeverBound:
    """Return the warning about a variable that nothing binds, with a guess and its place in the text."""
    close = get_close_matches(name[:64], list(known), n=1)
    reason = f"?{name} is never bound" + (f": did you mean ?{close[0]}?" if close else "")
    offset = _first_use(text, name)
    if offset is not None:
        reason = str(SparqlishError.at(text, offset, reason))
    return NeverBound(f"subscription {id!r}: {reason}")


def _first_use(text: str, name: str) -> int | None:
    tokens = tokenize(text)
    for kind, token, start in zip(*tokens, strict=True):
        if kind == "VAR" and token[1:] == name:
            return start
    return None


def _used_names(query: ast.Query) -> Iterator[str]:
    for tree, _ in expressions_of(query):
        yield from _names_in(tree)


def _names_in(tree: ast.Expression) -> Iterator[str]:
    match tree:
        case ast.Variable(name):
            yield name
        case ast.Call(_, arguments):
            for argument in arguments:
                yield from _names_in(argument)
        case ast.Aggregate(_, argument) if argument is not None:
            yield from _names_in(argument)


def _bound_names(query: ast.Query) -> Iterator[str]:
    yield from (variable.name for variable, _ in query.computed)
    yield from (key.variable.name for key in query.group_by if key.variable is not None)
    if query.values is not None:
        yield from (variable.name for variable in query.values.variables)
    for element in elements_in(query.where):
        match element:
            case ast.Triple(one, two, three):
                yield from (term.name for term in (one, two, three) if isinstance(term, ast.Variable))
            case ast.PathPattern(one, _, three):
                yield from (term.name for term in (one, three) if isinstance(term, ast.Variable))
            case ast.Values(variables):
                yield from (variable.name for variable in variables)
            case ast.Bind(_, variable):
                yield variable.name
            case ast.Graph(name) if isinstance(name, ast.Variable):
                yield name.name
            case ast.SubSelect(inner):
                yield from (variable.name for variable, _ in inner.computed)
                yield from (key.variable.name for key in inner.group_by if key.variable is not None)
            case ast.Filter(tree):
                yield from _bound_by_filter(tree)


def _bound_by_filter(tree: ast.Expression) -> Iterator[str]:
    """Yield the variables that a FILTER may bind: those of operators, and the instance of `?x a/rdfs:subClassOf* C`."""
    yield from (name[1:] for name in operator_outputs(to_expression(tree)))
    match tree:
        case ast.Call("instanceOf", (ast.Variable(name), *_)):
            yield name
