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
    """Load what the document asserts and, with ``reasoner="hermit"`` or ``"pellet"``, what follows from it.

    >>> load(b"<http://zoo/Tom> a <http://zoo/Cat> .").is_a("http://zoo/Tom", "http://zoo/Cat")
    True
    """
    document = None if isinstance(source, Graph) else read_document(source, format)
    if reasoner is None and (document is None or document.format != "owl-xml"):
        return load_rdfs(source, format, cycles=cycles, limits=limits)
    return load_owl(source, format, reasoner=reasoner, cycles=cycles, limits=limits)
