"""Plain N-Triples: what the kernel accepts, Oxigraph accepts, and writes in the same way; and the engine's answers are
those that it gives of the same triples."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pyoxigraph as ox
import pytest
from conftest import ROOT, SOAK

from gtopss import Engine, MatchReport, Publication
from gtopss.errors import MalformedPublication
from gtopss.matching.index.fast_ntriples import (
    read_plain_documents,
    read_plain_graphs,
    read_plain_ntriples,
    read_text_publication,
)
from gtopss.matching.index.kernels.ntriples import MAX_KERNEL_BYTES
from gtopss.model.publication import TextPublication
from gtopss.model.terms import RDF, XSD
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import FORMAT_NAMES, RdfFormat
from gtopss.rdf.parse import read_triples
from ontology import Taxonomy

PLAIN = (
    rb'<http://ex.org:80/a-b_c.d~e?q=1&r#s> <urn:p> "text" .',
    rb'<http://ex.org/%C3%A9> <a+b.c-d1:!$()*+,;=:@/?> "a\tb\nc\rd\be\ff\"g\\h" .',
    rb'_:a <file:///x#> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    rb'_:0B_ <mailto:a@b> "chat"@fr .',
    rb'<urn:> <a://> "chat"@fr-be .',
    rb"<tag:x,2005:y/'z'> <http://h?x> _:c .",
    '<urn:a> <urn:p> "é€\U0001f600, \ufffd" .'.encode(),
    rb"<urn:a> <urn:p> <urn:b> .",
    rb'<urn:a> <urn:p> "> <<( a --ltr . <urn:c>" .',
    rb'<urn:a> <urn:p> "" .',
)
"""Lines that are to be accepted, each of another kind."""
ODD = (
    b"# a comment", b' "a" <urn:p> <urn:b> .', b"<urn:a> _:p <urn:b> .", b'<urn:a> "p" <urn:b> .', b"<urn:a> <urn:b> .",
    b"<urn:a> <urn:p> <urn:b>", b"<urn:a> <urn:p> <urn:b> . <urn:a> <urn:p> <urn:c> .", b"<urn:a> <urn:p> <urn:b>.",
    b"<urn:a>  <urn:p> <urn:b> .", b"<urn:a>\t<urn:p> <urn:b> .", b"<urn:a> <urn:p> <urn:b> . ", b" ", b".",
    b"<urn:a> <urn:p> <urn:b> . # said", b"<urn:a> <urn:p> <urn:b> .\r", b"\xef\xbb\xbf<urn:a> <urn:p> <urn:b> .",
    b'VERSION "1.2"', b"@prefix : <urn:> .", b"<urn:a> <urn:p> <<( <urn:a> <urn:p> <urn:b> )>> .",
    b"<urn:a> <urn:p> 5 .", b"<urn:a> <urn:p> <urn:b>, <urn:c> .", b"<urn:a> <urn:p> <urn:b> <urn:g> .",
)  # fmt: skip
IRIS = (
    b"<urn:a>", b"<http://ex.org/a>", b"<http://[::1]/>", b"<http://h:8a/>", b"<http://a@b/>", b"<http://h:>", b"<a>",
    b"<//h/>", b"<:a>", b"<1a:b>", b"<A:b>", b"<a_b:c>", b"<a:%4>", b"<a:%zz>", b"<a:%>", b"<a:#b#c>", b"<a:b c>",
    b"<a:\\u0041>", b"<a:\\n>", "<a:é>".encode(), "<http://é/>".encode(), b"<a:[b]>", b"<a:^>", b"<a:`>", b"<a:{b}>",
    b'<a:">', b"<a:\xff>", b"<http://h%41/>", b"<http://h_h/>", b"<a:\x7f>", b"<a:\x00>", b"<a:<b>>", b"<urn:a>>",
    b"<a:|>", b"<a://:80/>", b"<a://h:#>", b"<a:%0aB>", b"<>", b"<a:b",
)  # fmt: skip
BLANKS = (b"_:a", b"_:", b"_:a.b", b"_:a.", b"_:a-b", b"_:-a", "_:é".encode(), b"_:a:b", b"_a", b"_:00ff", b"_: a")
TYPES = ("langString", "dirLangString", "lang", "", "XMLLiteral", "langStrings")
LITERALS = (
    b'"a"', b"'a'", b'"a', b'"a""', b'"\t"', b'"\x01"', b'"\x7f"', b'"\r"', b'"\n"', b'"\x00"', b'"\\"', rb'"\'"',
    rb'"\u0041"', rb'"\U00000041"', rb'"\x"', rb'"\u000B"', rb'"\uFFFE"', b'"\xff"', b'"\xc3"', b'"\xc0\x80"',
    b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', '"\ufffe"'.encode(), '"\uffff"'.encode(), '"\x85\u2028"'.encode(),
    '"é"@en'.encode(), b'"a"@EN', b'"a"@en-GB', b'"a"@de-1996', b'"a"@x-a', b'"a"@e', b'"a"@', b'"a"@en-', b'"a"@en-u',
    b'"a"@en--ltr', b'"a"@english', b'"a"@zh-hans', b'"a"@aa-bb-cc', b'"a"@en_gb', b'"a"@1a', b'"a"@i-klingon',
    b'"a"^^<urn:t>', b'"a"^<urn:t>', b'"a"^^urn:t', b'"a"^^_:t', b'"a"^^', b'"a"^^<t>', b'"a"@en^^<urn:t>',
    b'"a" ^^<urn:t>', *(f'"a"^^<{XSD}{name}>'.encode() for name in ("string", "strings", "strin", "integer", "String")),
    *(f'"a"^^<{RDF}{name}>'.encode() for name in TYPES),
)  # fmt: skip


def read(document: bytes | str) -> list[str] | None:
    """The lines that Oxigraph makes of a document, its repeats as well; None if it refuses it."""
    try:
        return [term for triple in read_triples(document, "nt") for term in triple]
    except MalformedPublication:
        return None


def accepted(document: bytes | str) -> bool:
    """Whether the kernel accepts a document; if so, it has read what Oxigraph reads."""
    made = read_plain_ntriples("p", document)
    if made is None:
        return False
    assert isinstance(made, TextPublication)
    wanted = read(document)
    assert wanted is not None, document
    assert made.lines == "".join(f"{line}\n" for line in wanted).encode(), document
    assert made.count == len(wanted) // 3
    return True


def lines_of(chance: random.Random) -> Iterator[bytes]:
    """Lines, most of them plain; some have a piece that is not, and some a piece that only looks so."""
    while True:
        line = chance.choice(PLAIN)
        match chance.randrange(6):
            case 0:
                line = chance.choice(ODD)
            case 1:
                subject = chance.choice(IRIS + BLANKS)
                line = b" ".join((subject, b"<urn:p>", chance.choice(LITERALS), b"."))
            case 2:
                line = b" ".join((b"_:a", chance.choice(IRIS), chance.choice(IRIS + BLANKS), b"."))
        yield line


def mutated(document: bytes, chance: random.Random) -> bytes:
    data = bytearray(document)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(5):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.choice((1, 1, 2, 10))]
            case 2:
                data[at:at] = bytes([chance.choice(b'<>"\\ .:_@^#%/\n\t\r-aZ09\x80\xc3\xef')])
            case 3:
                other = chance.randrange(len(data) + 1)
                data[at:at] = data[other : other + chance.randint(1, 20)]
            case 4:
                data[at : at + 1] = data[at : at + 1].swapcase()
    return bytes(data)


@pytest.mark.parametrize("line", PLAIN)
def test_plain_lines_are_accepted(line: bytes) -> None:
    assert accepted(line + b"\n")
    assert accepted(line)
    assert accepted(b"\n\n" + line + b"\n\n\n" + line)
    assert accepted((line + b"\n").decode())


@pytest.mark.parametrize("piece", [*IRIS, *BLANKS, *LITERALS])
def test_a_piece_that_may_be_odd_is_read_as_oxigraph_reads_it_or_declined(piece: bytes) -> None:
    for before, after in [(b"", b" <urn:p> <urn:o> ."), (b"<urn:s> ", b" <urn:o> ."), (b"<urn:s> <urn:p> ", b" ."),
                          (b'<urn:s> <urn:p> "a"^^', b" .")]:  # fmt: skip
        line = before + piece + after
        accepted(line + b"\n")
        accepted(PLAIN[0] + b"\n" + line)


@pytest.mark.parametrize("line", ODD)
def test_odd_lines_are_declined(line: bytes) -> None:
    assert not accepted(line)
    assert not accepted(PLAIN[0] + b"\n" + line + b"\n")


@pytest.mark.parametrize("document", [b"", b"\n", b"\n" * 40])
def test_documents_without_triples(document: bytes) -> None:
    assert accepted(document)
    assert not Engine().match(document, "nt")


def test_random_documents() -> None:
    chance = random.Random("documents")
    lines, counted = lines_of(chance), [0, 0]
    for _ in range(500_000 if SOAK else 20_000):
        document = b"\n".join(next(lines) for _ in range(chance.choice((1, 1, 2, 3))))
        counted[accepted(document)] += 1
    assert min(counted) > sum(counted) // 4


def test_mutated_documents() -> None:
    chance = random.Random("mutated")
    counted = [0, 0]
    for _ in range(3_000_000 if SOAK else 60_000):
        document = b"\n".join(chance.choices(PLAIN, k=chance.choice((1, 1, 2, 3)))) + b"\n"
        counted[accepted(mutated(document, chance))] += 1
    assert min(counted) > sum(counted) // 8


@pytest.mark.parametrize("line", PLAIN)
def test_every_byte_in_every_place(line: bytes) -> None:
    counted = [0, 0]
    for at in range(len(line) + 1):
        for byte in range(256):
            counted[accepted(line[:at] + bytes([byte]) + line[at + 1 :])] += 1
            counted[accepted(line[:at] + bytes([byte]) + line[at:])] += 1
    assert min(counted) > 100


def test_documents_cut_off_at_every_byte() -> None:
    document = b"\n".join(PLAIN)
    whole = [at for at in range(len(document) + 1) if accepted(document[:at])]
    ends = [len(b"\n".join(PLAIN[:count])) for count in range(1, len(PLAIN) + 1)]
    assert whole == [0, *sorted({*ends, *(end + 1 for end in ends[:-1])})]


def test_every_character_in_a_literal() -> None:
    for start in range(0x80, 0x110000, 0x80):
        characters = "".join(chr(code) for code in range(start, start + 0x80) if not 0xD800 <= code < 0xE000)
        assert accepted(f'<urn:a> <urn:p> "{characters}" .') == (start != 0xFF80)
    for code in range(0xFF80, 0x10000):
        assert accepted(f'<urn:a> <urn:p> "{chr(code)}" .') == (code < 0xFFFE)


def test_every_language() -> None:
    letters = string.ascii_letters
    short = ["".join(each) for each in product(letters, letters)]
    three = ["".join(each) for each in product(letters, letters, letters)]
    countries = [f"{one}-{chance}" for one, chance in zip(three, short * 52, strict=True)]
    document = "\n".join(f'<urn:a> <urn:p> "a"@{each} .' for each in (*short, *three, *countries))
    assert accepted(document)
    for each in letters:
        assert not accepted(f'<urn:a> <urn:p> "a"@{each} .')
        assert not accepted(f'<urn:a> <urn:p> "a"@en-{each} .')


def test_long_terms_are_read_up_to_the_size_of_the_kernels() -> None:
    long = b"a" * (1 << 20)
    for line in (b"<urn:" + long + b"> <urn:p> <urn:o> .", b"<urn:s> <urn:p> _:" + long + b" .",
                 b'<urn:s> <urn:p> "' + long + b'"@en .'):  # fmt: skip
        assert accepted(line)
        assert len(open_to_all().match(line, "nt")) == 1
    assert read_plain_ntriples("p", b'<urn:s> <urn:p> "' + b"a" * MAX_KERNEL_BYTES + b'" .') is None


def test_texts_that_are_no_text() -> None:
    assert read_plain_ntriples("p", '<urn:a> <urn:p> "\ud800" .') is None
    with pytest.raises(MalformedPublication, match="Invalid UTF-8"):
        Engine().match(b'<urn:a> <urn:p> "\xff" .', "nt")


def test_shipped_documents_in_all_formats() -> None:
    formats, largest = [], 20_000_000 if SOAK else 500_000
    for path in sorted([*ROOT.glob("data/**/*"), *ROOT.glob("tests/data/**/*")]):
        if path.suffix not in (".ttl", ".rdf", ".xml") or path.stat().st_size > largest:
            continue
        data = path.read_bytes()
        try:
            wanted = Publication.trusted("p", read_triples(data, str(RdfFormat.from_path(path))))
        except MalformedPublication:
            with pytest.raises(MalformedPublication):
                read_text_publication(RdfDocument("p", data, str(RdfFormat.from_path(path))))
            continue
        made = read_text_publication(RdfDocument("p", data, str(RdfFormat.from_path(path))))
        assert len(made.triples) == len(wanted.triples)
        if "_:" not in str(wanted.triples):  # else each reading names blank nodes anew
            assert made == wanted
        formats += [path.suffix] * isinstance(made, TextPublication)
    assert formats.count(".ttl") >= 10
    assert formats.count(".rdf") + formats.count(".xml") >= 1


@pytest.mark.parametrize("format", sorted(FORMAT_NAMES))
def test_errors_are_those_of_the_reader(format: str) -> None:
    for data in (
        b"<urn:a> <urn:p> .",
        "<urn:a> <urn:p> <b> .",
        b'<urn:a> <urn:p> "\xff" .',
        b"{",
        b"<urn:a> <urn:p> <urn:b> .\n<<",
    ):
        with pytest.raises(MalformedPublication) as wanted:
            read_triples(data, format, publication_id="p")
        with pytest.raises(MalformedPublication) as caught:
            Engine().match(data, format, id="p")
        assert str(caught.value) == str(wanted.value)
        assert vars(caught.value) == vars(wanted.value)


# --- what the engine makes of them ------------------------------------------------------------------------------


SUBSCRIPTIONS = (
    "SELECT * { ?s <urn:p> ?o }",
    "SELECT * { ?s <urn:p> ?o . ?o <urn:q> ?r }",
    "SELECT * { ?s ?p ?o . ?s <urn:q> ?o }",
    "SELECT * { ?s <urn:price> ?n FILTER(?n > 5 && ?n < 50) }",
    "SELECT * { ?s <urn:date> ?d FILTER(?d = '2005-04-08'^^<http://www.w3.org/2001/XMLSchema#date>) }",
    "SELECT * { ?s <urn:title> ?t FILTER(REGEX(?t, 'é|news')) }",
    "SELECT DISTINCT ?o { ?s <urn:p> ?o }",
    "ASK { <urn:a> <urn:p> <urn:b> }",
)


def open_to_all(**options: object) -> Engine:
    engine = Engine(**options)  # type: ignore[arg-type]
    assert not engine.add_many(["SELECT * { ?s ?p ?o }"])
    return engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    made = Engine(row_limit=6)
    assert not made.add_many(SUBSCRIPTIONS)
    return made


def documents(count: int, chance: random.Random) -> Iterator[bytes]:
    """Small graphs; some triples are stated twice and more often."""
    nodes = [b"<urn:a>", b"<urn:b>", b"<urn:c>", b"_:x"]
    integer, date = f"^^<{XSD}integer>".encode(), f"^^<{XSD}date>".encode()
    for _ in range(count):
        lines = []
        for _ in range(chance.randint(0, 12)):
            property, object = chance.choice([
                (b"<urn:p>", chance.choice(nodes)), (b"<urn:q>", chance.choice(nodes)),
                (b"<urn:price>", b'"%d"' % chance.randint(0, 60) + integer), (b"<urn:price>", b'"7.5"^^<urn:t>'),
                (b"<urn:price>", b'"%030d"' % 7 + integer), (b"<urn:date>", b'"2005-04-08"' + date),
                (b"<urn:title>", '"é"@fr'.encode()), (b"<urn:title>", b'"some \\"news\\"\\n"'),
            ])  # fmt: skip
            lines.append(b"%b %b %b .\n" % (chance.choice(nodes), property, object))
        lines += chance.choices(lines, k=chance.choice((0, 1, 5))) if lines else []
        chance.shuffle(lines)
        yield b"".join(lines)


def told(reports: Iterable[MatchReport]) -> list[object]:
    return [
        (each.counters, each.exceeded, [(match.subscription_id, match.rows, match.truncated) for match in each.matches])
        for each in reports
    ]


@pytest.mark.parametrize("bindings", [True, False])
@pytest.mark.parametrize("batch", [1, 7, 256])
def test_documents_are_answered_as_their_triples_are(engine: Engine, bindings: bool, batch: int) -> None:
    """Repeats among them count once; mixed with publications that are no texts, and with those that cannot be read."""
    chance = random.Random("answers")
    given = list(documents(20_000 if SOAK else 400, chance))
    triples = [Publication.trusted("p", read_triples(each, "nt")) for each in given]
    wanted = told(engine.match_many(triples, bindings=bindings, batch=batch))
    assert all(accepted(each) for each in given[:50])
    assert sum(len(each.triples) < document.count(b"\n") for each, document in zip(triples, given, strict=True)) > 50
    assert told(engine.match_many(given, "nt", bindings=bindings, batch=batch)) == wanted
    mixed = [chance.choice(pair) for pair in zip(given, triples, strict=True)]
    assert told(engine.match_many(mixed, "nt", bindings=bindings, batch=batch)) == wanted
    for place in range(0, len(mixed), 10):
        mixed[place] = chance.choice((b"<urn:a> <urn:p> .", Publication.trusted("p", [("<urn:a>", "<urn:p>", '"\n"')])))  # type: ignore[list-item]
    reports = list(engine.match_many(mixed, "nt", bindings=bindings, batch=batch))
    assert [each.error is not None for each in reports] == [place % 10 == 0 for place in range(len(mixed))]
    fine = [place for place in range(len(mixed)) if place % 10]
    assert told(reports[place] for place in fine) == [wanted[place] for place in fine]


def test_what_documents_repeat_counts_once_beside_what_entailment_added() -> None:
    """A batch whose triples move together keeps its marks in place: an inferred type is not a stated one."""
    engine = Engine(taxonomy=Taxonomy([("urn:Dog", "urn:Animal")]))
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:Animal>)) }", id="s")
    twice = b"<urn:a> <urn:p> <urn:b> .\n" * 3
    stated = ("<urn:a>", f"<{RDF}type>", "<urn:Dog>")
    said = ("<urn:a>", "<urn:p>", "<urn:b>")
    inferred = Publication.trusted("inferred", [said, stated], inferred=frozenset([stated]))  # type: ignore[arg-type, list-item]
    typed = twice + f"<urn:a> <{RDF}type> <urn:Dog> .\n".encode() * 2
    reports = engine.match_many([twice, inferred, typed, twice, typed, inferred], "nt")
    assert [len(each) for each in reports] == [0, 0, 1, 0, 1, 0]


def test_a_document_is_explained_like_its_triples() -> None:
    document = b"<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:b> .\n"
    texts = []
    for given in (document, Publication.trusted("publication-1", read_triples(document, "nt"))):
        engine = Engine()
        engine.add(SUBSCRIPTIONS[0], id="s")
        texts.append(str(engine.explain(given, "s", "nt")))
    assert texts[0] == texts[1]
    assert "?o = <urn:b>" in texts[0]


@pytest.mark.parametrize(
    ("lines", "count"),
    [(b"<urn:a>\n<urn:p>\n<urn:b>\n" * 2, 1), (b"<urn:a>\n<urn:p>\n<urn:b>\n", 2), (b"<urn:a>\n<urn:p>\n<urn:b>", 1),
     (b"<urn:a>\n<urn:p>\n<urn:b>\nx", 1), (b"x", 0)],
)  # fmt: skip
def test_a_wrong_number_of_lines_is_refused(lines: bytes, count: int) -> None:
    """The kernels count on it: one line too few, and a publication would take its neighbour's."""
    with pytest.raises(MalformedPublication, match="three lines"):
        TextPublication("torn", lines, count)


def test_only_the_index_takes_texts() -> None:
    for matcher in ("reference", "naive"):
        assert [len(each) for each in open_to_all(matcher=matcher).match_many([PLAIN[0], b"<urn:a>"], "nt")] == [
            1,
            0,
        ]


@pytest.mark.parametrize("given", [PLAIN[0], bytearray(PLAIN[0]), PLAIN[0].decode()])
def test_bytes_bytearrays_and_texts(given: bytes | bytearray | str) -> None:
    report = open_to_all().match(given, "application/n-triples", id="x")  # type: ignore[arg-type]
    assert report.publication_id == "x"
    assert report.matches[0].rows == ({"s": "<http://ex.org:80/a-b_c.d~e?q=1&r#s>", "p": "<urn:p>", "o": '"text"'},)
    assert isinstance(given, str) or bytes(given) == PLAIN[0]
    with pytest.raises(MalformedPublication, match="id must be a non-empty string"):
        Engine().match(given, "nt", id="")


QUAD_LINES = [
    b"<urn:a> <urn:p> <urn:b> ",
    b'<urn:a> <urn:title> "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"@FR-be ',
    b"_:x <http://h.example:80/p#f> _:y1 ",
    b'<urn:c> <urn:p> "q\\"\\n"^^<urn:t> ',
]
GRAPHS = [b"<urn:g1> ", b"<urn:g2> ", b"_:g ", b""]


def graphs_of(data: bytes) -> dict[str, list[tuple[str, ...]]] | None:
    """The triples of each graph as Oxigraph reads them; None where it refuses the document."""
    made: dict[str, list[tuple[str, ...]]] = {}
    try:
        for quad in ox.parse(data, format=ox.RdfFormat.N_QUADS):
            graph = "" if isinstance(quad.graph_name, ox.DefaultGraph) else str(quad.graph_name)
            made.setdefault(graph, []).append((str(quad.subject), str(quad.predicate), str(quad.object)))
    except (SyntaxError, ValueError):
        return None
    return made


def triples_in(text: bytes) -> list[tuple[str, ...]]:
    terms = iter(text.decode().split("\n")[:-1])
    return list(zip(terms, terms, terms, strict=True))


def test_random_nquads() -> None:
    chance, counted = random.Random("quads"), [0, 0]
    for _ in range(300_000 if SOAK else 5_000):
        lines = [chance.choice(QUAD_LINES) + chance.choice(GRAPHS) + b"." for _ in range(chance.randrange(6))]
        data = b"\n".join(lines)
        data = mutated(data, chance) if data and chance.random() < 0.7 else data
        read = read_plain_graphs(data)
        counted[read is not None] += 1
        if read is None:
            continue
        made: dict[str, list[tuple[str, ...]]] = {}
        for name, begin, end in zip(read.names, [0, *read.ends.tolist()], read.ends.tolist(), strict=False):
            made.setdefault(name, []).extend(triples_in(bytes(read.lines[begin:end])))
        assert made == graphs_of(data), data
        assert read.counts.sum() == sum(map(len, made.values()))
    assert min(counted) > sum(counted) // 8


def test_random_documents_in_one_block() -> None:
    """Documents without a newline at their end run into the next one, and none is read beyond its end."""
    chance, counted = random.Random("blocks"), [0, 0]
    for _ in range(300_000 if SOAK else 5_000):
        lines = [chance.choice(QUAD_LINES) + b"." + chance.choice((b"", b"\n")) for _ in range(3)]
        documents = [mutated(each, chance) if chance.random() < 0.5 else each for each in lines]
        starts = np.cumsum([0, *map(len, documents)])
        read = read_plain_documents([b"".join(documents)], starts)
        places = zip(documents, [0, *read.ends.tolist()], read.ends.tolist(), read.counts.tolist(), strict=False)
        for document, begin, end, count in places:
            counted[count >= 0] += 1
            if count >= 0:
                wanted = graphs_of(document)
                assert wanted is not None, documents
                assert triples_in(bytes(read.lines[begin:end])) == wanted.get("", []), documents
    assert min(counted) > sum(counted) // 8


def test_a_document_that_ends_within_a_term_does_not_change_the_next_one() -> None:
    """Text is moved forwards in place: by three bytes here, so that the IRI would become a blank node."""
    plain = b"<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> <urn:o> ."
    for cut in (b"<urn:s> <urn:p> ", b'<urn:s> <urn:p> "', b"<urn:s> "):
        documents = [plain, cut, b"<u:_:bbbbb <urn:p> <urn:o> .\n", plain]
        read = read_plain_documents(documents, np.cumsum([0, *map(len, documents)]))
        assert read.counts.tolist() == [2, -1, -1, 2]
        assert bytes(read.lines[: read.ends[-1]]) == b"<urn:s>\n<urn:p>\n<urn:o>\n" * 4


def test_nquads_with_a_line_above_the_size_of_the_kernels_are_declined() -> None:
    def quad(length: int) -> bytes:
        return b'<urn:s> <urn:p> "' + b"a" * length + b'" <urn:g> .\n'

    frame = len(quad(0))
    assert read_plain_graphs(quad(MAX_KERNEL_BYTES - frame) * 2) is not None
    assert read_plain_graphs(quad(1) + quad(MAX_KERNEL_BYTES - frame + 1)) is None
