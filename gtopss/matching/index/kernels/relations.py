"""Number the virtual relations: the properties of edges that no publication states and that the index adds to it.

`isA(?x, C)` is the edge (?x, isA, C), and `CONTAINS(?t, "neuron")` is the edge (?t, contains, "neuron"). A publication
gets these edges as triples before it is searched (`is_a_edges`, `text_edges`). Their numbers are global term numbers:
the dictionary gives its first ones to the relations. No property variable stands for one of them.

A text relation says how a text is looked for in a term:

    FIRST_TEXT_RELATION + 8 * mapping + 2 * kind + of_str

A *mapping* turns the text of a term into the text that is searched. `of_str` is 1 where the constraint has STR, so that
IRIs and typed literals count too.
"""

from __future__ import annotations

from gtopss.compiled import inlined

IS_A, INSTANCE_OF, DIRECTLY_A = 0, 1, 2
IS_A_RELATIONS = 3
"""A property with a global number below this is an is-a relation."""

WRITTEN, LOWER, UPPER, WORDS, TERM = range(5)
"""Mappings: the text as written, LCASE, UCASE, the words of `words()`, and the whole term in N-Triples."""
MAPPING_COUNT = 5

CONTAINS, STARTS, ENDS, EQUALS = range(4)
"""Kinds of text constraint."""

FIRST_TEXT_RELATION = 3
ANY_OF = FIRST_TEXT_RELATION + 8 * MAPPING_COUNT
"""(?t, any of, S): some text of the set S is in the term."""
PUBLICATION_HAS = ANY_OF + 1
"""(the publication, has, S): some text of the set S is in some term. The subject is the term with this same number."""
REGEX, REGEX_OF_STR = PUBLICATION_HAS + 1, PUBLICATION_HAS + 2
"""(?t, matches, "pattern"): a regular expression without a text that every match contains."""
LABELLED = REGEX_OF_STR + 1
"""(?t, labelled, C): the text is a label of the class or of a term below it."""
RELATION_COUNT = LABELLED + 1
"""A property with a global number below this is a virtual relation."""


def text_relation(mapping: int, kind: int, of_str: bool) -> int:
    """Return the number of a text relation."""
    return FIRST_TEXT_RELATION + 8 * mapping + 2 * kind + of_str


def searched_relation(relation: int) -> int:
    """Return the relation (?t, searched, searched) of a text relation: all of ?t was looked at.

    It is the relation of CONTAINS. Its object is the term of the relation, which is no needle.
    """
    return text_relation(mapping_of(relation), CONTAINS, has_str(relation))


def mapping_of(relation: int) -> int:
    """Return the mapping of a text relation."""
    return (relation - FIRST_TEXT_RELATION) >> 3


def has_str(relation: int) -> bool:
    """Return whether a text relation holds for IRIs and typed literals too."""
    return bool((relation - FIRST_TEXT_RELATION) & 1)


@inlined
def kind_of(relation):
    """Return the kind of a text relation."""
    return ((relation - FIRST_TEXT_RELATION) >> 1) & 3


@inlined
def is_of_str(relation):
    """Do the work of `has_str` in kernels."""
    return (relation - FIRST_TEXT_RELATION) & 1 != 0
