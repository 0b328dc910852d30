"""`gtopss terms`: find the classes of an ontology by what people call them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gtopss.checking.class_checks import describe_class
from gtopss.cli.arguments import Cycles, ReasonerName
from gtopss.engine.loading import load_isolated_taxonomy
from gtopss.engine.taxonomy_input import infer_taxonomy
from gtopss.model.term_text import escape_controls, format_term, shorten
from gtopss.model.terms import iri
from sparqlish import PREFIXES

_MAX_LABEL_CHARACTERS = 200  # of each label that is shown


def terms(
    words: Annotated[list[str], typer.Argument(help="Words of the label of a class, in any language of the ontology.")],
    ontology: Annotated[Path, typer.Option("--ontology", "-o", help="RDFS, SKOS or OWL file.")],
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    most: Annotated[int, typer.Option(min=1, help="Maximum number of classes to list.")] = 20,
) -> None:
    """Find classes of an ontology by label, to use with isA in a subscription.

    For each class, print its label, its IRI, the number of subclasses and instances below it, and its superclasses.
    Labels are the values of skos:prefLabel, skos:altLabel, skos:hiddenLabel, rdfs:label and schema:name. If no label
    has the words, print classes with similar labels.

    Example: gtopss terms health -o data/ontologies/iptc-mediatopics-en-GB.ttl

    Exit code 0: something was found. 1: nothing was found, or the ontology cannot be read. 2: wrong usage.
    """
    if reasoner is None:
        taxonomy = load_isolated_taxonomy(ontology, cycles=cycles)
    else:
        taxonomy = infer_taxonomy(ontology, reasoner, cycles)
    labels = taxonomy.labels
    found = [name for name in labels.search(" ".join(words)) if name in taxonomy]
    if not found:
        words_given = " ".join(words)
        typer.echo(f"gtopss: no class has a label like {words_given!r} ({len(labels):,} terms have labels)", err=True)
        raise typer.Exit(1)
    for name in found[:most]:
        shown = dict.fromkeys(label.text for label in labels.of(name))
        also = [escape_controls(shorten(text, _MAX_LABEL_CHARACTERS)) for text in shown]
        typer.echo(f"{also[0]}\t{format_term(iri(name), PREFIXES)}")
        if also[1:]:
            typer.echo(f"    also called: {', '.join(also[1:6])}")
        typer.echo(f"    below it: {len(taxonomy.descendants(name))}")
        for parent in sorted(taxonomy.parents(name)):
            typer.echo(f"    is a: {describe_class(parent, labels)}")
    if len(found) > most:
        typer.echo(f"gtopss: {len(found) - most} more; add words, or raise --most", err=True)
