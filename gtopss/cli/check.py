"""`gtopss check`: what is wrong with subscriptions, and what they would match."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from gtopss.checking.nearest import item_title, nearest_item
from gtopss.checking.run_observer import RunObserver
from gtopss.checking.short_form_explanation import ShortFormExplainer
from gtopss.cli.arguments import (
    NOTHING_USABLE,
    Allow,
    AllowCartesian,
    Cycles,
    Entailment,
    Literals,
    Ontology,
    OperatorSource,
    ReasonerName,
    ShortForms,
    declare_operators,
    errors_end_command,
    explainer_of,
    print_empty_folders,
    print_message,
    print_topics_without_ontology,
    print_undecided,
    refuse_second_standard_input,
    short_forms_by_id,
    with_inferences,
)
from gtopss.cli.option_names import with_options
from gtopss.engine import Engine
from gtopss.engine.loading import load_engine
from gtopss.engine.subscription_files import LabelSource
from gtopss.errors import InvalidQuery
from gtopss.filtering.filter_run import FilterRun
from gtopss.model import Publication
from gtopss.model.display import counted
from gtopss.model.term_text import escape_controls
from gtopss.net import Connector
from gtopss.reading.read_ahead import ReadAhead, default_workers
from gtopss.reading.sources import read_sources
from gtopss.short_form import ShortForm

MAX_SHOWN_ITEMS = 3
"""Items that are shown for each subscription."""
MAX_NEAR_ITEMS = 100
"""Items among which the one that came nearest to a subscription is looked for: the first ones."""
MAX_NEAR_SUBSCRIPTIONS = 20
"""Subscriptions without a match for which the nearest item is looked for."""
MAX_EXPLANATION_CHARACTERS = 10_000
"""Characters of the explanation of the nearest item. A longer one is cut, and says so."""


@errors_end_command()
def check(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBSCRIPTIONS [FEEDS]...",
            help="First a file or directory of subscriptions (.rq, .txt, .jsonl, or - for standard input), then feeds "
            "to try them on: files, directories, OPML lists, http(s) URLs. With --subscribe, only the feeds.",
        ),
    ] = None,
    subscribe: ShortForms = None,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    entailment: Entailment = None,
    literals: Literals = "sparql",
    operators: OperatorSource = None,
    allow_cartesian: AllowCartesian = False,
    allow: Allow = None,
) -> None:
    """Check subscriptions for mistakes, and show which items of feeds they would match.

    For each subscription, print probable mistakes and suggested corrections: a property that no item has, a variable
    that is never bound, a string in place of a class, a class that is not in the ontology. With feeds, also print how
    many items match and the titles of the first; if none matches, print the item that comes closest and what it lacks.
    For a subscription in the short form, print the SPARQL query that it stands for.

    Example: gtopss check data/subscriptions data/feeds -o data/ontologies/iptc-mediatopics-en-GB.ttl

    Exit code 0: no mistake was found. 1: a probable mistake was found, or some input was refused. 2: no subscription is
    usable, no feed could be read, the ontology cannot be used, or wrong usage.
    """
    if not inputs and not subscribe:
        raise typer.BadParameter("no subscription is given: name a file, or add --subscribe 'topic:health'")
    path, feeds = (None, inputs or []) if subscribe else (Path((inputs or [""])[0]), (inputs or [])[1:])
    refuse_second_standard_input(*(inputs or ()), ontology)
    declare_operators(operators)
    taxonomy = with_inferences(ontology, reasoner, cycles)
    loaded = load_engine(
        path,
        taxonomy,
        short_forms=subscribe or (),
        matcher="auto",
        entailment=entailment,
        literals=literals,
        allow_cartesian=allow_cartesian,
    )
    for message in (*map(str, loaded.refused), *loaded.warnings):
        typer.echo(escape_lines(with_options(message)))
    engine = loaded.engine
    if not len(engine):
        print_message("no subscription is usable")
        raise typer.Exit(NOTHING_USABLE)
    labels = (lambda: engine.taxonomy.labels) if ontology is not None else None
    short_forms = short_forms_by_id(path, subscribe)
    queries = _queries(short_forms.values(), labels)
    print_topics_without_ontology(short_forms, ontology)
    explainer = explainer_of(engine, short_forms, ontology)
    observer, trial, unreadable = RunObserver(engine), _Trial(), 0
    if feeds:
        print_empty_folders(feeds)
        with ReadAhead(default_workers()) as reader:
            run = FilterRun(engine, reader.read, print_message)
            documents = reader.documents(read_sources(feeds, connector=Connector(allow=allow or ())))
            for publication, report in run.reports(documents):
                reader.advance()
                print_undecided(report)
                observer.observe(publication, report)
                trial.add(publication, report.subscription_ids)
        unreadable = run.counts.failed
    findings = defaultdict(list)
    for finding in observer.findings():
        findings[finding.subscription_id].append(finding.message)
    near = 0
    for subscription in engine.subscriptions():
        id = subscription.id
        typer.echo(f"{escape_controls(id)}: {trial.summary(id) if feeds else 'read'}")
        for line in queries.get(id, "").splitlines():
            typer.echo(f"    {escape_controls(line)}")
        for message in findings[id]:
            typer.echo(f"    warning: {escape_controls(message)}")
        for line in trial.shown(id):
            typer.echo(f"    {line}")
        if feeds and not trial.matched[id] and near < MAX_NEAR_SUBSCRIPTIONS:
            near += 1
            for line in _nearest(engine, id, trial.items, explainer):
                typer.echo(f"    {line}")
    if feeds and run.counts.nothing_was_readable:
        print_message(run.counts.why_nothing_was_readable)
        raise typer.Exit(NOTHING_USABLE)
    if loaded.refused or loaded.warnings or any(findings.values()) or unreadable:
        raise typer.Exit(1)


def _queries(short_forms: Iterable[ShortForm], labels: LabelSource) -> dict[str, str]:
    """Return the queries that subscriptions in the short form mean, by id."""
    queries: dict[str, str] = {}
    for short in short_forms:
        with suppress(InvalidQuery):  # it was refused, and is not registered
            queries.setdefault(short.id, short.query(labels))
    return queries


@dataclass(slots=True)
class _Trial:
    """What subscriptions matched: how often, and the first items of each."""

    matched: Counter[str] = field(default_factory=Counter)
    count: int = 0
    items: list[Publication] = field(default_factory=list)
    _titles: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, publication: Publication, ids: tuple[str, ...]) -> None:
        self.count += 1
        if len(self.items) < MAX_NEAR_ITEMS:
            self.items.append(publication)
        for id in ids:
            self.matched[id] += 1
            if len(self._titles[id]) < MAX_SHOWN_ITEMS:
                self._titles[id].append(item_title(publication))

    def summary(self, id: str) -> str:
        return f"matches {self.matched[id]} of {counted(self.count, 'item')}"

    def shown(self, id: str) -> Iterator[str]:
        yield from (f"would match: {title}" for title in self._titles.get(id, ()))
        if self.matched[id] > MAX_SHOWN_ITEMS:
            yield f"and {self.matched[id] - MAX_SHOWN_ITEMS} more"


def _nearest(engine: Engine, id: str, items: list[Publication], explainer: ShortFormExplainer) -> Iterator[str]:
    """Yield lines about the item that came nearest to a subscription that matched none."""
    explanation = nearest_item(engine, id, items)
    if explanation is not None:
        item = next(each for each in items if each.id == explanation.publication_id)
        yield f"nearest of the first {counted(len(items), 'item')}: {item_title(item)}"
        text = explainer.text(item, explanation, MAX_EXPLANATION_CHARACTERS)
        yield from (f"    {line}" for line in text.splitlines())


def escape_lines(text: str) -> str:
    """Return a text of several lines without characters that would control a terminal."""
    return "\n".join(map(escape_controls, text.splitlines()))
