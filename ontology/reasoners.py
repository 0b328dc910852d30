"""Run HermiT or Pellet, the Java reasoners that owlready2 ships, on a graph's OWL axioms.

owlready2's ``load()`` would fetch ``owl:imports`` over the network and import any Python module that the ontology
names. So the triples are written into its quad store directly, each run has its own ``World`` instead of the
process-wide default one, and the results are read back as triples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from types import TracebackType
from typing import Any

import owlready2
from owlready2 import base as owlready2_base
from rdflib import OWL, Graph

from ontology.axioms import Axioms, Pair
from ontology.errors import InconsistentOntology, MalformedOntology, ReasonerFailed
from ontology.owl import Reasoner
from ontology.pellet_classes import lowered_class_versions
from ontology.rdfs import is_language_term

__all__ = ["infer_axioms", "new_world"]

_CLASS_FILE_VERSION_OFFSET = 44
"""The difference between class file version and Java version: 45 is Java 1, 52 is Java 8, 61 is Java 17."""

_JAVA_TOO_OLD = re.compile(r"class file version (\d+)(?:\.\d+)?\).*class file versions up to (\d+)")


def infer_axioms(graph: Graph, asserted: Axioms, reasoner: Reasoner, *, name: str) -> Axioms:
    """Run the reasoner and return the axioms that it adds, between named terms.

    Datatypes that HermiT does not know are ignored: their axioms then imply nothing. This loses answers but adds no
    wrong ones; otherwise an ontology that mentions such a datatype would have no answers at all.
    """
    world = new_world()
    try:
        _write_axioms(world, graph, name)
        conclusions = world.get_ontology("http://conclusions.invalid/")
        _run_reasoner(reasoner, conclusions, name)
        return _collect_inferences(world, conclusions, asserted)
    finally:
        world.close()


def new_world() -> Any:
    """Return a new owlready2 world in memory, isolated from all others. The caller closes it."""
    return owlready2.World()


def _write_axioms(world: Any, graph: Graph, name: str) -> None:
    """Copy the graph's triples, without imports, into owlready2's quad store."""
    axioms = Graph()
    for triple in graph:
        if triple[1] != OWL.imports:  # HermiT would fetch them; owlready2 0.51 omits them as well
            axioms.add(triple)
    try:
        content = axioms.serialize(format="nt", encoding="utf-8")
        ontology = world.get_ontology("http://axioms.invalid/")
        with world:
            ontology.graph.parse(BytesIO(content), format="ntriples", default_base="http://axioms.invalid/")
    except Exception as error:  # for example an IRI with a space in it, or a number that is not one
        reason = " ".join(str(error).split()) or type(error).__name__
        raise MalformedOntology(f"owlready2 cannot store it: {reason}", source=name) from error


def _run_reasoner(reasoner: Reasoner, conclusions: Any, name: str) -> None:
    """Run the reasoner, which writes its conclusions into the given, otherwise empty ontology.

    owlready2 deletes its temporary file only after success. After a failure, only the frame of the failed call still
    knows the file's name.
    """
    try:
        if reasoner == "hermit":
            owlready2.sync_reasoner_hermit(conclusions, debug=0, ignore_unsupported_datatypes=True)
        else:
            with lowered_class_versions():
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
    too_old = _JAVA_TOO_OLD.search(output)
    if too_old is not None:
        needed, present = (int(version) - _CLASS_FILE_VERSION_OFFSET for version in too_old.groups())
        return ReasonerFailed(
            reasoner,
            f"the copy shipped with owlready2 {owlready2.VERSION} needs Java {needed}, "
            f"the installed one is Java {present}",
            remedy=f"install Java {needed} or later" + (", or use hermit" if reasoner != "hermit" else ""),
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    error_lines = [line for line in lines if "Exception" in line or "Error:" in line or line.startswith("ERROR")]
    reason = (error_lines or lines[1:] or lines or ["Java stopped without a message"])[0]
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


def _collect_inferences(world: Any, conclusions: Any, asserted: Axioms) -> Axioms:
    """Read the reasoner's conclusions between named terms."""
    classes = {*asserted.classes, *(child for child, _ in asserted.subclasses)}
    individuals = {instance for instance, _ in asserted.instances}

    def found(predicate: int) -> Iterator[Pair]:
        for subject, _, other in conclusions._get_obj_triples_spo_spo(None, predicate, None):
            if subject > 0 and other > 0:  # blank nodes are negative
                yield world._unabbreviate(subject), world._unabbreviate(other)

    equivalent = list(found(owlready2_base.owl_equivalentclass))
    nothing = str(OWL.Nothing)
    unsatisfiable = {name for pair in equivalent if nothing in pair for name in pair} - {nothing}

    def informative(pairs: Iterator[Pair]) -> tuple[Pair, ...]:
        return tuple(pair for pair in pairs if not any(_is_trivial(name) or name in unsatisfiable for name in pair))

    # owlready2 stores one kind per name, so for a name that is both a class and an individual the superclasses come
    # back as its types, or its types as superclasses. Such a name keeps only what is asserted.
    return Axioms(
        subclasses=tuple(
            pair for pair in informative(found(owlready2_base.rdfs_subclassof)) if pair[0] not in individuals
        ),
        instances=tuple(pair for pair in informative(found(owlready2_base.rdf_type)) if pair[0] not in classes),
        subproperties=informative(found(owlready2_base.rdfs_subpropertyof)),
        equivalent_classes=informative(iter(equivalent)),
        equivalent_properties=informative(found(owlready2_base.owl_equivalentproperty)),
        unsatisfiable=tuple(sorted(unsatisfiable)),
    )


def _is_trivial(name: str) -> bool:
    """Return whether a conclusion about the name says nothing: everything is below owl:Thing."""
    return name == str(OWL.Thing) or is_language_term(name)
