"""The numbers of virtual relations."""

from __future__ import annotations

from itertools import product

from gtopss.matching.index.kernels import relations
from gtopss.semantics.class_members import RELATIONS
from gtopss.semantics.text_tests import TextKind, TextMapping

# Regular expressions and labels have relations of their own.
KINDS = [kind for kind in TextKind if kind not in (TextKind.MATCHES, TextKind.LABELLED)]


def test_mappings_and_kinds_have_the_numbers_of_the_semantics() -> None:
    assert len(TextMapping) == relations.MAPPING_COUNT
    for mapping in TextMapping:
        assert getattr(relations, mapping.name) == mapping
    for kind in KINDS:
        assert getattr(relations, kind.name) == kind
    assert len(RELATIONS) == relations.IS_A_RELATIONS


def test_a_relation_says_how_a_text_is_looked_for() -> None:
    numbers = set()
    for mapping, kind, of_str in product(TextMapping, KINDS, (False, True)):
        number = relations.text_relation(mapping, kind, of_str)
        assert relations.mapping_of(number) == mapping
        assert relations.has_str(number) == of_str
        numbers.add(number)
    assert numbers == set(range(relations.FIRST_TEXT_RELATION, relations.ANY_OF))
    assert relations.RELATION_COUNT <= 63  # `insert_edge` has six bits for them, and 0 is free
