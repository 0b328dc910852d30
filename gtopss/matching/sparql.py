"""Write branches and expressions as SPARQL text, for the matchers that run on a SPARQL engine.

A branch becomes `SELECT ... WHERE { edges FILTER(constraints) }` and is run over the publication by pyoxigraph's or
rdflib's engine. The is-a functions become property paths over a graph of the taxonomy's edges, so that the
engine itself walks the taxonomy; WORDS, which SPARQL does not have, is a custom function of the engine. LABELLED looks
up the text, folded by a custom function, among the folded labels in the same graph.
"""

from __future__ import annotations

import itertools
from urllib.parse import quote, unquote

import pyoxigraph as ox

from gtopss.errors import InvalidTerm, UnsupportedSubscription
from gtopss.model import (
    Branch,
    Call,
    Expression,
)
from gtopss.model.algebra import text_of
from gtopss.model.expressions import COMPARISONS, IS_A
from gtopss.model.terms import (
    XSD,
    Term,
    cache_short_terms,
    iri,
    iri_text,
    is_iri,
    is_literal,
    is_variable,
    literal,
    literal_parts,
)
from gtopss.semantics import EvaluationLimits
from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.functions import DEFINITIONS
from gtopss.semantics.lenient_literals import LiteralRules, read_literal_term
from gtopss.semantics.values import TRUE, TypeMismatch, ValueKind, value_of
from gtopss.semantics.words import has_words
from ontology.labels import label_key

TAXONOMY = Term("<urn:gtopss:taxonomy>")  # the named graph that holds the is-a edges
SUBCLASS = Term("<urn:gtopss:subclass>")  # class -> superclass, asserted or inferred
TYPE = Term("<urn:gtopss:type>")  # instance -> class, from the taxonomy or the publication
LITERAL_TYPE = Term("<urn:gtopss:literal-type>")  # instance -> a literal that the publication has for its type
KNOWN_TYPE = Term("<urn:gtopss:known-type>")  # instance -> class, from the taxonomy alone
ASSERTED = Term("<urn:gtopss:asserted>")  # either kind, asserted only
EQUIVALENT = Term("<urn:gtopss:equivalent>")
LABEL = Term("<urn:gtopss:label>")  # term -> its label as `labelled` compares it
WORDS = Term("<urn:gtopss:words>")  # the custom function for `words`
FOLD = Term("<urn:gtopss:fold>")  # the custom function that makes a text comparable with labels

_ORDERINGS = COMPARISONS - {"=", "!="}
_ORDERED = " ".join(f"<{XSD}{name}>," for name in ("dateTime", "date", "time"))
# Lenient literals: the forms that a plain literal is read by, and the functions whose results are never plain.
_READ_AS = (
    ("integer", "[+-]?[0-9]+"),
    ("decimal", "[+-]?([0-9]+[.][0-9]*|[.][0-9]+)"),
    ("double", "[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)[eE][+-]?[0-9]+"),
    ("date", "-?[0-9]{4,}-[0-9][0-9]-[0-9][0-9](Z|[+-][0-9][0-9]:[0-9][0-9])?"),
    ("dateTime", "-?[0-9]{4,}-[0-9][0-9]-[0-9][0-9]T[0-9:.]+(Z|[+-][0-9][0-9]:[0-9][0-9])?"),
)
_GIVE_NO_TEXT = frozenset({"+", "-", "*", "/", "unary-", "unary+", "ABS", "CEIL", "FLOOR", "ROUND", "STRLEN", "YEAR"})
_TRUE, _FALSE = "(1 = 1)", "(1 = 2)"  # rdflib misreads the keyword `false` when literals are kept as written
_QUOTED = "urn:gtopss:iri:"


def node(name: str) -> Term:
    """Return a name of the taxonomy as a term. One that is no IRI (`Technical Report`) still links its neighbours."""
    try:
        return portable(iri(name))
    except InvalidTerm:
        return iri(_QUOTED + quote(name, safe=""))


def query_of(subscription_id: str, branch: Branch, literals: LiteralRules = "sparql") -> str:
    """Write the branch as a SPARQL query; columns become ?v0, ?v1, ... in the order of `branch.columns()`."""
    writer = ExpressionWriter(subscription_id, {name: f"?v{i}" for i, name in enumerate(branch.columns())}, literals)
    body = [" ".join(map(writer.term, edge)) + " ." for edge in branch.edges()]
    body += [f"BIND({writer.expression(tree)} AS {writer.term(name)})" for name, tree in branch.binds]
    body += [f"FILTER({writer.expression(test)})" for test in branch.constraints()]
    return f"SELECT {' '.join(writer.names.values()) or '*'} WHERE {{ {' '.join(body)} }}"


class ExpressionWriter:
    """Write expressions as SPARQL text."""

    def __init__(self, subscription_id: str, names: dict[Term, str], literals: LiteralRules) -> None:
        self.subscription_id, self.names = subscription_id, names
        self._is_lenient = literals == "lenient"
        self._labels = itertools.count()

    def term(self, term: Term) -> str:
        return self.names[term] if is_variable(term) else portable(term)

    def expression(self, tree: Expression) -> str:
        if not isinstance(tree, Call):
            return self.term(tree)
        if tree.function in IS_A:
            return self.is_a_question(tree)
        name = tree.function
        if name in ("UNBOUND", "NEVER"):
            return "(1/0)" if name == "UNBOUND" else _FALSE
        if name == "NOW":
            reason = "NOW is when the publication arrived here, and when the query runs in SPARQL"
            raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
        if name == "SOLUTION":  # only NEW reads it
            return "0"
        if name == "NEW":
            if len(tree.arguments) > 3:
                reason = "BNODE with a label is another blank node in each call to some SPARQL engines"
                raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
            return f"{text_of(tree.arguments[0])}()"
        if name == "HAS":
            return self._has(tree)
        if name == "STATED":
            subject, property, *others = (self.expression(each) for each in tree.arguments)
            return f"EXISTS {{ {subject} {property} {others[0] if others else '?value'} }}"
        if name == "LABELLED":
            return self._labelled_question(tree)
        reads = self._is_lenient and DEFINITIONS[name].reads_literals
        parts = [(self._operand if reads else self.expression)(argument) for argument in tree.arguments]
        if name in ("in", "not in"):
            if len(parts) == 1:  # Oxigraph finds `?x NOT IN ()` false
                return _TRUE if name == "not in" else _FALSE
            return f"({parts[0]} {name.upper()} ({', '.join(parts[1:])}))"
        if name.startswith("unary") or name == "!":
            return f"({name[-1]} {parts[0]})"
        if name in _ORDERINGS:
            if any(isinstance(part, Call) and _has_ordering(part) for part in tree.arguments):
                reason = "an order comparison of order comparisons would grow without bounds in SPARQL"
                raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
            return _ordering(name, *parts)
        if name == "WORDS":
            return f"{WORDS}({', '.join(parts)})"
        if name in COMPARISONS or name in ("+", "-", "*", "/", "||", "&&"):
            return f"({f' {name} '.join(parts)})"
        return f"{name}({', '.join(parts)})"

    def _operand(self, tree: Expression) -> str:
        """Write an operand; with lenient literals a plain one is read as a number or a date, where it is one."""
        if isinstance(tree, Call):
            if tree.function in _GIVE_NO_TEXT:
                return self.expression(tree)
            reason = "a lenient comparison of a computed value would grow without bounds in SPARQL"
            raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
        if not is_variable(tree):
            return self.term(read_literal_term(tree))
        name = self.term(tree)
        read = name
        for datatype, pattern in reversed(_READ_AS):
            read = f'IF(REGEX(STR({name}), "^{pattern}$"), <{XSD}{datatype}>(STR({name})), {read})'
        return f"COALESCE(IF(datatype({name}) = <{XSD}string>, {read}, {name}), {name})"

    def is_a_question(self, tree: Call) -> str:
        term, cls = tree.arguments
        if isinstance(term, Call) or isinstance(cls, Call):
            reason = f"{tree.function} of a computed value has no form in SPARQL"
            raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
        one, other = self.term(term), self.term(cls)
        match tree.function:
            case "isA":
                return self._is_a(one, other)
            case "instanceOf":
                return f"({_path(one, f'{TYPE}/{SUBCLASS}*', other)} || {_link(one, LITERAL_TYPE, other)})"
            case "directlyA":
                return _link(one, ASSERTED, other)
        lower, upper = (one, other) if tree.function == "descendantOf" else (other, one)
        equivalent = _link(one, EQUIVALENT, other)
        return f"(! sameTerm({one}, {other}) && ! {equivalent} && {self._is_a(lower, upper)})"

    def _has(self, tree: Call) -> str:
        subject, property, *others = tree.arguments
        wanted = others[0] if others else None
        if isinstance(subject, Call) or isinstance(property, Call) or isinstance(wanted, Call):
            reason = "has of a computed value has no form in SPARQL"
            raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
        if not is_variable(subject) and is_literal(subject):
            return _FALSE  # a literal is not the subject of a triple
        if wanted is None:
            return f"EXISTS {{ {self.term(subject)} {self.term(property)} ?value }}"
        if is_iri(wanted):
            cls = self.term(wanted)
            test = f"({self._is_a('?value', cls)} || {self._labelled('?value', cls)})"
        else:
            test = f"{WORDS}(?value, {self.term(wanted)})"
        return f"EXISTS {{ {self.term(subject)} {self.term(property)} ?value FILTER({test}) }}"

    def _labelled_question(self, tree: Call) -> str:
        text, cls = tree.arguments
        if isinstance(text, Call) or isinstance(cls, Call):
            reason = "labelled of a computed value has no form in SPARQL"
            raise UnsupportedSubscription(self.subscription_id, "sparql", reason)
        return self._labelled(self.term(text), self.term(cls))

    def _labelled(self, text: str, cls: str) -> str:
        if not is_variable(Term(cls)) and not is_iri(Term(cls)):
            return _FALSE
        number = next(self._labels)
        term, key = f"?labelled{number}", f"?key{number}"
        below = f"{term} {LABEL} {key} . {term} ({SUBCLASS}*|{KNOWN_TYPE}/{SUBCLASS}*) {cls}"
        # rdflib's filters see variables from outside of EXISTS only directly in it, not in GRAPH.
        found = f"EXISTS {{ GRAPH {TAXONOMY} {{ {below} }} FILTER({key} = {FOLD}({text})) }}"
        return _unless_literal(cls, found)

    def _is_a(self, one: str, other: str) -> str:
        below, typed = _path(one, f"{SUBCLASS}+", other), _path(one, f"{TYPE}/{SUBCLASS}*", other)
        return f"(sameTerm({one}, {other}) || {below} || {typed} || {_link(one, LITERAL_TYPE, other)})"


def _has_ordering(tree: Call) -> bool:
    return tree.function in _ORDERINGS or any(isinstance(p, Call) and _has_ordering(p) for p in tree.arguments)


def _ordering(sign: str, one: str, other: str) -> str:
    """Write an order comparison by SPARQL's own table (1.1, section 17.3), from which both engines depart.

    Oxigraph orders language strings, finds any term `<=` itself and does not order booleans; rdflib orders literals
    of different types. So the types are checked first, booleans are compared as numbers, and what the table does not
    list is made the type error that it is.
    """
    numbers = f"isNumeric({one}) && isNumeric({other})"
    literals = f"isLiteral({one}) && isLiteral({other}) && datatype({one}) = datatype({other})"
    ordered = f"{literals} && datatype({one}) IN ({_ORDERED} <{XSD}string>)"
    booleans = f"{literals} && datatype({one}) = <{XSD}boolean>"
    as_numbers = f"<{XSD}integer>({one}) {sign} <{XSD}integer>({other})"
    return f"IF({numbers} || {ordered}, {one} {sign} {other}, IF({booleans}, {as_numbers}, 1/0))"


def holds_words(text: Term, needle: Term) -> bool | None:
    """Return the value of WORDS, or None if it has a type error."""
    try:
        return has_words(EvaluationBudget(EvaluationLimits()), value_of(text), value_of(needle)) is TRUE
    except TypeMismatch:
        return None


def folded_label(text: Term) -> Term | None:
    """Return a text as `labelled` compares it with labels, or None if it can be no label."""
    value = value_of(text)
    if value.kind not in (ValueKind.STRING, ValueKind.LANGUAGE_STRING):
        return None
    key = label_key(literal_parts(text)[0])
    return literal(key) if key else None


def _path(one: str, path: str, other: str) -> str:
    return _unless_literal(other, _link(one, path, other))


def _link(one: str, path: str, other: str) -> str:
    if any(not is_variable(Term(end)) and end[0] == '"' for end in (one, other)):
        return _FALSE  # a literal is in no class, and may not be the subject of a pattern
    return f"EXISTS {{ GRAPH {TAXONOMY} {{ {one} {path} {other} }} }}"


def _unless_literal(end: str, test: str) -> str:
    """Write a test of a path that is false if it ends with a literal: rdflib takes `""` and `false` for unbound."""
    return f"(! isLiteral({end}) && {test})" if is_variable(Term(end)) else test


@cache_short_terms
def portable(term: Term) -> Term:
    """Return the term in a form that every SPARQL engine takes: relative and unusual IRIs become a quoted URN."""
    if is_iri(term):
        return iri(_portable_iri(iri_text(term)))
    if is_literal(term):
        lexical, datatype, language = literal_parts(term)
        return term if language else literal(lexical, _portable_iri(datatype))
    return term


def _portable_iri(text: str) -> str:
    try:
        ox.NamedNode(text)
    except ValueError:
        return _QUOTED + quote(text, safe="")
    return _QUOTED + quote(text, safe="") if text.startswith(_QUOTED) else text


def restored(term: Term) -> Term:
    """Undo `portable`."""
    if _QUOTED not in term:
        return term
    if is_iri(term):
        return iri(_restored_iri(iri_text(term)))
    lexical, datatype, language = literal_parts(term)
    return term if language else literal(lexical, _restored_iri(datatype))


def _restored_iri(text: str) -> str:
    return unquote(text.removeprefix(_QUOTED)) if text.startswith(_QUOTED) else text
