from __future__ import annotations

from pathlib import Path

import typer
from typer.testing import CliRunner

from gtopss.cli.pipeline import pipeline
from gtopss.cli.spark import spark as commands
from gtopss.errors import GtopssError
from gtopss.spark.io.batch_log import BatchLog, BatchStart, CompletedBatch
from gtopss.spark.io.spool import Spool


def test_feeds_are_put_into_a_spool(data: Path, tmp_path: Path) -> None:
    arguments = ["spool", str(tmp_path / "spool"), str(data / "feeds"), str(tmp_path / "none")]
    done = CliRunner().invoke(commands, arguments)
    assert done.exit_code == 1, done.output
    spool = Spool(tmp_path / "spool")
    assert spool.latest() == len(list((data / "feeds").iterdir()))
    assert spool.get(1).document.data == Path(spool.get(1).document.name).read_bytes()
    assert "none" in done.output
    assert "0 documents added" in CliRunner().invoke(commands, arguments).output  # none has changed


def test_a_spool_with_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    nothing = CliRunner().invoke(commands, ["spool", str(tmp_path / "spool"), str(tmp_path / "empty")])
    assert (nothing.exit_code, "the folder has no files" in nothing.output) == (2, True)
    missing = CliRunner().invoke(commands, ["spool", str(tmp_path / "spool"), str(tmp_path / "none")])
    assert (missing.exit_code, "no source could be read" in missing.output) == (2, True)


def test_a_changed_file_is_added_again(tmp_path: Path) -> None:
    file, arguments = tmp_path / "feed.nt", ["spool", str(tmp_path / "spool"), str(tmp_path / "feed.nt")]
    for content in ("<urn:a> <urn:b> <urn:c> .", "<urn:a> <urn:b> <urn:d> ."):
        file.write_text(content)
        assert CliRunner().invoke(commands, arguments).exit_code == 0
        assert CliRunner().invoke(commands, arguments).exit_code == 0
    assert Spool(tmp_path / "spool").latest() == 2


def test_a_spool_is_cleaned_of_what_all_streams_have_read(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    for number in range(5):
        spool.put(str(number), b"x")
    results = []
    for name, through in (("one", 4), ("two", 3)):
        log = BatchLog(tmp_path / name)
        log.begin(0, lambda now, through=through: BatchStart("v", now, 0, through))  # type: ignore[misc]
        log.complete(CompletedBatch(0, "v", publications=0, matches=0, errors=0, seconds=0.0, finished_at=""))
        results += ["--results", str(tmp_path / name)]
    done = CliRunner().invoke(commands, ["clean", str(tmp_path / "spool"), *results])
    assert done.exit_code == 0, done.output
    assert "3 documents deleted" in done.output
    assert spool.numbers() == [4, 5]
    done = CliRunner().invoke(commands, ["clean", str(tmp_path / "spool"), "--results", str(tmp_path / "none")])
    assert isinstance(done.exception, GtopssError)
    assert spool.numbers() == [4, 5]


def test_a_stream_is_of_one_spool_by_the_engine_plan(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(pipeline)
    for wrong in (["a", "b", "--stream"], ["a", "--stream", "--plan", "relational"]):
        done = CliRunner().invoke(app, [*wrong, "-s", str(tmp_path), "--out", str(tmp_path / "out")])
        assert done.exit_code == 2
        assert "--stream takes one spool" in done.output.replace("\n", " ").replace("│", "").replace("  ", " ")
