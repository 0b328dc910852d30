"""Write and read the files of an index, in a folder that belongs to one snapshot of an engine.

    terms             the dictionary: one term per line
    records           subscriptions by slot: the number of the template, and the constants
    records.names     their ids and templates, as JSON
    segment-0, ...    the arrays of each segment

Every file has a checksum (`array_files`). A damaged or foreign file raises InvalidSnapshot with its name.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.errors import InvalidSnapshot
from gtopss.matching.index.array_files import read_arrays, read_json, write_arrays, write_json
from gtopss.matching.index.kernels.layout import Access, Graph, Members, Patterns, Segment
from gtopss.matching.index.segment import IndexSegment
from gtopss.model.codec import BranchTemplate, EncodedSubscription, Template
from gtopss.model.terms import Term

_SEGMENT_PARTS: dict[str, Any] = {"graph": Graph, "access": Access, "patterns": Patterns, "members": Members}


class IndexContents(NamedTuple):
    """All of an index that is saved."""

    terms: Sequence[Term]
    """By term number."""
    encoded: Sequence[EncodedSubscription | None]
    """By slot; None where there is no subscription."""
    segments: tuple[IndexSegment, ...]


def write_index(folder: Path, contents: IndexContents) -> None:
    """Write an index into an empty folder."""
    terms = "\n".join(contents.terms).encode()
    write_arrays(folder / "terms", {"text": np.frombuffer(terms, np.uint8)})
    _write_subscriptions(folder / "records", contents.encoded)
    for number, segment in enumerate(contents.segments):
        arrays = segment.arrays
        graph = arrays.graph._replace(rate=segment.rates())
        _write_segment(folder / f"segment-{number}", arrays._replace(graph=graph))


def read_index(folder: Path) -> IndexContents:
    """Read what `write_index` wrote. Segments are mapped into memory."""
    terms = [Term(each) for each in read_arrays(folder / "terms")["text"].tobytes().decode().split("\n")]
    encoded = _read_subscriptions(folder / "records")
    paths = sorted(folder.glob("segment-*"), key=lambda path: int(path.name.removeprefix("segment-")))
    return IndexContents(terms, encoded, tuple(IndexSegment.from_arrays(_read_segment(path)) for path in paths))


def _write_segment(path: Path, segment: Segment) -> None:
    parts: tuple[Any, ...] = segment
    named = {
        f"{part}.{name}": array
        for part, arrays in zip(_SEGMENT_PARTS, parts, strict=True)
        for name, array in arrays._asdict().items()
    }
    write_arrays(path, named)


def _read_segment(path: Path) -> Segment:
    arrays = read_arrays(path)
    try:
        parts = [kind(*(arrays[f"{part}.{name}"] for name in kind._fields)) for part, kind in _SEGMENT_PARTS.items()]
    except KeyError as error:
        raise InvalidSnapshot(
            path, f"it has no {error}: it is not a segment, or was written by another version"
        ) from None
    return Segment(*parts)


def _write_subscriptions(path: Path, subscriptions: Sequence[EncodedSubscription | None]) -> None:
    template_numbers: dict[int, int] = {}  # by identity: equal templates are one object
    templates: list[Template] = []
    template_of, constants, lengths = array("i"), array("i"), array("i")
    for encoded in subscriptions:
        if encoded is None:
            template_of.append(-1)
            lengths.append(0)
            continue
        if id(encoded.template) not in template_numbers:
            template_numbers[id(encoded.template)] = len(templates)
            templates.append(encoded.template)
        template_of.append(template_numbers[id(encoded.template)])
        numbers = encoded.numbers()
        lengths.append(len(numbers))
        constants.extend(numbers)
    ids = [None if encoded is None else encoded.id for encoded in subscriptions]
    write_json(path.with_suffix(".names"), {"ids": ids, "templates": templates})
    arrays = {"template": template_of, "constants": constants, "lengths": lengths}
    write_arrays(path, {name: np.array(each, np.int32) for name, each in arrays.items()})


def _read_subscriptions(path: Path) -> list[EncodedSubscription | None]:
    names, arrays = read_json(path.with_suffix(".names")), read_arrays(path)
    templates = [_template(each) for each in names["templates"]]
    ends: npt.NDArray[np.int64] = np.cumsum(arrays["lengths"], dtype=np.int64)
    data = arrays["constants"].tobytes()
    subscriptions: list[EncodedSubscription | None] = []
    for name, which, end, length in zip(
        names["ids"], arrays["template"].tolist(), ends.tolist(), arrays["lengths"].tolist(), strict=True
    ):
        subscriptions.append(
            None if which < 0 else EncodedSubscription(name, templates[which], data[4 * (end - length) : 4 * end])
        )
    return subscriptions


def _template(data: Any) -> Template:
    branches, select, distinct = data
    made = tuple(
        BranchTemplate(
            tuple((_tree(s), _tree(p), _tree(o), _trees(one), _trees(other)) for s, p, o, one, other in tuples),
            _trees(where),
            tuple((Term(name), _tree(value)) for name, value in binds),
        )
        for tuples, where, binds in branches
    )
    return Template(made, tuple(map(Term, select)), distinct)


def _trees(data: Any) -> tuple[Any, ...]:
    return tuple(_tree(each) for each in data)


def _tree(data: Any) -> Any:
    """Turn JSON lists back into tuples."""
    return _trees(data) if isinstance(data, list) else data
