"""Find the labels of the classes that a reason names, because an IRI often says nothing to a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gtopss.explain.explanation import ClassLabel, IsACheck, LabelCheck
from gtopss.explain.limits import MAX_NEEDLE_CHARACTERS, MAX_PATH_STEPS_SHOWN
from gtopss.model import Term
from gtopss.model.iris import local_name
from gtopss.model.term_text import shorten
from gtopss.model.terms import iri_text, is_iri
from ontology import Taxonomy
from ontology.labels import fold_label


def shown_steps(path: Sequence[Term]) -> tuple[Term, ...]:
    """Return the steps of a path that are shown: all, or as many of its beginning as of its end."""
    if len(path) <= MAX_PATH_STEPS_SHOWN:
        return tuple(path)
    return (*path[: MAX_PATH_STEPS_SHOWN // 2], *path[-MAX_PATH_STEPS_SHOWN // 2 :])


def class_labels(
    isa_checks: Iterable[IsACheck], label_checks: Iterable[LabelCheck], taxonomy: Taxonomy
) -> tuple[ClassLabel, ...]:
    """Return the preferred label of each term that these checks name. A label that the IRI ends with is left out."""
    terms = dict.fromkeys(_named_terms(isa_checks, label_checks))
    found = ((term, taxonomy.labels.preferred(iri_text(term))) for term in terms if is_iri(term))
    return tuple(
        ClassLabel(term, shorten(label.encode("utf-8", "replace").decode(), MAX_NEEDLE_CHARACTERS))
        for term, label in found
        if label is not None and _without_spaces(label) != _without_spaces(local_name(iri_text(term)))
    )


def _named_terms(isa_checks: Iterable[IsACheck], label_checks: Iterable[LabelCheck]) -> Iterator[Term]:
    for isa in isa_checks:
        yield from (isa.term, isa.cls, *shown_steps(isa.path), *isa.parents)
    for labelled in label_checks:
        yield from (labelled.cls, *labelled.path, *labelled.others)


def _without_spaces(text: str) -> str:
    return fold_label(text).replace(" ", "")
