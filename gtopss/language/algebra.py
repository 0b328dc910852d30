"""Translation of a parsed query to SPARQL's algebra (SPARQL 1.1, section 18.2), as `gtopss.model.algebra` has it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable

from gtopss.language.convert import to_constraints, to_term, to_variable
from gtopss.model import Call, Expression, Term
from gtopss.model.algebra import UNDEFINED, group, text_term, triples, variables_of
from gtopss.model.terms import RDF_TYPE, is_hidden
from gtopss.semantics.new_terms import NEW_TERM_FUNCTIONS
from sparqlish import ast, is_grouped, print_query, visible_variables

_ALL = Call("ALL", ())


def to_algebra(query: ast.Query) -> Call:
    """Return the algebra of a query without paths of a fixed length."""
    return _Translation(query).whole(query)


class _Translation:
    """Translates one query. Its hidden variables have labels that the query does not use."""

    def __init__(self, query: ast.Query) -> None:
        text = repr(query)
        self._labels = (label for label in (f"q{i}" for i in itertools.count()) if repr(label) not in text)
        self._number_labels = (label for label in (f"n{i}" for i in itertools.count()) if repr(label) not in text)
        self._query, self._digest = query, ""
        self._places = itertools.count()
        self._number: Term | None = None
        """The variable with the number of the solution, if the group or clause that is being translated needs it."""

    def _new_variable(self) -> Term:
        return Term(f"?_:{next(self._labels)}")

    def _numbering(self) -> list[Call]:
        """Return the step that numbers the solutions, if something needs it."""
        return [] if self._number is None else [Call("BIND", (Call("SOLUTION", ()), self._number))]

    def _new_term(self, function: str, arguments: tuple[Expression, ...]) -> Call:
        """Return the call of BNODE, UUID or STRUUID. With a label, the place of the call does not matter."""
        if self._number is None:
            self._number = Term(f"?_:{next(self._number_labels)}")
        self._digest = self._digest or hashlib.sha256(print_query(self._query).encode()).hexdigest()
        place = self._digest if arguments else f"{self._digest} {next(self._places)}"
        return Call("NEW", (text_term(function), self._number, text_term(place), *arguments))

    def whole(self, query: ast.Query) -> Call:
        made = self.solutions(query)
        match query.form:
            case "ASK":
                return Call("ASK", (made,))
            case "CONSTRUCT":
                template = [(to_term(s), to_term(p), to_term(o)) for s, p, o in map(_parts, query.template)]
                return Call("CONSTRUCT", (made, *triples(template).arguments))
            case "DESCRIBE":
                visible = [name for name in variables_of(made) if not is_hidden(name)]
                terms = visible if query.described is None else [to_term(each) for each in query.described]
                return Call("DESCRIBE", (made, *terms))
        return made

    def solutions(self, query: ast.Query) -> Call:
        """Return the pattern of a query with all that follows it (section 18.2.4)."""
        around, self._number = self._number, None
        made = self.group(query.where)
        aggregates: dict[ast.Aggregate, Term] = {}
        having = [self.expression(each, aggregates) for each in query.having]
        computed = [(self.expression(tree, aggregates), to_variable(name)) for name, tree in query.computed]
        order_by = [
            Call("DESC" if key.descending else "ASC", (self.expression(key.expression, aggregates),))
            for key in query.order_by
        ]
        steps = self._numbering()
        if is_grouped(query):
            self._number = None
            made = self._grouped(made, query.group_by, aggregates)
        self._number = around
        steps += (Call("FILTER", (each,)) for each in having)
        if query.values is not None:
            steps.append(_values(query.values))
        steps += (Call("BIND", (tree, name)) for tree, name in computed)
        if steps:
            made = Call("GROUP", (Call("JOIN", (made,)), *steps))
        if order_by:
            made = Call("ORDER", (made, *order_by))
        if query.form == "SELECT":
            names = [name for name in variables_of(made) if not is_hidden(name)]
            selected = names if query.variables is None else [to_variable(name) for name in query.variables]
            made = Call("SELECT", (made, Call("VARIABLES", tuple(selected))))
        if query.distinct:
            made = Call("DISTINCT", (made,))
        if query.limit is not None or query.offset:
            most = UNDEFINED if query.limit is None else text_term(query.limit)
            made = Call("SLICE", (made, text_term(query.offset), most))
        return made

    def _grouped(self, pattern: Call, keys: Iterable[ast.GroupKey], aggregates: dict[ast.Aggregate, Term]) -> Call:
        named_keys = []
        for key in keys:
            tree = self.expression(key.expression)
            is_variable = isinstance(key.expression, ast.Variable) and key.variable is None
            name = tree if is_variable else to_variable(key.variable) if key.variable else self._new_variable()
            named_keys.append(Call("AS", (tree, name)))
        made = []
        for each, name in aggregates.items():
            argument = _ALL if each.argument is None else self.expression(each.argument)
            separator = () if each.separator is None else (text_term(each.separator),)
            kind = text_term("distinct" if each.distinct else "all")
            made.append(Call("AS", (Call("AGGREGATE", (text_term(each.function), kind, argument, *separator)), name)))
        if self._number is not None:
            pattern = Call("GROUP", (Call("JOIN", (pattern,)), *self._numbering()))
        return Call("AGGREGATES", (pattern, Call("KEYS", tuple(named_keys)), *made))

    def group(self, pattern: ast.Group) -> Call:
        """Return a group with its filters at the end."""
        steps, filters = self._steps(pattern)
        return group([*steps, *(Call("FILTER", (each,)) for each in filters)])

    def _steps(self, pattern: ast.Group) -> tuple[list[Call], list[Expression]]:
        """Return the steps of a group without its filters, and the filters."""
        steps: list[Call] = []
        filters: list[Expression] = []
        edges: list[tuple[Term, Term, Term]] = []
        bound = _visible_terms(pattern)
        around, self._number = self._number, None
        is_numbered = False
        for element in pattern.elements:
            if isinstance(element, ast.Triple):
                edges.append((to_term(element.subject), to_term(element.predicate), to_term(element.object)))
                continue
            if isinstance(element, ast.Filter):
                edges += self._instance_edges(element.expression, bound, filters)
                filters += to_constraints(self.expression(element.expression))
                continue
            if edges:
                steps.append(triples(edges))
                edges = []
            step = self._step(element)
            if not is_numbered and isinstance(element, ast.Bind):
                steps += self._numbering()
                is_numbered = self._number is not None
            steps.append(step)
        if edges:
            steps.append(triples(edges))
        if not is_numbered:
            steps += self._numbering()
        self._number = around
        return steps, filters

    def _step(self, element: ast.Element) -> Call:
        match element:
            case ast.PathPattern(subject, path, object_):
                return Call("PATH", (to_term(subject), _path(path), to_term(object_)))
            case ast.Optional(inner):
                steps, filters = self._steps(inner)
                condition = Call("&&", tuple(filters)) if filters else UNDEFINED
                return Call("OPTIONAL", (group(steps), condition))
            case ast.Minus(inner):
                return Call("MINUS", (self.group(inner),))
            case ast.Graph(name, inner):
                return Call("GRAPH", (to_term(name), self.group(inner)))
            case ast.Bind(tree, name):
                return Call("BIND", (self.expression(tree), to_variable(name)))
            case ast.Values():
                return _values(element)
            case ast.Union(branches):
                return Call("UNION", tuple(map(self.group, branches)))
            case ast.Group():
                return Call("JOIN", (self.group(element),))
            case ast.SubSelect(query):
                return Call("JOIN", (self.solutions(query),))
        raise TypeError(element)

    def _instance_edges(
        self, tree: ast.Expression, bound: set[Term], filters: list[Expression]
    ) -> list[tuple[Term, Term, Term]]:
        """Return the edge that binds the instance of `?x a/rdfs:subClassOf* C` if nothing else does."""
        if not isinstance(tree, ast.Call) or tree.function != "instanceOf":
            return []
        instance, cls = tree.arguments
        if not isinstance(instance, (ast.Variable, ast.BlankNode)) or to_term(instance) in bound:
            return []
        stated_type = self._new_variable()
        filters.append(Call("isA", (stated_type, self.expression(cls))))
        return [(to_term(instance), RDF_TYPE, stated_type)]

    def expression(self, tree: ast.Expression, aggregates: dict[ast.Aggregate, Term] | None = None) -> Expression:
        """Convert an expression. An aggregate becomes the variable under which `aggregates` has it."""
        match tree:
            case ast.Call(function, arguments):
                made_arguments = tuple(self.expression(each, aggregates) for each in arguments)
                if function in NEW_TERM_FUNCTIONS:
                    return self._new_term(function, made_arguments)
                return Call(function, made_arguments)
            case ast.Exists(inner, negated):
                made = Call("EXISTS", (self.group(inner),))
                return Call("!", (made,)) if negated else made
            case ast.Aggregate():
                assert aggregates is not None
                if tree not in aggregates:
                    aggregates[tree] = self._new_variable()
                return aggregates[tree]
        return to_term(tree)


def _visible_terms(pattern: ast.Group) -> set[Term]:
    """Return the variables and blank nodes that the elements of a group can bind."""
    found = {to_variable(name) for name in visible_variables(pattern)}
    for element in pattern.elements:
        if isinstance(element, ast.Triple):
            found |= {to_term(element.subject), to_term(element.object)}
    return found


def _parts(triple: ast.Triple) -> tuple[ast.Term, ast.Term, ast.Term]:
    return triple.subject, triple.predicate, triple.object


def _values(values: ast.Values) -> Call:
    names = Call("VARIABLES", tuple(map(to_variable, values.variables)))
    rows = (Call("ROW", tuple(UNDEFINED if cell is None else to_term(cell) for cell in row)) for row in values.rows)
    return Call("VALUES", (names, *rows))


def _path(path: ast.Path) -> Expression:
    match path:
        case ast.IRI():
            return to_term(path)
        case ast.Inverse(inner):
            return Call("INVERSE", (_path(inner),))
        case ast.Sequence(steps):
            return Call("SEQUENCE", tuple(map(_path, steps)))
        case ast.Alternative(choices):
            return Call("ALTERNATIVE", tuple(map(_path, choices)))
        case ast.NegatedSet(forward, backward):
            excluded = (Call("FORWARD", tuple(map(to_term, forward))), Call("BACKWARD", tuple(map(to_term, backward))))
            return Call("NOT", excluded)
        case ast.Repeated(inner, sign):
            return Call("REPEAT", (_path(inner), text_term(sign)))
