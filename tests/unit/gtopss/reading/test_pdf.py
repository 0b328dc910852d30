"""RDF in PDFs: XMP as a publication, and files that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pdf_files import XMP, pdf

from gtopss import Engine
from gtopss.errors import MalformedPublication
from gtopss.reading.detect import DocumentKind, detect
from gtopss.reading.documents import read_document
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.pdf import MAX_PACKET_BYTES, is_pdf

TITLE = "SELECT ?title { ?pdf dc:title ?titles . ?titles rdf:_1 ?title FILTER words(?title, 'fast filtering') }"
FORMAT = ("<http://purl.org/dc/elements/1.1/format>", '"application/pdf"')


@pytest.mark.parametrize("filters", [0, 1, 2])
def test_the_metadata_is_one_publication_about_the_document(filters: int) -> None:
    read = read_document(pdf(filters=filters), source="http://a.example/paper.pdf")
    assert read.kind is DocumentKind.PDF
    (publication,) = read.publications
    assert publication.id == "http://a.example/paper.pdf"
    assert ("<http://a.example/paper.pdf>", *FORMAT) in publication.triples
    assert len(publication.triples) == 8


def test_a_document_without_a_name_is_named_after_its_content() -> None:
    (publication,) = read_document(pdf()).publications
    assert publication.id.startswith("urn:gtopss:document:")
    assert (f"<{publication.id}>", *FORMAT) in publication.triples


def test_an_engine_matches_a_file_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "paper.dat"  # the content decides, not the name
    path.write_bytes(pdf())
    engine = Engine()
    engine.add(TITLE, id="title")
    for report in (engine.match(path), engine.match(pdf(), format="application/pdf"), engine.match(pdf(), "pdf")):
        assert [match.rows[0]["title"] for match in report] == ['"Fast Filtering"@x-default']
    assert engine.match(path).publication_id == str(path)


def test_packets_in_utf_16_and_without_a_wrapper_are_read() -> None:
    wrapped = XMP.split(b"?>", 1)[1].rsplit(b"<?xpacket", 1)[0].strip().decode()
    bare = wrapped.removeprefix('<x:xmpmeta xmlns:x="adobe:ns:meta/">').removesuffix("</x:xmpmeta>")
    for packet in (("\ufeff" + wrapped).encode("utf-16-be"), bare.encode()):
        assert len(read_document(pdf(packet)).publications[0].triples) == 8


LAUGHS = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>"""
EXTERNAL = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>"""


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (pdf(None), "no XMP metadata"),
        (pdf(encrypted=True), "encrypted"),
        (pdf(b"<x/>"), "no rdf:RDF"),
        (pdf(b"<x>"), "refused"),
        (pdf(LAUGHS), "refused"),
        (pdf(EXTERNAL), "refused"),
        (pdf(b"<x>" * 100_000), "refused"),
        (pdf(bytes(MAX_PACKET_BYTES + 1)), "cannot be read|more than"),
        (pdf(bytes(200 * 2**20), filters=2), "cannot be read|more than"),
        (pdf(XMP, filters=3), "filter"),
        (b"%PDF-1.7\n", "cannot be read|no XMP"),
        (pdf()[:300], "cannot be read|no XMP"),
        (
            b"%PDF-1.7\n" + b"1 0 obj\n<< /Type /Nothing >>\nendobj\n" * 20_000 + b"trailer << >>",
            "cannot be read|no XMP",
        ),
    ],
)
def test_what_cannot_be_read_safely_is_refused(document: bytes, reason: str) -> None:
    with pytest.raises(MalformedPublication, match=reason):
        read_document(document, source="a.pdf")


def test_damaged_files_are_read_or_refused_and_nothing_else() -> None:
    whole = pdf()
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0x5A
        try:
            (publication,) = read_document(bytes(damaged), source="a.pdf", format="pdf").publications
            assert publication.id == "a.pdf"
        except MalformedPublication:
            pass


def test_the_worker_reads_pdfs() -> None:
    with IsolatedReader() as reader:
        read = reader.read_document(pdf(), source="a.pdf", base="file:///a.pdf")
        assert ("<file:///a.pdf>", *FORMAT) in read.publications[0].triples
        with pytest.raises(MalformedPublication, match="no XMP"):
            reader.read_document(pdf(None), source="b.pdf")


def test_a_pdf_is_known_by_its_header() -> None:
    assert detect(pdf()) is DocumentKind.PDF
    assert is_pdf(b"\xef\xbb\xbf\r\n%PDF-1.4")
    assert not is_pdf(b"a text about %PDF-1.4")
