"""Group graph patterns: triples, FILTER, BIND, VALUES, UNION, OPTIONAL, MINUS, GRAPH, subqueries and nested groups."""

from __future__ import annotations

from sparqlish.ast import (
    IRI,
    Bind,
    BlankNode,
    Call,
    Element,
    Filter,
    Graph,
    Group,
    Literal,
    Minus,
    Optional,
    PathPattern,
    Query,
    SubSelect,
    Term,
    Triple,
    Union,
    Values,
    Variable,
)
from sparqlish.cursor import ParserOptions
from sparqlish.expressions import ExpressionParser
from sparqlish.paths import InstancePath, PathParser
from sparqlish.prefixes import RDF
from sparqlish.scopes import visible_variables
from sparqlish.terms import LITERAL_KINDS, NAMED_KINDS

__all__ = ["PatternParser"]

_FIRST, _REST, _NIL = IRI(RDF + "first"), IRI(RDF + "rest"), IRI(RDF + "nil")
_NODE_STARTS = NAMED_KINDS | LITERAL_KINDS | {"NODE", "[", "("}
_GROUP_STARTS = frozenset(("VALUES", "OPTIONAL", "MINUS", "GRAPH"))
_VERB_STARTS = NAMED_KINDS | {"a", "(", "^", "!"}


class PatternParser(ExpressionParser, PathParser):
    """Parses groups. Inner triples (of `[...]` and `(...)`) come before the triple that contains them."""

    # `blocks` counts the basic graph patterns; `labels` maps a blank node's label to the one it stands in.
    # `path_terms` holds the ends of the paths read so far: a path binds them, but becomes a filter, which does not.
    __slots__ = ("blocks", "labels", "next_label", "path_terms", "used_labels")

    def __init__(self, text: str, options: ParserOptions) -> None:
        super().__init__(text, options)
        self.blocks = 0
        self.labels: dict[str, int] = {}
        self.next_label = 0
        self.used_labels: frozenset[str] | None = None
        self.path_terms: list[Term] = []

    def group(self) -> Group:
        """Parse `{ ... }`."""
        opening = self.expect("{")
        self.enter(opening)
        if self.kinds[self.i] == "SELECT":
            made = Group((SubSelect(self.subquery(), self.places[self.i - 1]),))
            self.expect("}")
            self.depth -= 1
            return made
        self._start_block()
        first_path_term = len(self.path_terms)
        elements: list[Element] = []
        kinds = self.kinds
        needs_dot = False
        while (kind := kinds[self.i]) != "}":
            if kind in _NODE_STARTS:
                if needs_dot:
                    raise self.unexpected("`.`", "`;`", "`,`", "`}`")
                self._triples(elements)
                needs_dot = kinds[self.i] != "."
                if not needs_dot:
                    self.i += 1
                continue
            if kind == "FILTER":
                elements.append(self._filter())
            elif kind == "BIND":
                elements.append(self._bind(elements, first_path_term))
                self._start_block()
            elif kind == "{" or kind in _GROUP_STARTS:
                elements.append(self._inner_pattern(kind))
                self._start_block()
            elif needs_dot:
                raise self.unexpected("`.`", "`;`", "`,`", "`}`")
            else:
                raise self.unexpected("a triple pattern", "FILTER", "OPTIONAL", "BIND", "VALUES", "`{`", "`}`")
            needs_dot = False
            if kinds[self.i] == ".":
                self.i += 1
        self.i += 1
        self.depth -= 1
        return Group(tuple(elements))

    def subquery(self) -> Query:
        """Parse a SELECT query inside a group; `QueryParser` knows how."""
        raise NotImplementedError

    def _start_block(self) -> None:
        self.blocks += 1
        self.block = self.blocks

    def _inner_pattern(self, kind: str) -> Element:
        """Parse a pattern that ends the basic graph pattern before it."""
        if kind == "{":
            return self._group_or_union()
        if kind == "VALUES":
            return self.values()
        at = self.i
        self.i = at + 1
        self.count_pattern(at)
        if kind == "OPTIONAL":
            return Optional(self.group(), self.places[at])
        if kind == "MINUS":
            return Minus(self.group(), self.places[at])
        if self.kinds[self.i] not in NAMED_KINDS:
            raise self.unexpected("a variable", "an IRI")
        name = self.named(self.i)
        self.i += 1
        return Graph(name, self.group(), self.places[at])

    def _group_or_union(self) -> Group | Union:
        first = self.group()
        if self.kinds[self.i] != "UNION":
            return first
        branches = [first]
        while self.kinds[self.i] == "UNION":
            self.i += 1
            branches.append(self.group())
        return Union(tuple(branches))

    def _filter(self) -> Filter:
        at = self.i
        self.i = at + 1
        self.count_pattern(at)
        kind = self.kinds[at + 1]
        if kind == "(":
            return Filter(self.bracketed(), self.places[at])
        if kind == "WORD" or (kind in ("NAME", "IRI") and self.kinds[at + 2] == "("):
            return Filter(self.call(), self.places[at])
        if kind == "EXISTS" or (kind == "NOT" and self.kinds[at + 2] == "EXISTS"):
            known_path_terms = len(self.path_terms)
            made = Filter(self.exists(), self.places[at])
            del self.path_terms[known_path_terms:]
            return made
        raise self.unexpected("`(`", "a function call", "EXISTS", "NOT EXISTS")

    def _bind(self, before: list[Element], first_path_term: int) -> Bind:
        at = self.i
        self.i = at + 1
        self.count_pattern(at)
        self.expect("(")
        expression = self.expression()
        self.expect("AS")
        target = self.i
        variable = self.variable()
        self.expect(")")
        if variable in self.path_terms[first_path_term:] or any(
            variable in visible_variables(element) for element in before
        ):
            raise self.error(target, f"?{variable.name} is already used in this group: BIND must give a new variable")
        return Bind(expression, variable, self.places[at])

    def values(self) -> Values:
        """Parse `VALUES ?x { ... }` or `VALUES (?x ?y) { (...) ... }`."""
        at = self.expect("VALUES")
        kinds = self.kinds
        rows: list[tuple[IRI | Literal | None, ...]] = []
        if kinds[self.i] == "VAR":
            variables = [self.variable()]
            self.expect("{")
            while kinds[self.i] != "}":
                self.count_pattern(self.i)
                rows.append((self._data_value("`}`"),))
        elif kinds[self.i] == "(":
            self.i += 1
            variables = []
            while kinds[self.i] == "VAR":
                if self.named(self.i) in variables:
                    raise self.error(self.i, f"`{self.texts[self.i]}` stands twice in the variables of VALUES")
                variables.append(self.variable())
            if kinds[self.i] != ")":
                raise self.unexpected("a variable", "`)`")
            self.i += 1
            self.expect("{")
            while kinds[self.i] != "}":
                self.count_pattern(self.i)
                rows.append(self._data_row(len(variables)))
        else:
            raise self.unexpected("a variable", "`(`")
        self.i += 1
        return Values(tuple(variables), tuple(rows), self.places[at])

    def _data_row(self, width: int) -> tuple[IRI | Literal | None, ...]:
        if self.kinds[self.i] != "(":
            raise self.unexpected("`(`", "`}`")
        at = self.i
        self.i = at + 1
        row: list[IRI | Literal | None] = []
        while self.kinds[self.i] != ")":
            row.append(self._data_value("`)`"))
        self.i += 1
        if len(row) != width:
            raise self.error(at, f"this row has {len(row)} values for {width} variables")
        return tuple(row)

    def _data_value(self, closing: str) -> IRI | Literal | None:
        kind = self.kinds[self.i]
        if kind == "NAME" or kind == "IRI":
            return self.iri()
        if kind in LITERAL_KINDS:
            return self.literal()
        if kind == "UNDEF":
            self.i += 1
            return None
        raise self.unexpected("an IRI", "a literal", "UNDEF", closing)

    def _triples(self, elements: list[Element]) -> None:
        """Parse triples with the same subject, up to their dot."""
        at = self.i
        kind = self.kinds[at]
        subject = self._node(elements)
        # `[ :p ?y ] .` is complete; `[] .` and `() .` need a predicate.
        if kind in ("[", "(") and self.i > at + 2 and self.kinds[self.i] not in _VERB_STARTS:
            return
        self._properties(subject, at, elements)

    def _properties(self, subject: Term, place: int, elements: list[Element]) -> None:
        """Parse `verb object, object; verb object ...` of a subject; `place` is the token of the first triple."""
        kinds = self.kinds
        while True:
            predicate = self.verb()
            while True:
                value = self._node(elements)
                self.count_pattern(place)
                if isinstance(predicate, InstancePath):
                    elements.append(Filter(Call("instanceOf", (subject, value)), self.places[place]))
                    self.path_terms += (subject, value)
                elif not isinstance(predicate, (IRI, Variable)):
                    elements.append(PathPattern(subject, predicate, value, self.places[place]))
                else:
                    elements.append(Triple(subject, predicate, value, self.places[place]))
                if kinds[self.i] != ",":
                    break
                place = self.i = self.i + 1
            if kinds[self.i] != ";":
                return
            while kinds[self.i] == ";":
                self.i += 1
            place = self.i
            if kinds[place] not in _VERB_STARTS:
                return

    def _node(self, elements: list[Element]) -> Term:
        """Parse a subject or object; the triples that describe it are appended to `elements`."""
        at = self.i
        kind = self.kinds[at]
        if kind in NAMED_KINDS:
            self.i = at + 1
            return self.named(at)
        if kind in LITERAL_KINDS:
            return self.literal()
        if kind == "NODE":
            return self._labelled(at)
        if kind == "[":
            return self._property_list(elements)
        if kind == "(":
            return self._collection(elements)
        raise self.unexpected("a variable", "an IRI", "a literal", "a blank node")

    def _labelled(self, at: int) -> BlankNode:
        self.i = at + 1
        label = self.texts[at][2:]
        if self.labels.setdefault(label, self.block) != self.block:
            raise self.error(
                at,
                f"the blank node `_:{label[:40]}` stands in two basic graph patterns: use a variable instead",
            )
        return BlankNode(label)

    def _new_node(self) -> BlankNode:
        """Return a blank node whose label the text does not use."""
        if self.used_labels is None:
            self.used_labels = frozenset(text[2:] for text in self.texts if text.startswith("_:"))
        while (label := f"b{self.next_label}") in self.used_labels:
            self.next_label += 1
        self.next_label += 1
        return BlankNode(label)

    def _property_list(self, elements: list[Element]) -> BlankNode:
        """Parse `[]` or `[ verb object; ... ]`."""
        at = self.i
        self.i = at + 1
        node = self._new_node()
        if self.kinds[self.i] != "]":
            self.enter(at)
            self._properties(node, self.i, elements)
            if self.kinds[self.i] != "]":
                raise self.unexpected("`]`", "`;`", "`,`")
            self.depth -= 1
        self.i += 1
        return node

    def _collection(self, elements: list[Element]) -> Term:
        """Parse `( ... )` as rdf:first and rdf:rest triples; `()` is rdf:nil."""
        opening = self.i
        self.i = opening + 1
        if self.kinds[self.i] == ")":
            self.i += 1
            return _NIL
        self.enter(opening)
        head = cell = self._new_node()
        while True:
            at = self.i
            item = self._node(elements)
            self.count_pattern(at)
            elements.append(Triple(cell, _FIRST, item, self.places[at]))
            self.count_pattern(at)
            if self.kinds[self.i] == ")":
                elements.append(Triple(cell, _REST, _NIL, self.places[at]))
                break
            following = self._new_node()
            elements.append(Triple(cell, _REST, following, self.places[at]))
            cell = following
        self.i += 1
        self.depth -= 1
        return head
