"""Queries as subscriptions, and their solutions in a few triples."""

from __future__ import annotations

from typing import Any

from rdflib import Namespace

from gtopss import Engine, Subscription
from gtopss.language import rewrite_subscription, subscription_from_text
from gtopss.model import Branch
from ontology import Taxonomy

EX = Namespace("urn:ex:")
PREFIX = "PREFIX : <urn:ex:> "
ZOO = Taxonomy([(EX.Cat, EX.Animal)], [(EX.tom, EX.Cat)])


def read(text: str) -> Subscription:
    return subscription_from_text(PREFIX + text, "s")


def only_branch(text: str) -> Branch:
    (branch,) = read(text).branches
    return branch


def solutions(text: str, *triples: Any, matcher: str = "reference", **options: Any) -> list[dict[str, Any]]:
    engine = Engine(matcher=matcher, taxonomy=ZOO, **options)
    engine.add(PREFIX + text, id="s")
    found = [row for match in engine.match(triples) for row in match.bindings]
    return sorted(found, key=lambda row: sorted((name, value.n3()) for name, value in row.items()))


def edges(branch: Branch) -> list[str]:
    return [" ".join(edge) for edge in branch.edges()]


def rewritten_edges(text: str) -> list[str]:
    """The edges of a query of one branch, after all rules."""
    made, impossible = rewrite_subscription(read(text))
    assert not impossible
    assert made is not None
    (branch,) = made.branches
    return edges(branch)
