"""The functions an expression may call, and the names SPARQL has that a subscription refuses."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "BUILTINS",
    "IS_A",
    "REFUSED_FUNCTIONS",
    "REFUSED_WORDS",
    "SPELLINGS",
    "Arity",
    "OperatorArities",
    "describe_arity",
    "takes",
]

# An exact number, the least and the most (None: no most), or None for any number of arguments.
Arity = int | tuple[int, int | None] | None
OperatorArities = Mapping[str, Arity]

_BY_ARITY: dict[Arity, str] = {
    0: "NOW",
    1: "STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI YEAR "
    "MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512 ISIRI ISURI "
    "ISBLANK ISLITERAL ISNUMERIC",
    2: "LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT SAMETERM",
    3: "IF",
    (2, 3): "REGEX SUBSTR",
    (3, 4): "REPLACE",
    None: "CONCAT COALESCE",
}
_SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}

# upper-case name -> (canonical name, arity)
BUILTINS: dict[str, tuple[str, Arity]] = {
    name: (_SYNONYMS.get(name, name), arity) for arity, names in _BY_ARITY.items() for name in names.split()
}

# lower-case name -> canonical name; all take two arguments
IS_A = {name.lower(): name for name in ("isA", "instanceOf", "directlyA", "ancestorOf")}

# How SPARQL's documents write the built-in functions that they do not write in upper case.
SPELLINGS = {
    "LANGMATCHES": "langMatches",
    "SAMETERM": "sameTerm",
    "ISIRI": "isIRI",
    "ISBLANK": "isBlank",
    "ISLITERAL": "isLiteral",
    "ISNUMERIC": "isNumeric",
}

_AGGREGATE = "a subscription tests one publication at a time and does not aggregate"
_CHANCE = "an answer must not depend on chance"
REFUSED_FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"), _AGGREGATE),
    **dict.fromkeys(("RAND", "UUID", "STRUUID", "BNODE"), _CHANCE),
}

_PATTERNS = "OPTIONAL MINUS GRAPH SERVICE FROM HAVING LIMIT OFFSET EXISTS"
_FORMS = "CONSTRUCT DESCRIBE INSERT DELETE LOAD CLEAR DROP CREATE ADD MOVE COPY WITH"
# Words of SPARQL's grammar that no subscription may hold -> the feature's name.
REFUSED_WORDS: dict[str, str] = {
    "GROUP": "GROUP BY",
    "ORDER": "ORDER BY",
    **{word: word for word in _PATTERNS.split()},
    **{word: word for word in _FORMS.split()},
}


def takes(arity: Arity, count: int) -> bool:
    """Whether a function of this arity may be called with `count` arguments."""
    if arity is None:
        return True
    if isinstance(arity, int):
        return count == arity
    least, most = arity
    return least <= count and (most is None or count <= most)


def describe_arity(arity: Arity) -> str:
    """The number of arguments in words.

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
