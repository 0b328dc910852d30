"""Measure how many bytes a graph matcher takes. What all matchers share (the taxonomy, code) is not counted."""

from __future__ import annotations

from dataclasses import dataclass

from gtopss.deep_size import deep_size
from gtopss.matching.matcher import Matcher
from gtopss.model import Branch, FiveTuple, Subscription
from gtopss.semantics import BranchExpressions
from ontology import Taxonomy

_SUBSCRIPTION_TYPES = (Subscription, Branch, FiveTuple, BranchExpressions)


@dataclass(frozen=True, slots=True)
class MatcherFootprint:
    """Bytes of a matcher: its index alone (Figure 9(c)'s "matrix"), and with the subscriptions that it stores."""

    index: int
    whole: int


def matcher_footprint(matcher: Matcher) -> MatcherFootprint:
    """Measure a matcher. Compiled arrays are not Python objects, so a matcher with segments reports their size."""
    whole = deep_size(matcher, without_types=(Taxonomy,))
    if matcher.capabilities.segments:
        return MatcherFootprint(matcher.index_bytes(), max(whole, matcher.index_bytes()))
    return MatcherFootprint(deep_size(matcher, without_types=(Taxonomy, *_SUBSCRIPTION_TYPES)), whole)
