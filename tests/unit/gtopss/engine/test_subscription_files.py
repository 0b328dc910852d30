from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.subscription_folders import INVALID_SUBSCRIPTIONS, SUBSCRIPTIONS, write_files

from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import GtopssError, InvalidSubscription
from gtopss.model import Subscription


def ids(path: Path) -> list[str]:
    return [each.id for each in read_subscriptions(path) if isinstance(each, Subscription)]


def test_a_folder_is_read_in_the_order_of_its_file_names(tmp_path: Path) -> None:
    write_files(tmp_path, {**SUBSCRIPTIONS, "notes.txt": "not read"})
    assert ids(tmp_path) == ["deep/er", "line", "tuples", "recent"]


def test_a_single_file_is_named_without_its_folder(tmp_path: Path) -> None:
    write_files(tmp_path, SUBSCRIPTIONS)
    assert ids(tmp_path / "deep" / "er.rq") == ["er"]


def test_a_byte_order_mark_is_no_part_of_the_query(tmp_path: Path) -> None:
    write_files(tmp_path, {"s.rq": "\ufeffASK { ?x <urn:p> ?y }"})
    assert ids(tmp_path) == ["s"]


def test_each_mistake_names_its_file_and_line_and_the_rest_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, SUBSCRIPTIONS | INVALID_SUBSCRIPTIONS)
    errors = [str(each) for each in read_subscriptions(tmp_path) if isinstance(each, GtopssError)]
    assert len(errors) == 5
    for place in ("bad.jsonl, line 1", "bad.jsonl, line 3", "bad.jsonl, line 4", "bad.rq: ", "latin.rq"):
        assert sum(place in error for error in errors) == 1, place
    assert set(ids(tmp_path)) >= {"recent", "deep/er", "line", "tuples", "never"}


def test_the_line_of_a_mistake_is_named_once(tmp_path: Path) -> None:
    broken = {"my.subscriptions.txt": "linux\n\ntitel:x", "q.jsonl": '\n{"id": "a", "query": "SELECT ?x { ?x"}'}
    write_files(tmp_path, broken)
    short, query = (str(each) for each in read_subscriptions(tmp_path) if isinstance(each, GtopssError))
    assert "(line 3, column 1)" in short
    assert short.count("line 3") == 1
    assert "q.jsonl, line 2: in the query: " in query
    assert "(line 1, column 15)" in query


def test_an_empty_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "notes.md").touch()
    empty = tmp_path / "empty"
    empty.mkdir()
    missing = tmp_path / "none.rq"
    for path, reason in ((empty, "is empty"), (notes, "no .rq"), (missing, "cannot be read: No such file")):
        (error,) = read_subscriptions(path)
        assert isinstance(error, InvalidSubscription)
        assert reason in str(error)


def test_operators_may_be_called_with_the_arguments_that_they_take(tmp_path: Path) -> None:
    write_files(tmp_path, {"s.rq": "ASK { ?x <urn:p> ?y FILTER near(?y) }"})
    (refused,) = read_subscriptions(tmp_path)
    assert isinstance(refused, GtopssError)
    (read,) = read_subscriptions(tmp_path, {"near": 1})
    assert isinstance(read, Subscription)


def test_a_text_file_has_one_subscription_in_the_short_form_per_line(tmp_path: Path) -> None:
    (tmp_path / "my-subscriptions.txt").write_text("# mine\nspace = title:space\n\n(open\nauthor:bot\n")
    first, error, last = read_subscriptions(tmp_path)
    assert isinstance(first, Subscription)
    assert first.id == "space"
    assert isinstance(error, GtopssError)
    assert "my-subscriptions.txt: this `(` has no `)` (line 4, column 1)" in str(error)
    assert isinstance(last, Subscription)
    assert last.id == "author:bot"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# mine\n\nv = linux\nwindows -mac\n", ["v", "windows -mac"]),
        ("\ufeffvaccine*", ["vaccine*"]),
        ("base = x\nask-me", ["base", "ask-me"]),
        ("# one query\nselect ?x { ?x rss:title ?y }", ["stdin"]),
        ("PREFIX ex: <urn:>\nASK { ?x ex:p ?y }", ["stdin"]),
        ('{"id": "a", "query": "ASK { ?x rss:title ?y }"}', ["a"]),
    ],
)
def test_standard_input_is_a_query_or_json_lines_or_the_short_form(
    text: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert ids(Path("-")) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("linux\ntopik:x", "standard input: there is no field topik: did you mean topic:?"),
        ("SELCT ?x {\n ?x rss:title ?y\n}", "standard input: found `SELCT`, expected SELECT"),
        ("SELECT ?x", "standard input: found the end of the text, expected WHERE"),
        ("# nothing\n", "standard input: found the end of the text"),
    ],
)
def test_a_mistake_in_standard_input_is_found_in_what_it_looks_like(
    text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    (error,) = (each for each in read_subscriptions(Path("-")) if isinstance(each, GtopssError))
    assert message in str(error)
