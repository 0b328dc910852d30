"""What a matcher takes a batch from: publications that are there, or documents that are read range by range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from gtopss.errors import GtopssError
from gtopss.model import Publication


class ReadRange(NamedTuple):
    """Successive publications of a batch, with an empty one in the place of each that could not be read."""

    publications: Sequence[Publication]
    errors: Mapping[int, GtopssError]
    """Why a publication could not be read, under its number in this range."""


class BatchSource(Protocol):
    """The publications of a batch."""

    def __len__(self) -> int:
        """Return the number of publications, those that cannot be read included."""
        ...

    def read(self, first: int, end: int) -> ReadRange:
        """Read the publications from number `first` to before `end`. Several threads may call it at the same time."""
        ...


class GivenPublications:
    """A source of publications that have been read."""

    def __init__(self, publications: Sequence[Publication], errors: Mapping[int, GtopssError] | None = None) -> None:
        self._publications, self._errors = publications, errors or {}

    def __len__(self) -> int:
        return len(self._publications)

    def read(self, first: int, end: int) -> ReadRange:
        errors = {number - first: error for number, error in self._errors.items() if first <= number < end}
        return ReadRange(self._publications[first:end], errors)
