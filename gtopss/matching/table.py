"""List every matcher by name. To add one, write its module and add its line here."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

from gtopss.matching.matcher import Matcher

_PLACES = {
    "gm": ("index.matcher", "IndexMatcher"),
    "reference": ("reference", "ReferenceMatcher"),
    "gm-literal": ("literal.matcher", "LiteralMatcher"),
    "naive": ("naive", "NaiveMatcher"),
    "ops": ("ops", "OpsMatcher"),
    "vf2": ("vf2", "Vf2Matcher"),
    "sparql": ("sparql_engines", "OxigraphMatcher"),
    "sparql-rdflib": ("sparql_engines", "RdflibMatcher"),
}


class MatcherTable(MutableMapping[str, type[Matcher]]):
    """Map names to matchers. The module of a matcher is imported when the matcher is first asked for.

    Some of them import packages that take long to load, and a program usually needs one.
    """

    def __init__(self) -> None:
        self._imported: dict[str, type[Matcher] | None] = dict.fromkeys(_PLACES)

    def __getitem__(self, name: str) -> type[Matcher]:
        matcher = self._imported[name]
        if matcher is None:
            module, class_name = _PLACES[name]
            matcher = self._imported[name] = getattr(import_module(f"gtopss.matching.{module}"), class_name)
        return matcher

    def __setitem__(self, name: str, matcher: type[Matcher]) -> None:
        self._imported[name] = matcher

    def __delitem__(self, name: str) -> None:
        del self._imported[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._imported)

    def __len__(self) -> int:
        return len(self._imported)

    def __contains__(self, name: object) -> bool:
        return name in self._imported


MATCHERS = MatcherTable()
"""Every matcher by name. The first is the default; the contract tests run them all."""
