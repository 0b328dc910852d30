"""The arguments that several commands share, and how what they name is read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Console

from gtopss.engine import MATCHERS, Engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import GtopssError, NeverMatches
from gtopss.model import MatchReport

Subscriptions: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--subscriptions", "-s", help='A .rq file, a directory of them, or JSON Lines {"id": ..., "query": ...}.'
    ),
]
Ontology: TypeAlias = Annotated[
    Path | None, typer.Option("--ontology", "-o", help="RDFS, SKOS or OWL file for the is-a questions.")
]
Format: TypeAlias = Annotated[
    str | None, typer.Option(help="The documents' RDF syntax, where their names and contents do not tell.")
]
MatcherName: TypeAlias = Annotated[str, typer.Option(help=f"Which matcher answers: {', '.join(MATCHERS)}.")]

messages = Console(stderr=True, highlight=False, soft_wrap=True)


def print_message(error: GtopssError | Warning | str) -> None:
    """One line (or a query's lines with their caret) on stderr."""
    messages.print(f"gtopss: {error}", markup=False)


def print_undecided(report: MatchReport) -> int:
    """A line for each subscription that operators left open, or its silence would be taken for a no; how many."""
    for each in report.undecided:
        print_message(f"{report.publication_id}: {each.subscription_id} is undecided: {'; '.join(each.calls)}")
    return len(report.undecided)


def engine_with(
    subscriptions: Path, ontology: Path | None, matcher: str, strategy: str = "adaptive"
) -> tuple[Engine, int]:
    """An engine with all subscriptions that can be read, and how many could not."""
    engine = Engine(taxonomy=ontology, matcher=matcher, strategy=strategy)
    refused = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NeverMatches)
        for read in read_subscriptions(subscriptions, engine.operators.arities()):
            try:
                if isinstance(read, GtopssError):
                    raise read
                engine.add(read)
            except GtopssError as error:
                print_message(error)
                refused += 1
    for warning in caught:
        print_message(str(warning.message))
    return engine, refused
