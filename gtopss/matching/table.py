"""List every matcher by name. To add one, write its module and add its line here."""

from __future__ import annotations

from gtopss.lazy_table import LazyTable
from gtopss.matching.matcher import Matcher

MATCHERS: LazyTable[type[Matcher]] = LazyTable(
    "gtopss.matching",
    {
        "gm": ("index.matcher", "IndexMatcher"),
        "auto": ("auto", "AutoMatcher"),
        "reference": ("reference", "ReferenceMatcher"),
        "gm-literal": ("literal.matcher", "LiteralMatcher"),
        "naive": ("naive", "NaiveMatcher"),
        "ops": ("ops", "OpsMatcher"),
        "vf2": ("vf2", "Vf2Matcher"),
        "sparql": ("sparql_engines", "OxigraphMatcher"),
        "sparql-rdflib": ("sparql_engines", "RdflibMatcher"),
    },
)
"""Every matcher by name. The first is the default of `Engine`; the contract tests run them all."""
