"""Bytes to ids, and the process that only parses."""

from __future__ import annotations

from gtopss.experiments.benchmark.end_to_end import measure_end_to_end
from gtopss.experiments.benchmark.oxigraph_process import OxigraphProcess


def test_times_are_per_item() -> None:
    found = measure_end_to_end("reference", 100, items=5)
    assert min(found.match_ms, found.parse_ms, found.two_threads_ms, found.probes_ms, found.two_threads_probes_ms) > 0


def test_the_process_parses_whenever_it_is_asked() -> None:
    with OxigraphProcess([b"<urn:a> <urn:p> <urn:b> .\n"] * 3) as oxigraph:
        assert oxigraph.seconds() > 0
        assert oxigraph.seconds() > 0
    assert oxigraph._process.returncode == 0
