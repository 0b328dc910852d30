"""Write and read the files of an index, which are part of one snapshot of an engine.

    terms             the dictionary: one term per line
    records           subscriptions by slot: the number of the template, and the constants
    records.names     their ids and templates, as JSON
    needles           the texts that subscriptions look for
    segment-0, ...    the arrays of each segment

The snapshot has checked their checksums (`snapshot_files`). A file that another version wrote raises InvalidSnapshot.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.kernels.layout import MEMBER_SLOT, Access, Graph, Members, Patterns, Segment, empty_segment
from gtopss.matching.index.segment import IndexSegment
from gtopss.model.codec import BranchTemplate, EncodedSubscription, Template
from gtopss.model.terms import Term
from gtopss.snapshot_files import SnapshotReader, SnapshotWriter, reading

_TERMS, _RECORDS, _NAMES, _SEGMENT = "terms", "records", "records.names", "segment-"
_NEEDLES = "needles"
_SEGMENT_PARTS: dict[str, Any] = {"graph": Graph, "access": Access, "patterns": Patterns, "members": Members}


class IndexContents(NamedTuple):
    """All of an index that is saved."""

    terms: Sequence[Term]
    """By term number."""
    encoded: Sequence[EncodedSubscription | None]
    """By slot; None where there is no subscription."""
    segments: tuple[IndexSegment, ...]
    texts: Mapping[str, npt.NDArray[Any]]
    """What `TextIndex.saved` returns."""


def write_index(snapshot: SnapshotWriter, contents: IndexContents) -> None:
    """Write an index into a snapshot."""
    terms = "\n".join(contents.terms).encode()
    snapshot.write_arrays(_TERMS, {"text": np.frombuffer(terms, np.uint8)})
    _write_subscriptions(snapshot, contents.encoded)
    snapshot.write_arrays(_NEEDLES, contents.texts)
    for number, segment in enumerate(contents.segments):
        arrays = segment.arrays
        graph = arrays.graph._replace(rate=segment.rates())
        snapshot.write_arrays(f"{_SEGMENT}{number}", _named_arrays(arrays._replace(graph=graph)))


def read_index(snapshot: SnapshotReader) -> IndexContents:
    """Read what `write_index` wrote. Segments stay mapped into memory. Raises InvalidSnapshot."""
    with reading(snapshot.path(_TERMS)):
        terms = [Term(each) for each in snapshot.arrays(_TERMS)["text"].tobytes().decode().split("\n")]
    encoded = _read_subscriptions(snapshot, len(terms))
    count = sum(name.startswith(_SEGMENT) for name in snapshot.names())
    segments = [_read_segment(snapshot, f"{_SEGMENT}{number}", len(encoded)) for number in range(count)]
    return IndexContents(terms, encoded, tuple(map(IndexSegment.from_arrays, segments)), snapshot.arrays(_NEEDLES))


def _named_arrays(segment: Segment) -> dict[str, npt.NDArray[Any]]:
    parts: tuple[Any, ...] = segment
    return {
        f"{part}.{name}": array
        for part, arrays in zip(_SEGMENT_PARTS, parts, strict=True)
        for name, array in arrays._asdict().items()
    }


def _read_segment(snapshot: SnapshotReader, name: str, slots: int) -> Segment:
    """Return a segment whose arrays have the types that the kernels need, and whose slots exist."""
    arrays, expected = snapshot.arrays(name), _named_arrays(empty_segment())
    with reading(snapshot.path(name)):
        for key, like in expected.items():
            if (arrays[key].dtype, arrays[key].ndim) != (like.dtype, like.ndim):
                raise ValueError(f"the array {key} is of {arrays[key].dtype} with {arrays[key].ndim} dimensions")
        made = Segment(
            *(kind(*(arrays[f"{part}.{field}"] for field in kind._fields)) for part, kind in _SEGMENT_PARTS.items())
        )
        used = made.members.about[:-1, MEMBER_SLOT]
        if ((used < 0) | (used >= slots)).any():
            raise ValueError("it has entries of subscriptions that are not there")
        return made


def _write_subscriptions(snapshot: SnapshotWriter, subscriptions: Sequence[EncodedSubscription | None]) -> None:
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
    trees = [(each.branches, each.select, each.distinct, each.query) for each in templates]
    snapshot.write_json(_NAMES, {"ids": ids, "templates": trees})
    arrays = {"template": template_of, "constants": constants, "lengths": lengths}
    snapshot.write_arrays(_RECORDS, {name: np.array(each, np.int32) for name, each in arrays.items()})


def _read_subscriptions(snapshot: SnapshotReader, terms: int) -> list[EncodedSubscription | None]:
    names, arrays = snapshot.json(_NAMES), snapshot.arrays(_RECORDS)
    with reading(snapshot.path(_NAMES)):
        templates, ids = [_template(each) for each in names["templates"]], names["ids"]
    with reading(snapshot.path(_RECORDS)):
        ends: npt.NDArray[np.int64] = np.cumsum(arrays["lengths"], dtype=np.int64)
        if ((arrays["constants"] < 0) | (arrays["constants"] >= terms)).any():
            raise ValueError("it has constants that are not in the file of terms")
        data = arrays["constants"].tobytes()
        rows = zip(ids, arrays["template"].tolist(), ends.tolist(), arrays["lengths"].tolist(), strict=True)
        new, kind = tuple.__new__, EncodedSubscription  # half the time of EncodedSubscription(...)
        return [
            None if which < 0 else new(kind, (name, templates[which], data[4 * (end - length) : 4 * end]))
            for name, which, end, length in rows
        ]


def _template(data: Any) -> Template:
    branches, select, distinct, query = data
    made = tuple(
        BranchTemplate(
            tuple((_tree(s), _tree(p), _tree(o), _trees(one), _trees(other)) for s, p, o, one, other in tuples),
            _trees(where),
            tuple((Term(name), _tree(value)) for name, value in binds),
        )
        for tuples, where, binds in branches
    )
    return Template(made, tuple(map(Term, select)), distinct, None if query is None else _tree(query))


def _trees(data: Any) -> tuple[Any, ...]:
    return tuple(_tree(each) for each in data)


def _tree(data: Any) -> Any:
    """Turn JSON lists back into tuples."""
    return _trees(data) if isinstance(data, list) else data
