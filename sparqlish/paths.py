"""Predicates and property paths (SPARQL 1.1, section 9). The path `a/rdfs:subClassOf*` means `instanceOf`."""

from __future__ import annotations

from sparqlish.ast import IRI, Alternative, Inverse, NegatedSet, Path, Repeated, Sequence, Variable
from sparqlish.prefixes import RDF, RDFS
from sparqlish.terms import TermParser

__all__ = ["InstancePath", "PathParser"]

_TYPE = IRI(RDF + "type")
_SUBCLASS = IRI(RDFS + "subClassOf")
_PATH_SIGNS = frozenset(("/", "|", "^", "*", "+", "?"))


class InstancePath:
    """The path `a/rdfs:subClassOf*`, which becomes a call of `instanceOf`."""


_INSTANCE_PATH = InstancePath()
_INSTANCE = Sequence((_TYPE, Repeated(_SUBCLASS, "*")))


class PathParser(TermParser):
    """Parses what stands between a subject and its objects."""

    __slots__ = ()

    def verb(self) -> Path | Variable | InstancePath:
        """Parse a predicate or a property path."""
        at = self.i
        kind = self.kinds[at]
        following = self.kinds[at + 1] if kind != "EOF" and kind != "BAD" else kind
        if following not in _PATH_SIGNS or kind == "VAR":
            if kind == "NAME" or kind == "IRI" or kind == "VAR":
                self.i = at + 1
                return self.named(at)
            if kind == "a":
                self.i = at + 1
                return _TYPE
        if kind not in ("NAME", "IRI", "a", "(", "^", "!"):
            raise self.unexpected("a predicate")
        counted = self.patterns
        path = self._path()
        if path == _INSTANCE:
            self.patterns = counted  # it becomes one filter
            return _INSTANCE_PATH
        return path

    def _path(self) -> Path:
        """Parse alternatives."""
        choices = [self._sequence()]
        while self.kinds[self.i] == "|":
            self.i += 1
            choices.append(self._sequence())
        return choices[0] if len(choices) == 1 else Alternative(tuple(choices))

    def _sequence(self) -> Path:
        steps = [self._step()]
        while self.kinds[self.i] == "/":
            self.i += 1
            steps.append(self._step())
        return steps[0] if len(steps) == 1 else Sequence(tuple(steps))

    def _step(self) -> Path:
        """Parse one step: an element with its modifier, or the inverse of one."""
        at = self.i
        self.count_pattern(at)
        if self.kinds[at] == "^":
            self.i = at + 1
            return Inverse(self._element())
        return self._element()

    def _element(self) -> Path:
        at = self.i
        kind = self.kinds[at]
        step: Path
        if kind == "a":
            self.i = at + 1
            step = _TYPE
        elif kind == "(":
            self.enter(at)
            self.i = at + 1
            step = self._path()
            self.expect(")")
            self.depth -= 1
        elif kind == "!":
            self.i = at + 1
            step = self._negated_set()
        else:
            step = self.iri()
        modifier = self.kinds[self.i]
        if modifier == "*" or modifier == "?" or (modifier == "+" and not self._is_signed_number(self.i)):
            self.i += 1
            return Repeated(step, modifier)  # type: ignore[arg-type]  # one of the three signs
        return step

    def _negated_set(self) -> NegatedSet:
        """Parse what follows `!`: one property, or several in brackets."""
        forward: list[IRI] = []
        backward: list[IRI] = []
        if self.kinds[self.i] != "(":
            self._negated(forward, backward)
            return NegatedSet(tuple(forward), tuple(backward))
        self.i += 1
        if self.kinds[self.i] != ")":
            self._negated(forward, backward)
            while self.kinds[self.i] == "|":
                self.i += 1
                self._negated(forward, backward)
        self.expect(")")
        return NegatedSet(tuple(forward), tuple(backward))

    def _negated(self, forward: list[IRI], backward: list[IRI]) -> None:
        self.count_pattern(self.i)
        properties = forward
        if self.kinds[self.i] == "^":
            self.i += 1
            properties = backward
        if self.kinds[self.i] == "a":
            self.i += 1
            properties.append(_TYPE)
        else:
            properties.append(self.iri())

    def _is_signed_number(self, at: int) -> bool:
        """Return whether `+` is the sign of the number right after it, as in `?x :p +5`."""
        return (
            self.kinds[at] == "+" and self.touches_next(at) and self.kinds[at + 1] in ("INTEGER", "DECIMAL", "DOUBLE")
        )
