from __future__ import annotations

import pytest

from gtopss.broker import plain_documents
from gtopss.broker.plain_documents import read_plain
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.parse import read_rdf_publication
from ontology.limits import DocumentLimits

PLAIN = [b"<urn:a> <urn:p> <urn:b> .\n", b'<urn:a> <urn:p> "x\\u00e9" .\n<urn:a> <urn:p> "x" .', b"", b"# nothing\n"]
OTHER = [b"<urn:a> <urn:p> .", b"\xff", b"<urn:a> <urn:p> <urn:b>"]


def documents(data: list[bytes]) -> list[RdfDocument]:
    return [RdfDocument(f"urn:{number}", each, "nt", source="s") for number, each in enumerate(data)]


@pytest.mark.parametrize("size", [1, 40, 2**20])
def test_plain_documents_are_read_as_by_the_other_reader(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_documents, "MAX_TEXT_BYTES", size)
    given = documents([*PLAIN, *OTHER, *PLAIN])
    read = read_plain(given, DocumentLimits())
    for document, found in zip(given, read, strict=True):
        if document.data in OTHER:
            assert found is None
        elif found is not None:
            assert set(found.triples) == set(read_rdf_publication(document).triples)
            assert (found.id, found.source) == (document.id, "s")
    assert read[0] is not None
    assert read[0].triples == (("<urn:a>", "<urn:p>", "<urn:b>"),)


def test_documents_beyond_a_limit_and_ids_that_are_none_are_left_to_the_other_reader() -> None:
    two = b"<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c> .\n"
    assert read_plain(documents([two]), DocumentLimits(max_triples=1)) == [None]
    assert read_plain([RdfDocument("\ud800", two, "nt")], DocumentLimits()) == [None]
    assert read_plain([], DocumentLimits()) == []
