"""Create an engine from files: subscriptions as queries or JSON Lines, or the folder of a saved engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Unpack

from gtopss.engine.config import EngineConfig, EngineSettings, make_config
from gtopss.engine.engine import Engine
from gtopss.engine.inputs import TaxonomyLike
from gtopss.engine.snapshot_folder import is_saved_engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import GtopssError, NeverMatches
from gtopss.model import Subscription
from gtopss.operators import REGISTRY, Registry


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
    subscription does not stop the others.
    """
    if is_saved_engine(subscriptions):
        return LoadedEngine(Engine.open(subscriptions, operators=operators), (), ())
    engine = Engine(make_config(config, settings), taxonomy=taxonomy, operators=operators)
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
