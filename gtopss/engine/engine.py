"""The interface of the engine: the class `Engine`, which `EngineCore` implements.

This module imports nothing that is slow to load, so that `from gtopss import Engine` is fast. The implementation, and
with it numpy, numba and rdflib, is imported when the first engine is created.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gtopss.errors import GtopssError, release_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
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
    document, a list of triples. Register subscriptions with `add`, then pass each publication to `match`, which
    returns the subscriptions that match it, with their solutions:

    >>> engine = Engine()
    >>> _ = engine.add("SELECT ?who { ?who <urn:knows> <urn:bob> }")
    >>> [match.bindings for match in engine.match([("<urn:ann>", "<urn:knows>", "<urn:bob>")])]
    [({'who': rdflib.term.URIRef('urn:ann')},)]

    Subscriptions
        `add` and `add_many` register subscriptions, `remove` removes one, `subscription` and `subscriptions` return
        them, and `len(engine)` is their number.
    Matching
        `match` matches one publication, `match_many` an iterable of publications, and `match_batch` a block of
        documents, whose matches it returns as arrays. `match_async` is `match` for asyncio. `explain` shows why a
        publication matches a subscription, or which part of the subscription fails.
    Settings
        Keyword arguments of `Engine` are the fields of `EngineConfig`, such as `matcher`, `row_limit` and `entailment`;
        `engine.config` holds them. `taxonomy` is the ontology that `isA` uses, and `operators` are functions that
        subscriptions may call.
    Saving
        `save` writes the engine into a folder, and `Engine.open` loads it again.
    Errors
        Every error is a `GtopssError`. A refused subscription is not registered, and does not affect the others.

    Engines are thread-safe. With the default matcher `gm`, several threads match at the same time; with other matchers
    they wait for each other. Operator calls have a separate lock, so a slow call delays only subscriptions that call
    operators.
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
        """Create an engine without subscriptions.

        `settings` are fields of `EngineConfig`; they override those of `config`. `taxonomy` is a Taxonomy, an rdflib
        Graph or the path of an ontology. `operators` are the functions that subscriptions may call: by default, the
        shipped ones and those declared with `@operator`. `clock` returns the arrival time of a publication, which is
        the value of NOW(): by default, the current time. Raises GtopssError for a setting that is unknown or has an
        invalid value, and InvalidTaxonomy for an ontology that cannot be read.
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
        """The settings of the engine, as one frozen object."""
        return self._core.config

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of classes and properties that `isA` uses. Edits take effect with the next publication."""
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
        """Set the number of threads that match a batch, from 1 to 1,024. Raises GtopssError for another number."""
        self._core.use_threads(count)

    def without_subscriptions(self) -> Engine:
        """Return a new engine with the same settings, taxonomy, operators and clock, and no subscriptions."""
        return self._with_core(self._core.without_subscriptions())

    # --- subscriptions --------------------------------------------------------------------------------------

    @property
    def uses_now(self) -> bool:
        """Whether a subscription calls NOW(), so that publications need an arrival time."""
        return self._core.uses_now

    def __len__(self) -> int:
        """Return the number of registered subscriptions."""
        return len(self._core)

    def add(self, subscription: SubscriptionLike, *, id: str | None = None) -> Subscription:
        """Register a subscription and return it. It is matched from the next publication on.

        `subscription` is the text of a SPARQL query, a list of triple patterns (5-tuples, if they have constraints), or
        a Subscription. `id` names a text or a list; without it, the engine generates an id.

        >>> engine = Engine()
        >>> engine.add("SELECT ?title { ?item rss:title ?title }", id="titles").id
        'titles'
        >>> engine.add([("?who", "<urn:knows>", "?friend"), ("?friend", "<urn:knows>", "<urn:bob>")]).id
        'subscription-1'

        Warns with `NeverMatches` if no publication can satisfy the subscription, which is registered but never
        evaluated; with `NeverBound` if a variable is never bound; and with `NotIndexed` if the index cannot be used.
        Raises InvalidSubscription or DuplicateSubscription.
        """
        written, found = self._core.add(subscription, id)
        for warning in found:
            warnings.warn(warning, stacklevel=2)
        return written

    def add_many(self, subscriptions: Iterable[SubscriptionLike]) -> list[GtopssError]:
        """Register many subscriptions, and return one error for each refused one. The others are registered."""
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
        """Remove a subscription. It matches no later publication. Raises SubscriptionNotFound."""
        self._core.remove(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        """Return the subscription with this id as it was written. Raises SubscriptionNotFound."""
        return self._core.subscription(subscription_id)

    def subscriptions(self) -> Iterator[Subscription]:
        """Yield all subscriptions as they were written. They may be added and removed during the iteration."""
        return self._core.subscriptions()

    def prefixes(self, subscription_id: str) -> dict[str, str]:
        """Return the prefixes for showing the terms of a subscription: the preset ones and those that it declares."""
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
        """Match one publication, and return a report with the subscriptions that match it.

        `publication` is a Publication, an rdflib Graph, an iterable of triples, the Path of a file, or RDF bytes or
        text with their `format`, such as "turtle". `id` names the publication in the report. With `bindings=False`,
        matches have no solutions, which is enough for routing. With `dataset=True`, a document in TriG or N-Quads, or
        an rdflib Dataset, is one publication with named graphs. Raises MalformedPublication.
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
        """Match one publication in a thread, as `match` does, without blocking the asyncio event loop.

            report = await engine.match_async(event, "turtle")

        With the matcher `gm`, several calls run at the same time, for example with `asyncio.gather`.
        """
        from asyncio import to_thread

        return await to_thread(self.match, publication, format, id=id, bindings=bindings, dataset=dataset)

    def match_many(
        self,
        publications: Iterable[PublicationLike] | Path,
        format: str | None = None,
        *,
        bindings: bool = True,
        batch: int = DEFAULT_BATCH_PUBLICATIONS,
    ) -> Iterator[MatchReport]:
        """Match many publications, and yield one report for each, in order.

        `publications` is an iterable of what `match` takes, or a single Path, text or bytes. A malformed publication
        does not stop the others: its report has an `error` and no matches. A feed (bytes or a Path with a `format` such
        as "rss") is one publication per item. The Path of an N-Quads file is one publication per graph; the Path of a
        directory, one per graph of the N-Quads files in and below it.

        The engine reads `batch` publications and matches them together, which is several times faster than one by one.
        Use `batch=1` if publications arrive slowly and each report is needed at once.
        """
        if isinstance(publications, (Path, str, bytes)):
            publications = (publications,)
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

        `documents` is one of these:

        - bytes of concatenated N-Triples documents (`format="nt"`) with `offsets`: the start of each document and the
          end of the last one, as in Arrow. Without offsets the bytes are one document;
        - bytes of N-Quads (`format="nq"`): one publication per graph, named after it;
        - an Arrow array `list<struct<s, p, o>>` of terms as in N-Triples, one list per publication;
        - the Path of an N-Quads file, or of a directory, whose N-Quads files (.nq) are read: one publication per graph;
        - a `TextBlock`;
        - an iterable as for `match_many`: documents, Publications, graphs or feeds.

        `ids` names publications that have no id of their own. `received_at` is the value of NOW() for publications
        without an arrival time; by default it is the clock's time. A document that cannot be read has no matches, and
        its error is in `errors` of the result. With the matcher `gm`, `EngineConfig.threads` threads read and match the
        block, all against the same state of the subscriptions. The result holds all matches in memory: divide a large
        input into several calls, or use `match_many`. Raises GtopssError if the arguments cannot be combined.
        """
        return self._core.match_batch(
            documents, format, offsets=offsets, ids=ids, bindings=bindings, received_at=received_at
        )

    def explain(self, publication: PublicationLike, subscription_id: str, format: str | None = None) -> Explanation:
        """Explain why a publication matches a subscription, or which part of the subscription fails.

        If it does not match, the explanation has the largest part of the pattern that matches, and the condition that
        fails. Print the result, or use its methods `to_json`, `svg` and `mermaid`. Raises SubscriptionNotFound or
        MalformedPublication.
        """
        return self._core.explain(publication, subscription_id, format)

    # --- operators ------------------------------------------------------------------------------------------

    def operator_subscription_ids(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions that call operators."""
        return self._core.operator_subscription_ids()

    def operators_in_use(self) -> Registry:
        """Return the operators that registered subscriptions call."""
        return self._core.operators_in_use()

    def plan(self) -> OperatorPlan:
        """Return the order of a plan made now, with the estimated selectivity and cost of each operator call.

        Matching may still use an earlier plan: see `gtopss.operators.planning` for when it plans again.
        """
        return self._core.plan()

    # --- the index ------------------------------------------------------------------------------------------

    def costs(self, most: int | None = 20) -> dict[str, int]:
        """Return the `most` most expensive subscriptions and the steps spent on each, to find slow ones. None for all.

        The steps of a query are those in the index and those of its evaluation.
        """
        return self._core.costs(most)

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """Return the ids of subscriptions whose is-a constraints were changed by taxonomy edits since the last call."""
        return self._core.matcher_with("taxonomy_changes", "affected_by_taxonomy()").affected_by_taxonomy()

    def optimise(self) -> None:
        """Merge all segments of the index now, ordered by observed traffic. Without this call it happens later."""
        self._core.matcher_with("segments", "optimise()").optimise()

    def index_bytes(self) -> int:
        """Return the size of the index's arrays in bytes."""
        return self._core.matcher_with("segments", "index_bytes()").index_bytes()

    # --- persistence ----------------------------------------------------------------------------------------

    def save(self, path: Path | str) -> None:
        """Save the subscriptions, index, taxonomy and settings into a folder, for `Engine.open`.

        A folder holds one engine, and saving is atomic: after a crash the folder has either this engine or the one that
        was saved before. Operators and the clock are not saved. Raises SnapshotNotSaved if the folder cannot be
        written, and InvalidSnapshot if it holds other files.
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
        """Load the engine that `save` wrote into a folder.

        `settings` override the saved ones. Operators are not saved: pass those that the subscriptions call, unless they
        are declared with `@operator`. Another process may save into the folder at the same time. Raises
        InvalidSnapshot, which names the file that is missing, damaged or not part of the engine.
        """
        from gtopss.engine.core import EngineCore

        return cls._with_core(EngineCore.open(path, operators, clock, settings))
