"""Load a taxonomy from an ontology document of any supported format."""

from __future__ import annotations

from rdflib import Graph

from ontology.documents import Source, read_document
from ontology.hierarchy import CyclePolicy
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.owl import Reasoner, load_owl
from ontology.rdfs import load_rdfs
from ontology.taxonomy import Taxonomy

__all__ = ["load"]


def load(
    source: Source,
    format: str | None = None,
    *,
    reasoner: Reasoner | None = None,
    cycles: CyclePolicy = "refuse",
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> Taxonomy:
    """Load a taxonomy from an RDFS, SKOS or OWL document.

    >>> load(b"<http://zoo/Tom> a <http://zoo/Cat> .").is_a("http://zoo/Tom", "http://zoo/Cat")
    True

    ``source`` is a path, the bytes of a document, or an rdflib Graph; ``format`` is detected if it is None. With
    ``reasoner="hermit"`` or ``"pellet"``, which need Java, the taxonomy also has what the reasoner infers. ``cycles``
    says what to do if subclasses form a cycle: ``"refuse"`` raises CyclicTaxonomy, ``"condense"`` treats the members
    as equivalent. ``owl:imports`` are not followed. Raises OntologyError, or OSError for a file that cannot be read.
    """
    document = None if isinstance(source, Graph) else read_document(source, format)
    if reasoner is None and (document is None or document.format != "owl-xml"):
        return load_rdfs(source, format, cycles=cycles, limits=limits)
    return load_owl(source, format, reasoner=reasoner, cycles=cycles, limits=limits)
