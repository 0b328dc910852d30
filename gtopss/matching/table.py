"""List every matcher by name. To add one, write its module and add its class here."""

from __future__ import annotations

from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.literal.matcher import LiteralMatcher
from gtopss.matching.matcher import Matcher
from gtopss.matching.naive import NaiveMatcher
from gtopss.matching.ops import OpsMatcher
from gtopss.matching.reference import ReferenceMatcher
from gtopss.matching.sparql_engines import OxigraphMatcher, RdflibMatcher
from gtopss.matching.vf2 import Vf2Matcher

MATCHERS: dict[str, type[Matcher]] = {
    matcher.name: matcher
    for matcher in (
        IndexMatcher,
        ReferenceMatcher,
        LiteralMatcher,
        NaiveMatcher,
        OpsMatcher,
        Vf2Matcher,
        OxigraphMatcher,
        RdflibMatcher,
    )
}
"""Every matcher by name. The first is the default; the contract tests run them all."""
