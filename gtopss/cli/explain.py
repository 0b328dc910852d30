"""`gtopss explain`: why a document matches a subscription, or what is missing."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gtopss.cli.arguments import Format, Ontology, Subscriptions, load_engine_printing_errors
from gtopss.reading.files import load_rdf_file
from gtopss.reading.isolation import IsolatedReader
from sparqlish import PREFIXES


class OutputFormat(StrEnum):
    """The output formats of an explanation."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    MERMAID = "mermaid"


def explain(
    document: Annotated[Path, typer.Argument(help="RDF document.")],
    subscription: Annotated[str, typer.Argument(help="Id of the subscription.")],
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    format: Format = None,
    output_format: Annotated[OutputFormat, typer.Option("--as", help="Output format.")] = OutputFormat.TEXT,
) -> None:
    """Explain why a document matches a subscription, or what is missing.

    For a match, prints the triples and constraints behind each solution. For a miss, prints the largest part of the
    pattern that matches, and what fails then.

    Exit code 0: explained, whether it matches or not. 1: some input could not be read. 2: wrong usage.
    """
    with IsolatedReader() as reader:
        reader.start()
        engine, _ = load_engine_printing_errors(subscriptions, ontology, matcher="naive")
        loaded = load_rdf_file(document, format)
        explanation = engine.explain(reader.read_publication(loaded), subscription)
        prefixes = {**PREFIXES, **reader.read_prefixes(loaded)}
    match output_format:
        case OutputFormat.TEXT:
            typer.echo(explanation.text(prefixes))
        case OutputFormat.JSON:
            typer.echo(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
        case OutputFormat.SVG:
            typer.echo(explanation.svg(prefixes))
        case OutputFormat.MERMAID:
            typer.echo(explanation.mermaid(prefixes))
