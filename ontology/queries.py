"""The questions that a taxonomy answers (G-ToPSS, WWW 2005, sections 3.2 and 4.2).

Section 3.2 gives three is-a operators:

| paper | here | meaning |
|---|---|---|
| ``?x ≤ v`` | :meth:`ClassQueries.is_a` | x is a descendant of v, or v itself, which the paper's ≤ excludes |
| ``?x ≥ v`` | :meth:`ClassQueries.ancestor_of` | x is an ancestor of v |
| ``?x = v`` | :meth:`ClassQueries.directly_a` | x is a child of v |

Section 4.2 answers them by traversing the tree, in time that depends on the depth d and the number t of parents (our
text of the formula is damaged). Here labels answer in constant time (:mod:`ontology.interval_labels`), since the
question is evaluated for every candidate binding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ontology.axioms import Pair
from ontology.hierarchy import Hierarchy
from ontology.instance_table import InstanceTable
from ontology.labels import Labels
from ontology.names import plain_name
from ontology.property_classes import PropertyClasses

__all__ = ["ClassQueries", "PropertyQueries"]


class ClassQueries:
    """Read-only queries about classes and instances. :class:`~ontology.taxonomy.Taxonomy` inherits them."""

    __slots__ = ()

    _classes: Hierarchy
    _instances: InstanceTable
    _labels: Labels

    # --- is-a ----------------------------------------------------------------------------------------------

    def is_a(self, term: str, cls: str) -> bool:
        """Return whether a term is the class, a subclass of it at any depth, or an instance of one (``term ≤ cls``)."""
        if type(term) is not str:  # inlined: this is evaluated for every candidate binding
            term = plain_name(term)
        if type(cls) is not str:
            cls = plain_name(cls)
        if self._classes.is_below(term, cls):
            return True
        types = self._instances.types(term)
        return bool(types) and any(self._classes.is_below(each, cls) for each in types)

    def instance_of(self, term: str, cls: str) -> bool:
        """Return whether some type of the term is the class or below it. A class is not its own instance."""
        cls = plain_name(cls)
        return any(self._classes.is_below(each, cls) for each in self._instances.types(plain_name(term)))

    def is_class(self, name: str) -> bool:
        """Return whether the name is declared as a class, has instances, or has had a subclass edge."""
        return plain_name(name) in self._classes

    def is_subclass(self, cls: str, other: str) -> bool:
        """Return whether a class is the other one or below it by subclass edges. A class is below itself."""
        return self._classes.is_below(plain_name(cls), plain_name(other))

    def directly_a(self, term: str, cls: str) -> bool:
        """Return whether a term is an asserted child or instance of the class (``term = cls``). Ignores inferences."""
        term, cls = plain_name(term), plain_name(cls)
        return self._classes.is_asserted(term, cls) or self._instances.is_asserted(term, cls)

    def ancestor_of(self, term: str, cls: str) -> bool:
        """Return whether a term is an ancestor of the class (``term ≥ cls``), neither equal nor equivalent to it."""
        term, cls = plain_name(term), plain_name(cls)
        return term != cls and self.is_a(cls, term) and term not in self._classes.equivalents(cls)

    def path(self, term: str, cls: str) -> tuple[str, ...]:
        """Return one shortest path of is-a edges, ``term`` first and ``cls`` last; empty if there is none.

        It explains an answer: ``is_a(term, cls)`` is true if and only if the path is not empty.
        """
        term, cls = plain_name(term), plain_name(cls)
        if term == cls:
            return (term,)
        first_steps = (*self._classes.parents(term), *self._instances.types(term))
        return self._classes.shortest_path(term, first_steps, cls)

    def labelled(self, text: str, cls: str) -> tuple[str, ...]:
        """Return the terms with this label that are a ``cls``: the class itself, and those below it."""
        return tuple(term for term in self._labels.with_label(text) if self.is_a(term, cls))

    def path_by_types(self, term: str, types: Iterable[str], cls: str) -> tuple[str, ...]:
        """Return one shortest path from ``term`` through one of its types up to ``cls``; empty if there is none.

        One search starts from all types, so that many of them take no longer than the classes above them.

        >>> from ontology import Taxonomy
        >>> Taxonomy([("Cat", "Animal"), ("Animal", "Thing")]).path_by_types("Tom", ["Cat", "Animal"], "Thing")
        ('Tom', 'Animal', 'Thing')
        """
        return self._classes.shortest_path(plain_name(term), map(plain_name, types), plain_name(cls))

    # --- sets ----------------------------------------------------------------------------------------------

    def ancestors(self, term: str) -> frozenset[str]:
        """Return all other classes above the term, including its equivalents: those for which ``is_a`` is true."""
        term = plain_name(term)
        above = self._classes.upward((term, *self._instances.types(term)))
        return frozenset(above - {term})

    def descendants(self, cls: str) -> frozenset[str]:
        """Return all other names below the class: its subclasses, equivalents and instances."""
        cls = plain_name(cls)
        return frozenset((self._classes.downward(cls) | self.instances(cls)) - {cls})

    def subclasses(self, cls: str) -> frozenset[str]:
        """Return every other class below this one by subclass edges, including its equivalents."""
        cls = plain_name(cls)
        return frozenset(self._classes.downward(cls) - {cls})

    def superclasses(self, cls: str) -> frozenset[str]:
        """Return every other class above this one by subclass edges, including its equivalents."""
        cls = plain_name(cls)
        return frozenset(self._classes.upward((cls,)) - {cls})

    def instances(self, cls: str) -> frozenset[str]:
        """Return every instance of the class or of a class below it."""
        return self._instances.members_of_any(self._classes.downward(plain_name(cls)))

    def parents(self, term: str) -> frozenset[str]:
        """Return the asserted parents and the asserted types."""
        term = plain_name(term)
        return frozenset((*self._classes.parents(term, asserted_only=True), *self._instances.asserted_types(term)))

    def children(self, cls: str) -> frozenset[str]:
        """Return every name that is ``directly_a`` this class: the asserted children and the asserted instances."""
        cls = plain_name(cls)
        return frozenset((*self._classes.asserted_children(cls), *self._instances.asserted_members(cls)))

    def types(self, term: str) -> frozenset[str]:
        """Return the classes that the term is directly an instance of, asserted or inferred."""
        return frozenset(self._instances.types(plain_name(term)))

    def equivalents(self, cls: str) -> frozenset[str]:
        """Return the other classes that are equivalent to this one."""
        cls = plain_name(cls)
        return frozenset(self._classes.equivalents(cls)) - {cls}


class PropertyQueries:
    """Read-only queries about properties. :class:`~ontology.taxonomy.Taxonomy` inherits them."""

    __slots__ = ()

    _properties: Hierarchy
    _domains: PropertyClasses
    _ranges: PropertyClasses

    @property
    def properties(self) -> frozenset[str]:
        """All properties that are declared or have an edge."""
        return frozenset(self._properties)

    def is_subproperty(self, prop: str, other: str) -> bool:
        """Return whether each statement with ``prop`` implies one with ``other``. A property is below itself."""
        return self._properties.is_below(plain_name(prop), plain_name(other))

    def superproperties(self, prop: str) -> frozenset[str]:
        """Return every other property above this one, including its equivalents."""
        prop = plain_name(prop)
        return frozenset(self._properties.upward((prop,)) - {prop})

    def subproperties(self, prop: str) -> frozenset[str]:
        """Return every other property below this one, including its equivalents."""
        prop = plain_name(prop)
        return frozenset(self._properties.downward(prop) - {prop})

    def domains(self, prop: str) -> tuple[str, ...]:
        """Return the domains of a property: the classes of its subjects."""
        return self._domains[plain_name(prop)]

    def ranges(self, prop: str) -> tuple[str, ...]:
        """Return the ranges of a property: the classes of its values."""
        return self._ranges[plain_name(prop)]

    def is_property(self, name: str) -> bool:
        """Return whether the name is declared as a property, has an edge of properties, a domain or a range."""
        name = plain_name(name)
        return name in self._properties or name in self._domains or name in self._ranges

    def is_domain_or_range(self, name: str) -> bool:
        """Return whether the name is the domain or the range of some property."""
        name = plain_name(name)
        return self._domains.has_class(name) or self._ranges.has_class(name)

    def property_edges(self) -> Iterator[Pair]:
        """Yield the asserted and inferred subproperty edges, the child first."""
        return self._properties.edges()
