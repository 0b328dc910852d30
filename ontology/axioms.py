"""The axioms that a taxonomy is made of, between named terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Axioms", "LabelStatement", "Pair"]

Pair: TypeAlias = tuple[str, str]
"""A child and its parent, an instance and its class, or two equivalents."""
LabelStatement: TypeAlias = tuple[str, str, str, str]
"""A term, the property that gives it a label, the label's text, and its language; "" if it has none."""


@dataclass(frozen=True, slots=True)
class Axioms:
    """What an ontology asserts, or what a reasoner infers. All fields are empty by default.

    Each subclass, instance and subproperty axiom is a pair, the lower name first. `classes` and `properties` are
    declared names, which need no axiom of their own. `unsatisfiable` are classes that can have no instance. `labels`
    say what terms are called (:mod:`ontology.labels`). `domains` and `ranges` are pairs of a property and a class.
    `beyond_rdfs` names the terms of OWL, and the datatypes, by which the ontology says more than RDFS understands.
    """

    subclasses: tuple[Pair, ...] = ()
    instances: tuple[Pair, ...] = ()
    subproperties: tuple[Pair, ...] = ()
    equivalent_classes: tuple[Pair, ...] = ()
    equivalent_properties: tuple[Pair, ...] = ()
    classes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    unsatisfiable: tuple[str, ...] = ()
    labels: tuple[LabelStatement, ...] = ()
    domains: tuple[Pair, ...] = ()
    ranges: tuple[Pair, ...] = ()
    beyond_rdfs: tuple[str, ...] = ()
