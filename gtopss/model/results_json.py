"""Terms and rows as the SPARQL 1.1 Query Results JSON Format writes them: the one form of bindings in JSON.

>>> term_to_json(literal("chat", language="fr"))
{'type': 'literal', 'value': 'chat', 'xml:lang': 'fr'}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from gtopss.model.terms import (
    RDF_LANG_STRING,
    XSD_STRING,
    Term,
    blank,
    iri,
    iri_text,
    is_blank,
    is_iri,
    literal,
    literal_parts,
)

JsonTerm: TypeAlias = dict[str, str]


def term_to_json(term: Term) -> JsonTerm:
    """Return a term as an object with its type and value, and the datatype or language of a literal."""
    if is_iri(term):
        return {"type": "uri", "value": iri_text(term)}
    if is_blank(term):
        return {"type": "bnode", "value": term[2:]}
    text, datatype, language = literal_parts(term)
    made = {"type": "literal", "value": text}
    if language is not None:
        made["xml:lang"] = language
    elif datatype not in (XSD_STRING, RDF_LANG_STRING):
        made["datatype"] = datatype
    return made


def term_from_json(data: Mapping[str, str]) -> Term:
    """Return the term that `term_to_json` wrote."""
    match data["type"]:
        case "uri":
            return iri(data["value"])
        case "bnode":
            return blank(data["value"])
        case _:
            return literal(data["value"], data.get("datatype"), data.get("xml:lang"))


class SharedJsonTerms:
    """Convert terms to JSON. Equal terms are one object, because a long one may be in every row."""

    def __init__(self) -> None:
        self._made: dict[Term, JsonTerm] = {}

    def __call__(self, term: Term) -> JsonTerm:
        found = self._made.get(term)
        if found is None:
            found = self._made[term] = term_to_json(term)
        return found


def rows_to_json(rows: Iterable[Mapping[str, Term]]) -> list[dict[str, JsonTerm]]:
    """Return rows with their terms as JSON. Equal terms are one object."""
    shared = SharedJsonTerms()
    return [{name: shared(value) for name, value in row.items()} for row in rows]
