"""Routing keys: what a publication must have so that a subscription can match it.

A *feature* is a hash of something that a publication has or has not: a property, a property with its object, a term, a
class that one of its terms is in, a word of a text. A subscription requires features, by its constants and constraints.
Of those of each branch the two rarest become a *routing key*: a publication without both cannot satisfy the branch. So
a key may be satisfied in vain, and a match never lacks its key. Two different things with the same hash do no harm.

| in a branch                          | feature                                      |
|--------------------------------------|----------------------------------------------|
| `?x p ?y`, `?x p o`, a subject `s`   | the property; property and object; the term  |
| `?x isA C` and its like              | the class: of a term, or of a stated type    |
| `words(?t, "open sour*")`            | each whole word                              |
| `labelled(?t, C)`                    | the class, of a label in the ontology        |
| `?x = c`, `?x IN (...)`              | the term; one key for each member            |

Keys do not depend on the taxonomy: a publication's features have the classes above its terms.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from gtopss.model import Branch, Call, Publication, Subscription, Term
from gtopss.model.terms import iri_text, is_iri, is_literal, is_variable, literal_parts
from gtopss.semantics.text_tests import TextAtom, TextKind, TextMapping, text_needs
from gtopss.semantics.words import SEPARATOR, words_text
from ontology import Taxonomy

MAX_KEYS = 64
"""Keys of one subscription. One that would have more is routed every publication."""
NO_FEATURE = 0
"""The second feature of a key that has only one."""
FORMAT = 1
"""Raise it when features are computed in another way: keys of another format fire always."""
_BELOW = frozenset({"isA", "instanceOf", "descendantOf", "directlyA"})
_PRIORS = {"p": 0.5, "c": 0.2, "l": 0.2, "o": 0.05, "n": 0.02, "w": 0.01}
"""How many publications have a feature of a kind, while nothing is known about it."""
_PAIR = struct.Struct("<QQ")


class RoutingKey(NamedTuple):
    """Two features that a publication must both have; the second may be `NO_FEATURE`."""

    first: int
    second: int = NO_FEATURE


Keys = tuple[RoutingKey, ...]
"""A publication must satisfy one of them. None in place of keys: any publication may fire the subscription."""
Frequency = Callable[[int], float]
"""The share of publications that have a feature."""


class KeyRules(NamedTuple):
    """Settings of the engine that decide which features a match requires."""

    entailed: bool = False
    """Publications are matched with triples that RDFS entailment adds: only words are required."""
    lenient: bool = False
    """Literals may match others that are written differently."""


def encode_keys(keys: Keys | None) -> bytes:
    """Return keys as they are stored."""
    return b"" if keys is None else bytes([FORMAT]) + b"".join(_PAIR.pack(*key) for key in keys)


def decode_keys(data: bytes | None) -> Keys | None:
    """Return stored keys; None if any publication may fire them, or another version has written them.

    >>> decode_keys(encode_keys((RoutingKey(1, 2), RoutingKey(3))))
    (RoutingKey(first=1, second=2), RoutingKey(first=3, second=0))
    """
    if not data or data[0] != FORMAT:
        return None
    return tuple(RoutingKey(*pair) for pair in _PAIR.iter_unpack(data[1:]))


# --- subscriptions ----------------------------------------------------------------------------------------------------


def keys_of(subscription: Subscription, rules: KeyRules, frequency: Frequency = lambda feature: 0.0) -> Keys | None:
    """Return the routing keys of a subscription; None if a publication needs nothing that is known.

    `frequency` is asked which features are rare. Any answer is safe; a good one spares publications.
    """
    keys = dict[RoutingKey, None]()
    for branch in subscription.branches:
        of_branch = _keys_of_branch(branch, rules, frequency)
        if of_branch is None:
            return None
        keys.update(dict.fromkeys(of_branch))
        if len(keys) > MAX_KEYS:
            return None
    return tuple(keys)


def _keys_of_branch(branch: Branch, rules: KeyRules, frequency: Frequency) -> list[RoutingKey] | None:
    required = list(dict.fromkeys(_required(branch, rules)))
    if not required:
        return None

    def commonness(alternatives: tuple[str, ...]) -> float:
        return sum(frequency(feature(each)) + _PRIORS[each[0]] / 100 for each in alternatives)

    first, *others = sorted(required, key=commonness)
    single = (each[0] for each in others if len(each) == 1 and each[0] not in first)
    second = next(map(feature, single), NO_FEATURE)
    return [RoutingKey(feature(each), second) for each in first]


def _required(branch: Branch, rules: KeyRules) -> Iterator[tuple[str, ...]]:
    """Yield names of features, of each tuple of which a publication must have one."""
    bound = frozenset(branch.variables())
    if not rules.entailed:
        for subject, property, object_ in branch.edges():
            yield from ((name,) for name in _of_edge(subject, property, object_, rules))
    for test in branch.constraints():
        if test.function in _BELOW and not rules.entailed:
            yield from _of_class(test, bound)
        for clause in text_needs(test).clauses:
            names = [_of_atom(atom, bound, rules) for atom in clause]
            if len(clause) == 1 and names[0]:
                yield from ((name,) for name in names[0])
            elif all(names) and len(clause) <= MAX_KEYS:
                yield tuple(of_atom[0] for of_atom in names)


def _of_edge(subject: Term, property: Term, object_: Term, rules: KeyRules) -> Iterator[str]:
    exact = not is_variable(object_) and not (rules.lenient and is_literal(object_))
    if not is_variable(subject):
        yield f"n{subject}"
    if not is_variable(property):
        yield f"o{property} {object_}" if exact else f"p{property}"
    elif exact:
        yield f"n{object_}"


def _of_class(test: Call, bound: frozenset[Term]) -> Iterator[tuple[str, ...]]:
    term, cls = test.arguments
    if not isinstance(term, Call) and term in bound and not isinstance(cls, Call) and is_iri(cls):
        yield (f"c{iri_text(cls)}",)


def _of_atom(atom: TextAtom, bound: frozenset[Term], rules: KeyRules) -> list[str]:
    """Return names of features that are all required by a text in a term; none if nothing is known."""
    if atom.variable not in bound:  # a value that is computed, and in no triple
        return []
    if atom.mapping is TextMapping.WORDS and not atom.of_str:
        whole = atom.needle.split(SEPARATOR)[1:-1]  # what follows the last separator may be a part of a word
        return [f"w{word}" for word in whole if word]
    if atom.kind is TextKind.LABELLED:
        return [f"l{atom.needle}"]
    constant = atom.constant
    if atom.mapping is TextMapping.TERM and atom.kind is TextKind.EQUALS and constant is not None:
        uncertain = (rules.lenient and is_literal(constant)) or rules.entailed
        return [] if uncertain else [f"n{constant}"]
    return []


# --- publications -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=200_000)
def feature(name: str) -> int:
    """Return the hash of the name of a feature: the same in every process, and not `NO_FEATURE`."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


class FeatureReader:
    """Returns the features of publications. Thread-safe: it only has caches."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        """The taxonomy is the one that subscriptions are matched with, and does not change."""
        self._above = lru_cache(maxsize=50_000)(lambda iri: _classes_above(taxonomy, iri, "c"))
        self._labels = taxonomy.labels if len(taxonomy.labels) else None
        self._above_label = lru_cache(maxsize=10_000)(lambda iri: _classes_above(taxonomy, iri, "l"))

    def __call__(self, publication: Publication) -> frozenset[int]:
        """Return the features of a publication."""
        names: set[str] = set()
        terms: set[Term] = set()
        for subject, property, object_ in publication.triples:
            terms.update((subject, property, object_))
            names.add(f"p{property}")
            names.add(f"o{property} {object_}")
        found = set(map(feature, names))
        for term in terms:
            found.add(feature(f"n{term}"))
            if is_iri(term):
                found.update(self._above(iri_text(term)))
            elif is_literal(term):
                text = literal_parts(term)[0]
                found.update(map(feature, _words(text)))
                for labelled in () if self._labels is None else self._labels.with_label(text):
                    found.update(self._above_label(labelled))
        return frozenset(found)


def _words(text: str) -> Iterable[str]:
    return {f"w{word}" for word in words_text(text).split(SEPARATOR) if word}


def _classes_above(taxonomy: Taxonomy, iri: str, kind: str) -> Sequence[int]:
    return [feature(f"{kind}{cls}") for cls in (iri, *taxonomy.ancestors(iri))]
