"""What the worker process answers, as byte strings: written in the worker, and checked by whoever reads it.

A hostile document may have taken over the worker. So an answer is data of a few known shapes. Each number, text and
term is checked as if the document itself had sent it, and nothing is unpickled.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import re2

from gtopss.errors import MalformedPublication
from gtopss.feeds.repair import Ending
from gtopss.model import Publication
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.model.iris import FORBIDDEN_IRI_CHARACTERS
from gtopss.model.lazy_pattern import LazyPattern
from gtopss.model.publication import TextPublication
from gtopss.model.terms import BLANK_LABEL, Term
from gtopss.model.text_block import lines_of
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import ParsedDocument
from ontology import Axioms

MAX_WARNING_CHARACTERS = 10_000  # what is longer is cut

_COUNT = struct.Struct("<Q")
_HEAD = struct.Struct("<QQB")  # warnings, publications, ending
_PLACE = struct.Struct("<qqq")
_NONE = -1  # for a line, column or triple that is not known
_PUBLICATION_FIELDS = 4
_PAIRS = (
    "subclasses",
    "instances",
    "subproperties",
    "equivalent_classes",
    "equivalent_properties",
    "domains",
    "ranges",
)
_WIDTHS = {**dict.fromkeys(_PAIRS, 2), "labels": 4}  # of axioms that are several texts; others are one

_IRI = f"<[^{FORBIDDEN_IRI_CHARACTERS}]*+>"
_NODE = f"(?:{_IRI}|_:{BLANK_LABEL})"
# The canonical literals of `gtopss.model.terms`: escapes only where N-Triples requires them.
_LITERAL = (
    r'"(?:[^"\\\x00-\x1f\x7f\ufffe\uffff]++|\\[tbnrf"\\]|\\u(?:00[01][0-9A-F]|007F|FFF[EF]))*+"'
    rf"(?:@[a-z]{{1,8}}(?:-[a-z0-9]{{1,8}})*+|\^\^{_IRI})?+"
)
_GRAPH_NAME = LazyPattern(_NODE)
_LINES = LazyPattern(f"(?:{_NODE}\n{_IRI}\n(?:{_NODE}|{_LITERAL})\n)*+")


def _usual_lines() -> Any:
    """Return `_LINES` for RE2 and UTF-8: without possessive quantifiers, and blank nodes have ASCII labels."""
    surrogates = r"\x{D800}-\x{DFFF}"  # RE2 decodes them, and Python does not
    iri = f"<[^{FORBIDDEN_IRI_CHARACTERS}{surrogates}]*>"
    node = rf"(?:{iri}|_:[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?)"
    literal = (
        rf'"(?:[^"\\\x00-\x1f\x7f\x{{FFFE}}\x{{FFFF}}{surrogates}]|\\[tbnrf"\\]'
        rf'|\\u(?:00[01][0-9A-F]|007F|FFF[EF]))*"(?:@[a-z]{{1,8}}(?:-[a-z0-9]{{1,8}})*|\^\^{iri})?'
    )
    return re2.compile(f"(?:{node}\n{iri}\n(?:{node}|{literal})\n)*")


_USUAL_LINES = _usual_lines()


class InvalidAnswer(Exception):
    """The worker sent what no reader would."""


# --- documents ---------------------------------------------------------------------------------------------


def write_document(document: ParsedDocument) -> list[bytes]:
    """Return a document as byte strings. Each publication has its text, one term per line."""
    answer = [
        document.kind.value.encode(),
        _HEAD.pack(len(document.warnings), len(document.publications), document.ending),
        *(warning[:MAX_WARNING_CHARACTERS].encode("utf-8", "replace") for warning in document.warnings),
    ]
    common = document.common_lines
    for publication in document.publications:
        lines = _lines_of(publication)
        if common and not lines.endswith(common):
            raise ValueError(f"the text of {publication.id} does not end with the common lines of its document")
        when = publication.published_at.isoformat() if publication.published_at else ""
        answer += (
            publication.id.encode(),
            when.encode(),
            _COUNT.pack(publication.count if isinstance(publication, TextPublication) else len(publication.triples)),
            lines[: -len(common)] if common else lines,
        )
    if common:
        answer.append(common)
    return answer


def _lines_of(publication: Publication) -> bytes:
    if isinstance(publication, TextPublication):
        return publication.lines
    return lines_of(publication.triples)


def read_document_answer(answer: Sequence[bytes], source: str | None) -> ParsedDocument:
    """Read what `write_document` wrote. Raise InvalidAnswer for anything else."""
    try:
        kind = DocumentKind(_text(answer[0]))
        warning_count, count, ending_number = _HEAD.unpack(answer[1])
        ending = Ending(ending_number)
    except (ValueError, IndexError, struct.error) as error:
        raise InvalidAnswer(str(error)) from None
    start = 2 + warning_count
    end = start + _PUBLICATION_FIELDS * count
    common = answer[end] if len(answer) == end + 1 else b""
    if len(answer) != end + (1 if common else 0) or common.count(b"\n") % 3:
        raise InvalidAnswer(f"{len(answer)} strings for {count} publications")
    _check_lines([*answer[start + _PUBLICATION_FIELDS - 1 : end : _PUBLICATION_FIELDS], common])
    common_lines = common.count(b"\n")
    publications = tuple(
        _read_publication(answer[position : position + _PUBLICATION_FIELDS], common, common_lines, source)
        for position in range(start, end, _PUBLICATION_FIELDS)
    )
    return ParsedDocument(kind, publications, tuple(map(_text, answer[2:start])), common, ending)


def write_dataset(dataset: DatasetPublication) -> list[bytes]:
    """Return a dataset as byte strings: a document of its default graph, and its named graphs under their names."""
    graphs = (Publication.trusted(name, triples) for name, triples in dataset.graphs.items())
    return write_document(ParsedDocument(DocumentKind.UNKNOWN, (dataset.without_graphs(), *graphs)))


def read_dataset_answer(answer: Sequence[bytes], source: str | None) -> DatasetPublication:
    """Read what `write_dataset` wrote. Raise InvalidAnswer for anything else."""
    read = read_document_answer(answer, source)
    if not read.publications:
        raise InvalidAnswer("a dataset without a default graph")
    default, *graphs = read.publications
    if not all(_GRAPH_NAME.fullmatch(graph.id) for graph in graphs):
        raise InvalidAnswer("a graph with a name that is not a term")
    return DatasetPublication.of(default, {Term(graph.id): graph.triples for graph in graphs})


def _check_lines(texts: Sequence[bytes]) -> None:
    """Check that each text has whole lines, and that together they are triples.

    Each text has the lines of whole triples too: the number of triples is checked when the publications are made.
    """
    if any(text and not text.endswith(b"\n") for text in texts):
        raise InvalidAnswer("a line that has no end")
    lines = b"".join(texts)
    # The first pattern is matched by compiled code and knows the terms of nearly all documents. It knows UTF-8 too.
    if not _USUAL_LINES.fullmatch(lines) and not _LINES.fullmatch(_text(lines)):
        raise InvalidAnswer("a line that is not a term")


def _read_publication(answer: Sequence[bytes], common: bytes, common_lines: int, source: str | None) -> Publication:
    id, when, count, lines = answer
    try:
        published_at = dt.datetime.fromisoformat(_text(when)) if when else None
        (triples,) = _COUNT.unpack(count)
        if lines.count(b"\n") + common_lines != 3 * triples:
            raise InvalidAnswer(f"its text does not have three lines for each of {triples} triples")
        return TextPublication.trusted_lines(_text(id), lines + common, triples, source, published_at)
    except (ValueError, struct.error) as error:  # MalformedPublication is a ValueError
        raise InvalidAnswer(str(error)) from None


# --- prefixes, errors and ontologies -----------------------------------------------------------------------


def write_prefixes(prefixes: dict[str, str]) -> list[bytes]:
    return [text.encode() for pair in prefixes.items() for text in pair]


def read_prefixes_answer(answer: Sequence[bytes]) -> dict[str, str]:
    """Read what `write_prefixes` wrote. Raise InvalidAnswer for anything else."""
    return {row[0]: row[1] for row in _rows(answer, 2)}


def write_error(error: MalformedPublication) -> list[bytes]:
    place = (_NONE if number is None else number for number in (error.line, error.column, error.triple))
    return [error.reason.encode("utf-8", "replace"), _PLACE.pack(*place)]


def read_error_answer(answer: Sequence[bytes], publication_id: str | None) -> MalformedPublication:
    """Read what `write_error` wrote. Raise InvalidAnswer for anything else."""
    try:
        reason, place = answer
        line, column, triple = (None if number < 0 else number for number in _PLACE.unpack(place))
    except (ValueError, struct.error) as error:
        raise InvalidAnswer(str(error)) from None
    return MalformedPublication(_text(reason), publication_id=publication_id, line=line, column=column, triple=triple)


def write_axioms(axioms: Axioms, missing_imports: Sequence[str]) -> list[bytes]:
    groups: list[Sequence[str]] = []
    for field in fields(Axioms):
        group = getattr(axioms, field.name)
        groups.append([text for axiom in group for text in axiom] if field.name in _WIDTHS else group)
    groups.append(missing_imports)
    counts = struct.pack(f"<{len(groups)}Q", *map(len, groups))
    return [counts, *(name.encode("utf-8", "replace") for group in groups for name in group)]


def read_axioms_answer(answer: Sequence[bytes]) -> tuple[Axioms, tuple[str, ...]]:
    """Read what `write_axioms` wrote. Raise InvalidAnswer for anything else."""
    names = [field.name for field in fields(Axioms)]
    try:
        counts = struct.unpack(f"<{len(names) + 1}Q", answer[0])
    except (IndexError, struct.error) as error:
        raise InvalidAnswer(str(error)) from None
    if sum(counts) != len(answer) - 1:
        raise InvalidAnswer(f"{len(answer) - 1} names, and {sum(counts)} announced")
    groups: list[Sequence[bytes]] = []
    position = 1
    for count in counts:
        groups.append(answer[position : position + count])
        position += count
    *axioms, missing_imports = groups
    made: dict[str, Any] = {
        name: tuple(_rows(group, _WIDTHS[name])) if name in _WIDTHS else tuple(map(_text, group))
        for name, group in zip(names, axioms, strict=True)
    }
    return Axioms(**made), tuple(map(_text, missing_imports))


def _rows(answer: Sequence[bytes], width: int) -> Iterator[tuple[str, ...]]:
    """Return the texts of an answer, so many at a time."""
    if len(answer) % width:
        raise InvalidAnswer(f"{len(answer)} texts are no rows of {width}")
    texts = map(_text, answer)
    return zip(*[texts] * width, strict=True)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidAnswer(str(error)) from None
