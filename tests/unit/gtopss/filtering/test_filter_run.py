from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.engine.engine import DEFAULT_BATCH_PUBLICATIONS
from gtopss.errors import GtopssError, MalformedPublication
from gtopss.feeds.repair import Ending
from gtopss.filtering.filter_run import FilterRun
from gtopss.filtering.seen_items import SeenItems
from gtopss.model import Publication
from gtopss.net import FetchState, NotDue, Response
from gtopss.net.retrieval import Validators
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import ParsedDocument
from gtopss.reading.sources import SourceDocument

URL = "http://a.example/feed"


@pytest.fixture
def engine() -> Engine:
    made = Engine(matcher="naive")
    made.add("SELECT ?x { ?x <urn:p> <urn:even> }", id="even")
    return made


def read_numbers(document: SourceDocument) -> ParsedDocument:
    """Read numbers as publications, and refuse other texts."""
    if not document.data.replace(b" ", b"").isdigit():
        raise MalformedPublication("these are no numbers", publication_id=document.name)
    made = (
        Publication(f"urn:{each}", [(f"<urn:{each}>", "<urn:p>", "<urn:odd>" if int(each) % 2 else "<urn:even>")])
        for each in document.data.decode().split()
    )
    return ParsedDocument(DocumentKind.N_TRIPLES, tuple(made))


def matched(run: FilterRun, *documents: SourceDocument) -> list[str]:
    return [publication.id for publication, report in run.reports(documents) if report.matches]


def test_items_are_matched_and_counted_and_an_error_costs_only_its_document(engine: Engine) -> None:
    errors: list[GtopssError] = []
    run = FilterRun(engine, read_numbers, errors.append)
    waiting = SourceDocument(URL, error=NotDue(URL, 10.0, 0.0))
    documents = [SourceDocument("a", b"1 2"), SourceDocument("b", b"oops"), waiting, SourceDocument("c", b"4")]
    assert matched(run, *documents) == ["urn:2", "urn:4"]
    assert [str(each) for each in errors] == ["publication 'b': these are no numbers"]
    counts = run.counts
    assert (counts.documents, counts.failed, counts.waiting, counts.items, counts.matched) == (4, 1, 1, 3, 2)
    assert not counts.nothing_was_readable


@pytest.mark.parametrize(
    ("error", "nothing"), [(NotDue(URL, 10.0, 0.0), False), (MalformedPublication("no feed"), True)]
)
def test_a_feed_that_waits_is_not_one_that_cannot_be_read(error: GtopssError, nothing: bool, engine: Engine) -> None:
    run = FilterRun(engine, read_numbers, lambda error: None)
    assert matched(run, SourceDocument(URL, error=error)) == []
    assert run.counts.nothing_was_readable is nothing


def test_it_reads_one_batch_ahead_and_keeps_no_body(engine: Engine) -> None:
    """Any number of feeds takes the memory of a batch: documents are read when the items before them are matched."""
    count = 4 * DEFAULT_BATCH_PUBLICATIONS
    loaded: list[int] = []

    def documents() -> Iterator[SourceDocument]:
        for number in range(count):
            loaded.append(number)
            url = f"{URL}{number}"
            response = Response(url, url, 200, (), str(number).encode(), None, None, 0.0)
            yield SourceDocument(url, response.body, response=response)

    run = FilterRun(engine, read_numbers, lambda error: None)
    for done, _ in enumerate(run.reports(documents())):
        assert len(loaded) <= done + DEFAULT_BATCH_PUBLICATIONS
    assert run.counts.items == count
    with FetchState() as state:
        committed: list[Response] = []
        state.commit = committed.append  # type: ignore[method-assign]
        run.commit(state)
    assert len(committed) == count
    assert not any(response.body for response in committed)


def test_only_new_items_are_matched_and_they_are_known_after_the_commit(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "state"
    for expected, commit in ((["urn:2", "urn:4"], False), (["urn:2", "urn:4"], True), ([], True)):
        with FetchState(path) as state, SeenItems(path) as seen:
            run = FilterRun(engine, read_numbers, lambda error: None, seen)
            assert matched(run, SourceDocument("a", b"1 2 4")) == expected
            if commit:
                run.commit(state)


def test_the_items_of_a_document_that_is_cut_off_are_read_again(engine: Engine, tmp_path: Path) -> None:
    """The server is asked for the whole document, and an item that may be incomplete is left for it."""
    path = tmp_path / "state"
    validators = Validators(URL, '"1"', None)
    warnings: list[str] = []

    def read(document: SourceDocument) -> ParsedDocument:
        parsed = read_numbers(document)
        endings = {b"2 4": Ending.IN_ITEM, b"2 4 6": Ending.BETWEEN_ITEMS}
        ending = endings.get(document.data, Ending.COMPLETE)
        return replace(parsed, ending=ending, warnings=() if ending is Ending.COMPLETE else ("cut\x1b",))

    for data, expected, is_whole in (
        (b"2 4", ["urn:2"], False),
        (b"2 4 6", ["urn:4", "urn:6"], False),
        (b"2 4 6 8", ["urn:8"], True),
    ):
        with FetchState(path) as state, SeenItems(path) as seen:
            run = FilterRun(engine, read, lambda error: None, seen, on_warning=warnings.append)
            response = Response(URL, URL, 200, (), data, validators, None, 0.0)
            assert matched(run, SourceDocument(URL, data, response=response)) == expected
            committed: list[Response] = []
            state.commit = committed.append  # type: ignore[method-assign]
            run.commit(state)
            assert [each.validators for each in committed] == [validators if is_whole else None]
    assert [each.split(", which")[0] for each in warnings] == [f"{URL}: cut\\u001B"] * 2
    without_state = FilterRun(engine, read, lambda error: None)
    assert matched(without_state, SourceDocument(URL, b"2 4")) == ["urn:2", "urn:4"]
