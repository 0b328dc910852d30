"""Damaged feeds give what feedparser gives, or a better answer that a test of `xml_feed` or `repair` explains."""

from __future__ import annotations

import random
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from conftest import ROOT, SOAK
from support.feed_samples import AS_ATOM, AS_RSS1, AS_RSS2, values

from gtopss.errors import MalformedPublication
from gtopss.feeds.iris import can_be_link
from gtopss.feeds.repair import check_and_repair
from gtopss.feeds.rss_atom import read_rss_atom
from gtopss.feeds.vocabulary import DESCRIPTION, LINK, TITLE
from gtopss.model import Publication
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import read_document

CASES = 10_000 if SOAK else 240
SAMPLES = [
    AS_RSS1.encode(),
    AS_RSS2.encode(),
    AS_ATOM.encode(),
    (ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes(),
    (ROOT / "data" / "feeds" / "usgs-earthquakes.atom").read_bytes(),
]
PIECES = [b"", b"<", b">", b"&", b"&amp;", b"&nbsp;", b"\0", b"\xff", b"]]>", b"<![CDATA[", b"<!--", b"x", b"/", b'"']
TEXTS = [None, " ", "http://c.example/x", "2005-02-15T15:30:51Z", "<b>&amp;</b>", "é"]
Mutate = Callable[[bytes, random.Random], bytes]


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def change_bytes(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        changed[at : at + chance.randint(0, 3)] = chance.choice(PIECES)
    return bytes(changed)


def change_elements(data: bytes, chance: random.Random) -> bytes:
    """Delete, repeat, empty or move elements within their parents: the XML stays well-formed."""
    root = ET.fromstring(data)
    for _ in range(chance.randint(1, 4)):
        if not (parents := [element for element in root.iter() if len(element)]):
            break
        parent = chance.choice(parents)
        child = chance.choice(list(parent))
        match chance.randrange(4):
            case 0:
                parent.remove(child)
            case 1:
                parent.append(child)
            case 2:
                child.text = chance.choice(TEXTS)
            case 3:
                parent.remove(child)
                parent.insert(chance.randint(0, len(parent)), child)
    return ET.tostring(root, encoding="utf-8")


MUTATIONS: dict[str, Mutate] = {"cut": cut, "bytes": change_bytes, "elements": change_elements}


def read(data: bytes) -> tuple[Publication, ...] | None:
    """Return the items of a feed; None if the document is refused, or is RDF without an element of RSS."""
    try:
        document = read_document(data, source="feed")
    except MalformedPublication:
        return None
    return None if document.kind is DocumentKind.RDF_XML else document.publications


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_damaged_feeds_are_read_as_by_feedparser(mutation: str) -> None:
    chance = random.Random(mutation)
    compared = 0
    for number in range(CASES // len(MUTATIONS)):
        data = MUTATIONS[mutation](SAMPLES[number % len(SAMPLES)], chance)
        publications = read(data)
        if publications is None:
            continue
        xml = check_and_repair(data, "feed")
        try:
            old = read_rss_atom(xml.lenient, xml.well_formed, source="feed", base=None)
        except MalformedPublication:
            continue  # feedparser fails on what it gets, and we read it
        assert len(publications) == len(old.items), data
        if mutation == "elements" and b"purl.org/rss/1.0/" not in data:  # RSS 1.0 is read as RDF
            compared += 1
            for one, item in zip(publications, old.items, strict=True):
                assert values(one, TITLE) == ([item.title] if item.title else []), data
                # An empty link does not hide an id that is one: see test_an_empty_link_does_not_hide_a_permalink.
                assert len(values(one, LINK)) == (1 if item.link or can_be_link(item.guid or "") else 0), data
                assert values(one, DESCRIPTION) == ([item.description] if item.description else []), data
        for one in publications:
            assert Publication(one.id, one.triples).triples == one.triples  # terms are valid
    assert mutation != "elements" or compared > CASES // 10
