"""The taxonomy that is-a constraints are checked against (G-ToPSS, WWW 2005, sections 3.2, 3.4 and 4.2).

Section 3.4: the taxonomy is an acyclic graph of classes with multiple inheritance, and lists the instances of
its classes, which may have several parents too. Section 3.2 gives three is-a operators:

| paper | here | meaning |
|---|---|---|
| ``?x ≤ v`` | :meth:`Taxonomy.is_a` | x is a descendant of v |
| ``?x ≥ v`` | :meth:`Taxonomy.ancestor_of` | x is an ancestor of v |
| ``?x = v`` | :meth:`Taxonomy.directly_a` | x is a child of v |

Section 4.2 answers them by traversing the tree, in O(d·t) for depth d and t parents per node. Here labels
answer in constant time (:mod:`ontology.intervals`), since the question is asked for every candidate binding.

Names are plain strings: an IRI's text, or ``_:label`` for a blank node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from rdflib.term import BNode

from ontology.hierarchy import CyclePolicy, Hierarchy, Pair

__all__ = ["EdgeKind", "Taxonomy"]

EdgeKind: TypeAlias = Literal["subclass", "instance"]


class Taxonomy:
    """Classes, their instances, and properties.

    >>> zoo = Taxonomy([("Cat", "Animal")], instances=[("Tom", "Cat")])
    >>> zoo.is_a("Tom", "Animal"), zoo.directly_a("Tom", "Animal"), zoo.ancestor_of("Animal", "Tom")
    (True, False, True)
    >>> zoo.path("Tom", "Animal")
    ('Tom', 'Cat', 'Animal')

    Terms that the taxonomy does not know are in no class but, as anything is, in themselves:

    >>> zoo.is_a("Rover", "Animal"), zoo.is_a("Rover", "Rover")
    (False, True)

    A name may be a class and an instance at once. Instance edges do not chain: an instance of a class that is
    itself an instance of a metaclass is not an instance of the metaclass.
    """

    __slots__ = (
        "_classes",
        "_members",
        "_properties",
        "_types",
        "_version",
        "missing_imports",
        "unsatisfiable",
    )

    def __init__(
        self,
        subclasses: Iterable[Pair] = (),
        instances: Iterable[Pair] = (),
        subproperties: Iterable[Pair] = (),
        *,
        inferred_subclasses: Iterable[Pair] = (),
        inferred_instances: Iterable[Pair] = (),
        inferred_subproperties: Iterable[Pair] = (),
        equivalent_classes: Iterable[Pair] = (),
        inferred_equivalent_classes: Iterable[Pair] = (),
        equivalent_properties: Iterable[Pair] = (),
        inferred_equivalent_properties: Iterable[Pair] = (),
        classes: Iterable[str] = (),
        properties: Iterable[str] = (),
        cycles: CyclePolicy = "refuse",
        unsatisfiable: Iterable[str] = (),
        missing_imports: Iterable[str] = (),
    ) -> None:
        """Each edge is a pair, child before parent; ``classes`` and ``properties`` name those without any.

        Equivalents are below each other. They are stated, so ``cycles="refuse"`` lets them pass and refuses
        only cycles that subclass or subproperty edges form by themselves.
        """
        self._classes = Hierarchy(
            _pairs(subclasses),
            _pairs(inferred_subclasses),
            equivalent=_pairs(equivalent_classes),
            inferred_equivalent=_pairs(inferred_equivalent_classes),
            nodes=map(_name, classes),
            cycles=cycles,
        )
        self._properties = Hierarchy(
            _pairs(subproperties),
            _pairs(inferred_subproperties),
            equivalent=_pairs(equivalent_properties),
            inferred_equivalent=_pairs(inferred_equivalent_properties),
            nodes=map(_name, properties),
            cycles=cycles,
        )
        self._types: dict[str, dict[str, set[bool]]] = {}
        """Each instance's classes; the set holds True if the edge is asserted, False if it is inferred."""
        self._members: dict[str, set[str]] = {}
        """Each class's own instances."""
        self._version = 0
        self.unsatisfiable = tuple(map(_name, unsatisfiable))
        """Classes that a reasoner found can have no instance. Being below everything, they get no edges."""
        self.missing_imports = tuple(map(_name, missing_imports))
        """The documents that the ontology imports, which were not read."""
        for instance, cls in _pairs(instances):
            self._list_instance(instance, cls, asserted=True)
        for instance, cls in _pairs(inferred_instances):
            self._list_instance(instance, cls, asserted=False)

    # --- is-a ----------------------------------------------------------------------------------------------

    def is_a(self, term: str, cls: str) -> bool:
        """Section 3.2's ``term ≤ cls``: the same, a subclass at any depth, or an instance of such a class."""
        if type(term) is not str:
            term = _name(term)
        if type(cls) is not str:
            cls = _name(cls)
        if self._classes.below(term, cls):
            return True
        types = self._types.get(term)
        return types is not None and any(self._classes.below(each, cls) for each in types)

    def instance_of(self, term: str, cls: str) -> bool:
        """Whether some type of the term is the class or below it. A class is not its own instance."""
        cls = _name(cls)
        return any(self._classes.below(each, cls) for each in self._types.get(_name(term), ()))

    def is_subclass(self, cls: str, other: str) -> bool:
        """Whether a class is the other one or below it, by subclass edges alone; true of a class and itself."""
        return self._classes.below(_name(cls), _name(other))

    def directly_a(self, term: str, cls: str) -> bool:
        """Section 3.2's ``term = cls``: a child of the class, and asserted to be one. Never by inference."""
        term, cls = _name(term), _name(cls)
        return self._classes.is_asserted(term, cls) or True in self._types.get(term, {}).get(cls, ())

    def ancestor_of(self, term: str, cls: str) -> bool:
        """Section 3.2's ``term ≥ cls``: ``cls`` is a ``term``, and the two are not the same or equivalent."""
        term, cls = _name(term), _name(cls)
        return term != cls and self.is_a(cls, term) and term not in self._classes.equivalents(cls)

    def path(self, term: str, cls: str) -> tuple[str, ...]:
        """One shortest chain of is-a edges, ``term`` first and ``cls`` last; empty if there is none.

        It explains an answer: ``is_a(term, cls)`` is true if and only if the path is not empty.
        """
        term, cls = _name(term), _name(cls)
        if term == cls:
            return (term,)
        steps = (*self._classes.parents(term), *self._types.get(term, ()))
        return self._classes.climb(term, steps, cls)

    # --- sets ----------------------------------------------------------------------------------------------

    def ancestors(self, term: str) -> frozenset[str]:
        """Every other name that the term is a: its equivalents are among them."""
        term = _name(term)
        above = self._classes.reached_upward((term, *self._types.get(term, ())))
        return frozenset(above - {term})

    def descendants(self, cls: str) -> frozenset[str]:
        """Every other name that is a ``cls``: subclasses, equivalents and instances."""
        cls = _name(cls)
        return frozenset((self._classes.reached_downward(cls) | self.instances(cls)) - {cls})

    def subclasses(self, cls: str) -> frozenset[str]:
        """The classes among the descendants that are so by subclass edges."""
        cls = _name(cls)
        return frozenset(self._classes.reached_downward(cls) - {cls})

    def superclasses(self, cls: str) -> frozenset[str]:
        """Every other class above this one by subclass edges alone: its equivalents are among them."""
        cls = _name(cls)
        return frozenset(self._classes.reached_upward((cls,)) - {cls})

    def instances(self, cls: str) -> frozenset[str]:
        """Every name that is an instance of the class or of a class below it."""
        below = self._classes.reached_downward(_name(cls))
        # Whichever is smaller is walked: all classes with instances, or all classes below.
        return frozenset().union(*(self._members[each] for each in self._members.keys() & below))

    def parents(self, term: str) -> frozenset[str]:
        """The asserted parents and the asserted types."""
        term = _name(term)
        types = self._types.get(term, {})
        asserted_types = (cls for cls, origins in types.items() if True in origins)
        return frozenset((*self._classes.parents(term, asserted_only=True), *asserted_types))

    def children(self, cls: str) -> frozenset[str]:
        """Every name that is ``directly_a`` this class: the asserted children and the asserted instances."""
        cls = _name(cls)
        instances = (each for each in self._members.get(cls, ()) if True in self._types[each][cls])
        return frozenset((*self._classes.asserted_children(cls), *instances))

    def types(self, term: str) -> frozenset[str]:
        """The classes that the term is an instance of by an edge of its own, asserted or inferred."""
        return frozenset(self._types.get(_name(term), ()))

    def equivalents(self, cls: str) -> frozenset[str]:
        """The other classes that have exactly the same descendants by definition."""
        cls = _name(cls)
        return frozenset(self._classes.equivalents(cls)) - {cls}

    # --- properties ----------------------------------------------------------------------------------------

    def is_subproperty(self, prop: str, other: str) -> bool:
        """Whether every statement with ``prop`` implies one with ``other``; true of a property and itself."""
        return self._properties.below(_name(prop), _name(other))

    def superproperties(self, prop: str) -> frozenset[str]:
        """Every other property above this one: its equivalents are among them."""
        prop = _name(prop)
        return frozenset(self._properties.reached_upward((prop,)) - {prop})

    def subproperties(self, prop: str) -> frozenset[str]:
        """Every other property below this one: its equivalents are among them."""
        prop = _name(prop)
        return frozenset(self._properties.reached_downward(prop) - {prop})

    def property_edges(self) -> Iterator[Pair]:
        """The asserted and inferred subproperty edges, child before parent."""
        return self._properties.edges()

    # --- contents ------------------------------------------------------------------------------------------

    @property
    def classes(self) -> frozenset[str]:
        """Every name that has stood in a subclass edge, had instances or been declared a class."""
        return frozenset(self._classes)

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(self._properties)

    @property
    def version(self) -> int:
        """Grows with each edit, so that others know when what they derived is stale."""
        return self._version

    def __contains__(self, term: object) -> bool:
        """Whether the name is a class, an instance or a property of this taxonomy."""
        if not isinstance(term, str):
            return False
        name = _name(term)
        return name in self._classes or name in self._types or name in self._properties

    def __len__(self) -> int:
        """The number of classes and instances, a name that is both counting once."""
        return len(self._classes) + sum(instance not in self._classes for instance in self._types)

    def __bool__(self) -> bool:
        """A taxonomy is there, even an empty one: ``taxonomy or default`` would surprise otherwise."""
        return True

    def edges(self) -> Iterator[tuple[str, str, EdgeKind]]:
        """Every is-a edge, asserted or inferred; an equivalence is a subclass edge each way."""
        return self._edges(asserted_only=False)

    def asserted_edges(self) -> Iterator[tuple[str, str, EdgeKind]]:
        """Every asserted is-a edge, from which the taxonomy can be written as RDF."""
        return self._edges(asserted_only=True)

    def __repr__(self) -> str:
        return (
            f"<Taxonomy: {len(self._classes)} classes, {len(self._types)} instances, "
            f"{len(self._properties)} properties, version {self._version}>"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which ``from_json`` makes an equal taxonomy."""
        return {
            "classes": self._classes.to_json(),
            "properties": self._properties.to_json(),
            "types": {name: {cls: sorted(how) for cls, how in types.items()} for name, types in self._types.items()},
            "unsatisfiable": self.unsatisfiable,
            "missing_imports": self.missing_imports,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Taxonomy:
        made = cls(unsatisfiable=data["unsatisfiable"], missing_imports=data["missing_imports"])
        made._classes = Hierarchy.from_json(data["classes"])
        made._properties = Hierarchy.from_json(data["properties"])
        for name, types in data["types"].items():
            for each, how in types.items():
                for asserted in how:
                    made._list_instance(name, each, asserted=asserted)
        return made

    # --- edits ---------------------------------------------------------------------------------------------

    def add_subclass(self, child: str, parent: str) -> bool:
        """Asserts a subclass edge, from the next question on; False if it was asserted already.

        An edge that would close a cycle raises :class:`~ontology.errors.CyclicTaxonomy` and changes nothing;
        in a taxonomy made with ``cycles="condense"`` it makes the members equivalent instead.
        """
        return self._edited(self._classes.add(_name(child), _name(parent)))

    def remove_subclass(self, child: str, parent: str) -> bool:
        """Takes back an asserted subclass edge; False if there was none.

        What a reasoner inferred stays, even where it followed from this edge: load again to infer again.
        """
        return self._edited(self._classes.remove(_name(child), _name(parent)))

    def add_instance(self, instance: str, cls: str) -> bool:
        """Asserts that the instance is of the class; False if that was asserted already."""
        return self._edited(self._list_instance(_name(instance), _name(cls), asserted=True))

    def remove_instance(self, instance: str, cls: str) -> bool:
        """Takes back an asserted type; False if there was none. The class stays known."""
        instance, cls = _name(instance), _name(cls)
        types = self._types.get(instance, {})
        origins = types.get(cls, set())
        if True not in origins:
            return False
        origins.discard(True)
        if not origins:
            del types[cls]
            self._members[cls].discard(instance)
            if not self._members[cls]:
                del self._members[cls]
            if not types:
                del self._types[instance]
        return self._edited(True)

    # --- inside --------------------------------------------------------------------------------------------

    def _edited(self, changed: bool) -> bool:
        self._version += changed
        return changed

    def _list_instance(self, instance: str, cls: str, *, asserted: bool) -> bool:
        self._classes.declare(cls)
        origins = self._types.setdefault(instance, {}).setdefault(cls, set())
        self._members.setdefault(cls, set()).add(instance)
        if asserted in origins:
            return False
        origins.add(asserted)
        return True

    def _edges(self, *, asserted_only: bool) -> Iterator[tuple[str, str, EdgeKind]]:
        for child, parent in self._classes.edges(asserted_only=asserted_only):
            yield child, parent, "subclass"
        for instance, types in self._types.items():
            for cls, origins in types.items():
                if True in origins or not asserted_only:
                    yield instance, cls, "instance"


def _name(term: str) -> str:
    """The plain string of a term.

    rdflib's terms are strings that are not equal to their own text, and a blank node's text lacks its ``_:``.
    """
    if type(term) is str:
        return term
    return f"_:{term}" if isinstance(term, BNode) else str(term)


def _pairs(edges: Iterable[Pair]) -> Iterator[Pair]:
    return ((_name(child), _name(parent)) for child, parent in edges)
