"""Options that several commands share, and how the commands load engines and print messages."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Unpack

import typer
from rich.console import Console

from gtopss.cli.option_names import with_options
from gtopss.cli.verbosity import is_quiet
from gtopss.engine import Engine
from gtopss.engine.config import EngineConfig, EngineSettings, EntailmentRegime
from gtopss.engine.loading import load_engine, load_isolated_taxonomy
from gtopss.engine.subscription_files import short_forms_of
from gtopss.engine.taxonomy_input import MAX_TERMS_SHOWN, infer_taxonomy
from gtopss.errors import GtopssError, UnknownMatcher
from gtopss.matching.table import MATCHERS
from gtopss.model import MatchReport
from gtopss.model.display import counted
from gtopss.operators import STRATEGIES, UnknownStrategy
from gtopss.reading.files import STANDARD_INPUT, is_standard_input
from gtopss.semantics.lenient_literals import LiteralRules
from gtopss.short_form import FIELDS, ShortForm
from ontology import CyclePolicy, Reasoner, Taxonomy
from sparqlish import PREFIXES

if TYPE_CHECKING:
    from gtopss.checking.short_form_explanation import ShortFormExplainer


def check_matcher(name: str) -> str:
    """Return the name of a matcher. An unknown name is reported as wrong usage (exit code 2)."""
    if name not in MATCHERS:
        raise typer.BadParameter(str(UnknownMatcher(name, MATCHERS)))
    return name


def check_strategy(name: str) -> str:
    """Return the name of a strategy. An unknown name is reported as wrong usage (exit code 2)."""
    if name not in STRATEGIES:
        raise typer.BadParameter(str(UnknownStrategy(name, STRATEGIES)))
    return name


def path_argument(text: str) -> Path:
    """Return the path of an argument. An empty one, as of an unset shell variable, would be the current folder."""
    if not text:
        raise typer.BadParameter("a path is empty")
    return Path(text)


def check_sources(sources: list[str]) -> list[str]:
    """Return the sources. An empty one is reported as wrong usage (exit code 2)."""
    if not all(sources):
        raise typer.BadParameter("a path is empty")
    return sources


_SUBSCRIPTIONS = typer.Option(
    "--subscriptions",
    "-s",
    parser=path_argument,
    metavar="PATH",
    help="File with subscriptions: a SPARQL query (.rq), one short form per line (.txt), JSON Lines of "
    '{"id": ..., "query": ...}, a directory of such files, or - for standard input (a query, short forms or JSON '
    "Lines).",
)
Subscriptions: TypeAlias = Annotated[Path, _SUBSCRIPTIONS]
OptionalSubscriptions: TypeAlias = Annotated[Path | None, _SUBSCRIPTIONS]
ShortForms: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--subscribe",
        help="A subscription in the short form, such as 'topic:health \"open source\" -author:bot after:2026-01'. "
        f"Fields: {', '.join(FIELDS)}. May be repeated.",
    ),
]
Ontology: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--ontology",
        "-o",
        parser=path_argument,
        metavar="PATH",
        help="Ontology with the classes for isA and topic: an RDFS, SKOS or OWL file.",
    ),
]
ReasonerName: TypeAlias = Annotated[
    Reasoner | None,
    typer.Option("--reasoner", help="Run this OWL reasoner, so that isA also uses inferred classes. Needs Java."),
]
Format: TypeAlias = Annotated[
    str | None, typer.Option(help="RDF format of the documents. Default: detected from file name and content.")
]
Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Private host, host:port or network that may be fetched from. May be repeated."),
]
MatcherName: TypeAlias = Annotated[
    str,
    typer.Option(
        callback=check_matcher,
        help=f"Matching algorithm: {', '.join(MATCHERS)}. auto starts with reference, which needs no compiled code, "
        "and changes to gm, which is faster, if there is much to match.",
    ),
]
OperatorSource: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--operators",
        metavar="MODULE",
        help="Python file or importable module that declares your own operators with @gtopss.operator. Its code is "
        "executed.",
    ),
]
StrategyName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--strategy",
        callback=check_strategy,
        help=f"Strategy that orders the operator calls: {', '.join(STRATEGIES)}.",
    ),
]

Cycles: TypeAlias = Annotated[
    CyclePolicy,
    typer.Option(
        "--cycles",
        help="If subclasses of the ontology form a cycle: refuse the ontology, or condense the cycle to one class.",
    ),
]
Entailment: TypeAlias = Annotated[
    EntailmentRegime | None,
    typer.Option(
        "--entailment",
        help="rdfs: also match the triples that RDFS infers from a document and the ontology.",
    ),
]
Literals: TypeAlias = Annotated[
    LiteralRules,
    typer.Option(
        "--literals",
        help="Comparison of literals without a datatype. sparql: as strings. lenient: as numbers and dates, if they "
        "look like one.",
    ),
]

AllowCartesian: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--allow-cartesian",
        help="Accept queries whose parts share no variable. Their result is the Cartesian product of the parts.",
    ),
]

DEFAULT_STRATEGY = EngineConfig().strategy
_TOPIC = re.compile(r"(?<![\w\"])topic:(?!<)")
_TO_JSON = json.JSONEncoder(ensure_ascii=False).encode
NOTHING_USABLE = 2
"""The exit code of `filter` and `check` if nothing was filtered or checked: the command could not do its work."""

messages = Console(stderr=True, highlight=False, soft_wrap=True)


def print_message(message: GtopssError | Warning | str) -> None:
    """Print an error or a warning on stderr. Errors in a query take several lines, with a caret at the position."""
    messages.print(f"gtopss: {with_options(str(message))}", markup=False)


def print_note(text: str) -> None:
    """Print information on stderr, such as a summary. `--quiet` suppresses it."""
    if not is_quiet():
        print_message(text)


@contextmanager
def errors_end_command() -> Iterator[None]:
    """Print an error that ends the command, and exit with NOTHING_USABLE: in `run_command`, it would be 1.

    For commands whose exit code 1 means that a part of the input was refused and the rest was handled.
    """
    try:
        yield
    except GtopssError as error:
        print_message(error)
        raise typer.Exit(NOTHING_USABLE) from error


def print_empty_folders(sources: Sequence[str]) -> None:
    """Print which sources are folders without a file: a wrong folder looks like one in which nothing is new."""
    from gtopss.reading.sources import empty_folders  # imports the HTTP client

    for folder in empty_folders(sources):
        print_message(f"{folder}: the folder has no files")


def print_json_line(data: Mapping[str, object]) -> None:
    """Write one JSON object to standard output, which is flushed by whoever waits for something else next."""
    sys.stdout.write(_TO_JSON(data) + "\n")


def print_limits_of_match(data: Mapping[str, Any]) -> None:
    """Print each limit for which `Match.to_json` left solutions out."""
    for limit in data["limits_reached"]:
        print_message(
            f"{data['publication']}: {data['subscription']} reached {limit}, so only {len(data['bindings']):,} of its "
            "solutions are printed"
        )


def print_undecided(report: MatchReport) -> int:
    """Print each subscription that operators or limits left undecided, and return how many there are.

    Without this, an undecided subscription would look like one that does not match.
    """
    reasons = [(each.subscription_id, "; ".join(each.calls)) for each in report.undecided]
    reasons += [(each.subscription_id, str(each)) for each in report.exceeded]
    for id, reason in reasons:
        print_message(f"{report.publication_id}: {id} is undecided: {reason}")
    for message in report.limit_messages():
        print_message(f"{report.publication_id}: {message}")
    return len(reasons) + len(report.limits_reached)


def refuse_second_standard_input(*given: str | Path | None) -> None:
    """Refuse a command line in which more than one input is `-`: the second would be empty."""
    if sum(str(each) == "-" for each in given) > 1:
        raise typer.BadParameter("standard input can be read only once: give a file in place of one `-`")


def require_ontology(ontology: Path | None, reasoner: Reasoner | None) -> None:
    """Refuse a reasoner without an ontology."""
    if ontology is None and reasoner is not None:
        raise typer.BadParameter("a reasoner needs an ontology: add -o FILE", param_hint="--reasoner")


def with_inferences(
    ontology: Path | None, reasoner: Reasoner | None, cycles: CyclePolicy = "refuse"
) -> Taxonomy | None:
    """Return the taxonomy of an ontology and, with a reasoner, what follows from it. Print what was loaded.

    A reasoner reads the ontology in this process; otherwise a worker process does. Raises InvalidTaxonomy.
    """
    require_ontology(ontology, reasoner)
    if ontology is None:
        return None
    if reasoner is None:
        taxonomy = load_isolated_taxonomy(ontology, cycles=cycles)
    else:
        taxonomy = infer_taxonomy(ontology, reasoner, cycles)
    name = STANDARD_INPUT if is_standard_input(ontology) else ontology
    print_note(f"{name}: {taxonomy.summary()}")
    if reasoner is None and taxonomy.beyond_rdfs:
        shown = ", ".join(taxonomy.beyond_rdfs[:MAX_TERMS_SHOWN])
        print_note(f"{name}: axioms with {shown} are ignored; add --reasoner hermit to use them")
    return taxonomy


def load_engine_printing_errors(
    subscriptions: Path | None,
    ontology: Path | Taxonomy | None,
    short_forms: Sequence[str] | None = None,
    *,
    if_none: int = 1,
    **settings: Unpack[EngineSettings],
) -> tuple[Engine, int]:
    """Return an engine with all valid subscriptions, and the number of refused ones. Print errors and warnings.

    Ends the command with the code `if_none` if no subscription can be used.
    """
    if subscriptions is None and not short_forms:
        raise typer.BadParameter("no subscription is given: add -s FILE or --subscribe 'topic:health'", param_hint="-s")
    loaded = load_engine(subscriptions, ontology, short_forms=short_forms or (), **settings)
    for message in (*map(str, loaded.refused), *loaded.warnings):
        print_message(message)
    if not len(loaded.engine):
        print_message("no subscription is usable, so nothing was read")
        raise typer.Exit(if_none)
    return loaded.engine, len(loaded.refused)


def counted_refusals(subscriptions: int, documents: int) -> str:
    """Return how much was refused, to append to a summary; nothing if nothing was."""
    parts = [
        f", {counted(number, noun)} refused"
        for number, noun in ((subscriptions, "subscription"), (documents, "document"))
        if number
    ]
    return "".join(parts)


def short_forms_by_id(subscriptions: Path | None, short_forms: Sequence[str] | None) -> dict[str, ShortForm]:
    """Return what a file or directory and the command line have in the short form, by id."""
    found = [*(short_forms_of(subscriptions) if subscriptions else ()), *map(ShortForm.read, short_forms or ())]
    return {short.id: short for short in reversed(found)}  # of equal ids, the first is registered


def print_topics_without_ontology(short_forms: Mapping[str, ShortForm], ontology: Path | None) -> None:
    """Print which subscriptions look for topics, if there is no ontology that has them."""
    ids = [id for id, short in short_forms.items() if _TOPIC.search(short.text)] if ontology is None else []
    if ids:
        print_note(
            f"{', '.join(ids)}: without an ontology, topic: finds only categories with this word; to find the topics "
            "below it too, add -o FILE (`gtopss demo --copy data` has data/ontologies/iptc-mediatopics-en-GB.ttl)"
        )


def explainer_of(
    engine: Engine,
    short_forms: Mapping[str, ShortForm],
    ontology: Path | None,
    prefixes: Mapping[str, str] = PREFIXES,
) -> ShortFormExplainer:
    """Return what writes the explanations of an engine as text."""
    from gtopss.checking.short_form_explanation import ShortFormExplainer

    labels = (lambda: engine.taxonomy.labels) if ontology is not None else None
    return ShortFormExplainer(engine, short_forms, labels, prefixes)


def declare_operators(source: str | None) -> None:
    """Execute a Python file or import a module of the user, which registers operators with ``@gtopss.operator``."""
    if source is None:
        return
    path = Path(source)
    if path.is_file():
        exec(compile(path.read_bytes(), str(path), "exec"), {"__name__": "operators", "__file__": str(path)})
        return
    if not all(map(str.isidentifier, source.split("."))) or source.endswith(".py"):
        raise typer.BadParameter(f"there is no file {source}: check the path", param_hint="--operators")
    folder = str(Path.cwd())
    if folder not in sys.path:  # a module beside the data, as `python -m` would find it
        sys.path.insert(0, folder)
    try:
        importlib.import_module(source)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{source}.".startswith(f"{error.name}."):
            raise  # the module was found, and imports one that is not there
        raise typer.BadParameter(
            f"there is no file {source}, and no Python module of this name: give the path of a .py file, or the name "
            "of a module that is installed or in the current directory",
            param_hint="--operators",
        ) from error
