"""Collect the axioms of an ontology from its triples, one at a time: no graph is kept."""

from __future__ import annotations

from ontology.axioms import Axioms, LabelStatement, Pair
from ontology.labels import LABEL_PROPERTIES

__all__ = ["AxiomCollector", "is_language_term"]

_RDF, _RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
_OWL, _SKOS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2004/02/skos/core#"
TYPE, IMPORTS = f"{_RDF}type", f"{_OWL}imports"

_SKOS_LANGUAGE_TERMS = frozenset(
    f"{_SKOS}{name}" for name in ("Concept", "ConceptScheme", "Collection", "OrderedCollection")
)
_CLASS_TYPES = frozenset({f"{_RDFS}Class", f"{_OWL}Class", f"{_OWL}DeprecatedClass", f"{_SKOS}Concept"})
_OWL_PROPERTIES = (
    "Object", "Datatype", "Annotation", "Ontology", "Deprecated", "Functional", "InverseFunctional", "Transitive",
    "Symmetric", "Asymmetric", "Reflexive", "Irreflexive",
)  # fmt: skip
_PROPERTY_TYPES = frozenset({f"{_RDF}Property", *(f"{_OWL}{name}Property" for name in _OWL_PROPERTIES)})
_RELATIONS = {
    f"{_RDFS}subClassOf": "subclasses",
    f"{_SKOS}broader": "subclasses",
    f"{_SKOS}broaderTransitive": "subclasses",
    f"{_RDFS}subPropertyOf": "subproperties",
    f"{_OWL}equivalentClass": "equivalent_classes",
    f"{_OWL}equivalentProperty": "equivalent_properties",
    f"{_RDFS}domain": "domains",
    f"{_RDFS}range": "ranges",
}
_NARROWER = frozenset({f"{_SKOS}narrower", f"{_SKOS}narrowerTransitive"})
_UNDERSTOOD_OWL = frozenset(
    {"Class", "Thing", "Ontology", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "OntologyProperty"}
    | {"DeprecatedClass", "DeprecatedProperty", "NamedIndividual", "equivalentClass", "equivalentProperty", "imports"}
    | {"versionInfo", "versionIRI", "priorVersion", "backwardCompatibleWith", "incompatibleWith", "deprecated"}
)
"""Terms of OWL that a taxonomy understands, and those that say nothing about classes or properties."""

INTERESTING = frozenset({TYPE, IMPORTS, *_RELATIONS, *_NARROWER, *LABEL_PROPERTIES})
"""The properties whose triples make axioms."""


def is_language_term(cls: str) -> bool:
    """Return whether a class belongs to RDF, RDFS, OWL or SKOS themselves, such as rdfs:Class or skos:Concept.

    Such a type describes the role of a term in the language, not its meaning. As an instance edge it would put every
    class of an ontology below rdfs:Class, make each a class and an instance at once, and double the taxonomy with
    answers that no subscription needs. owl:Thing describes the domain, and is accepted.
    """
    if cls in _SKOS_LANGUAGE_TERMS:
        return True
    return cls != f"{_OWL}Thing" and cls.startswith((_RDF, _RDFS, _OWL))


class AxiomCollector:
    """Gather axioms triple by triple. Each name is kept once, whatever the number of triples that have it."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._pairs: dict[str, dict[Pair, None]] = {name: {} for name in (*_RELATIONS.values(), "instances")}
        self._classes: dict[str, None] = {}
        self._properties: dict[str, None] = {}
        self._labels: dict[LabelStatement, None] = {}
        self._beyond_rdfs: set[str] = set()
        self.imports: set[str] = set()

    def note_property(self, property: str) -> None:
        """Note that some triple has a property: a term of OWL may say more than RDFS understands."""
        self._note_owl(property)

    def add(self, subject: str, property: str, value: str) -> None:
        """Add a triple between two IRIs, given without their brackets."""
        subject, value = self._name(subject), self._name(value)
        if property == TYPE:
            if value in _CLASS_TYPES:
                self._classes[subject] = None
            elif value in _PROPERTY_TYPES:
                self._properties[subject] = None
            elif not is_language_term(value):
                self._pairs["instances"][subject, value] = None
        elif property in _NARROWER:
            self._pairs["subclasses"][value, subject] = None
        elif property in _RELATIONS:
            self._pairs[_RELATIONS[property]][subject, value] = None

    def add_type(self, cls: str) -> None:
        """Note the type of any subject, blank nodes too."""
        self._note_owl(cls)
        if cls == f"{_RDFS}Datatype":
            self._beyond_rdfs.add("rdfs:Datatype")

    def add_label(self, subject: str, property: str, text: str, language: str) -> None:
        """Add a label; `language` is empty if it has none."""
        self._labels[self._name(subject), property, text, self._name(language)] = None

    def _note_owl(self, term: str) -> None:
        if term.startswith(_OWL) and term[len(_OWL) :] not in _UNDERSTOOD_OWL:
            self._beyond_rdfs.add(f"owl:{term[len(_OWL) :]}")

    def _name(self, text: str) -> str:
        return self._names.setdefault(text, text)

    def axioms(self) -> Axioms:
        """Return what was collected."""
        pairs = {name: tuple(found) for name, found in self._pairs.items()}
        return Axioms(
            subclasses=pairs["subclasses"],
            instances=pairs["instances"],
            subproperties=pairs["subproperties"],
            equivalent_classes=pairs["equivalent_classes"],
            equivalent_properties=pairs["equivalent_properties"],
            domains=pairs["domains"],
            ranges=pairs["ranges"],
            classes=tuple(self._classes),
            properties=tuple(self._properties),
            labels=tuple(self._labels),
            beyond_rdfs=tuple(sorted(self._beyond_rdfs)),
        )
