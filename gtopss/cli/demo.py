"""`gtopss demo`: the worked example of the G-ToPSS paper, Figures 5 and 6."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import gtopss
from gtopss.cli.arguments import MatcherName
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.explain.formatting import format_triple, format_tuple
from gtopss.model import Publication, Subscription
from gtopss.rdf.parse import read_triples

PREFIXES = {"bib": "http://example.org/bib#"}
DATA = Path(gtopss.__file__).parent.parent / "data"


def demo(
    data: Annotated[Path, typer.Option(help="Folder with the data of this project.")] = DATA,
    matcher: MatcherName = "gm",
) -> None:
    """Match the event of the G-ToPSS paper against its two subscriptions, and explain why each matches."""
    console = Console(highlight=False, soft_wrap=True)
    if not (data / "figure5").is_dir():
        raise GtopssError(f"there is no figure5 folder in {data}: run this in a clone, or give --data")
    engine = Engine(taxonomy=data / "ontologies" / "bibliography.ttl", matcher=matcher)
    lines = (data / "figure5" / "subscriptions.jsonl").read_text().splitlines()
    subscriptions = [Subscription.from_json(json.loads(line)) for line in lines]
    for subscription in subscriptions:
        engine.add(subscription)
    event = Publication.trusted("event", read_triples((data / "figure5" / "event.ttl").read_bytes(), "turtle"))
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
