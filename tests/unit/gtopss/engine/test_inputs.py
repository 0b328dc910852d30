"""What may be matched: bytes, a file and a feed take the same way in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.engine.inputs import InputReader
from gtopss.errors import MalformedPublication
from gtopss.model.publication import TextPublication

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
        reader = InputReader(as_text=as_text, entailment_taxonomy=None, clock=lambda: None, numbers=iter(()))  # type: ignore[arg-type,return-value]
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
