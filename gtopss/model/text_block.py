"""Many publications as one text: what a batch of documents is read into, without an object for each of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, overload

from gtopss.model.publication import Publication, TextPublication
from gtopss.model.terms import Triple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Numbers: TypeAlias = "Sequence[int] | npt.NDArray[np.int64]"


@dataclass(frozen=True, slots=True)
class NumberedIds(Sequence[str]):
    """The ids of publications without one, which are created when somebody looks at them.

    >>> NumberedIds(range(7, 9))[1]
    'publication-8'
    """

    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return map("publication-{}".format, self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> NumberedIds: ...

    def __getitem__(self, place: int | slice) -> str | NumberedIds:
        if isinstance(place, slice):
            return NumberedIds(self.numbers[place])
        return f"publication-{self.numbers[place]}"


class TextBlock(Sequence[Publication]):
    """A sequence of publications that are created when somebody looks at them.

    `lines` holds the canonical terms of all triples, one term per line, publication after publication. The index
    encodes it directly.

    >>> lines = b"<urn:a>\\n<urn:p>\\n<urn:b>\\n<urn:c>\\n<urn:p>\\n<urn:d>\\n"
    >>> TextBlock(lines, ends=[24, 48], counts=[1, 1], ids=["one", "two"])[1].triples
    (('<urn:c>', '<urn:p>', '<urn:d>'),)
    """

    __slots__ = ("_start", "counts", "ends", "ids", "lines", "received_at")

    def __init__(
        self,
        lines: bytes | bytearray,
        ends: Numbers,
        counts: Numbers,
        ids: Sequence[str],
        *,
        start: int = 0,
        received_at: dt.datetime | None = None,
    ) -> None:
        """Create a block of trusted text.

        Publication i has `counts[i]` triples, repeated ones included, and its text ends at `ends[i]`; arrays do as well
        as lists. The text of the first one begins at `start`; what follows the last one is ignored. All have the same
        time of arrival.
        """
        self.lines, self.ends, self.counts, self.ids, self._start = lines, ends, counts, ids, start
        self.received_at = received_at

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def text(self) -> bytes | bytearray:
        """The lines of these publications alone."""
        start, end = self.bounds
        return self.lines if start == 0 and end == len(self.lines) else self.lines[start:end]

    @property
    def bounds(self) -> tuple[int, int]:
        """Where the text of these publications begins and ends in `lines`."""
        return self._start, int(self.ends[-1]) if len(self.ends) else self._start

    @overload
    def __getitem__(self, place: int) -> Publication: ...

    @overload
    def __getitem__(self, place: slice) -> TextBlock: ...

    def __getitem__(self, place: int | slice) -> Publication | TextBlock:
        if isinstance(place, slice):
            first, end, step = place.indices(len(self))
            if step != 1:
                raise ValueError("a block has only slices of neighbours")
            ends, counts, ids = self.ends[first:end], self.counts[first:end], self.ids[first:end]
            return TextBlock(self.lines, ends, counts, ids, start=self._begin(first), received_at=self.received_at)
        place = range(len(self))[place]
        lines = bytes(self.lines[self._begin(place) : self.ends[place]])
        return TextPublication(self.ids[place], lines, int(self.counts[place]), received_at=self.received_at)

    def at_time(self, received_at: dt.datetime | None) -> TextBlock:
        """Return a block of the same publications with this time of arrival."""
        return TextBlock(self.lines, self.ends, self.counts, self.ids, start=self._start, received_at=received_at)

    def _begin(self, place: int) -> int:
        return self._start if place == 0 else int(self.ends[place - 1])


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

    def build(self, received_at: dt.datetime | None = None) -> TextBlock:
        return TextBlock(b"".join(self._parts), self._ends, self._counts, self._ids, received_at=received_at)


def join_blocks(blocks: Sequence[TextBlock]) -> TextBlock:
    """Return the publications of several blocks as one block. All have the first time of arrival that a block has.

    >>> one, two = (TextBlock(b"<urn:a>\\n<urn:p>\\n<urn:b>\\n", [24], [1], [id]) for id in ("one", "two"))
    >>> [each.id for each in join_blocks([one, two])]
    ['one', 'two']
    """
    texts, ends, counts, ids = list[bytes | bytearray](), list[int](), list[int](), list[str]()
    length = 0
    for block in blocks:
        start, end = block.bounds
        texts.append(block.text)
        ends += [int(each) - start + length for each in block.ends]
        counts += map(int, block.counts)
        ids += block.ids
        length += end - start
    received_at = next((each.received_at for each in blocks if each.received_at is not None), None)
    return TextBlock(b"".join(texts), ends, counts, ids, received_at=received_at)


def lines_of(triples: Iterable[Triple]) -> bytes:
    """Return the text of triples: one term per line."""
    return "".join([f"{term}\n" for triple in triples for term in triple]).encode()


def ids_of(publications: Sequence[Publication]) -> Sequence[str]:
    """Return the ids of publications; those of a block without creating its publications."""
    return publications.ids if isinstance(publications, TextBlock) else [each.id for each in publications]
