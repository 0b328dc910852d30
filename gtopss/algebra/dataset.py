"""The graphs that a query is evaluated over, indexed by what a triple pattern knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from gtopss.model import Term, Triple
from gtopss.model.terms import RDF, RDFS

_Key = TypeVar("_Key")

RDFS_MEMBER = Term(f"<{RDFS}member>")
_MEMBERSHIP = re.compile(f"<{re.escape(RDF)}_[1-9][0-9]*>|<{re.escape(RDFS)}member>")


class TripleGraph:
    """The triples of one graph. Its indexes are built when they are first used. Not thread-safe."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self.triples = triples

    @cached_property
    def _all(self) -> frozenset[Triple]:
        return frozenset(self.triples)

    @cached_property
    def _by_property(self) -> dict[Term, list[Triple]]:
        return _indexed((triple[1], triple) for triple in self.triples)

    @cached_property
    def _by_subject(self) -> dict[Term, list[Triple]]:
        return _indexed((triple[0], triple) for triple in self.triples)

    @cached_property
    def _by_object(self) -> dict[Term, list[Triple]]:
        return _indexed((triple[2], triple) for triple in self.triples)

    @cached_property
    def _by_subject_property(self) -> dict[tuple[Term, Term], list[Triple]]:
        return _indexed((triple[:2], triple) for triple in self.triples)

    @cached_property
    def nodes(self) -> dict[Term, None]:
        """The subjects and objects, each once."""
        return dict.fromkeys(end for triple in self.triples for end in (triple[0], triple[2]))

    def candidates(self, subject: Term | None, property: Term | None, object: Term | None) -> Sequence[Triple]:
        """Return triples among which are all that have these terms; None is any term."""
        if property == RDFS_MEMBER:  # stands for rdf:_1, rdf:_2, ...
            found = self.candidates(subject, None, object)
            return [(s, RDFS_MEMBER, o) for s, p, o in found if _MEMBERSHIP.fullmatch(p)]
        if property is None:
            if subject is not None:
                return self._by_subject.get(subject, ())
            return self.triples if object is None else self._by_object.get(object, ())
        if subject is None:
            of_property = self._by_property.get(property, ())
            if object is None or len(of_property) < 8:
                return of_property
            return [triple for triple in self._by_object.get(object, ()) if triple[1] == property]
        if object is None:
            return self._by_subject_property.get((subject, property), ())
        triple = (subject, property, object)
        return (triple,) if triple in self._all else ()


class Dataset:
    """A default graph and named graphs."""

    def __init__(self, default: Sequence[Triple], named: Mapping[Term, Sequence[Triple]] | None = None) -> None:
        self.default = TripleGraph(default)
        self.named = {name: TripleGraph(triples) for name, triples in (named or {}).items()}


def _indexed(pairs: Iterable[tuple[_Key, Triple]]) -> dict[_Key, list[Triple]]:
    made: dict[_Key, list[Triple]] = {}
    for key, triple in pairs:
        known = made.get(key)
        if known is None:
            made[key] = [triple]
        else:
            known.append(triple)
    return made
