"""`gtopss demo`: the worked example of the G-ToPSS paper, Figures 5 and 6."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from gtopss.cli.arguments import MatcherName, path_argument
from gtopss.engine import Engine
from gtopss.errors import OutputNotWritable
from gtopss.explain.formatting import format_tuple
from gtopss.model import Publication, Subscription
from gtopss.model.term_text import format_triple
from gtopss.rdf.parse import read_triples
from gtopss.sample_data import sample_data

PREFIXES = {"bib": "http://example.org/bib#"}


def demo(
    copy: Annotated[
        Path | None,
        typer.Option(
            parser=path_argument,
            metavar="PATH",
            help="Copy the sample data (feeds, subscriptions, ontologies) into this new folder, and exit.",
        ),
    ] = None,
    matcher: MatcherName = "reference",
) -> None:
    """Match the event of the G-ToPSS paper against its two subscriptions, and explain why each matches.

    Example: gtopss demo --copy data

    Exit code 0: done. 1: the folder exists already or cannot be written. 2: wrong usage.
    """
    console = Console(highlight=False, soft_wrap=True)
    if copy is not None:
        _copy_sample_data(copy, console)
        return
    engine = Engine(taxonomy=sample_data("ontologies", "bibliography.ttl"), matcher=matcher)
    lines = sample_data("figure5", "subscriptions.jsonl").read_text().splitlines()
    subscriptions = [Subscription.from_json(json.loads(line)) for line in lines]
    for subscription in subscriptions:
        engine.add(subscription)
    event = Publication.trusted("event", read_triples(sample_data("figure5", "event.ttl").read_bytes(), "turtle"))
    report = engine.match(event)

    console.print("[bold]The subscriptions[/bold] (G-ToPSS, WWW 2005, Figure 5(a) and (b))")
    for subscription in subscriptions:
        console.print(f"  [cyan]{subscription.id}[/cyan]")
        for each in subscription.branches[0].tuples:
            console.print(f"      {escape(format_tuple(each, PREFIXES))}")
    console.print("\n[bold]The event[/bold] (Figure 5(c))")
    for triple in event.triples:
        console.print(f"      {escape(format_triple(triple, PREFIXES))}")
    console.print("\n[bold]What matched, and why[/bold]")
    for match in report:
        console.print(escape(engine.explain(event, match.subscription_id).text(PREFIXES)))
    counters = report.counters
    console.print(
        f"{counters.matched} of {len(engine)} subscriptions matched, by the {matcher} matcher: {counters.edges_probed} "
        f"index probes, {counters.edges_fired} edges fired, {counters.constraints_tested} constraints tested."
    )
    console.print("\nTo filter real feeds next, copy the sample data into a new folder: gtopss demo --copy data")


def _copy_sample_data(folder: Path, console: Console) -> None:
    """Copy the sample data into a folder that does not exist yet, and print what to do with it."""
    try:
        shutil.copytree(sample_data(), folder)
    except FileExistsError:
        raise OutputNotWritable(folder, "it exists already, and nothing is overwritten: name a new folder") from None
    except OSError as error:
        raise OutputNotWritable(folder, error.strerror or str(error)) from None
    console.print(f"The sample data is in {escape(str(folder))}. To filter its feeds:\n")
    name = escape(shlex.quote(str(folder)))
    console.print(
        f"    gtopss filter {name}/feeds {name}/news/news.nq -s {name}/subscriptions \\\n"
        f"        -o {name}/ontologies/iptc-mediatopics-en-GB.ttl --page matched.html"
    )
