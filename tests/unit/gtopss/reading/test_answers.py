from __future__ import annotations

import datetime as dt
import random
import struct
from collections.abc import Callable

import pytest
from conftest import ROOT, SOAK

from gtopss.errors import MalformedPublication
from gtopss.feeds.repair import Ending
from gtopss.model import Publication
from gtopss.model.terms import literal, parse_term
from gtopss.reading.answers import (
    InvalidAnswer,
    read_axioms_answer,
    read_document_answer,
    read_error_answer,
    read_prefixes_answer,
    write_axioms,
    write_document,
    write_error,
    write_prefixes,
)
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import ParsedDocument, read_document
from ontology import Axioms

ODD_LITERALS = [literal("".join(map(chr, [*range(0x100), 0xFFFE, 0xFFFF, 0xE000, 0x10FFFF]))), literal('"\\', "urn:t")]
DOCUMENT = ParsedDocument(
    DocumentKind.N_QUADS,
    (
        Publication("p1", [("<urn:a>", "<urn:p>", each) for each in ODD_LITERALS], source="s"),
        Publication("p2 é", [("_:a.b", "<urn:é>", '"a"@en-gb'), ("_:0", "<urn:p>", "_:ü-")], source="s"),
        Publication("p3", [], source="s", published_at=dt.datetime(2026, 1, 2, 3, 4, 5, 6, dt.UTC)),
    ),
    ("a warning", "é"),
    ending=Ending.IN_ITEM,
)
AXIOMS = Axioms(
    subclasses=(("a", "b"), ("c", "d")),
    instances=(("e", "b"),),
    classes=("a", "é"),
    unsatisfiable=("f",),
    labels=(("a", "p", "A\nb", "en"), ("é", "p", "", "")),
)


def test_what_was_written_is_read() -> None:
    assert read_document_answer(write_document(DOCUMENT), "s") == DOCUMENT
    assert read_axioms_answer(write_axioms(AXIOMS, ("urn:x",))) == (AXIOMS, ("urn:x",))
    assert read_prefixes_answer(write_prefixes({"a": "urn:a", "": "é"})) == {"a": "urn:a", "": "é"}
    for error in (MalformedPublication("é", line=3), MalformedPublication("b" * 20_000, line=1, column=2, triple=0)):
        read = read_error_answer(write_error(error), "p")
        assert (read.reason, read.line, read.column, read.triple) == (
            error.reason, error.line, error.column, error.triple,
        )  # fmt: skip
        assert read.publication_id == "p"
        assert len(read.reason) <= 1_003


def test_every_shipped_document_survives() -> None:
    for path in sorted((ROOT / "data" / "feeds").iterdir()):
        read = read_document(path.read_bytes(), source=path.name)
        assert read_document_answer(write_document(read), path.name) == read


@pytest.mark.parametrize(
    "lines",
    [
        "<urn:a>\n<urn:p>\n",
        "<urn:a>\n<urn:p>\n<urn:b>",
        "<urn:a>\n<urn:p>\n?x\n",
        '"a"\n<urn:p>\n"b"\n',
        "<urn:a>\n_:b\n<urn:b>\n",
        "<urn:a b>\n<urn:p>\n<urn:b>\n",
        '<urn:a>\n<urn:p>\n"a\n',
        '<urn:a>\n<urn:p>\n"a" \n',
        '<urn:a>\n<urn:p>\n"a\\x"\n',
        '<urn:a>\n<urn:p>\n"\\uD800"\n',
        '<urn:a>\n<urn:p>\n"a"@EN\n',
        '<urn:a>\n<urn:p>\n"a"^^urn:b\n',
        "<urn:a>\n<urn:p>\n<<( <urn:a> <urn:p> <urn:b> )>>\n",
        "_:\n<urn:p>\n<urn:b>\n",
        "\n\n\n",
    ],
)
def test_lines_that_are_no_triples_are_refused(lines: str) -> None:
    answer = [
        b"turtle",
        struct.pack("<QQB", 0, 1, 0),
        b"p",
        b"",
        struct.pack("<Q", lines.count("\n") // 3),
        lines.encode(),
    ]
    with pytest.raises(InvalidAnswer):
        read_document_answer(answer, None)


def replaced(position: int, value: bytes) -> list[bytes]:
    answer = write_document(DOCUMENT)
    answer[position] = value
    return answer


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [b"turtle"],
        replaced(0, b"python"),
        replaced(0, b"\xff"),
        replaced(1, b""),
        replaced(1, struct.pack("<QQB", 2**63, 3, 0)),
        replaced(1, struct.pack("<QQB", 0, 2**62, 0)),
        replaced(1, struct.pack("<QQB", 2, 3, 9)),
        replaced(2, b"\xff"),
        replaced(4, b""),
        replaced(4, b"\xed\xa0\x80"),
        replaced(5, b"yesterday"),
        replaced(6, b"\1"),
        replaced(6, struct.pack("<Q", 1)),
        replaced(7, b"\xff\n\n\n"),
        [*write_document(DOCUMENT), b""],
        write_document(DOCUMENT)[:-1],
    ],
)
def test_other_answers_are_refused(answer: list[bytes]) -> None:
    with pytest.raises(InvalidAnswer):
        read_document_answer(answer, None)


@pytest.mark.parametrize(
    ("read", "answer"),
    [
        (read_prefixes_answer, [b"a"]),
        (read_prefixes_answer, [b"a", b"\xff"]),
        (read_axioms_answer, []),
        (read_axioms_answer, [b"", b""]),
        (read_axioms_answer, [struct.pack("<10Q", 1, *[0] * 9), b"a"]),
        (read_axioms_answer, [struct.pack("<10Q", 2**63, *[0] * 9), b"a", b"b"]),
        (read_axioms_answer, [struct.pack("<10Q", *[0] * 8, 3, 0), b"a", b"b", b"c"]),
        (lambda answer: read_error_answer(answer, None), []),
        (lambda answer: read_error_answer(answer, None), [b"a", b"b"]),
    ],
)
def test_other_answers_of_other_kinds_are_refused(read: Callable[[list[bytes]], object], answer: list[bytes]) -> None:
    with pytest.raises(InvalidAnswer):
        read(answer)


def test_a_mutated_answer_is_refused_or_has_valid_terms() -> None:
    generator = random.Random(7)
    refused = 0
    for _ in range(100_000 if SOAK else 2_000):
        answer = [bytearray(field) for field in write_document(DOCUMENT)]
        for _ in range(generator.randint(1, 3)):
            field = generator.choice(answer)
            at = generator.randrange(len(field) + 1)
            field[at : at + generator.randint(0, 3)] = generator.choice([b"", b"\n", b'"', b"<", b"\0", b"\xff", b"\\"])
        try:
            read = read_document_answer(list(map(bytes, answer)), None)
        except InvalidAnswer:
            refused += 1
            continue
        terms = [term for one in read.publications for triple in one.triples for term in triple]
        assert [parse_term(term) for term in terms] == terms
    assert refused > 100


@pytest.mark.parametrize(
    "piece", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbf\xbe", b"\xc3", b"\x7f"]
)
def test_text_that_is_not_utf8_or_not_canonical_is_refused(piece: bytes) -> None:
    for lines in (b'<urn:a>\n<urn:p>\n"x' + piece + b'y"\n', b"<urn:a" + piece + b"\0>\n<urn:p>\n<urn:b>\n"):
        answer = [b"turtle", struct.pack("<QQB", 0, 1, 0), b"p", b"", struct.pack("<Q", 1), lines]
        with pytest.raises(InvalidAnswer):
            read_document_answer(answer, None)


def test_the_description_of_a_channel_is_sent_once() -> None:
    path = ROOT / "data" / "feeds" / "usgs-earthquakes.atom"
    read = read_document(path.read_bytes(), source=path.name)
    answer = write_document(read)
    assert answer[-1] == read.common_lines
    assert sum(read.common_lines in field for field in answer) == 1
    assert read_document_answer(answer, path.name) == read


@pytest.mark.parametrize(
    ("lines", "common"),
    [
        (b"<urn:a>\n<urn:p>\n<urn:b", b">\n"),  # a term in two pieces
        (b"<urn:a>\n", b"<urn:p>\n<urn:b>\n"),
        (b"", b"<urn:a>\n<urn:p>\n"),
        (b"<urn:a>\n<urn:p>\n<urn:b>\n", b""),
        (b"<urn:a>\n<urn:p>\n<urn:b>\n", b"\n"),
    ],
)
def test_common_lines_are_whole_triples(lines: bytes, common: bytes) -> None:
    count = (lines + common).count(b"\n") // 3
    answer = [b"rss20", struct.pack("<QQB", 0, 1, 0), b"p", b"", struct.pack("<Q", count), lines, common]
    with pytest.raises(InvalidAnswer):
        read_document_answer(answer, None)
