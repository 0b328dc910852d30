"""Publications that are datasets: a default graph, which is matched as any publication, and named graphs for GRAPH."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from gtopss.model.publication import Publication
from gtopss.model.terms import Term, TermLike, Triple, term


class DatasetPublication(Publication):
    """A publication with named graphs. Its `triples` are those of the default graph.

    >>> made = DatasetPublication("p1", [], {"<urn:g>": [("<urn:a>", "<urn:p>", 5)]})
    >>> list(made.graphs)
    ['<urn:g>']
    """

    __slots__ = ("graphs",)
    graphs: Mapping[Term, tuple[Triple, ...]]

    def __init__(
        self,
        id: str,
        triples: Iterable[tuple[TermLike, TermLike, TermLike]],
        graphs: Mapping[TermLike, Iterable[tuple[TermLike, TermLike, TermLike]]],
        *,
        source: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
    ) -> None:
        super().__init__(id, triples, source=source, published_at=published_at, received_at=received_at)
        made = {term(name): Publication(id, of_graph).triples for name, of_graph in graphs.items()}
        object.__setattr__(self, "graphs", made)

    @classmethod
    def of(cls, publication: Publication, graphs: Mapping[Term, tuple[Triple, ...]]) -> DatasetPublication:
        """Return a publication with named graphs beside its triples."""
        made: DatasetPublication = object.__new__(cls)
        for name in Publication.__slots__:
            object.__setattr__(made, name, getattr(publication, name))
        object.__setattr__(made, "graphs", graphs)
        return made

    def without_graphs(self) -> Publication:
        """Return the default graph alone."""
        made = object.__new__(Publication)
        for name in Publication.__slots__:
            object.__setattr__(made, name, getattr(self, name))
        return made

    def replace(
        self,
        *,
        id: str | None = None,
        published_at: dt.datetime | None = None,
        received_at: dt.datetime | None = None,
        payload: Any = None,
    ) -> Publication:
        changed = self.without_graphs().replace(
            id=id, published_at=published_at, received_at=received_at, payload=payload
        )
        return DatasetPublication.of(changed, self.graphs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DatasetPublication):
            return False
        return self.graphs == other.graphs and self.without_graphs() == other.without_graphs()

    def __hash__(self) -> int:
        return hash((self.id, self.triples))

    def __reduce__(self) -> tuple[Any, ...]:
        return DatasetPublication.of, (self.without_graphs(), self.graphs)


def named_graphs(publication: Publication) -> Mapping[Term, tuple[Triple, ...]]:
    """Return the named graphs of a publication; none of one that is no dataset."""
    return publication.graphs if isinstance(publication, DatasetPublication) else {}
