"""The interface of the engine: the class `Engine`, which `EngineCore` implements.

This module imports nothing that is slow to load, so that `from gtopss import Engine` is fast. The implementation, and
with it numpy, numba and rdflib, is imported when the first engine is created.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from gtopss.errors import GtopssError, release_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Unpack

    import numpy as np
    import numpy.typing as npt

    from gtopss.engine.batch_reader import BatchInput
    from gtopss.engine.config import EngineConfig, EngineSettings
    from gtopss.engine.core import EngineCore
    from gtopss.engine.inputs import PublicationLike
    from gtopss.engine.preparation import SubscriptionLike
    from gtopss.engine.taxonomy_input import TaxonomyLike
    from gtopss.explain import Explanation
    from gtopss.matching.match_batch import MatchBatch
    from gtopss.model import MatchReport, Subscription
    from gtopss.operators import OperatorPlan, Registry
    from ontology import Taxonomy

DEFAULT_BATCH_PUBLICATIONS = 256
"""Publications that `match_many` matches at once: larger batches gain little and delay the first report."""


class Engine:
    """Match publications against subscriptions.

    A subscription is a SPARQL query or a graph pattern. A publication is a small RDF graph: an item of a feed, a
    document, a list of triples. Register subscriptions with `add`, then hand each publication to `match`, which
    returns the subscriptions that it satisfies, with their solutions:

    >>> engine = Engine()
    >>> _ = engine.add("SELECT ?who { ?who <urn:knows> <urn:bob> }")
    >>> [match.bindings for match in engine.match([("<urn:ann>", "<urn:knows>", "<urn:bob>")])]
    [({'who': rdflib.term.URIRef('urn:ann')},)]

    Subscriptions
        `add` and `add_many` register, `remove` removes, `subscription` and `subscriptions` return what is registered,
        and `len(engine)` is how many there are.
    Matching
        `match` takes one publication, `match_many` an iterable of them, and `match_batch` a block of documents, whose
        matches it returns as arrays. `match_async` is `match` for asyncio. `explain` shows why a publication matches a
        subscription, or which part of it fails.
    Settings
        Keyword arguments of `Engine` are the fields of `EngineConfig`, such as `matcher`, `row_limit` and `entailment`;
        `engine.config` holds them. `taxonomy` is the ontology that `isA` uses, and `operators` are functions that
        subscriptions may call.
    Saving
        `save` writes everything into a folder, and `Engine.open` reads it again.
    Errors
        Every error is a `GtopssError`. A subscription that is refused is not registered; the others stay.

    Thread-safe. With the matcher `gm` several threads match at the same time; with the others they take turns.
    Operator calls have a lock of their own, so that a slow call delays only subscriptions that call operators.
    """

    def __init__(
        self,
        config: EngineConfig | None = None,
        *,
        taxonomy: TaxonomyLike = None,
        operators: Registry | None = None,
        clock: Callable[[], datetime] | None = None,
        **settings: Unpack[EngineSettings],
    ) -> None:
        """Create an empty engine. `settings` are fields of `EngineConfig` and replace those of `config`.

        `taxonomy` is a Taxonomy, an rdflib Graph or the path of an ontology. `operators` are those that subscriptions
        may call: by default the ones that were declared with `@operator`, and the shipped ones. `clock` gives the time
        at which a publication arrives, which is the value of NOW: by default the current time.
        """
        from gtopss.engine.core import make_core

        self._core = make_core(config, settings, taxonomy, operators, clock)

    @classmethod
    def _with_core(cls, core: EngineCore) -> Engine:
        engine = cls.__new__(cls)
        engine._core = core
        return engine

    @property
    def config(self) -> EngineConfig:
        """The settings."""
        return self._core.config

    @property
    def taxonomy(self) -> Taxonomy:
        """The classes and properties that `isA` uses. An edit takes part from the next publication on."""
        return self._core.taxonomy

    @property
    def operators(self) -> Registry:
        """The operators that subscriptions may call."""
        return self._core.operators

    def __repr__(self) -> str:
        return f"<{self._core.summary()}>"

    def _repr_html_(self) -> str:
        """Return the subscriptions as a table, for a notebook."""
        from gtopss.engine.display import engine_table

        return engine_table(self)

    def use_threads(self, count: int) -> None:
        """Match later batches in so many threads. Raises GtopssError if that cannot be."""
        self._core.use_threads(count)

    def without_subscriptions(self) -> Engine:
        """Return a new engine with the same settings, taxonomy, operators and clock."""
        return self._with_core(self._core.without_subscriptions())

    # --- subscriptions --------------------------------------------------------------------------------------

    @property
    def uses_now(self) -> bool:
        """Whether some subscription calls NOW, so that a publication needs the time of its arrival."""
        return self._core.uses_now

    def __len__(self) -> int:
        """Return the number of registered subscriptions."""
        return len(self._core)

    def add(self, subscription: SubscriptionLike, *, id: str | None = None) -> Subscription:
        """Register a subscription, the text of one, or its 5-tuples. It takes part from the next publication on.

        >>> engine = Engine()
        >>> engine.add("SELECT ?title { ?item rss:title ?title }", id="titles").id
        'titles'
        >>> engine.add([("?who", "<urn:knows>", "?friend"), ("?friend", "<urn:knows>", "<urn:bob>")]).id
        'subscription-1'

        A text or 5-tuples need no id: the engine makes one, which the returned subscription has. A subscription that
        can never match is registered with a `NeverMatches` warning and costs nothing; a variable that nothing binds is
        a `NeverBound` warning. Raises InvalidSubscription or DuplicateSubscription.
        """
        written, found = self._core.add(subscription, id)
        for warning in found:
            warnings.warn(warning, stacklevel=2)
        return written

    def add_many(self, subscriptions: Iterable[SubscriptionLike]) -> list[GtopssError]:
        """Register many subscriptions. Return the errors of those that are refused; they do not stop the others."""
        refused, before = [], len(self)
        with self._core.matcher.adding_many():
            for subscription in subscriptions:
                try:
                    self.add(subscription)
                except GtopssError as error:
                    release_frames(error)
                    refused.append(error)
        self._core.log_added(before, len(refused))
        return refused

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription, as if it had never been added. Raises SubscriptionNotFound."""
        self._core.remove(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        """Return the subscription with this id as it was written. Raises SubscriptionNotFound."""
        return self._core.subscription(subscription_id)

    def subscriptions(self) -> Iterator[Subscription]:
        """Yield all subscriptions as they were written. Others may be added or removed meanwhile."""
        return self._core.subscriptions()

    def prefixes(self, subscription_id: str) -> dict[str, str]:
        """Return the prefixes by which the terms of a subscription are shown: the presets and those of its text."""
        return self._core.prefixes(subscription_id)

    # --- matching -------------------------------------------------------------------------------------------

    def match(
        self,
        publication: PublicationLike,
        format: str | None = None,
        *,
        id: str | None = None,
        bindings: bool = True,
        dataset: bool = False,
    ) -> MatchReport:
        """Return the subscriptions that one publication satisfies. Raises MalformedPublication.

        `publication` is a Publication, an rdflib Graph, an iterable of triples, a file's Path, or RDF bytes (or text)
        with their `format`. With `bindings=False` matches have no solutions, which is all that routing needs. With
        `dataset=True`, a document in TriG or N-Quads, or an rdflib Dataset, is one publication with named graphs.
        """
        return self._core.match(publication, format, id, bindings=bindings, dataset=dataset)

    async def match_async(
        self,
        publication: PublicationLike,
        format: str | None = None,
        *,
        id: str | None = None,
        bindings: bool = True,
        dataset: bool = False,
    ) -> MatchReport:
        """Match one publication as `match` does, in a thread, so that the event loop of asyncio is not held up.

            report = await engine.match_async(event, "turtle")

        With the matcher `gm`, several calls match at the same time, for instance those of `asyncio.gather`.
        """
        from asyncio import to_thread

        return await to_thread(self.match, publication, format, id=id, bindings=bindings, dataset=dataset)

    def match_many(
        self,
        publications: Iterable[PublicationLike],
        format: str | None = None,
        *,
        bindings: bool = True,
        batch: int = DEFAULT_BATCH_PUBLICATIONS,
    ) -> Iterator[MatchReport]:
        """Yield one report per publication, in order. A malformed publication gets a report with its `error`.

        A feed (bytes or a Path with a `format` such as "rss") is one publication per item. The Path of an N-Quads file
        is one publication per graph, that of a directory one per graph of the N-Quads files below it.

        The engine reads `batch` publications before it matches the first of them: several times faster than one by one.
        Use `batch=1` if they arrive slowly and must not wait.
        """
        return self._core.match_many(publications, format, bindings=bindings, batch=batch)

    def match_batch(
        self,
        documents: BatchInput,
        format: str | None = None,
        *,
        offsets: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        ids: Sequence[str] | None = None,
        bindings: bool = True,
        received_at: datetime | None = None,
    ) -> MatchBatch:
        """Match a block of documents with one call, and return the matches as arrays.

        `documents` are one of these:

        - bytes of N-Triples documents, one after the other (`format="nt"`), and `offsets`: where each document begins,
          and where the last one ends, as in Arrow. Without offsets the bytes are one document;
        - bytes of N-Quads (`format="nq"`): one publication per graph, named after it;
        - an Arrow array `list<struct<s, p, o>>` of terms as in N-Triples, one list per publication;
        - the Path of an N-Quads file, or of a directory, whose N-Quads files (.nq) are read: one publication per graph;
        - a `TextBlock`;
        - what `match_many` takes: a list of documents, of Publications, of graphs, of feeds.

        `ids` are the ids of the publications, if they have none; `received_at` is the value of NOW instead of the
        clock's time, for publications that do not say when they were received. A document that cannot be read has no
        matches and is in `errors` of the result. With the matcher `gm`, `EngineConfig.threads` threads read and match
        the block, all against one state of the subscriptions. The result is as large as its matches: give as many
        documents as have a result that fits into memory, or use `match_many`.
        """
        return self._core.match_batch(
            documents, format, offsets=offsets, ids=ids, bindings=bindings, received_at=received_at
        )

    def explain(self, publication: PublicationLike, subscription_id: str, format: str | None = None) -> Explanation:
        """Explain why a publication matches a subscription, or the largest part of it that matches and what fails."""
        return self._core.explain(publication, subscription_id, format)

    # --- operators ------------------------------------------------------------------------------------------

    def operator_subscription_ids(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions that call operators."""
        return self._core.operator_subscription_ids()

    def operators_in_use(self) -> Registry:
        """Return those of `operators` that subscriptions call."""
        return self._core.operators_in_use()

    def plan(self) -> OperatorPlan:
        """Return in which order operators would be called, and what is known of them."""
        return self._core.plan()

    # --- the index ------------------------------------------------------------------------------------------

    def costs(self, most: int | None = 20) -> dict[str, int]:
        """Return the steps spent on the most expensive subscriptions, most expensive first: which one is slow?

        The steps of a query are those of the index and those of its evaluation.
        """
        return self._core.costs(most)

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions whose is-a constraints changed by taxonomy edits since the last call."""
        return self._core.matcher_with("taxonomy_changes", "affected_by_taxonomy()").affected_by_taxonomy()

    def optimise(self) -> None:
        """Merge the index into one segment now, ordered by what it learned from traffic; otherwise it happens later."""
        self._core.matcher_with("segments", "optimise()").optimise()

    def index_bytes(self) -> int:
        """Return the size of the index's arrays in bytes."""
        return self._core.matcher_with("segments", "index_bytes()").index_bytes()

    # --- persistence ----------------------------------------------------------------------------------------

    def save(self, path: Path | str) -> None:
        """Write everything into a folder, from which `Engine.open` starts again. A folder holds one engine.

        At any moment the folder holds a whole engine: this one or the one saved before. Raises SnapshotNotSaved if the
        folder cannot be written.
        """
        self._core.save(path)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        operators: Registry | None = None,
        clock: Callable[[], datetime] | None = None,
        **settings: Unpack[EngineSettings],
    ) -> Engine:
        """Open the engine that `save` wrote. InvalidSnapshot names the file that is missing, foreign or damaged.

        `settings` replace saved ones. Operators are functions and not saved: give those that the subscriptions call.
        Other processes may save into the folder at the same time.
        """
        from gtopss.engine.core import EngineCore

        return cls._with_core(EngineCore.open(path, operators, clock, settings))
