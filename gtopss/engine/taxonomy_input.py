"""Turn what a caller hands in as a taxonomy into one: a Taxonomy, an rdflib Graph, a file of an ontology."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import rdflib

from gtopss.errors import BeyondRDFS, InvalidTaxonomy, MalformedPublication, short_repr
from ontology import CyclePolicy, CyclicTaxonomy, OntologyError, Reasoner, Taxonomy
from ontology.loading import load

MAX_TERMS_SHOWN = 5
"""Terms of OWL that a warning names."""
TaxonomyLike: TypeAlias = "Taxonomy | rdflib.Graph | str | Path | None"


def read_taxonomy(given: TaxonomyLike) -> Taxonomy:
    """Return a taxonomy from a Taxonomy, an rdflib Graph or a file's path; an empty one for None."""
    if given is None:
        return Taxonomy()
    if isinstance(given, Taxonomy):
        return given
    name = "from a graph" if isinstance(given, rdflib.Graph) else short_repr(_text_of(given))
    with taxonomy_errors(name):
        return load(given if isinstance(given, rdflib.Graph) else Path(given))


def _text_of(given: object) -> object:
    return str(given) if isinstance(given, Path) else given


def infer_taxonomy(ontology: Path | None, reasoner: Reasoner, cycles: CyclePolicy = "refuse") -> Taxonomy:
    """Return the taxonomy that follows from an ontology's file by a reasoner. Raises InvalidTaxonomy."""
    if ontology is None:
        raise InvalidTaxonomy("None", f"the reasoner {reasoner} needs an ontology to reason about")
    with taxonomy_errors(str(ontology)):
        return load(ontology, reasoner=reasoner, cycles=cycles)


def warn_beyond_rdfs(taxonomy: Taxonomy) -> None:
    """Warn if an ontology says more than RDFS entailment applies."""
    terms = taxonomy.beyond_rdfs
    if terms:
        shown = ", ".join(terms[:MAX_TERMS_SHOWN]) + (" and others" if len(terms) > MAX_TERMS_SHOWN else "")
        warnings.warn(
            f"the ontology uses {shown}, which RDFS entailment ignores; to infer classes and types from OWL, use "
            'ontology.load(..., reasoner="hermit"), or --reasoner hermit',
            BeyondRDFS,
            stacklevel=4,
        )


@contextmanager
def taxonomy_errors(name: str) -> Iterator[None]:
    """Convert what goes wrong with an ontology to InvalidTaxonomy."""
    try:
        yield
    except CyclicTaxonomy as error:
        reason = (
            f"{error.reason}; remove one of these edges, or treat the members as equivalent: "
            "Engine(taxonomy=ontology.load(..., cycles='condense')), or --cycles condense"
        )
        raise InvalidTaxonomy(name, reason, cycle=error.cycle) from None
    except OntologyError as error:
        raise InvalidTaxonomy(name, str(error)) from None
    except MalformedPublication as error:
        raise InvalidTaxonomy(name, error.reason) from None
    except OSError as error:
        raise InvalidTaxonomy(name, f"the file cannot be read: {error.strerror or error}") from None
    except (TypeError, ValueError) as error:
        raise InvalidTaxonomy(name, f"give a Taxonomy, an rdflib Graph or a file's path: {error}") from None
