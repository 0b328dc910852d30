"""`gtopss match`: match RDF documents against subscriptions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gtopss.cli.arguments import (
    DEFAULT_STRATEGY,
    AllowCartesian,
    Cycles,
    Entailment,
    Format,
    Literals,
    MatcherName,
    Ontology,
    OperatorSource,
    OptionalSubscriptions,
    ReasonerName,
    ShortForms,
    StrategyName,
    counted_refusals,
    declare_operators,
    load_engine_printing_errors,
    path_argument,
    print_json_line,
    print_limits_of_match,
    print_message,
    print_note,
    print_undecided,
    refuse_second_standard_input,
    with_inferences,
)
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model.display import counted
from gtopss.model.matches import OUTPUT_TEXT_LIMIT
from gtopss.model.results_json import term_from_json
from gtopss.model.term_text import format_term, shorten_iris
from gtopss.reading.detect import FEED_KINDS, detect
from gtopss.reading.files import load_rdf_input
from gtopss.reading.isolation import IsolatedReader

TABLE_TEXT_LIMIT = 200_000
"""Characters of the solutions of one publication in a table, and of one table: larger ones are drawn very slowly."""
_FEED_HINT = "; this looks like a feed: `gtopss filter` reads feeds"


def print_plan(engine: Engine) -> None:
    """Print, for each subscription, what the index finds it by and what is evaluated for the publications it finds."""
    from gtopss.explain.query_explanation import evaluated_parts, indexed_parts

    for subscription in engine.subscriptions():
        prefixes = engine.prefixes(subscription.id)
        typer.echo(f"{subscription.id}:")
        for part in indexed_parts(subscription):
            typer.echo(f"  index: {shorten_iris(part, prefixes)}")
        for part in evaluated_parts(subscription):
            typer.echo(f"  then:  {shorten_iris(part, prefixes)}")


def match(
    documents: Annotated[
        list[Path],
        typer.Argument(
            parser=path_argument,
            metavar="DOCUMENTS...",
            help="RDF documents, or - for standard input. Each is one publication.",
        ),
    ],
    subscriptions: OptionalSubscriptions = None,
    subscribe: ShortForms = None,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    format: Format = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per match, even on a terminal.")
    ] = False,
    matcher: MatcherName = "auto",
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="First print which parts of each subscription the index matches."),
    ] = False,
    allow_cartesian: AllowCartesian = False,
    dataset: Annotated[
        bool,
        typer.Option("--dataset", help="Match a TriG or N-Quads document as one dataset with named graphs, for GRAPH."),
    ] = False,
) -> None:
    """Match RDF documents against subscriptions.

    Prints a table on a terminal, and JSON Lines otherwise. Documents are parsed in a worker process: if a document
    crashes the parser, it is refused, and the other documents are still matched.

    Example: gtopss match data/figure5/event.ttl -s data/figure5/subscriptions.jsonl -o data/ontologies/bibliography.ttl

    Exit code 0: all input was read. 1: some input was refused, each with a message on stderr, and the rest was matched;
    or every document is empty, or no subscription is usable. 2: wrong usage.
    """
    refuse_second_standard_input(*documents, subscriptions, ontology)
    declare_operators(operators)
    found: list[dict[str, Any]] = []
    matches = undecided = characters = tables = unreadable = empty = 0
    as_lines = as_json or not _is_terminal()
    text_limit = OUTPUT_TEXT_LIMIT if as_lines else TABLE_TEXT_LIMIT
    with IsolatedReader() as reader:
        reader.start()
        taxonomy = with_inferences(ontology, reasoner, cycles)
        engine, refused = load_engine_printing_errors(
            subscriptions,
            taxonomy,
            subscribe,
            matcher=matcher,
            strategy=strategy,
            entailment=entailment,
            literals=literals,
            allow_cartesian=allow_cartesian,
        )
        if plan:
            print_plan(engine)
        for path in documents:
            document = None
            try:
                document = load_rdf_input(path, format)
                if not document.data.strip():
                    print_message(f"{document.id}: the document is empty")
                    empty += 1
                read = reader.read_dataset(document) if dataset else reader.read_publication(document)
                report = engine.match(read, dataset=dataset)
            except GtopssError as error:
                is_feed = document is not None and detect(document.data, name=document.id) in FEED_KINDS
                print_message(f"{error}{_FEED_HINT if is_feed else ''}")
                unreadable += 1
                continue
            undecided += print_undecided(report)
            for each in report.matches_to_json(text_limit):
                matches += 1
                print_limits_of_match(each)
                if as_lines:
                    print_json_line(each)
                    continue
                found.append(each)
                characters += len(str(each["bindings"]))
                if characters > TABLE_TEXT_LIMIT:
                    Console().print(_table(found, engine))
                    tables += 1
                    characters = 0
                    found.clear()
    if not as_lines and (found or not tables):
        Console().print(_table(found, engine))
    print_note(
        f"{counted(len(documents), 'document')}, {counted(len(engine), 'subscription')}, "
        f"{counted(matches, 'match', 'matches')}"
        + (f", {undecided} undecided" if undecided else "")
        + counted_refusals(refused, unreadable)
    )
    if refused or unreadable or empty == len(documents):
        raise typer.Exit(1)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _table(matches: list[dict[str, Any]], engine: Engine) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("publication", "subscription", "bindings"):
        table.add_column(heading, overflow="fold")
    for each in matches:
        prefixes = engine.prefixes(each["subscription"])
        rows = [
            ", ".join(f"?{name} = {format_term(term_from_json(value), prefixes)}" for name, value in row.items())
            for row in each["bindings"]
        ]
        more = "\n(more rows than are shown)" if each["truncated"] else ""
        table.add_row(Text(each["publication"]), Text(each["subscription"], "cyan"), Text("\n".join(rows) + more))
    return table
