"""Hostile RDF in the process of the engine: each document is its own error, and the next one is matched."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT, SOAK
from support.hostile_rdf import HOSTILE_RDF, TOO_DEEP

from gtopss.errors import MalformedPublication
from gtopss.rdf.formats import RdfFormat, require_format
from gtopss.rdf.parse import read_quads, read_triples
from gtopss.rdf.prefixes import read_prefixes

CHILD = """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from support.hostile_rdf import HOSTILE_RDF
from gtopss import Engine
engine = Engine(matcher={matcher!r})
engine.add("SELECT ?x {{ ?x <urn:p> <urn:good> }}", id="s")
good = list(engine.match_many([b"<urn:a> <urn:p> <urn:good> .\\n"] * 2, "turtle"))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30,) * 2)
for name, (data, format) in HOSTILE_RDF.items():
    for given in (data, data.decode()):
        bad, = engine.match_many([given], format)
        assert type(bad.error).__name__ == "MalformedPublication", (name, bad.error)
        assert "max_" in str(bad.error), (name, bad.error)
report, = engine.match_many([b"<urn:a> <urn:p> <urn:good> .\\n"], "turtle")
print(report.subscription_ids)
"""


@pytest.mark.parametrize("matcher", ["gm", "naive"] if SOAK else ["gm"])
def test_each_hostile_document_is_its_own_error(matcher: str) -> None:
    """With at most 1 GiB more than the engine has already, so that no limit is only the machine's."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    child = subprocess.run(
        [sys.executable, "-c", CHILD.format(matcher=matcher)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "('s',)\n"), child.stderr[-2000:]


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_is_too_deep_reaches_no_parser(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data, format = TOO_DEEP[name]
    monkeypatch.setattr("pyoxigraph.parse", lambda *_, **__: pytest.fail("the parser got it"))
    rdf_format = require_format(format)
    for read in (read_triples, read_quads, read_prefixes):
        with pytest.raises(MalformedPublication, match="max_depth"):
            read(data, rdf_format)


def test_there_are_hostile_documents_of_every_format() -> None:
    assert {require_format(format) for _, format in HOSTILE_RDF.values()} == set(RdfFormat)
