"""The arguments that several commands share, and how what they name is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias, Unpack

import typer
from rich.console import Console

from gtopss.engine import MATCHERS, Engine
from gtopss.engine.config import EngineSettings
from gtopss.engine.loading import load_engine
from gtopss.errors import GtopssError
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


def load_engine_printing_errors(
    subscriptions: Path, ontology: Path | None, **settings: Unpack[EngineSettings]
) -> tuple[Engine, int]:
    """Return an engine with all subscriptions that can be read; print errors and warnings, and count the errors."""
    loaded = load_engine(subscriptions, ontology, **settings)
    for message in (*map(str, loaded.refused), *loaded.warnings):
        print_message(message)
    return loaded.engine, len(loaded.refused)
