"""Many publications as one text: what a batch of documents is read into, without an object for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from gtopss.model.publication import Publication, TextPublication
from gtopss.model.terms import Triple


class TextBlock(Sequence[Publication]):
    """A sequence of publications that are created when somebody looks at them.

    `lines` holds the canonical terms of all triples, one term per line, publication after publication. The index
    encodes it directly.

    >>> lines = b"<urn:a>\\n<urn:p>\\n<urn:b>\\n<urn:c>\\n<urn:p>\\n<urn:d>\\n"
    >>> TextBlock(lines, ends=[24, 48], counts=[1, 1], ids=["one", "two"])[1].triples
    (('<urn:c>', '<urn:p>', '<urn:d>'),)
    """

    __slots__ = ("_start", "counts", "ends", "ids", "lines")

    def __init__(
        self, lines: bytes, ends: Sequence[int], counts: Sequence[int], ids: Sequence[str], *, start: int = 0
    ) -> None:
        """Create a block of trusted text.

        Publication i has `counts[i]` triples, repeated ones included, and its text ends at `ends[i]`. The text of the
        first one begins at `start`.
        """
        self.lines, self.ends, self.counts, self.ids, self._start = lines, ends, counts, ids, start

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def text(self) -> bytes:
        """The lines of these publications alone."""
        end = self.ends[-1] if self.ends else self._start
        return self.lines if self._start == 0 and end == len(self.lines) else self.lines[self._start : end]

    @overload
    def __getitem__(self, place: int) -> Publication: ...

    @overload
    def __getitem__(self, place: slice) -> TextBlock: ...

    def __getitem__(self, place: int | slice) -> Publication | TextBlock:
        if isinstance(place, slice):
            first, end, step = place.indices(len(self))
            if step != 1:
                raise ValueError("a block has only slices of neighbours")
            ends, counts = self.ends[first:end], self.counts[first:end]
            return TextBlock(self.lines, ends, counts, self.ids[first:end], start=self._begin(first))
        place = range(len(self))[place]
        lines = self.lines[self._begin(place) : self.ends[place]]
        return TextPublication(self.ids[place], lines, self.counts[place])

    def _begin(self, place: int) -> int:
        return self._start if place == 0 else self.ends[place - 1]


class TextBlockBuilder:
    """Collects publications for a block."""

    def __init__(self) -> None:
        self._parts, self._ends, self._counts, self._ids = list[bytes](), list[int](), list[int](), list[str]()
        self._length = 0

    def add(self, id: str, lines: bytes, count: int) -> None:
        """Add a publication of so many triples by its text, which is trusted."""
        self._length += len(lines)
        self._parts.append(lines)
        self._ends.append(self._length)
        self._counts.append(count)
        self._ids.append(id)

    def add_publication(self, publication: Publication) -> None:
        if isinstance(publication, TextPublication):
            self.add(publication.id, publication.lines, publication.count)
        else:
            self.add(publication.id, lines_of(publication.triples), len(publication.triples))

    def build(self) -> TextBlock:
        return TextBlock(b"".join(self._parts), self._ends, self._counts, self._ids)


def lines_of(triples: Iterable[Triple]) -> bytes:
    """Return the text of triples: one term per line."""
    return "".join([f"{term}\n" for triple in triples for term in triple]).encode()


def ids_of(publications: Sequence[Publication]) -> Sequence[str]:
    """Return the ids of publications; those of a block without creating its publications."""
    return publications.ids if isinstance(publications, TextBlock) else [each.id for each in publications]
