"""How functions are named and counted, and the names of SPARQL that a subscription refuses.

Which functions there are is the caller's to say (`parse(functions=...)`). The grammar itself knows only those whose
arguments it has to look at (`GRAMMAR_ARITIES`), the four is-a functions, into which the path `a/rdfs:subClassOf*` is
translated, and SPARQL's second spellings.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "AGGREGATES",
    "GRAMMAR_ARITIES",
    "IS_A",
    "REFUSED_FUNCTIONS",
    "REFUSED_WORDS",
    "SPELLINGS",
    "SYNONYMS",
    "Arity",
    "FunctionArities",
    "describe_arity",
    "takes",
]

# An exact number, the least and the most (None: no limit), or None for any number of arguments.
Arity = int | tuple[int, int | None] | None
FunctionArities = Mapping[str, Arity]

# BOUND takes a variable, and IRI resolves a constant against BASE: both by the grammar, hence of one argument.
GRAMMAR_ARITIES: dict[str, Arity] = {"BOUND": 1, "IRI": 1}

# lower-case name -> canonical name; all take two arguments
IS_A = {name.lower(): name for name in ("isA", "instanceOf", "directlyA", "ancestorOf", "descendantOf")}

# Functions that SPARQL spells in two ways -> the spelling that `Call` has.
SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}

# How the built-in functions are written that are not written in upper case; for the printer only.
SPELLINGS = {
    "LANGMATCHES": "langMatches",
    "SAMETERM": "sameTerm",
    "ISIRI": "isIRI",
    "ISBLANK": "isBlank",
    "ISLITERAL": "isLiteral",
    "ISNUMERIC": "isNumeric",
    "WORDS": "words",
    "HAS": "has",
    "LABELLED": "labelled",
}

AGGREGATES = frozenset(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"))

_CHANCE = "an answer must not depend on chance"
REFUSED_FUNCTIONS: dict[str, str] = {
    "RAND": _CHANCE,
}

_FORMS = "INSERT DELETE LOAD CLEAR DROP CREATE ADD MOVE COPY WITH"
# Words of SPARQL's grammar that no subscription may contain -> the name of the feature.
REFUSED_WORDS: dict[str, str] = {
    "SERVICE": "SERVICE",
    "FROM": "FROM",
    **{word: word for word in _FORMS.split()},
}


def takes(arity: Arity, count: int) -> bool:
    """Return whether a function of this arity may be called with `count` arguments."""
    if arity is None:
        return True
    if isinstance(arity, int):
        return count == arity
    least, most = arity
    return least <= count and (most is None or count <= most)


def describe_arity(arity: Arity) -> str:
    """Return the number of arguments in words.

    >>> describe_arity((2, 3)), describe_arity(1)
    ('2 or 3 arguments', '1 argument')
    """
    if arity is None:
        return "any number of arguments"
    if isinstance(arity, int):
        return f"{arity or 'no'} argument{'' if arity == 1 else 's'}"
    least, most = arity
    if most is None:
        return f"{least} or more arguments"
    return f"{least} {'or' if most == least + 1 else 'to'} {most} arguments"
