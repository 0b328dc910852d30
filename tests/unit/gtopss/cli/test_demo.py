"""`gtopss demo`."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from gtopss.cli.commands import app

run = CliRunner().invoke


def test_demo_shows_both_subscriptions_with_bindings_and_triples() -> None:
    done = run(app, ["demo"])
    assert done.exit_code == 0
    matched = done.stdout.split("What matched, and why")[1]
    for text in ("S1", "?z = 2001", "S2", "?y = bib:ArnosPaper17", "bib:SIGMOD  bib:year  2001", "2001 > 1999"):
        assert text in matched
    assert "bib:ArnosPaper17 → bib:SIGMODProceedings → bib:ConferenceProceedings → bib:Publication" in matched
    assert "2 of 2 subscriptions matched" in matched


def test_the_sample_data_is_copied_into_a_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my data"
    done = run(app, ["demo", "--copy", str(folder)])
    assert done.exit_code == 0
    assert f"gtopss filter '{folder}'/feeds" in done.stdout
    assert {"feeds", "news", "ontologies", "subscriptions"} <= {each.name for each in folder.iterdir()}
    assert run(app, ["demo", "--copy", str(folder)]).exit_code == 1


def test_an_empty_folder_name_is_wrong_usage() -> None:
    done = run(app, ["demo", "--copy", ""])
    assert (done.exit_code, "a path is empty" in done.output) == (2, True)
