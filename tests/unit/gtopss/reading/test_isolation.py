from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from support.fragile import fragile
from support.hostile_reader import lie, stop_reading

from gtopss.errors import MalformedPublication
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.prefixes import read_prefixes
from gtopss.reading import answers
from gtopss.reading.documents import read_document, read_publication
from gtopss.reading.files import load_rdf_file
from gtopss.reading.isolation import IsolatedReader
from ontology import Taxonomy, load
from ontology.documents import read_document as read_ontology_document
from ontology.limits import DocumentLimits

FEED = (ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"abort", "crashed the parser"), (b"segfault", "exit code -11"), (b"hang", "longer than 2 s"),
        (b"hungry", "too much memory"), (b"deep", "nested too deeply"), (b"<html></html>", "HTML page"),
    ],
)  # fmt: skip
def test_a_crash_costs_one_document(data: bytes, reason: str) -> None:
    with IsolatedReader(read=fragile, timeout_seconds=2 if data == b"hang" else 60) as reader:
        for _ in range(2):
            with pytest.raises(MalformedPublication, match=reason) as caught:
                reader.read_document(data, source="bad.xml")
            assert caught.value.publication_id == "bad.xml"
            assert len(reader.read_document(FEED).publications) == 4


def test_isolated_reading_returns_the_same_documents(data: Path) -> None:
    with IsolatedReader() as reader:
        for path in sorted((data / "feeds").iterdir()):
            made = path.read_bytes()
            assert reader.read_document(made, source=path.name) == read_document(made, source=path.name)


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("pickle", "invalid answer"), ("pickle-in-a-frame", "invalid answer"), ("huge", "invalid answer"),
        ("endless", "invalid answer"), ("drip", "longer than 3 s|invalid answer"), ("truncated", "crashed the parser"),
        ("silent", "longer than 3 s"), ("number", "invalid answer"), ("empty", "invalid answer"),
        ("outcome", "invalid answer"),
    ],
)  # fmt: skip
def test_a_worker_that_was_taken_over_harms_one_document(
    trick: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", lie)
    with IsolatedReader(timeout_seconds=3) as reader:
        with pytest.raises(MalformedPublication, match=reason):
            reader.read_document(f"{trick} {tmp_path / 'touched'}".encode(), source="bad")
        assert reader.pid is None, "the worker was not stopped"
        assert reader.read_document(b"good", source="s").publications[0].source == "s"
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("trick", [b"twice", b"last"])
def test_what_a_worker_does_after_its_answer_costs_no_document(trick: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", lie)
    with IsolatedReader() as reader:
        reader.read_document(trick)
        first, frames = reader._worker  # type: ignore[misc]
        while not frames.is_readable():
            first.join(0.01)
        reader.read_document(b"good")
        assert reader.pid != first.pid


def test_a_worker_that_does_not_read_meets_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", stop_reading)
    with (
        IsolatedReader(timeout_seconds=0.5) as reader,
        pytest.raises(MalformedPublication, match=r"longer than 0\.5 s"),
    ):
        reader.read_document(b"x" * 10_000_000)


def test_isolated_publications_prefixes_and_axioms_are_those_of_the_process(data: Path) -> None:
    turtle = data / "figure5" / "event.ttl"
    document = load_rdf_file(turtle)
    ontology = data / "ontologies" / "bibliography.ttl"
    with IsolatedReader().start() as reader:
        assert reader.read_publication(document) == read_publication(document)
        assert reader.read_prefixes(document) == read_prefixes(turtle.read_bytes(), RdfFormat.TURTLE)
        axioms, imports = reader.read_axioms(read_ontology_document(ontology))
        with pytest.raises(MalformedPublication, match="line 1") as caught:
            reader.read_publication(RdfDocument("p", b"<urn:a>", "turtle"))
        assert caught.value.publication_id == "p"
    assert imports == ()
    assert Taxonomy.from_axioms(axioms).to_json() == load(ontology).to_json()


def test_an_isolated_dataset_is_that_of_the_process() -> None:
    data = b"<urn:a> <urn:p> 1 . <urn:g> { <urn:a> <urn:p> 2 . } _:b { <urn:a> <urn:p> 'x'@EN . }"
    with IsolatedReader().start() as reader:
        read = reader.read_dataset(RdfDocument("p", data, "trig"))
        only_named = reader.read_dataset(RdfDocument("q", b"<urn:a> <urn:p> <urn:b> <urn:g> .", "nq"))
        with pytest.raises(MalformedPublication, match="line 1"):
            reader.read_dataset(RdfDocument("p", b"<urn:g> { <urn:a>", "trig"))
    assert (read.id, read.triples) == (
        "p",
        (("<urn:a>", "<urn:p>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),),
    )
    named, blank = read.graphs
    assert named == "<urn:g>"
    assert blank.startswith("_:")
    assert read.graphs[blank] == (("<urn:a>", "<urn:p>", '"x"@en'),)
    assert only_named.triples == ()
    assert only_named.graphs == {"<urn:g>": (("<urn:a>", "<urn:p>", "<urn:b>"),)}


@pytest.mark.parametrize("name", ["urn:g", '"g"', "<urn:g> <urn:h>", ""])
def test_a_graph_that_a_worker_names_oddly_is_refused(name: str) -> None:
    graphs = {"<urn:g>": [("<urn:a>", "<urn:p>", "<urn:b>")]}
    answer = answers.write_dataset(DatasetPublication("p", [], graphs))
    assert answers.read_dataset_answer(answer, None).graphs.keys() == {"<urn:g>"}
    answer[answer.index(b"<urn:g>")] = name.encode()
    with pytest.raises(answers.InvalidAnswer):
        answers.read_dataset_answer(answer, None)


def test_the_limits_of_a_reader_are_the_workers() -> None:
    with IsolatedReader(limits=DocumentLimits(max_depth=1)) as reader:
        with pytest.raises(MalformedPublication, match="max_depth"):
            reader.read_document(b"<urn:a> <urn:p> ((1)) .", source="a.ttl")
        assert len(reader.read_document(b"<urn:a> <urn:p> (1) .", source="a.ttl").publications) == 1
