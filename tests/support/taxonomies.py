"""A plain definition of is-a that taxonomies are compared with, and strategies for edges."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from ontology import Taxonomy

Edges = list[tuple[str, str]]

NAMES = [f"n{index}" for index in range(9)]
names = st.sampled_from(NAMES)
any_edges = st.lists(st.tuples(names, names), max_size=16)
# A child's index is above its parent's, so no cycle can arise.
acyclic_edges = st.lists(
    st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: tuple(sorted(pair))[::-1]),
    max_size=20,
)


class PlainSearch:
    """The meaning of is-a, written as a search over edge lists and nothing else."""

    def __init__(self, subclasses: Edges, instances: Iterable[tuple[str, str]] = ()) -> None:
        self.subclasses = set(subclasses)
        self.instances = set(instances)

    def up(self, start: str) -> set[str]:
        seen = {start}
        while True:
            new = {parent for child, parent in self.subclasses if child in seen} - seen
            if not new:
                return seen
            seen |= new

    def instance_of(self, term: str, cls: str) -> bool:
        return any(cls in self.up(each) for instance, each in self.instances if instance == term)

    def is_a(self, term: str, cls: str) -> bool:
        return cls in self.up(term) or self.instance_of(term, cls)

    def equivalent(self, one: str, other: str) -> bool:
        return one != other and other in self.up(one) and one in self.up(other)

    def distance(self, term: str, cls: str) -> int | None:
        if term == cls:
            return 0
        reached = {parent for child, parent in self.subclasses | self.instances if child == term}
        for steps in range(1, len(NAMES) + 2):
            if cls in reached:
                return steps
            reached |= {parent for child, parent in self.subclasses if child in reached}
        return None


def assert_same_answers(taxonomy: Taxonomy, plain: PlainSearch, about: Iterable[str] = (*NAMES, "?")) -> None:
    terms = (*NAMES, "?")
    for x in about:
        for c in terms:
            assert taxonomy.is_a(x, c) == plain.is_a(x, c), (x, c)
            assert taxonomy.instance_of(x, c) == plain.instance_of(x, c), (x, c)
            assert taxonomy.ancestor_of(x, c) == (x != c and plain.is_a(c, x) and not plain.equivalent(x, c)), (x, c)
        assert taxonomy.ancestors(x) == {c for c in terms if c != x and plain.is_a(x, c)}, x
        assert taxonomy.descendants(x) == {y for y in terms if y != x and plain.is_a(y, x)}, x
        assert taxonomy.subclasses(x) == {y for y in terms if y != x and x in plain.up(y)}, x
        assert taxonomy.instances(x) == {y for y in terms if plain.instance_of(y, x)}, x
        assert taxonomy.equivalents(x) == {y for y in terms if plain.equivalent(x, y)}, x
