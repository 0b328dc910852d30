"""Create an engine from files: subscriptions as queries or JSON Lines, or the folder of a saved engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from gtopss.engine.config import EngineConfig, EngineSettings, make_config
from gtopss.engine.engine import Engine
from gtopss.engine.snapshot_folder import is_saved_engine
from gtopss.engine.subscription_files import PlacedSubscription, read_placed_subscriptions, read_short_form
from gtopss.engine.taxonomy_input import TaxonomyLike, taxonomy_errors
from gtopss.errors import DuplicateSubscription, GtopssError, NeverBound, NeverMatches, short_repr
from gtopss.model import Subscription
from gtopss.operators import REGISTRY, Registry
from gtopss.reading.files import STANDARD_INPUT, file_name, is_standard_input, load_input
from gtopss.short_form import ShortForm
from ontology import CyclePolicy, MalformedOntology, Taxonomy
from ontology.documents import OntologyDocument
from ontology.formats import detect_format, format_by_suffix
from ontology.imports import warn_of_imports
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

if TYPE_CHECKING:
    from gtopss.reading.isolation import IsolatedReader

ONTOLOGY_MEMORY_BYTES = 8 * 2**30
"""Address space for parsing an ontology: rdflib takes a kilobyte and more for a triple."""
ONTOLOGY_TIMEOUT_SECONDS = 600.0
"""Wall-clock time for parsing an ontology."""


class LoadedEngine(NamedTuple):
    """An engine from files, and what went wrong with single subscriptions."""

    engine: Engine
    refused: tuple[GtopssError, ...]
    """One error for each subscription that could not be read or registered."""
    warnings: tuple[str, ...]
    """Messages about subscriptions that are registered but can never match, or use variables that nothing binds."""


def load_engine(
    subscriptions: Path | None,
    taxonomy: TaxonomyLike = None,
    config: EngineConfig | None = None,
    *,
    operators: Registry = REGISTRY,
    short_forms: Sequence[str] = (),
    **settings: Unpack[EngineSettings],
) -> LoadedEngine:
    """Create an engine with the subscriptions of a file or directory, or open the saved engine of a folder.

    `short_forms` are further subscriptions, in the short form. A saved engine has its own taxonomy and settings:
    `taxonomy`, `config`, `settings` and `short_forms` are for files only. One bad subscription does not stop the
    others. The file of a taxonomy is read in a worker process.
    """
    if subscriptions is not None and is_saved_engine(subscriptions):
        return LoadedEngine(Engine.open(subscriptions, operators=operators), (), ())
    made = make_config(config, settings)
    has_ontology = taxonomy is not None
    if isinstance(taxonomy, (str, Path)):
        taxonomy = load_isolated_taxonomy(Path(taxonomy), made.document_limits or DEFAULT_LIMITS)
    engine = Engine(made, taxonomy=taxonomy, operators=operators)
    labels = (lambda: engine.taxonomy.labels) if has_ontology else None
    refused: list[GtopssError] = []

    def read_all() -> Iterator[PlacedSubscription]:
        if subscriptions is not None:
            yield from read_placed_subscriptions(subscriptions, operators.arities(), labels)
        for text in short_forms:
            read = read_short_form(ShortForm.read(text), "--subscribe", operators.arities(), labels)
            yield PlacedSubscription("--subscribe", read)

    def readable() -> Iterator[Subscription | str]:
        registered = set[str]()
        for place, read in read_all():
            if isinstance(read, GtopssError):
                refused.append(read)
            elif read.id in registered:
                refused.append(DuplicateSubscription(read.id, place))
            else:
                before = len(engine)
                yield read  # add_many registers it before it takes the next one
                if len(engine) > before:
                    registered.add(read.id)

    with warnings.catch_warnings(record=True) as caught:
        for category in (NeverMatches, NeverBound):
            warnings.simplefilter("always", category)
        refused += engine.add_many(readable())
    return LoadedEngine(engine, tuple(refused), tuple(str(each.message) for each in caught))


@contextmanager
def _ontology_reader(path: Path, limits: DocumentLimits) -> Iterator[IsolatedReader]:
    """Yield a reader for an ontology. What goes wrong in the block is an InvalidTaxonomy."""
    from gtopss.reading.isolation import IsolatedReader  # imports the feed parsers: slow

    memory, seconds = ONTOLOGY_MEMORY_BYTES, ONTOLOGY_TIMEOUT_SECONDS
    with (
        taxonomy_errors(short_repr(str(path))),
        IsolatedReader(memory_bytes=memory, timeout_seconds=seconds, limits=limits) as reader,
    ):
        yield reader


def load_isolated_taxonomy(
    path: Path, limits: DocumentLimits = DEFAULT_LIMITS, *, cycles: CyclePolicy = "refuse"
) -> Taxonomy:
    """Load an untrusted ontology, parsed in a worker process. A crash of the parser raises InvalidTaxonomy.

    The path `-` is standard input. A document without classes, instances and properties is refused: it is probably the
    wrong file.
    """
    with _ontology_reader(path, limits) as reader:
        name = STANDARD_INPUT if is_standard_input(path) else file_name(path)
        content = load_input(path)
        base = "" if is_standard_input(path) else path.absolute().as_uri()
        format = format_by_suffix(path.suffix) or detect_format(content, name)
        axioms, imports = reader.read_axioms(OntologyDocument(name, content, format, base))
        warn_of_imports(imports, source=name)
        taxonomy = Taxonomy.from_axioms(axioms, cycles=cycles, missing_imports=imports)
        if taxonomy.is_empty:
            raise MalformedOntology(
                "the document has no classes, instances or properties",
                source=name,
                remedy="give an RDFS, SKOS or OWL file",
            )
        return taxonomy
