"""HermiT and Pellet, the Java reasoners that owlready2 ships, run over a graph's OWL axioms.

owlready2 is held at arm's length. Its ``load()`` would fetch ``owl:imports`` over the network and import any
Python module that the ontology names, so the triples go into the quad store directly; each run has its own
``World``, never the process-wide default one; and the results are read back as triples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from types import TracebackType
from typing import Any, Literal, TypeAlias

import owlready2
from owlready2 import base as owlready2_base
from rdflib import OWL, Graph, URIRef

from ontology.errors import InconsistentOntology, MalformedOntology, ReasonerFailed
from ontology.hierarchy import Pair
from ontology.rdfs import Assertions, is_meta

__all__ = ["Inferences", "Reasoner", "infer", "quad_store"]

Reasoner: TypeAlias = Literal["hermit", "pellet"]

_FIRST_JAVA_CLASS_FILE = 44
"""Class file version 45 is Java 1, 52 is Java 8, 61 is Java 17."""

_WRONG_JAVA = re.compile(r"class file version (\d+)(?:\.\d+)?\).*class file versions up to (\d+)")


@dataclass(frozen=True, slots=True)
class Inferences:
    """What a reasoner adds to what is asserted, between named terms only."""

    subclasses: tuple[Pair, ...]
    instances: tuple[Pair, ...]
    subproperties: tuple[Pair, ...]
    equivalent_classes: tuple[Pair, ...]
    equivalent_properties: tuple[Pair, ...]
    unsatisfiable: tuple[str, ...]


def infer(graph: Graph, asserted: Assertions, reasoner: Reasoner, *, name: str) -> Inferences:
    """Runs the reasoner and gathers what it adds.

    Data types that HermiT does not know are ignored: their axioms then imply nothing, which loses answers
    but invents none, where the alternative is no answer at all for an ontology that mentions one.
    """
    world = quad_store()
    try:
        _fill(world, graph, name)
        conclusions = world.get_ontology("http://conclusions.invalid/")
        _run(reasoner, conclusions, name)
        return _gather(world, conclusions, asserted)
    finally:
        world.close()


def quad_store() -> Any:
    """A new owlready2 world in memory, apart from all others."""
    return owlready2.World()


def _fill(world: Any, graph: Graph, name: str) -> None:
    axioms = Graph()
    for triple in graph:
        if triple[1] != OWL.imports:  # HermiT would fetch them; owlready2 0.51 leaves them out as well
            axioms.add(triple)
    try:
        content = axioms.serialize(format="nt", encoding="utf-8")
        ontology = world.get_ontology("http://axioms.invalid/")
        with world:
            ontology.graph.parse(BytesIO(content), format="ntriples", default_base="http://axioms.invalid/")
    except Exception as error:  # an IRI with a space in it, a number that is none
        reason = " ".join(str(error).split()) or type(error).__name__
        raise MalformedOntology(f"owlready2 cannot hold it: {reason}", source=name) from error


def _run(reasoner: Reasoner, conclusions: Any, name: str) -> None:
    """Writes the reasoner's conclusions into the given ontology of the world, which holds nothing else.

    owlready2 deletes its temporary file only when all went well; after a failure it is found through the
    failed call's frame, the one place that still knows its name.
    """
    try:
        if reasoner == "hermit":
            owlready2.sync_reasoner_hermit(conclusions, debug=0, ignore_unsupported_datatypes=True)
        else:
            owlready2.sync_reasoner_pellet(conclusions, debug=0)
    except BaseException as error:
        _delete_temporary_file(error.__traceback__)
        if isinstance(error, owlready2.OwlReadyInconsistentOntologyError):
            raise InconsistentOntology(reasoner, source=name) from error
        if isinstance(error, OSError):
            raise ReasonerFailed(
                reasoner,
                f"Java could not be started as {owlready2.JAVA_EXE!r}",
                remedy="install a Java runtime, or set owlready2.JAVA_EXE to the one you have",
            ) from error
        if isinstance(error, owlready2.OwlReadyJavaError):
            raise _java_failure(reasoner, str(error)) from error
        raise


def _java_failure(reasoner: Reasoner, output: str) -> ReasonerFailed:
    wrong_java = _WRONG_JAVA.search(output)
    if wrong_java is not None:
        needed, present = (int(version) - _FIRST_JAVA_CLASS_FILE for version in wrong_java.groups())
        return ReasonerFailed(
            reasoner,
            f"the copy shipped with owlready2 {owlready2.VERSION} needs Java {needed}, "
            f"the installed one is Java {present}",
            remedy=f"install Java {needed} or later" + (", or use hermit" if reasoner != "hermit" else ""),
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "Exception" in line or "Error:" in line or line.startswith("ERROR")]
    reason = (telling or lines[1:] or lines or ["Java stopped without a word"])[0]
    return ReasonerFailed(
        reasoner,
        reason.removeprefix('Exception in thread "main" ')[:300],
        remedy="simplify the axiom it names, or load without a reasoner to use only what is asserted",
    )


def _delete_temporary_file(traceback: TracebackType | None) -> None:
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_name.startswith("sync_reasoner") and "tmp" in frame.f_locals:
            temporary = frame.f_locals["tmp"]
            temporary.close()
            with suppress(OSError):
                os.unlink(temporary.name)
        traceback = traceback.tb_next


def _gather(world: Any, conclusions: Any, asserted: Assertions) -> Inferences:
    classes = {*asserted.classes, *(child for child, _ in asserted.subclasses)}
    individuals = {instance for instance, _ in asserted.instances}

    def found(predicate: int) -> Iterator[Pair]:
        for subject, _, other in conclusions._get_obj_triples_spo_spo(None, predicate, None):
            if subject > 0 and other > 0:  # blank nodes are negative
                yield world._unabbreviate(subject), world._unabbreviate(other)

    equivalent = list(found(owlready2_base.owl_equivalentclass))
    nothing = str(OWL.Nothing)
    unsatisfiable = {name for pair in equivalent if nothing in pair for name in pair} - {nothing}

    def sound(pairs: Iterator[Pair]) -> tuple[Pair, ...]:
        return tuple(pair for pair in pairs if not any(_is_language(name) or name in unsatisfiable for name in pair))

    # owlready2 keeps one kind per name, so the classes above a name that is class and individual at once come
    # back as its types, or its types as classes above it. Such a name keeps what is asserted of it alone.
    return Inferences(
        subclasses=tuple(pair for pair in sound(found(owlready2_base.rdfs_subclassof)) if pair[0] not in individuals),
        instances=tuple(pair for pair in sound(found(owlready2_base.rdf_type)) if pair[0] not in classes),
        subproperties=sound(found(owlready2_base.rdfs_subpropertyof)),
        equivalent_classes=sound(iter(equivalent)),
        equivalent_properties=sound(found(owlready2_base.owl_equivalentproperty)),
        unsatisfiable=tuple(sorted(unsatisfiable)),
    )


def _is_language(name: str) -> bool:
    """Whether a conclusion about the name is empty: all is below owl:Thing, and nothing in owl:Nothing."""
    return name == str(OWL.Thing) or is_meta(URIRef(name))
