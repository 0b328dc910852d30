"""An index on disk: a folder that always holds one whole snapshot, whatever happens while the next is written.

    folder/CURRENT            the name of the snapshot that counts; replaced in one step
    folder/<snapshot>/        terms, records (JSON: ids, templates, and what the engine adds), segment-0, segment-1, ...

A snapshot is written beside the last one, and only then named in CURRENT; the old one is deleted after that.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gtopss.errors import InvalidSnapshot
from gtopss.matching.index.array_files import read_arrays, read_json, write_arrays, write_json
from gtopss.matching.index.kernels.layout import Access, Graph, Members, Patterns, Segment
from gtopss.model.codec import BranchTemplate, EncodedSubscription, Template
from gtopss.model.terms import Term

_PARTS: dict[str, Any] = {"graph": Graph, "access": Access, "patterns": Patterns, "members": Members}


def write_segment(path: Path, segment: Segment) -> None:
    parts: tuple[Any, ...] = segment
    named = {
        f"{part}.{name}": array
        for part, arrays in zip(_PARTS, parts, strict=True)
        for name, array in arrays._asdict().items()
    }
    write_arrays(path, named)


def read_segment(path: Path) -> Segment:
    arrays = read_arrays(path)
    try:
        parts = [kind(*(arrays[f"{part}.{name}"] for name in kind._fields)) for part, kind in _PARTS.items()]
    except KeyError as error:
        raise InvalidSnapshot(path, f"it has no {error}: it is no segment, or another version's") from None
    return Segment(*parts)


def write_records(path: Path, records: Sequence[EncodedSubscription | None]) -> None:
    """Records by their slot; None where there is none."""
    templates: dict[int, int] = {}
    shapes: list[Template] = []
    which, constants, lengths = array("i"), array("i"), array("i")
    for record in records:
        if record is None:
            which.append(-1)
            lengths.append(0)
            continue
        if id(record.template) not in templates:
            templates[id(record.template)] = len(shapes)
            shapes.append(record.template)
        which.append(templates[id(record.template)])
        numbers = record.numbers()
        lengths.append(len(numbers))
        constants.extend(numbers)
    names = [None if record is None else record.id for record in records]
    write_json(path.with_suffix(".names"), {"ids": names, "templates": shapes})
    arrays = {"template": which, "constants": constants, "lengths": lengths}
    write_arrays(path, {name: np.array(each, np.int32) for name, each in arrays.items()})


def read_records(path: Path) -> list[EncodedSubscription | None]:
    names, arrays = read_json(path.with_suffix(".names")), read_arrays(path)
    templates = [_template(each) for each in names["templates"]]
    ends: npt.NDArray[np.int64] = np.cumsum(arrays["lengths"], dtype=np.int64)
    data = arrays["constants"].tobytes()
    made: list[EncodedSubscription | None] = []
    for name, which, end, length in zip(
        names["ids"], arrays["template"].tolist(), ends.tolist(), arrays["lengths"].tolist(), strict=True
    ):
        made.append(
            None if which < 0 else EncodedSubscription(name, templates[which], data[4 * (end - length) : 4 * end])
        )
    return made


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
    """JSON's lists as the tuples they were."""
    return _trees(data) if isinstance(data, list) else data
