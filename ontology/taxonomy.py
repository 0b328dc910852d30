"""The taxonomy that is-a constraints are checked against (G-ToPSS, WWW 2005, section 3.4).

Section 3.4: the taxonomy is an acyclic graph of classes with multiple inheritance, and lists the instances of its
classes, which may have several parents too. The is-a operators are in :mod:`ontology.queries`; this module has
construction, edits and storage. :mod:`ontology.labels` says what its terms are called.

Names are plain strings: an IRI's text, or ``_:label`` for a blank node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice
from typing import Any, Literal, TypeAlias

from ontology.axioms import Axioms, Pair
from ontology.hierarchy import CyclePolicy, Hierarchy
from ontology.instance_table import InstanceTable
from ontology.labels import LABEL_PROPERTIES, Labels
from ontology.names import plain_name, plain_pairs
from ontology.property_classes import PropertyClasses
from ontology.queries import ClassQueries, PropertyQueries

__all__ = ["EdgeKind", "Taxonomy"]

EdgeKind: TypeAlias = Literal["subclass", "instance"]
Edge: TypeAlias = tuple[str, str, EdgeKind]

_NO_AXIOMS = Axioms()
MAX_SHOWN_EDGES = 20
"""Edges that a notebook shows of a taxonomy."""


class Taxonomy(ClassQueries, PropertyQueries):
    """A taxonomy: a hierarchy of classes with their instances, and a hierarchy of properties.

    Names are strings: IRIs without brackets, or any other names. Edges are pairs with the child first.

    >>> zoo = Taxonomy([("Cat", "Animal")], instances=[("Tom", "Cat")])
    >>> zoo.is_a("Tom", "Animal"), zoo.directly_a("Tom", "Animal"), zoo.ancestor_of("Animal", "Tom")
    (True, False, True)
    >>> zoo.path("Tom", "Animal")
    ('Tom', 'Cat', 'Animal')

    A term that is not in the taxonomy is in no class, but is-a is reflexive:

    >>> zoo.is_a("Rover", "Animal"), zoo.is_a("Rover", "Rover")
    (False, True)

    A name may be a class and an instance at once. Instance edges do not chain: an instance of a class that is itself
    an instance of a metaclass is not an instance of the metaclass.

    Several threads may query a taxonomy at the same time, but not while another thread edits it. `load` reads one from
    a file; `add_subclass`, `add_instance` and similar methods edit it.
    """

    __slots__ = (
        "_classes", "_domains", "_instances", "_labels", "_properties", "_ranges", "_version",
        "beyond_rdfs", "missing_imports", "unsatisfiable",
    )  # fmt: skip

    def __init__(
        self,
        subclasses: Iterable[Pair] = (),
        instances: Iterable[Pair] = (),
        subproperties: Iterable[Pair] = (),
        *,
        cycles: CyclePolicy = "refuse",
    ) -> None:
        """Build a taxonomy from asserted edges: pairs with the child first. See also :meth:`from_axioms`."""
        self._build(Axioms(tuple(subclasses), tuple(instances), tuple(subproperties)), _NO_AXIOMS, cycles, ())

    @classmethod
    def from_axioms(
        cls,
        asserted: Axioms,
        inferred: Axioms = _NO_AXIOMS,
        *,
        cycles: CyclePolicy = "refuse",
        missing_imports: Iterable[str] = (),
    ) -> Taxonomy:
        """Build a taxonomy from what an ontology asserts and what a reasoner infers from it.

        Equivalents are below each other. They are stated, so ``cycles="refuse"`` accepts them and refuses only the
        cycles that subclass or subproperty edges form.
        """
        taxonomy = cls.__new__(cls)
        taxonomy._build(asserted, inferred, cycles, missing_imports)
        return taxonomy

    def _build(self, asserted: Axioms, inferred: Axioms, cycles: CyclePolicy, missing_imports: Iterable[str]) -> None:
        equivalent = asserted.equivalent_classes, inferred.equivalent_classes
        self._classes = _hierarchy((asserted.subclasses, inferred.subclasses), equivalent, asserted.classes, cycles)
        equivalent = asserted.equivalent_properties, inferred.equivalent_properties
        self._properties = _hierarchy(
            (asserted.subproperties, inferred.subproperties), equivalent, asserted.properties, cycles
        )
        self._domains, self._ranges = PropertyClasses(asserted.domains), PropertyClasses(asserted.ranges)
        self._instances = InstanceTable()
        self._labels = Labels(asserted.labels)
        self._version = 0
        self.unsatisfiable = tuple(map(plain_name, inferred.unsatisfiable))
        """Classes that a reasoner found can have no instance. They are below every class, so they get no edges."""
        self.missing_imports = tuple(map(plain_name, missing_imports))
        """The documents that the ontology imports and that were not read."""
        self.beyond_rdfs = asserted.beyond_rdfs
        """Terms of OWL, and datatypes, by which the ontology says more than RDFS understands."""
        for instance, cls in plain_pairs(asserted.instances):
            self._add_instance(instance, cls, asserted=True)
        for instance, cls in plain_pairs(inferred.instances):
            self._add_instance(instance, cls, asserted=False)

    # --- contents ------------------------------------------------------------------------------------------

    @property
    def classes(self) -> frozenset[str]:
        """All names that are declared as classes, have instances, or have had a subclass edge."""
        return frozenset(self._classes)

    @property
    def labels(self) -> Labels:
        """The labels of the terms. Edit them with `add_label` and `remove_label`, which increase `version`."""
        return self._labels

    @property
    def version(self) -> int:
        """The number of edits. Compare it to find out whether data derived from the taxonomy is out of date."""
        return self._version

    def __contains__(self, term: object) -> bool:
        """Return whether the name is a class, an instance or a property of this taxonomy."""
        if not isinstance(term, str):
            return False
        name = plain_name(term)
        return name in self._classes or name in self._instances or name in self._properties

    def __len__(self) -> int:
        """Return the number of classes and instances. A name that is both counts once."""
        return len(self._classes) + sum(instance not in self._classes for instance in self._instances)

    def __bool__(self) -> bool:
        """Return True, also for an empty taxonomy: ``taxonomy or default`` would otherwise replace it."""
        return True

    def edges(self) -> Iterator[Edge]:
        """Yield every is-a edge, asserted or inferred. An equivalence is a subclass edge in each direction."""
        return self._edges(asserted_only=False)

    def asserted_edges(self) -> Iterator[Edge]:
        """Yield every asserted is-a edge, from which the taxonomy can be written as RDF."""
        return self._edges(asserted_only=True)

    def _edges(self, *, asserted_only: bool) -> Iterator[Edge]:
        for child, parent in self._classes.edges(asserted_only=asserted_only):
            yield child, parent, "subclass"
        for instance, cls in self._instances.edges(asserted_only=asserted_only):
            yield instance, cls, "instance"

    @property
    def is_empty(self) -> bool:
        """Whether it knows no class, instance, property or label."""
        return not (len(self) or len(self._properties) or len(self._labels) or any(self._domains) or any(self._ranges))

    def summary(self) -> str:
        """Return how many classes, instances and properties it has."""
        counts = (
            (len(self._classes), "class", "classes"),
            (len(self._instances), "instance", "instances"),
            (len(self._properties), "property", "properties"),
        )
        return ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts)

    def __repr__(self) -> str:
        return f"<Taxonomy: {self.summary()}, version {self._version}>"

    def _repr_html_(self) -> str:
        """Return the first is-a edges as a table, for a notebook."""
        edges = list(islice(self.edges(), MAX_SHOWN_EDGES + 1))
        rows = "".join(
            f"<tr><td>{escape(self._shown(child))}</td><td>{kind}</td><td>{escape(self._shown(parent))}</td></tr>"
            for child, parent, kind in edges[:MAX_SHOWN_EDGES]
        )
        more = "<p>and more</p>" if len(edges) > MAX_SHOWN_EDGES else ""
        head = "<thead><tr><th>term</th><th>edge</th><th>class</th></tr></thead>"
        table = f"<table>{head}<tbody>{rows}</tbody></table>" if edges else ""
        return f"<div><p>Taxonomy: {self.summary()}</p>{table}{more}</div>"

    def _shown(self, name: str) -> str:
        """Return a name with its label, if it has one."""
        label = self._labels.preferred(name)
        return f"{label} ({name})" if label else name

    # --- storage -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return plain data, from which ``from_json`` makes an equal taxonomy."""
        return {
            "classes": self._classes.to_json(),
            "properties": self._properties.to_json(),
            "types": self._instances.to_json(),
            "labels": list(self._labels.statements()),
            "unsatisfiable": self.unsatisfiable,
            "missing_imports": self.missing_imports,
            "domains": self._domains.to_json(),
            "ranges": self._ranges.to_json(),
            "beyond_rdfs": self.beyond_rdfs,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Taxonomy:
        """Return the taxonomy that `to_json` wrote."""
        taxonomy = cls()
        taxonomy.unsatisfiable = tuple(data["unsatisfiable"])
        taxonomy.missing_imports = tuple(data["missing_imports"])
        taxonomy._classes = Hierarchy.from_json(data["classes"])
        taxonomy._properties = Hierarchy.from_json(data["properties"])
        taxonomy._instances = InstanceTable.from_json(data["types"])
        taxonomy._labels = Labels(data["labels"])
        taxonomy._domains = PropertyClasses(data.get("domains", ()))  # engines of older versions have none
        taxonomy._ranges = PropertyClasses(data.get("ranges", ()))
        taxonomy.beyond_rdfs = tuple(data.get("beyond_rdfs", ()))
        return taxonomy

    # --- edits ---------------------------------------------------------------------------------------------

    def add_subclass(self, child: str, parent: str) -> bool:
        """Assert a subclass edge. Return False if it was asserted already.

        An edge that would close a cycle raises :class:`~ontology.errors.CyclicTaxonomy` and changes nothing. In a
        taxonomy made with ``cycles="condense"`` it makes the members equivalent instead.
        """
        return self._count_edit(self._classes.add(plain_name(child), plain_name(parent)))

    def remove_subclass(self, child: str, parent: str) -> bool:
        """Remove an asserted subclass edge. Return False if there was none.

        What a reasoner inferred stays, even if it followed from this edge: load the ontology again to infer again.
        """
        return self._count_edit(self._classes.remove(plain_name(child), plain_name(parent)))

    def add_instance(self, instance: str, cls: str) -> bool:
        """Assert that the instance is of the class. Return False if that was asserted already."""
        return self._count_edit(self._add_instance(plain_name(instance), plain_name(cls), asserted=True))

    def remove_instance(self, instance: str, cls: str) -> bool:
        """Remove an asserted type of an instance. Return False if there was none. The class stays in the taxonomy."""
        return self._count_edit(self._instances.remove_asserted(plain_name(instance), plain_name(cls)))

    def add_domain(self, property: str, cls: str) -> bool:
        """Add a domain: subjects with the property are in the class. Return False if it was there already."""
        return self._count_edit(self._domains.add(plain_name(property), plain_name(cls)))

    def remove_domain(self, property: str, cls: str) -> bool:
        """Remove a domain. Return False if there was none."""
        return self._count_edit(self._domains.remove(plain_name(property), plain_name(cls)))

    def add_range(self, property: str, cls: str) -> bool:
        """Add a range: values of the property are in the class. Return False if it was there already."""
        return self._count_edit(self._ranges.add(plain_name(property), plain_name(cls)))

    def remove_range(self, property: str, cls: str) -> bool:
        """Remove a range. Return False if there was none."""
        return self._count_edit(self._ranges.remove(plain_name(property), plain_name(cls)))

    def add_label(self, term: str, text: str, language: str | None = None, property: str = LABEL_PROPERTIES[0]) -> bool:
        """Add a label to a term. Return False if the term already has it.

        `property` is one of `ontology.labels.LABEL_PROPERTIES`; otherwise ValueError is raised.
        """
        if property not in LABEL_PROPERTIES:
            raise ValueError(f"{property} gives no labels; use one of {', '.join(LABEL_PROPERTIES)}")
        return self._count_edit(self._labels.add(plain_name(term), text, language, property))

    def remove_label(self, term: str, text: str, language: str | None = None) -> bool:
        """Remove a label, whatever property gave it. Return False if there was none."""
        return self._count_edit(self._labels.remove(plain_name(term), text, language))

    def _add_instance(self, instance: str, cls: str, *, asserted: bool) -> bool:
        self._classes.declare(cls)
        return self._instances.add(instance, cls, asserted=asserted)

    def _count_edit(self, changed: bool) -> bool:
        self._version += changed
        return changed


_AssertedAndInferred: TypeAlias = tuple[tuple[Pair, ...], tuple[Pair, ...]]


def _hierarchy(
    edges: _AssertedAndInferred, equivalent: _AssertedAndInferred, declared: Iterable[str], cycles: CyclePolicy
) -> Hierarchy:
    """Build the hierarchy of classes or of properties, with plain names."""
    return Hierarchy(
        *map(plain_pairs, edges),
        equivalent=plain_pairs(equivalent[0]),
        inferred_equivalent=plain_pairs(equivalent[1]),
        nodes=map(plain_name, declared),
        cycles=cycles,
    )
