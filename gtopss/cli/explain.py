"""`gtopss explain`: why a document matched a subscription, or where it came closest."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gtopss.cli.arguments import Format, Ontology, Subscriptions, load_engine_printing_errors
from gtopss.rdf.formats import require_format
from gtopss.rdf.prefixes import read_prefixes
from gtopss.reading.detect import rdf_format_of_file
from sparqlish import PREFIXES


class Form(StrEnum):
    """The forms that an explanation can be printed in."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    MERMAID = "mermaid"


def explain(
    document: Annotated[Path, typer.Argument(help="The RDF document.")],
    subscription: Annotated[str, typer.Argument(help="The subscription's id.")],
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    format: Format = None,
    form: Annotated[Form, typer.Option("--as", help="How to print it.")] = Form.TEXT,
) -> None:
    """Explain why a document matches a subscription, or what is missing.

    For a match: the triples and constraint steps behind each solution. For a miss: the largest part of the pattern
    that is there, and what fails then. Exit code 0 in both cases; 1 if something cannot be read.
    """
    engine, _ = load_engine_printing_errors(subscriptions, ontology, matcher="naive")
    explanation = engine.explain(document, subscription, format)
    data = document.read_bytes()
    rdf_format = require_format(format) if format else rdf_format_of_file(document, data)
    prefixes = {**PREFIXES, **read_prefixes(data, rdf_format, base=document.absolute().as_uri())}
    match form:
        case Form.TEXT:
            typer.echo(explanation.text(prefixes))
        case Form.JSON:
            typer.echo(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
        case Form.SVG:
            typer.echo(explanation.svg(prefixes))
        case Form.MERMAID:
            typer.echo(explanation.mermaid(prefixes))
