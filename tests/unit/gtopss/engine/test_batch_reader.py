"""Batches: documents in parts, and N-Quads files and directories, against the same graphs one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport
from gtopss.model.text_block import TextBlock
from gtopss.reading.documents import read_document

QUADS = b"<urn:a> <urn:p> <urn:%d> <urn:g%d> .\n<urn:b> <urn:p> <urn:%d> <urn:h%d> .\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """N-Quads in two files, of which one is in a folder of its own, and files that are none."""
    (tmp_path / "more").mkdir()
    (tmp_path / "one.nq").write_bytes(QUADS % (1, 1, 2, 1) * 3 + b"<urn:a> <urn:p> <urn:default> .\n")
    (tmp_path / "more" / "two.nq").write_bytes(QUADS % (3, 3, 4, 3))
    (tmp_path / "notes.txt").write_text("not RDF")
    return tmp_path


def engine(matcher: str = "gm") -> Engine:
    made = Engine(matcher=matcher)
    made.add("SELECT ?x { <urn:a> <urn:p> ?x }", id="s")
    return made


def answers(reports: Iterable[MatchReport]) -> list[tuple[str, list[list[str]]]]:
    return [(each.publication_id, [[str(row["x"]) for row in match.bindings] for match in each]) for each in reports]


@pytest.mark.parametrize("matcher", ["gm", "naive"])
@pytest.mark.parametrize("format", [None, "nq"])
def test_a_directory_is_one_publication_per_graph_of_its_quads(folder: Path, matcher: str, format: str | None) -> None:
    made, expected = engine(matcher), list[MatchReport]()
    for path in (folder / "more" / "two.nq", folder / "one.nq"):
        expected += map(made.match, read_document(path.read_bytes(), source=str(path), format="nquads").publications)
    default = str(folder / "one.nq")
    assert dict(answers(expected)) == {
        "urn:g3": [["urn:3"]], "urn:h3": [], "urn:g1": [["urn:1"]], "urn:h1": [], default: [["urn:default"]],
    }  # fmt: skip
    assert answers(made.match_batch(folder, format).reports()) == answers(expected)
    assert answers(made.match_many([folder], format)) == answers(expected)


def test_the_graphs_of_a_directory_are_one_text(folder: Path) -> None:
    source = engine()._core._batch_reader().open_batch(folder, None, with_time=False)
    read = source.read(0, len(source))
    assert isinstance(read.publications, TextBlock)
    assert not read.errors


def test_a_file_that_cannot_be_read_costs_only_itself(folder: Path) -> None:
    (folder / "bad.nq").write_bytes(b"<urn:a> <urn:p> ")
    (folder / "empty").mkdir()
    found = engine().match_batch([folder, folder / "missing.nq", folder / "empty"])
    failed = {found.publication_ids[number]: str(error) for number, error in found.errors.items()}
    assert list(failed) == [str(folder / name) for name in ("bad.nq", "missing.nq", "empty")]
    assert "cannot be read" in failed[str(folder / "missing.nq")]
    assert "no N-Quads file" in failed[str(folder / "empty")]
    matched = [found.publication_ids[each] for each in found.publication.tolist()]
    assert matched == ["urn:g3", "urn:g1", str(folder / "one.nq")]


def test_files_stand_among_other_documents_in_their_order(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.nt").write_bytes(b"<urn:a> <urn:p> <urn:plain> .\n")
    given = [tmp_path / "plain.nt", folder / "more" / "two.nq", tmp_path / "plain.nt"]
    found = [report.publication_id for report in engine().match_many(given)]
    assert found == [str(given[0]), "urn:g3", "urn:h3", str(given[0])]


def test_graphs_have_their_own_ids(folder: Path) -> None:
    with pytest.raises(GtopssError, match="named after their graphs"):
        engine().match_batch([folder], ids=["a"])


@pytest.mark.parametrize("format", ["nt", "turtle"])
@pytest.mark.parametrize("largest", [1, 100, 1_000_000])
def test_a_batch_of_large_documents_is_read_in_parts(
    format: str, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtopss.engine.batch_reader.MAX_BATCH_BYTES", largest)
    documents = [b"x" if n == 3 else b"<urn:a> <urn:p> <urn:%d> .\n" % n * (n + 1) for n in range(10)]
    engine = Engine()
    engine.add("SELECT ?x { <urn:a> <urn:p> ?x }", id="s")
    reports = list(engine.match_many(documents, format))
    assert [report.error is not None for report in reports] == [n == 3 for n in range(10)]
    found = [[str(row["x"]) for match in report for row in match.bindings] for report in reports]
    assert found == [[] if n == 3 else [f"urn:{n}"] for n in range(10)]


@pytest.mark.parametrize("format", ["nt", "turtle"])
def test_a_part_of_a_batch_is_matched_before_the_next_is_read(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.engine.batch_reader.MAX_BATCH_BYTES", 100)
    reader = Engine()._core._batch_reader()
    documents = [b"<urn:a> <urn:p> <urn:b> .\n" * 3] * 6
    sizes = [len(source) for source in reader.open_batches(documents, format, with_time=False)]
    assert sum(sizes) == 6
    assert max(sizes) <= 2
