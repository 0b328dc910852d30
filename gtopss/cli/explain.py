"""`gtopss explain`: why a document matches a subscription, or what is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gtopss.cli.arguments import (
    Allow,
    AllowCartesian,
    Cycles,
    Entailment,
    Format,
    Literals,
    Ontology,
    OperatorSource,
    OptionalSubscriptions,
    ReasonerName,
    ShortForms,
    declare_operators,
    explainer_of,
    load_engine_printing_errors,
    refuse_second_standard_input,
    short_forms_by_id,
    with_inferences,
)
from gtopss.errors import MAX_PROPOSED_IDS, SubscriptionNotFound
from gtopss.filtering.item_choice import choose_item
from gtopss.model import Publication
from gtopss.net import Connector
from gtopss.rdf.formats import RdfFormat
from gtopss.reading.detect import detect
from gtopss.reading.files import file_name, load_bytes, load_rdf_file
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import read_sources
from sparqlish import PREFIXES


class OutputFormat(StrEnum):
    """The output formats of an explanation."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    MERMAID = "mermaid"


def explain(
    document: Annotated[
        str, typer.Argument(help="A feed or RDF document: a file, an http(s) URL, or - for standard input.")
    ],
    subscription: Annotated[
        str | None,
        typer.Argument(
            help="Id of the subscription; for a .rq file, its name without the suffix. Not needed if there is only one."
        ),
    ] = None,
    subscriptions: OptionalSubscriptions = None,
    subscribe: ShortForms = None,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    operators: OperatorSource = None,
    allow_cartesian: AllowCartesian = False,
    item: Annotated[
        str | None, typer.Option(help="Item of the feed to explain: its number (from 1), its id or its link.")
    ] = None,
    format: Format = None,
    output_format: Annotated[OutputFormat, typer.Option("--as", help="Output format.")] = OutputFormat.TEXT,
    allow: Allow = None,
) -> None:
    """Explain why a document, or one item of a feed, matches a subscription, or what is missing.

    If it matches, print the triples and constraints of each solution. If not, print the largest part of the pattern
    that matches, and the condition that fails.

    Example: gtopss explain data/feeds/la-grange.atom mozilla-in-french --item 1 -s data/subscriptions

    Exit code 0: explained, whether it matches or not. 1: some input could not be read, or there is no such subscription
    or item. 2: wrong usage.
    """
    refuse_second_standard_input(document, subscriptions, ontology)
    declare_operators(operators)
    with IsolatedReader() as reader:
        reader.start()
        taxonomy = with_inferences(ontology, reasoner, cycles)
        engine, _ = load_engine_printing_errors(
            subscriptions,
            taxonomy,
            subscribe,
            matcher="naive",
            entailment=entailment,
            literals=literals,
            allow_cartesian=allow_cartesian,
        )
        known = [each.id for each in engine.subscriptions()]
        if subscription is None and len(known) > 1:
            raise typer.BadParameter(
                f"name one of them: {', '.join(known[:MAX_PROPOSED_IDS])}", param_hint="SUBSCRIPTION"
            )
        subscription = known[0] if subscription is None else subscription
        if subscription not in known:
            raise SubscriptionNotFound(subscription, known)
        publication, declared = _read(document, item, format, reader, Connector(allow=allow or ()))
        explanation = engine.explain(publication, subscription)
        prefixes = {**PREFIXES, **declared}
    match output_format:
        case OutputFormat.TEXT:
            explainer = explainer_of(engine, short_forms_by_id(subscriptions, subscribe), ontology, prefixes)
            typer.echo(explainer.text(publication, explanation))
        case OutputFormat.JSON:
            typer.echo(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
        case OutputFormat.SVG:
            typer.echo(explanation.svg(prefixes))
        case OutputFormat.MERMAID:
            typer.echo(explanation.mermaid(prefixes))


def _read(
    document: str, item: str | None, format: str | None, reader: IsolatedReader, connector: Connector
) -> tuple[Publication, Mapping[str, str]]:
    """Return the publication to explain, and the prefixes that its document declares."""
    path = Path(document)
    is_file = document != "-" and "://" not in document and not path.is_dir()
    if item is None and is_file and (format is not None or _is_one_graph(path)):
        loaded = load_rdf_file(path, format)
        return reader.read_publication(loaded), reader.read_prefixes(loaded)
    items: list[Publication] = []
    for each in read_sources([document], connector=connector):
        if each.error is not None:
            raise each.error
        items += reader.read_document(each.data, source=each.name, base=each.base).publications
    return choose_item(items, item, document), {}


def _is_one_graph(path: Path) -> bool:
    kind = detect(load_bytes(path), name=file_name(path)).rdf_format
    return kind is not None and kind not in (RdfFormat.N_QUADS, RdfFormat.TRIG)
