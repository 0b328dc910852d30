"""Create an engine from files: subscriptions as queries or JSON Lines, or the folder of a saved engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Unpack

from gtopss.engine.config import EngineConfig, EngineSettings, make_config
from gtopss.engine.engine import Engine
from gtopss.engine.inputs import TaxonomyLike, taxonomy_errors
from gtopss.engine.snapshot_folder import is_saved_engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import GtopssError, NeverMatches, short_repr
from gtopss.model import Subscription
from gtopss.operators import REGISTRY, Registry
from gtopss.reading.files import file_name, load_bytes
from ontology import Taxonomy
from ontology.documents import OntologyDocument
from ontology.formats import detect_format, format_by_suffix
from ontology.imports import warn_of_imports
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

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
    """Messages about subscriptions that are registered but can never match."""


def load_engine(
    subscriptions: Path,
    taxonomy: TaxonomyLike = None,
    config: EngineConfig | None = None,
    *,
    operators: Registry = REGISTRY,
    **settings: Unpack[EngineSettings],
) -> LoadedEngine:
    """Create an engine with the subscriptions of a file or directory, or open the saved engine of a folder.

    A saved engine has its own taxonomy and settings: `taxonomy`, `config` and `settings` are for files only. One bad
    subscription does not stop the others. The file of a taxonomy is read in a worker process.
    """
    if is_saved_engine(subscriptions):
        return LoadedEngine(Engine.open(subscriptions, operators=operators), (), ())
    made = make_config(config, settings)
    if isinstance(taxonomy, (str, Path)):
        taxonomy = load_isolated_taxonomy(Path(taxonomy), made.document_limits or DEFAULT_LIMITS)
    engine = Engine(made, taxonomy=taxonomy, operators=operators)
    refused: list[GtopssError] = []

    def readable() -> Iterator[Subscription | str]:
        for read in read_subscriptions(subscriptions, operators.arities()):
            if isinstance(read, GtopssError):
                refused.append(read)
            else:
                yield read

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NeverMatches)
        refused += engine.add_many(readable())
    return LoadedEngine(engine, tuple(refused), tuple(str(each.message) for each in caught))


def load_isolated_taxonomy(path: Path, limits: DocumentLimits = DEFAULT_LIMITS) -> Taxonomy:
    """Load an ontology from a stranger: parsed in a worker process, whose end is only an InvalidTaxonomy."""
    from gtopss.reading.isolation import IsolatedReader  # imports the feed parsers: slow

    with (
        taxonomy_errors(short_repr(str(path))),
        IsolatedReader(
            memory_bytes=ONTOLOGY_MEMORY_BYTES, timeout_seconds=ONTOLOGY_TIMEOUT_SECONDS, limits=limits
        ) as reader,
    ):
        name, content = file_name(path), load_bytes(path)
        format = format_by_suffix(path.suffix) or detect_format(content, name)
        axioms, imports = reader.read_axioms(OntologyDocument(name, content, format, path.absolute().as_uri()))
        warn_of_imports(imports, source=name)
        return Taxonomy.from_axioms(axioms, missing_imports=imports)
