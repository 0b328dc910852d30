"""The printer, inverse to the parser: `parse(print_query(query)) == query` for every query that the parser returns.

Brackets are printed only where the grammar needs them, so that a printed text is never nested deeper than the parsed
one. Collections and `[...]` are printed as the triples that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sparqlish.ast import (
    IRI,
    Aggregate,
    Alternative,
    Bind,
    BlankNode,
    Call,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    Inverse,
    Literal,
    Minus,
    NegatedSet,
    Optional,
    Path,
    PathPattern,
    Query,
    Repeated,
    Sequence,
    SubSelect,
    Triple,
    Union,
    Values,
    Variable,
)
from sparqlish.functions import SPELLINGS
from sparqlish.iris import IRI_TEXT, is_absolute
from sparqlish.prefixes import RDF, RDFS, XSD

__all__ = ["print_query"]

_INDENT = "  "
_TYPE = RDF + "type"
_SUBCLASS = RDFS + "subClassOf"
# Short forms that parse to exactly this literal.
_SHORT_FORMS = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD + "double": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"),
    XSD + "boolean": re.compile(r"true|false"),
}
_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*+")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"})
_UNARY = {"!": "!", "unary-": "-", "unary+": "+"}
_OR, _AND, _RELATION, _SUM, _PRODUCT, _SIGNED, _PRIMARY = range(1, 8)
_CHOICE, _CHAIN, _STEP, _ELEMENT, _ATOM = range(5)  # how tightly the parts of a property path bind
_LEVELS = {
    "||": _OR,
    "&&": _AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "in", "not in"), _RELATION),
    **dict.fromkeys("+-", _SUM),
    **dict.fromkeys("*/", _PRODUCT),
    **dict.fromkeys(_UNARY, _SIGNED),
}


def print_query(query: Query, prefixes: Mapping[str, str] | None = None) -> str:
    """Return a query as text. `prefixes` shorten IRIs; those that are used are declared at the top.

    >>> from sparqlish.parser import parse
    >>> print(print_query(parse("ASK{?x a foaf:Person}"), {"foaf": "http://xmlns.com/foaf/0.1/"}))
    PREFIX foaf: <http://xmlns.com/foaf/0.1/>
    ASK {
      ?x a foaf:Person .
    }
    """
    printer = _Printer(prefixes or {})
    body = list(printer.query(query, ""))
    return "\n".join([*printer.declarations(), *body])


class _Printer:
    """Prints parts of a query and records which prefixes they use."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        # The longest namespace first, because it gives the shortest local name.
        self.namespaces = sorted(
            ((namespace, prefix) for prefix, namespace in prefixes.items() if namespace),
            key=lambda pair: (-len(pair[0]), pair[1]),
        )
        self.used: dict[str, str] = {}

    def declarations(self) -> Iterator[str]:
        for prefix in sorted(self.used):
            yield f"PREFIX {prefix}: {_in_angle_brackets(self.used[prefix])}"

    def query(self, query: Query, indent: str) -> Iterator[str]:
        """Yield the lines of a query without its prologue."""
        yield from self._head(query, indent)
        yield from self.lines(query.where, indent + _INDENT)
        yield f"{indent}}}"
        if query.group_by:
            keys = (self._as(each.expression, each.variable) for each in query.group_by)
            yield f"{indent}GROUP BY {' '.join(keys)}"
        if query.having:
            yield f"{indent}HAVING {' '.join(f'({self.expression(each)})' for each in query.having)}"
        if query.order_by:
            keys = (f"{'DESC' if k.descending else 'ASC'}({self.expression(k.expression)})" for k in query.order_by)
            yield f"{indent}ORDER BY {' '.join(keys)}"
        if query.limit is not None:
            yield f"{indent}LIMIT {query.limit}"
        if query.offset:
            yield f"{indent}OFFSET {query.offset}"
        if query.values is not None:
            yield from self._values(query.values, indent)

    def _head(self, query: Query, indent: str) -> Iterator[str]:
        """Yield the lines up to the bracket that opens the pattern."""
        if query.form == "CONSTRUCT":
            yield f"{indent}CONSTRUCT {{"
            for triple in query.template:
                yield from self._element(triple, indent + _INDENT)
            yield f"{indent}}} WHERE {{"
            return
        head: str = query.form
        if query.form == "DESCRIBE":
            terms = None if query.described is None else map(self.term, query.described)
            head += " *" if terms is None else "".join(f" {each}" for each in terms)
        elif query.form == "SELECT":
            head += " DISTINCT" if query.distinct else " REDUCED" if query.reduced else ""
            computed = dict(query.computed)
            names = (self._as(computed.get(each, each), each) for each in query.variables or ())
            head += " *" if query.variables is None else "".join(f" {each}" for each in names)
        yield f"{indent}{head}{' WHERE' if query.form != 'ASK' else ''} {{"

    def _as(self, expression: Expression, variable: Variable | None) -> str:
        """Return a variable, or an expression in brackets with the variable that it is given to."""
        if isinstance(expression, Variable) and (variable is None or expression == variable):
            return self.term(expression)
        named = "" if variable is None else f" AS {self.term(variable)}"
        return f"({self.expression(expression)}{named})"

    def lines(self, group: Group, indent: str) -> Iterator[str]:
        for element in group.elements:
            yield from self._element(element, indent)

    def _element(self, element: Element, indent: str) -> Iterator[str]:
        match element:
            case Triple():
                predicate = "a" if element.predicate == IRI(_TYPE) else self.term(element.predicate)
                yield f"{indent}{self.term(element.subject)} {predicate} {self.term(element.object)} ."
            case PathPattern(subject, path, object_):
                yield f"{indent}{self.term(subject)} {self.path(path, _CHOICE)} {self.term(object_)} ."
            case Optional(group):
                yield from self._named_group("OPTIONAL", group, indent)
            case Minus(group):
                yield from self._named_group("MINUS", group, indent)
            case Graph(name, group):
                yield from self._named_group(f"GRAPH {self.term(name)}", group, indent)
            case SubSelect(query):
                yield from self.query(query, indent)
            case Filter(Call("instanceOf", (subject, value))) if _is_blank(subject) or _is_blank(value):
                # Only a path can have a blank node here.
                written_path = f"a/{self.iri(_SUBCLASS)}*"
                yield f"{indent}{self.expression(subject)} {written_path} {self.expression(value)} ."
            case Filter(expression):
                called = (isinstance(expression, Call) and expression.function not in _LEVELS) or isinstance(
                    expression, Exists
                )
                written = self.expression(expression)
                yield f"{indent}FILTER {written if called else f'({written})'}"
            case Bind():
                yield f"{indent}BIND ({self.expression(element.expression)} AS ?{element.variable.name})"
            case Values():
                yield from self._values(element, indent)
            case Union():
                for number, branch in enumerate(element.branches):
                    yield f"{indent}}} UNION {{" if number else f"{indent}{{"
                    yield from self.lines(branch, indent + _INDENT)
                yield f"{indent}}}"
            case Group():
                yield f"{indent}{{"
                yield from self.lines(element, indent + _INDENT)
                yield f"{indent}}}"

    def _named_group(self, name: str, group: Group, indent: str) -> Iterator[str]:
        yield f"{indent}{name} {{"
        yield from self.lines(group, indent + _INDENT)
        yield f"{indent}}}"

    def path(self, path: Path, level: int) -> str:
        """Return a property path, in brackets if it binds less tightly than `level`."""
        match path:
            case IRI(value):
                return "a" if value == _TYPE else self.iri(value)
            case Inverse(inner):
                own, written = _STEP, f"^{self.path(inner, _ELEMENT)}"
            case Repeated(inner, sign):
                own, written = _ELEMENT, f"{self.path(inner, _ATOM)}{sign}"
            case Sequence(steps):
                own, written = _CHAIN, "/".join(self.path(each, _STEP) for each in steps)
            case Alternative(choices):
                own, written = _CHOICE, "|".join(self.path(each, _CHAIN) for each in choices)
            case NegatedSet(forward, backward):
                members = [self.path(each, _ATOM) for each in forward]
                members += [f"^{self.path(each, _ATOM)}" for each in backward]
                own, written = _ATOM, f"!({'|'.join(members)})"
        return written if own >= level else f"({written})"

    def _values(self, values: Values, indent: str) -> Iterator[str]:
        yield f"{indent}VALUES ({' '.join(f'?{each.name}' for each in values.variables)}) {{"
        for row in values.rows:
            cells = ("UNDEF" if cell is None else self.term(cell) for cell in row)
            yield f"{indent}{_INDENT}({' '.join(cells)})"
        yield f"{indent}}}"

    def expression(self, expression: Expression, level: int = _OR) -> str:
        """Return an expression, in brackets if it binds less tightly than `level`."""
        if isinstance(expression, Exists):
            inner = " ".join(line.strip() for line in self.lines(expression.group, ""))
            return f"{'NOT ' if expression.negated else ''}EXISTS {{ {inner} }}"
        if isinstance(expression, Aggregate):
            return self._aggregate(expression)
        if not isinstance(expression, Call):
            return self.term(expression)
        own = _LEVELS.get(expression.function, _PRIMARY)
        written = self._call(expression, own)
        return written if own >= level else f"({written})"

    def _call(self, call: Call, own: int) -> str:
        function, arguments = call.function, call.arguments
        if own == _PRIMARY:
            name = self.iri(function[1:-1]) if function.startswith("<") else SPELLINGS.get(function, function)
            return f"{name}({self._list(arguments)})"
        if own == _SIGNED:
            operand = self.expression(arguments[0], _SIGNED)
            # A sign right before a number would be parsed as part of it.
            space = " " if function != "!" and operand[0] in ".0123456789" else ""
            return f"{_UNARY[function]}{space}{operand}"
        if function in ("in", "not in"):
            tested = self.expression(arguments[0], _SUM)
            return f"{tested} {function.upper()} ({self._list(arguments[1:])})"
        if own <= _AND:
            return f" {function} ".join(self.expression(each, own + 1) for each in arguments)
        left, right = arguments
        # Sums and products associate to the left, comparisons do not associate.
        left_level = own + 1 if own == _RELATION else own
        return f"{self.expression(left, left_level)} {function} {self.expression(right, own + 1)}"

    def _aggregate(self, aggregate: Aggregate) -> str:
        argument = "*" if aggregate.argument is None else self.expression(aggregate.argument)
        separator = "" if aggregate.separator is None else f"; SEPARATOR = {_quoted(aggregate.separator)}"
        return f"{aggregate.function}({'DISTINCT ' if aggregate.distinct else ''}{argument}{separator})"

    def _list(self, expressions: tuple[Expression, ...]) -> str:
        return ", ".join(self.expression(each) for each in expressions)

    def term(self, term: IRI | Literal | Variable | BlankNode) -> str:
        match term:
            case Variable(name):
                return f"?{name}"
            case IRI(value):
                return self.iri(value)
            case BlankNode(label):
                return f"_:{label}"
            case Literal():
                return self._literal(term)

    def _literal(self, literal: Literal) -> str:
        if literal.language is not None:
            return f"{_quoted(literal.lexical)}@{literal.language}"
        short_form = _SHORT_FORMS.get(literal.datatype)
        if short_form is not None and short_form.fullmatch(literal.lexical):
            return literal.lexical
        if literal.datatype == XSD + "string":
            return _quoted(literal.lexical)
        return f"{_quoted(literal.lexical)}^^{self.iri(literal.datatype)}"

    def iri(self, value: str) -> str:
        for namespace, prefix in self.namespaces:
            if value.startswith(namespace) and _LOCAL.fullmatch(value, len(namespace)):
                self.used[prefix] = namespace
                return f"{prefix}:{value[len(namespace) :]}"
        return _in_angle_brackets(value)


def _is_blank(expression: Expression) -> bool:
    return isinstance(expression, BlankNode)


def _quoted(lexical: str) -> str:
    return f'"{lexical.translate(_ESCAPES)}"'


def _in_angle_brackets(iri: str) -> str:
    if not is_absolute(iri) or IRI_TEXT.fullmatch(iri) is None:
        raise ValueError(f"{iri!r} cannot be written as an IRI")
    return f"<{iri}>"
