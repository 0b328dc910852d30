"""Match the regular expressions that need no literal, all of them in one pass over a text (`re2.Set`).

`REGEX(?t, "[0-9]{4}")` is an edge from ?t to its pattern. Patterns with literals are needles instead
(`semantics.text_tests`), and only what has the literals is given to RE2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import re2

from gtopss.matching.index.chosen_terms import ChosenTerms, TextEdge
from gtopss.matching.index.kernels.array_types import Int64Array
from gtopss.matching.index.kernels.relations import PUBLICATION_HAS, REGEX_OF_STR
from gtopss.matching.index.kernels.terms import Batch
from gtopss.model.terms import Term, is_blank, is_literal, literal_datatype
from gtopss.semantics.regex import MAX_PROGRAM_BYTES, PROGRAM_BYTES_PER_STEP, compile_regex, re2_text
from gtopss.semantics.text_tests import STRING_DATATYPES, TextMapping, map_text

MAX_PATTERNS_TOGETHER = 200
"""Patterns of one set. A set of many patterns has many states, and makes them anew when its memory is full."""
MAX_PATTERNS_ALONE = 8
"""New patterns that are matched one by one before they become a set: making one takes about a millisecond."""
_SET_ADVANTAGE = 10  # how much less a step of a set takes than one of each pattern alone: it runs as one automaton
_ALWAYS = ""  # a pattern that matches every text: a set that does not say so has failed


class RegexKey(NamedTuple):
    """A pattern, its flags, and whether it is matched with IRIs and typed literals too."""

    pattern: str
    flags: str
    of_str: bool


class RegexSearch:
    """Patterns, and where they are looked for. Nothing in it changes; sets are made when they are first needed."""

    def __init__(self, edges: Mapping[RegexKey, tuple[TextEdge, ...]], properties: frozenset[int]) -> None:
        """`properties` are those whose objects are looked at; -1 is for all terms."""
        self._edges, self._chosen = dict(edges), ChosenTerms(properties)
        keys = list(self._edges)
        groups = [keys[at : at + MAX_PATTERNS_TOGETHER] for at in range(0, len(keys), MAX_PATTERNS_TOGETHER)]
        self._groups = [
            (group, _pattern_set(tuple(group)) if len(group) > MAX_PATTERNS_ALONE else None) for group in groups
        ]
        self._size = sum(_program_size(key.pattern, key.flags) for key in keys)

    def hits(self, text: Any, begins: Int64Array, batch: Batch, steps: Int64Array) -> Int64Array:
        """Return the edges of a batch as hits (`kernels.text_edges`). `steps` is what each publication has left."""
        found = []
        publications, locals_ = self._chosen.places(batch)
        for publication, local in zip(publications.tolist(), locals_.tolist(), strict=True):
            if steps[publication] < 0:
                continue
            line = batch.first[batch.locals[publication] + local]
            term = Term(text[begins[line] : begins[line + 1] - 1].tobytes().decode())
            if is_blank(term):
                continue
            steps[publication] -= len(term) * self._size // (PROGRAM_BYTES_PER_STEP * _SET_ADVANTAGE)
            if steps[publication] < 0:
                continue
            for relation, target in self._edges_of(term):
                found.append((publication, -1 if relation == PUBLICATION_HAS else local, relation, target))
        return np.array(found, np.int64).reshape(-1, 4)

    def _edges_of(self, term: Term) -> Iterator[TextEdge]:
        is_string = is_literal(term) and literal_datatype(term) in STRING_DATATYPES
        encoded = map_text(term, TextMapping.WRITTEN).encode(errors="surrogatepass")
        for group, together in self._groups:
            matching = together.Match(encoded) if together is not None else None
            if matching is None or len(group) not in matching:  # none was made, or it failed
                matching = [
                    number
                    for number, key in enumerate(group)
                    if compile_regex(key.pattern, key.flags).tester.search(encoded)
                ]
            for number in matching:
                if number < len(group) and (is_string or group[number].of_str):
                    yield from self._edges[group[number]]


def regex_key(relation: int, pattern: str, flags: str) -> RegexKey:
    """Return the key of a pattern that is looked for under one of the two relations of REGEX."""
    return RegexKey(pattern, flags, relation == REGEX_OF_STR)


@lru_cache(maxsize=10_000)
def _program_size(pattern: str, flags: str) -> int:
    return compile_regex(pattern, flags).size


@lru_cache(maxsize=64)
def _pattern_set(keys: tuple[RegexKey, ...]) -> Any | None:
    """Return one set of all patterns, and after them one that always matches; None if RE2 cannot make it."""
    options = re2.Options()
    options.log_errors, options.max_mem = False, 4 * MAX_PROGRAM_BYTES
    made = re2.Set.SearchSet(options)
    try:
        for key in keys:
            made.Add(re2_text(key.pattern, key.flags))
        made.Add(_ALWAYS)
        made.Compile()
    except re2.error:
        return None
    return made
