"""Hold the needles of all subscriptions, and where they are looked for.

One needle set serves the whole index. A needle is inserted when its subscription is added, while others match. That of
a removed subscription stays until terms are renumbered (`renumbering.py`). It does no harm: nobody asks for its edge.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.errors import GtopssError
from gtopss.matching.index.chosen_terms import TextEdge
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.needles import (
    KEY,
    MAX_NODES,
    NODE,
    NODES_USED,
    OUTPUT_NEXT,
    OUTPUT_RELATIONS,
    OUTPUT_TARGET,
    OUTPUTS_USED,
    NeedleTable,
    copy_needles,
    insert_needles,
    new_needle_table,
    node_capacity,
)
from gtopss.matching.index.kernels.relations import (
    ANY_OF,
    LABELLED,
    MAPPING_COUNT,
    PUBLICATION_HAS,
    REGEX,
    REGEX_OF_STR,
    RELATION_COUNT,
    WORDS,
    has_str,
    mapping_of,
)
from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.kernels.text_hits import OF_STR_SHIFT, SEARCHED_SHIFT, TextSearch
from gtopss.matching.index.label_index import LabelIndex, LabelSearch, LabelUse
from gtopss.matching.index.regex_index import RegexKey, RegexSearch, regex_key
from gtopss.matching.index.text_tables import text_tables
from ontology import Taxonomy

_FIRST_PLACES, _FIRST_OUTPUTS = 1 << 10, 256
_GROWTH = 1.4  # of a table that is full


class TextOutput(NamedTuple):
    """A needle, and the edge that a term gets that has it."""

    relation: int
    """The text relation under which the needle is looked for."""
    needle: str
    """A text; a regular expression; or for LABELLED the IRI of a class."""
    flags: str
    """The flags of a regular expression."""
    edge_relation: int
    """The relation itself, or that of a set of needles."""
    target: int
    """The global number of the needle's constant, or of a set of needles."""
    property: int
    """The global number of the property whose objects are looked at; -1 for all terms."""
    is_negated: bool = False
    """Whether the needle must be absent, so that it must be known that a text was searched."""


class TextIndex:
    """Count what subscriptions look for. Not thread-safe: the index's lock protects it.

    What `search` returned may be read without the lock.
    """

    def __init__(self, seed: np.uint64, taxonomy: Taxonomy) -> None:
        self._table = new_needle_table(_FIRST_PLACES, _FIRST_OUTPUTS, seed)
        self._places: Counter[tuple[int, int]] = Counter()  # (property, mapping as bits) -> uses
        self._sets: Counter[int] = Counter()
        self._patterns: Counter[tuple[RegexKey, TextEdge, int]] = Counter()  # with the property -> uses
        self.labels = LabelIndex(taxonomy)
        self._search: TextSearch | None = None
        self._regex_search: RegexSearch | None = None

    def add(self, outputs: Sequence[TextOutput]) -> None:
        """Look for these needles from now on. Raises GtopssError, and counts none of them, if there is no more room."""
        self._insert([each for each in outputs if each.relation not in (REGEX, REGEX_OF_STR, LABELLED)])
        for each in outputs:
            self._count(each, 1)

    def _insert(self, outputs: Sequence[TextOutput]) -> None:
        texts = [each.needle.encode() for each in outputs]
        while outputs:
            data = np.frombuffer(b"".join((*texts, PADDING)), np.uint8)
            ends = accumulate(map(len, texts))
            rows = np.array(
                [
                    (end, mapping_of(each.relation), each.relation | each.edge_relation << 8, each.target)
                    for end, each in zip(ends, outputs, strict=True)
                ],
                np.int64,
            )
            inserted = insert_needles(self._table, data, rows)
            outputs, texts = outputs[inserted:], texts[inserted:]
            if outputs:
                self._enlarge()

    def remove(self, outputs: Iterable[TextOutput]) -> None:
        """Uncount needles."""
        for each in outputs:
            self._count(each, -1)

    def _count(self, output: TextOutput, change: int) -> None:
        if output.relation in (REGEX, REGEX_OF_STR):
            self._count_pattern(output, change)
        elif output.relation == LABELLED:
            edge = TextEdge(output.edge_relation, output.target)
            self.labels.count(LabelUse(output.needle, edge, output.property), change)
        else:
            self._count_place(output, change)
        if output.edge_relation in (ANY_OF, PUBLICATION_HAS):
            self._sets[output.target] += change
            if not self._sets[output.target]:
                del self._sets[output.target]

    def _count_pattern(self, output: TextOutput, change: int) -> None:
        key = regex_key(output.relation, output.needle, output.flags)
        use = key, TextEdge(output.edge_relation, output.target), output.property
        self._patterns[use] += change
        if not self._patterns[use]:
            del self._patterns[use]
        self._regex_search = None

    def _count_place(self, output: TextOutput, change: int) -> None:
        bit = mapping_of(output.relation) + (OF_STR_SHIFT if has_str(output.relation) else 0)
        place = output.property, 1 << bit | (1 << (bit + SEARCHED_SHIFT) if output.is_negated else 0)
        before = self._places[place]
        self._places[place] += change
        if not self._places[place]:
            del self._places[place]
        if not before or before + change == 0:
            self._search = None

    def saved(self) -> dict[str, npt.NDArray[Any]]:
        """Return all of it as arrays, which later changes do not affect."""
        table = {name: np.array(each) for name, each in self._table._asdict().items()}
        places = [(*place, uses) for place, uses in self._places.items()]
        patterns = [(*key, *edge, property, uses) for (key, edge, property), uses in self._patterns.items()]
        labels = [(cls, *edge, property, uses) for (cls, edge, property), uses in self.labels.uses().items()]
        return {
            **table,
            "seed": table["seed"].reshape(1),
            "places": np.array(places, np.int64).reshape(-1, 3),
            "sets": np.array(list(self._sets.items()), np.int64).reshape(-1, 2),
            "patterns": np.frombuffer(json.dumps(patterns).encode(), np.uint8),
            "labels": np.frombuffer(json.dumps(labels).encode(), np.uint8),
        }

    @classmethod
    def restored(cls, saved: Mapping[str, npt.NDArray[Any]], terms: int, taxonomy: Taxonomy) -> TextIndex:
        """Return what was saved; the arrays are used as they are. Raises ValueError if they do not fit together.

        `terms` is the number of terms in the dictionary.
        """
        for name, like in cls(np.uint64(0), taxonomy).saved().items():
            if (saved[name].dtype, saved[name].ndim, saved[name].shape[1:]) != (like.dtype, like.ndim, like.shape[1:]):
                raise ValueError(f"the array {name} is of {saved[name].dtype} with the shape {saved[name].shape}")
        made = cls(saved["seed"][0], taxonomy)
        arrays = {name: saved[name] for name in NeedleTable._fields}
        made._table = NeedleTable(**{**arrays, "seed": saved["seed"][0]})
        _refuse_inconsistent(made._table, terms)
        made._places = Counter({(property, bit): uses for property, bit, uses in saved["places"].tolist()})
        made._sets = Counter(dict(saved["sets"].tolist()))
        for pattern, flags, of_str, relation, target, property, uses in json.loads(saved["patterns"].tobytes()):
            key = RegexKey(str(pattern), str(flags), bool(of_str)), TextEdge(int(relation), int(target)), int(property)
            made._patterns[key] = int(uses)
        for name, relation, target, property, uses in json.loads(saved["labels"].tobytes()):
            made.labels.count(LabelUse(str(name), TextEdge(int(relation), int(target)), int(property)), int(uses))
        numbers = [property for property, _ in made._places] + list(made._sets)
        numbers += [number for _, edge, property in made.labels.uses() for number in (property, *edge)]
        numbers += [number for _, edge, property in made._patterns for number in (property, *edge)]
        if any(not -1 <= number < terms for number in numbers):
            raise ValueError("it has terms that are not in the file of terms")
        return made

    def term_numbers(self) -> Int32Array:
        """Return the numbers of the sets of needles, which are no constants of subscriptions."""
        return np.fromiter(self._sets, np.int32, len(self._sets))

    def regex_search(self) -> RegexSearch | None:
        """Return the regular expressions without literals; None if there are none."""
        if self._regex_search is None and self._patterns:
            edges: dict[RegexKey, dict[TextEdge, None]] = {}
            for key, edge, _ in self._patterns:
                edges.setdefault(key, {})[edge] = None
            properties = frozenset(property for _, _, property in self._patterns)
            self._regex_search = RegexSearch({key: tuple(each) for key, each in edges.items()}, properties)
        return self._regex_search

    def label_search(self) -> LabelSearch | None:
        """Return the classes whose labels are looked for; None if there are none."""
        return self.labels.search()

    def search(self) -> TextSearch | None:
        """Return the needles and where to look for them, for the kernels; None if there are none."""
        if self._search is None and self._places:
            size = max((property for property, _ in self._places), default=-1) + 1
            by_property, everywhere = np.zeros(max(size, 1), np.int64), 0
            for property, bit in self._places:
                if property < 0:
                    everywhere |= bit
                else:
                    by_property[property] |= bit
            words = 1 << WORDS | 1 << (WORDS + OF_STR_SHIFT)
            tables = text_tables(words=any(bit & words for _, bit in self._places))
            self._search = TextSearch(self._table, by_property, everywhere, tables)
        return self._search

    def nbytes(self) -> int:
        """Return the size of the arrays in bytes."""
        return sum(each.nbytes for each in self._table)

    def _enlarge(self) -> None:
        """Replace the table by a larger copy: a match may still read the old one."""
        old = self._table
        places, outputs = len(old.records), len(old.outputs)
        if old.used[NODES_USED] >= node_capacity(places):
            if old.used[NODES_USED] > MAX_NODES // _GROWTH:
                raise GtopssError(
                    f"the texts of all subscriptions take more than {MAX_NODES:,} pieces: use a second engine"
                )
            places = int(places * _GROWTH)
        if old.used[OUTPUTS_USED] >= outputs:
            outputs = int(outputs * _GROWTH)
        self._table = new_needle_table(places, outputs, old.seed)
        copy_needles(old, self._table)
        self._search = None


def _refuse_inconsistent(table: NeedleTable, terms: int) -> None:
    """Raise ValueError if a kernel that reads the table would leave its arrays."""
    nodes, outputs = table.used.tolist()
    if len(table.root_pieces) != MAPPING_COUNT or not len(table.filter) or len(table.filter) & (len(table.filter) - 1):
        raise ValueError("its arrays do not have the sizes that belong together")
    used_records = table.records[table.records[:, KEY] != 0]
    if len(used_records) + MAPPING_COUNT != nodes:
        raise ValueError("it has a table that does not have as many nodes as it says")
    used = table.outputs[:outputs]
    for numbers, first, end in [
        (np.array([nodes]), MAPPING_COUNT, node_capacity(len(table.records)) + 1),
        (np.array([outputs]), 0, len(table.outputs) + 1),
        ((used_records[:, NODE] >> np.uint64(32)).astype(np.int64) - 1, -1, outputs),
        (used[:, OUTPUT_NEXT], -1, outputs),
        (used[:, OUTPUT_TARGET], 0, terms),
        (used[:, OUTPUT_RELATIONS] >> 8, 0, RELATION_COUNT),
    ]:
        if len(numbers) and (numbers.min() < first or numbers.max() >= end):
            raise ValueError("it has numbers that are out of range")
    if (used[:, OUTPUT_NEXT] >= np.arange(len(used))).any():
        raise ValueError("it has a list that does not end")
