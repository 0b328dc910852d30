"""What may be matched: bytes, a file and a feed take the same way in."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import rdflib

from gtopss import Engine
from gtopss.engine.inputs import InputReader, PublicationLike
from gtopss.errors import MalformedPublication
from gtopss.model.publication import TextPublication
from gtopss.reading import files
from ontology.limits import DocumentLimits

FEED = b"""<rss version='2.0'><channel><title>news</title>
<item><title>one</title><link>http://a.example/1</link></item>
<item><title>two</title><link>http://a.example/2</link></item></channel></rss>"""
TITLES = "SELECT ?t { ?item <http://purl.org/rss/1.0/title> ?t . ?item a <http://purl.org/rss/1.0/item> }"


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_bytes_and_a_path_are_read_alike(matcher: str, tmp_path: Path) -> None:
    engine = Engine(matcher=matcher)
    engine.add("SELECT ?x ?y { ?x <urn:p> ?y }", id="s")
    data = b'<urn:a> <urn:p> "b" .\n'
    path = tmp_path / "event.nt"
    path.write_bytes(data)
    by_path, by_bytes = engine.match(path), engine.match(data, "nt", id=str(path))
    assert by_path == by_bytes
    assert by_path.subscription_ids == ("s",)


def test_a_file_is_kept_as_text_for_a_matcher_that_reads_text(tmp_path: Path) -> None:
    path = tmp_path / "event.ttl"
    path.write_text("<#a> <urn:p> 1 .")
    for as_text in (True, False):
        reader = InputReader(
            as_text=as_text, entailment_taxonomy=None, expansion_limit=1, clock=lambda: None, numbers=iter(())
        )  # type: ignore[arg-type,return-value]
        read = reader.read(path, None, with_time=False)
        assert (type(read) is TextPublication) is as_text
        assert (read.id, read.source) == (str(path), str(path))
        assert read.triples[0][0] == f"<{path.absolute().as_uri()}#a>"


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(MalformedPublication, match=r"missing\.ttl.*cannot be read"):
        Engine().match(tmp_path / "missing.ttl")


@pytest.mark.parametrize("from_file", [True, False])
def test_a_feed_is_one_publication_per_item(from_file: bool, tmp_path: Path) -> None:
    engine = Engine(matcher="naive")
    engine.add(TITLES, id="titles")
    path = tmp_path / "feed.xml"
    path.write_bytes(FEED)
    given = path if from_file else FEED
    reports = list(engine.match_many([given], "rss"))
    assert [report.publication_id for report in reports] == ["http://a.example/1", "http://a.example/2"]
    assert [str(report[0].bindings[0]["t"]) for report in reports] == ["one", "two"]
    with pytest.raises(MalformedPublication, match=r"2 items.*match_many"):
        engine.match(given, "rss")


@pytest.mark.parametrize("format", ["rss", "RSS20", "feed", "atom10", "application/rss+xml; charset=utf-8"])
def test_every_name_of_a_feed_format_gives_one_publication_per_item(format: str) -> None:
    assert len(list(Engine(matcher="naive").match_many([FEED], format))) == 2


def test_a_feed_that_cannot_be_read_is_reported_and_the_next_is_read() -> None:
    reports = list(Engine(matcher="naive").match_many([b"nothing", FEED], "rss"))
    assert isinstance(reports[0].error, MalformedPublication)
    assert [report.error for report in reports[1:]] == [None, None]


SURROGATE = "\ud800"
DOCUMENTS_WITH_SURROGATES = [
    (f'<urn:a> <urn:p> "{SURROGATE}" .', "nt"),
    (f"<urn:a{SURROGATE}> <urn:p> <urn:b> .", "nt"),
    (f"<urn:a> <urn:p>\n  '{SURROGATE}' .", "turtle"),
    (f"<urn:g> {{ <urn:a> <urn:p> '{SURROGATE}' }}", "trig"),
    (f'<urn:a> <urn:p> "{SURROGATE}" <urn:g> .', "nquads"),
    (f"<urn:a> <urn:p> '{SURROGATE}' .", "n3"),
    (f'{{"@id": "urn:a", "urn:p": "{SURROGATE}"}}', "json-ld"),
    (f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{SURROGATE}</rdf:RDF>', "xml"),
    (FEED.decode().replace("one", SURROGATE), "rss"),
    (f'{{"version": "https://jsonfeed.org/version/1", "title": "{SURROGATE}", "items": []}}', "json-feed"),
]
TRIPLES_WITH_SURROGATES = [
    [(f"<urn:{SURROGATE}>", "<urn:p>", 1)],
    [("<urn:a>", "<urn:p>", f'"{SURROGATE}"')],
    [("<urn:a>", "<urn:p>", rdflib.Literal(SURROGATE))],
    [("<urn:a>", "<urn:p>", rdflib.Literal("1", datatype=rdflib.URIRef(f"urn:{SURROGATE}")))],
    [("<urn:a>", f"<urn:{SURROGATE}>", "_:b")],
    [("<urn:a>", "<urn:p>", f"_:{SURROGATE}")],
    [("<urn:a>", "<urn:p>", '"\\uD800"')],
]


def good_and(bad: PublicationLike) -> list[PublicationLike]:
    good = [("<urn:a>", "<urn:p>", "<urn:b>")]
    return [good, bad, good]


@pytest.mark.parametrize("matcher", ["gm", "naive"])
@pytest.mark.parametrize(("text", "format"), DOCUMENTS_WITH_SURROGATES)
def test_a_lone_surrogate_in_a_document_is_its_own_error(text: str, format: str, matcher: str) -> None:
    engine = Engine(matcher=matcher)
    engine.add("SELECT ?x { ?x <urn:p> <urn:b> }", id="s")
    first, bad, last = engine.match_many(good_and(text), format)
    assert first.subscription_ids == last.subscription_ids == ("s",)
    assert isinstance(bad.error, MalformedPublication)
    assert "surrogate" in str(bad.error)
    assert bad.error.line is not None
    str(bad.error).encode()  # it can be printed


@pytest.mark.parametrize("triples", TRIPLES_WITH_SURROGATES)
def test_a_lone_surrogate_in_a_term_is_that_publications_error(triples: PublicationLike) -> None:
    first, bad, last = Engine(matcher="naive").match_many(good_and(triples))
    assert (first.error, last.error) == (None, None)
    assert isinstance(bad.error, MalformedPublication)
    str(bad.error).encode()


def test_an_id_with_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(MalformedPublication, match="surrogate"):
        Engine().match([], id=f"a{SURROGATE}")
    with pytest.raises(MalformedPublication, match="surrogate"):
        Engine().match(b"<urn:a> <urn:p> <urn:b> .\n", "nt", id=SURROGATE)


def test_a_file_whose_name_is_not_utf_8_is_read(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.nt"))
    path.write_bytes(b"<urn:a> <urn:p> <urn:b> .\n")
    assert Engine(matcher="naive").match(path).publication_id == str(tmp_path / "a\\udcff.nt")


class PanicException(BaseException):
    """As pyoxigraph raises it if its own code fails."""


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), KeyError("a"), re.error("b"), PanicException("c")])
def test_whatever_reading_raises_is_that_documents_error(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr("pyoxigraph.parse", fail)
    for matcher in ("gm", "naive"):
        first, bad, last = Engine(matcher=matcher).match_many(good_and(b"<urn:a> <urn:p> 1 ."), "turtle")
        assert (first.error, last.error) == (None, None)
        assert isinstance(bad.error, MalformedPublication)

    def triples() -> Iterator[tuple[str, str, str]]:
        yield ("<urn:a>", "<urn:p>", "<urn:b>")
        raise error

    first, bad, last = Engine(matcher="naive").match_many(good_and(triples()))
    assert isinstance(bad.error, MalformedPublication)


def test_an_interrupt_is_no_documents_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("pyoxigraph.parse", interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(Engine(matcher="naive").match_many([b"<urn:a> <urn:p> 1 ."], "turtle"))


def test_a_file_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", 2**20)
    with pytest.raises(MalformedPublication, match="larger than 1 MiB"):
        Engine(matcher="naive").match(Path("/dev/zero"), "nt")


def test_documents_of_a_batch_that_are_not_plain_keep_their_places() -> None:
    engine = Engine()
    engine.add("SELECT ?o { ?s <urn:p> ?o }", id="all")
    documents = [
        b"<urn:a> <urn:p> <urn:b> .",
        b"<urn:a>  <urn:p>\t<urn:c> . # not plain",
        b"<urn:a> <urn:p> ",
        '<urn:a> <urn:p> "日本" .\n'.encode(),
        b'<urn:a> <urn:p> "\xff" .\n',
        b"",
        '<urn:a> <urn:p> "\ufffe" .\n'.encode(),
        b"<urn:a> <urn:q> <urn:b> .\n",
        b"not RDF",
    ]
    for order in (documents, documents[::-1]):
        reports = list(engine.match_many(order, "nt"))
        assert [bool(report.error) for report in reports] == [
            each in (documents[2], documents[4], documents[8]) for each in order
        ]
        expected = []
        for document in order:
            try:
                expected.append([match.rows for match in engine.match(document, "nt")])
            except MalformedPublication:
                expected.append([])
        assert [[match.rows for match in report] for report in reports] == expected
        names = [report.publication_id for report in reports]
        assert len(set(names)) == len(names)
        numbers = [int(name.rpartition("-")[2]) for name in names]
        assert numbers == sorted(numbers)


def test_errors_that_are_kept_keep_no_document() -> None:
    engine = Engine(document_limits=DocumentLimits(max_triples=2))
    documents = [b"<urn:a> <urn:p> 1, 2, 3 ."] * 2
    errors: list[BaseException | None] = [report.error for report in engine.match_many(documents, "trig")]
    errors += engine.add_many(["SELECT ?x { ?x <urn:p> ?y FILTER(REGEX(?y, '(')) }"])
    for error in errors:
        assert error is not None
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        assert len(frames) > 1
        assert not any("triples" in frame.f_locals or "text" in frame.f_locals for frame in frames)
        assert "Traceback" in "".join(traceback.format_exception(error))


@pytest.mark.parametrize("given", [{}, {("<urn:a>", "<urn:p>", 1): True}, None, 5])
@pytest.mark.parametrize("dataset", [False, True])
def test_an_object_that_is_no_publication_is_refused(given: Any, dataset: bool) -> None:
    what = "None" if given is None else f"a value of type {type(given).__name__}"
    with pytest.raises(MalformedPublication, match=f"'mine': {what} is not a Publication, a Graph, triples or RDF"):
        Engine(matcher="naive").match(given, id="mine", dataset=dataset)


@pytest.mark.parametrize("mode", ["rb", "r"])
def test_an_open_file_is_refused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "d.ttl"
    path.write_text("<urn:a> <urn:p> <urn:b> .")
    with path.open(mode) as file, pytest.raises(MalformedPublication, match=r"give a pathlib\.Path, or the bytes"):
        Engine(matcher="naive").match(file)


@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("dataset", [False, True])
def test_a_format_that_is_no_text_is_refused(tmp_path: Path, from_file: bool, dataset: bool) -> None:
    path = tmp_path / "d.ttl"
    path.write_text("<urn:a> <urn:p> <urn:b> .")
    given = path if from_file else path.read_bytes()
    with pytest.raises(MalformedPublication, match="the format is a text such as 'turtle', not 5"):
        Engine(matcher="naive").match(given, 5, dataset=dataset)  # type: ignore[arg-type]
