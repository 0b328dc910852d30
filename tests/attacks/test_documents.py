"""Hostile documents.

Each is refused by name within one second of CPU time and 200 MB, and the next good document is still read. CPU time,
not wall-clock time, because other processes share the machine. Hostile servers and addresses are in
`tests/unit/gtopss/net`.
"""

from __future__ import annotations

import gzip
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.errors import MalformedPublication
from gtopss.reading.isolation import IsolatedReader

GOOD = (ROOT / "data" / "feeds" / "w3c_rss_7_1.rss10.rdf").read_bytes()
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
ITEM = "<item><title>&x;</title><link>http://a.example/</link></item>"


def rss(dtd: str = "", body: str = ITEM) -> bytes:
    return f'<?xml version="1.0"?>{dtd}<rss version="2.0"><channel><title>t</title>{body}</channel></rss>'.encode()


def rdf(dtd: str = "", body: str = '<rdf:Description rdf:about="urn:a" />') -> bytes:
    return f'<?xml version="1.0"?>{dtd}<rdf:RDF {RDF}>{body}</rdf:RDF>'.encode()


def atom(dtd: str = "") -> bytes:
    entry = "<entry><title>&x;</title><id>urn:a</id></entry>"
    return (
        f'<?xml version="1.0"?>{dtd}<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>{entry}</feed>'.encode()
    )


LAUGHS = "<!DOCTYPE r [<!ENTITY x0 'ha'>" + "".join(
    f"<!ENTITY x{i} '{f'&x{i - 1};' * 10}'>" for i in range(1, 10)
) + "<!ENTITY x '&x9;'>]>"  # fmt: skip
DTDS = {
    "billion laughs": LAUGHS,
    "two levels": "<!DOCTYPE r [<!ENTITY y 'y'><!ENTITY x '&y;&y;'>]>",
    "self reference": "<!DOCTYPE r [<!ENTITY x '&x;'>]>",
    "mutual reference": "<!DOCTYPE r [<!ENTITY y '&x;'><!ENTITY x '&y;'>]>",
    "hidden by a character reference": "<!DOCTYPE r [<!ENTITY y 'y'><!ENTITY x '&#38;y;&#38;y;'>]>",
    "long entity": f"<!DOCTYPE r [<!ENTITY x '{'a' * 50_000}'>]>",
    "external file": "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
    "external http": "<!DOCTYPE r [<!ENTITY x SYSTEM 'http://127.0.0.1:9/x'>]>",
    "external public": "<!DOCTYPE r [<!ENTITY x PUBLIC '-//x' 'http://127.0.0.1:9/x'>]>",
    "external unparsed": "<!DOCTYPE r [<!NOTATION n SYSTEM 'n'><!ENTITY x SYSTEM 'file:///etc/passwd' NDATA n>]>",
    "parameter entity": "<!DOCTYPE r [<!ENTITY % p '<!ENTITY x \"y\">'>%p;]>",
    "external parameter entity": "<!DOCTYPE r [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/p'>%p;<!ENTITY x 'y'>]>",
    "external file by parameter": "<!DOCTYPE r [<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;<!ENTITY x 'y'>]>",
    "declared twice": "<!DOCTYPE r [<!ENTITY x 'a'><!ENTITY x 'b'>]>",
    "declared in a comment": "<!DOCTYPE r [<!-- <!ENTITY x 'b'> --><!ENTITY x 'a'>]>",
    "attribute defaults": "<!DOCTYPE r [<!ENTITY x 'y'><!ATTLIST item a CDATA 'aaaaaaaaaaaaaaaaaaaaaaaa'>]>",
    "many entities": "<!DOCTYPE r [" + "".join(f"<!ENTITY e{i} 'a'>" for i in range(5_000)) + "<!ENTITY x 'a'>]>",
}
REFUSED = {
    **{f"{name}, in {kind}": make(dtd) for name, dtd in DTDS.items() for kind, make in (("rss", rss), ("atom", atom))},
    **{f"{name}, in rdf": rdf(dtd, '<rdf:Description rdf:about="urn:&x;" />') for name, dtd in DTDS.items()},
    "quadratic blow-up": rdf(
        f"<!DOCTYPE r [<!ENTITY x '{'a' * 999}'>]>", "<rdf:Description>" + "&x;" * 100_000 + "</rdf:Description>"
    ),
    "deep nesting, rdf": rdf(body="<rdf:Description>" * 100_000),
    "deep nesting, closed": rdf(body="<a>" * 100_000 + "</a>" * 100_000),
    "deep json": b'{"@id": "urn:a", "urn:p": ' + b"[" * 100_000,
    "deep json feed": b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 100_000,
    "remote context": b'{"@context": "http://127.0.0.1:9/c", "@id": "urn:a", "p": 1}',
    "remote context in lists": b'{"@context": [["http://127.0.0.1:9/c"]], "@id": "urn:a", "p": 1}',
    "file context": b'{"@context": "file:///etc/passwd", "@id": "urn:a", "p": 1}',
    "utf-7": b'<?xml version="1.0" encoding="UTF-7"?>+ADw-rss+AD4-',
    "unknown encoding": b'<?xml version="1.0" encoding="x-nobody-knows"?><rdf:RDF ' + RDF.encode() + b"/>",
    "cut rdf": rdf()[:-12],
    "gzip": gzip.compress(b"\0" * 50_000_000),
    "zeros": b"\0" * 1_000_000,
    "nothing": b"",
    "white space": b" \n" * 500_000,
    "html": b"<!doctype html><html><body>" + b"<div>" * 100_000,
    "open quote in turtle": b"<urn:a> <urn:p> '''" + b"x" * 1_000_000,
    "open brackets in turtle": b"<urn:a> <urn:p> " + b"[" * 100_000,
    "open list in turtle": b"<urn:a> <urn:p> " + b"(" * 100_000,
}


@pytest.fixture(scope="module")
def reader() -> Iterator[IsolatedReader]:
    with IsolatedReader() as made:
        made.read_document(GOOD)
        yield made


@pytest.fixture(scope="module")
def inward() -> Iterator[socket.socket]:
    """A listening socket that must get no connection: port 9, which the documents name, or any if that is taken."""
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(("127.0.0.1", 9))
        except OSError:
            made.bind(("127.0.0.1", 0))
        made.listen()
        made.setblocking(False)
        yield made


def peak_memory_bytes(reader: IsolatedReader) -> int:
    """Return the worker's peak resident memory so far."""
    status = Path(f"/proc/{reader.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


def cpu_seconds(reader: IsolatedReader) -> float:
    """Return the CPU time that the worker has used so far, in user and system mode."""
    fields = Path(f"/proc/{reader.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_document_is_refused_by_name_and_the_next_is_read(
    name: str, reader: IsolatedReader, inward: socket.socket
) -> None:
    worker, memory, cpu = reader.pid, peak_memory_bytes(reader), cpu_seconds(reader)
    with pytest.raises(MalformedPublication) as caught:
        reader.read_document(REFUSED[name], source=f"{name}.xml")
    assert f"{name}.xml" in str(caught.value)
    assert "took longer" not in str(caught.value)
    assert "root:" not in str(caught.value)
    assert reader.pid == worker, "the worker crashed"
    assert cpu_seconds(reader) - cpu < 1.0
    assert peak_memory_bytes(reader) - memory < 200 * 2**20
    assert len(reader.read_document(GOOD).publications) == 2
    with pytest.raises(BlockingIOError):
        inward.accept()


def test_there_are_enough_of_them() -> None:
    assert len(REFUSED) >= 70


@pytest.mark.parametrize(
    "data",
    [
        b"<rss><channel>" + b"\n \n" * 300_000 + b"<item><title>a</title></channel>",
        b"<rss>" + b"\n<!ENTITY a" * 100_000 + b"<channel><item><title>a</title></channel>",
    ],
    ids=["blank lines", "declarations that do not end"],
)
def test_a_broken_feed_is_read_in_time_that_its_size_explains(data: bytes, reader: IsolatedReader) -> None:
    """feedparser's own patterns would take minutes, which ends the worker."""
    assert len(reader.read_document(data).publications) == 1
