"""Predicates and property paths. The only supported path is `a/rdfs:subClassOf*`, which means `instanceOf`."""

from __future__ import annotations

from sparqlish.ast import IRI, Variable
from sparqlish.errors import NotSupported
from sparqlish.prefixes import RDF, RDFS
from sparqlish.terms import TermParser

__all__ = ["InstancePath", "PathParser"]

_TYPE = IRI(RDF + "type")
_SUBCLASS = IRI(RDFS + "subClassOf")
_PATH_SIGNS = frozenset(("/", "|", "^", "*", "+", "?"))


class InstancePath:
    """The path `a/rdfs:subClassOf*`, which becomes a call of `instanceOf`."""


_INSTANCE_PATH = InstancePath()
# A parsed path: an IRI, ("*", path) or ("/", first, second, ...).
_Path = IRI | tuple["str | _Path", ...]


class PathParser(TermParser):
    """Parses what stands between a subject and its objects."""

    __slots__ = ()

    def verb(self) -> IRI | Variable | InstancePath:
        """Parse a predicate, or the supported path."""
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
        path = self._sequence()
        if isinstance(path, IRI):
            return path
        if path == ("/", _TYPE, ("*", _SUBCLASS)):
            return _INSTANCE_PATH
        raise self._unsupported_path(next(index for index in range(at, self.i) if self.kinds[index] in _PATH_SIGNS))

    def _sequence(self) -> _Path:
        steps = [self._step()]
        while self.kinds[self.i] == "/":
            self.i += 1
            steps.append(self._step())
        if self.kinds[self.i] in ("|", "^"):
            raise self._unsupported_path(self.i)
        return steps[0] if len(steps) == 1 else ("/", *steps)

    def _step(self) -> _Path:
        at = self.i
        kind = self.kinds[at]
        step: _Path
        if kind == "a":
            self.i = at + 1
            step = _TYPE
        elif kind == "(":
            self.enter(at)
            self.i = at + 1
            step = self._sequence()
            self.expect(")")
            self.depth -= 1
        elif kind in ("^", "!"):
            raise self._unsupported_path(at)
        else:
            step = self.iri()
        modifier = self.kinds[self.i]
        if modifier == "*":
            self.i += 1
            return ("*", step)
        if modifier == "?" or (modifier == "+" and not self._is_signed_number(self.i)):
            raise self._unsupported_path(self.i)
        return step

    def _is_signed_number(self, at: int) -> bool:
        """Return whether `+` is the sign of the number right after it, as in `?x :p +5`."""
        return (
            self.kinds[at] == "+" and self.touches_next(at) and self.kinds[at + 1] in ("INTEGER", "DECIMAL", "DOUBLE")
        )

    def _unsupported_path(self, at: int) -> NotSupported:
        return self.unsupported(
            at, f"property paths (`{self.kinds[at]}`)", "the only one it may hold is `a/rdfs:subClassOf*`"
        )
