"""Blocks of documents: bytes with offsets, N-Quads, Arrow arrays and text blocks, good and bad."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import rdflib
from conftest import SOAK

from gtopss import Engine, GtopssError, Publication
from gtopss.engine.batch_inputs import starts_of
from gtopss.errors import MalformedPublication
from gtopss.matching.index.fast_ntriples import read_plain_graphs
from gtopss.model.text_block import TextBlockBuilder
from gtopss.reading.documents import read_document
from ontology.limits import DocumentLimits

LINES = [
    b"<urn:a> <urn:p> <urn:b> ",
    b'<urn:a> <urn:title> "caf\xc3\xa9"@FR ',
    b"_:x <urn:p> <urn:b> ",
    b'<urn:c> <urn:p> "odd \\u00e9" ',  # which the kernel leaves to Oxigraph
]
GRAPHS = [b"<urn:g1> ", b"<urn:g2> ", b"_:g ", b""]


def engine(matcher: str = "gm") -> Engine:
    made = Engine(matcher=matcher)
    made.add("SELECT ?x { ?x <urn:p> <urn:b> }", id="to-b")
    made.add("SELECT ?t { ?x <urn:title> ?t }", id="title")
    made.add("SELECT ?t { ?x <urn:p> ?t FILTER(isLiteral(?t)) }", id="literal")
    return made


def solutions(reports: Any) -> list[tuple[str, list[object]]]:
    return [(each.publication_id, sorted(str((m.subscription_id, m.rows)) for m in each)) for each in reports]


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_a_block_with_offsets_is_a_list_of_documents(matcher: str) -> None:
    documents = [
        LINES[0] + b".",
        LINES[1] + b".\n",
        b"",
        LINES[3] + b".",
        b"bad",
        LINES[0] + b".\n" + LINES[2] + b".\n",
    ]
    ids = [f"d{number}" for number in range(len(documents))]
    offsets = np.cumsum([0, *map(len, documents)])
    made = engine(matcher)
    for given in (b"".join(documents), bytearray(b"".join(documents)), memoryview(b"".join(documents))):
        found = made.match_batch(given, "nt", offsets=offsets, ids=ids)
        assert sorted(found.errors) == [4]
        wanted = made.match_batch(documents, "nt", ids=ids)
        assert solutions(found.reports()) == solutions(wanted.reports())
    part = made.match_batch(b"".join(documents), "nt", offsets=offsets[1:3])
    assert list(part.ids()) == [("title",)]


def test_a_view_of_scattered_bytes_is_a_block() -> None:
    document = b"<urn:a> <urn:p> <urn:b> ."
    scattered = memoryview(bytes(each for byte in document for each in (byte, 0)))[::2]
    assert list(engine("naive").match_batch(scattered, "nt").ids()) == [("to-b",)]


def test_a_term_that_runs_into_the_next_document_is_refused() -> None:
    block = b"<urn:a> <urn:p> <urn:b> .\n"
    for cut in range(1, len(block) - 1):
        found = engine().match_batch(block + block, "nt", offsets=[0, cut, len(block), 2 * len(block)])
        is_whole = cut == len(block) - 1
        assert sorted(found.errors) == ([] if is_whole else [0, 1]), cut
        assert list(found.ids())[2] == ("to-b",)


@pytest.mark.parametrize("offsets", [[], [0, 99], [5, 3], [-1, 2], [[0, 1]], ["a"], [0.5, 1], object()])
def test_offsets_that_cannot_be_are_refused(offsets: Any) -> None:
    with pytest.raises(GtopssError, match="the offsets are"):
        starts_of(offsets, 10)


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_n_quads_are_one_publication_per_graph(matcher: str) -> None:
    chance, plain = random.Random("quads"), 0
    for _ in range(2_000 if SOAK else 60):
        kinds = LINES if chance.random() < 0.3 else LINES[:3]
        quads = [chance.choice(kinds) + chance.choice(GRAPHS) + b"." for _ in range(chance.randrange(1, 9))]
        data = b"\n".join(quads) + b"\n" * chance.randrange(3)
        plain += read_plain_graphs(data) is not None
        made = engine(matcher)
        found = made.match_batch(data, "nq")
        wanted = read_document(data, source="publication-1", format="nquads").publications
        assert list(found.publication_ids) == [each.id for each in wanted]
        assert [each.triples for each in found.publications] == [each.triples for each in wanted]
        assert solutions(found.reports()) == solutions(made.match_many(wanted))
    assert plain > 20


def test_n_quads_that_cannot_be_read_are_one_error() -> None:
    found = engine().match_batch(b"<urn:a> <urn:p> <urn:b> <urn:g> .\nbad", "nq")
    assert isinstance(found.errors[0], MalformedPublication)
    assert (len(found), len(found.publication_ids)) == (0, 1)


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_n_quads_are_limited_by_their_graphs_wherever_the_lines_of_a_graph_are(matcher: str) -> None:
    made = Engine(matcher=matcher, document_limits=DocumentLimits(max_items=2))
    one, two = b"<urn:a> <urn:p> <urn:b> <urn:g1> .\n", b"<urn:a> <urn:p> <urn:b> <urn:g2> .\n"
    assert list(made.match_batch((one + two) * 3, "nq").publication_ids) == ["urn:g1", "urn:g2"]
    found = made.match_batch(one + two + b"<urn:a> <urn:p> <urn:b> .\n", "nq")
    assert "max_items" in str(found.errors[0])


def test_a_text_block_is_matched_as_it_is() -> None:
    block = TextBlockBuilder()
    publications = [Publication("one", [("<urn:a>", "<urn:p>", "<urn:b>")]), Publication("two", [])]
    for each in publications:
        block.add_publication(each)
    found = engine().match_batch(block.build())
    assert (list(found.publication_ids), list(found.ids())) == (["one", "two"], [("to-b",), ()])


def arrow(lists: list[Any]) -> Any:
    pa = pytest.importorskip("pyarrow")
    kind = pa.list_(pa.struct([(name, pa.string()) for name in "spo"]))
    rows = [each and [dict(zip("spo", triple, strict=True)) for triple in each] for each in lists]
    return pa.array(rows, kind)


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_arrow_lists_are_publications(matcher: str) -> None:
    plain, text = ("<urn:a>", "<urn:p>", "<urn:b>"), ("<urn:a>", "<urn:title>", '"a b"@EN')
    lists = [[plain], [], [plain, text, plain], [text]]
    made = engine(matcher)
    wanted = [made.match(each).subscription_ids for each in lists]
    array = arrow(lists)
    assert list(made.match_batch(array).ids()) == wanted
    assert list(made.match_batch(array[1:], ids=["b", "c", "d"]).ids()) == wanted[1:]
    pa = pytest.importorskip("pyarrow")
    chunks = pa.chunked_array([array[:2], array[2:]])
    assert list(made.match_batch(chunks).ids()) == wanted
    assert list(made.match_batch(array.cast(pa.large_list(array.type.value_type))).ids()) == wanted


BAD_TRIPLES = [
    None,
    [("<urn:a>", "<urn:p>", None)],
    [(None, None, None)],
    [("<urn:a>", '"literal"', "<urn:b>")],
    [("<urn:a> <urn:p> <urn:b> .\n<urn:a>", "<urn:p>", "<urn:b>")],
    [('<urn:a> <urn:p> "x', "y", 'z"')],
    [("\n<urn:a>", "<urn:p>", "<urn:b>")],
    [("<urn:a>", "<urn:p>", '<urn:b> .\n<urn:a> <urn:p> "x"')],
    [("<urn:a>", "<urn:p> <urn:b> .", "")],
    [("?x", "<urn:p>", "<urn:b>")],
    [("", "", "")],
]


@pytest.mark.parametrize("matcher", ["gm", "naive"])
@pytest.mark.parametrize("bad", BAD_TRIPLES)
def test_a_bad_arrow_list_costs_nobody_else_anything(bad: Any, matcher: str) -> None:
    good = [("<urn:a>", "<urn:p>", "<urn:b>")]
    found = engine(matcher).match_batch(arrow([good, bad, good]))
    assert list(found.errors) == [1]
    assert list(found.ids()) == [("to-b",), (), ("to-b",)]
    if bad is not None:
        with pytest.raises(MalformedPublication):
            Publication("p", bad)


def test_an_arrow_array_of_another_type_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(GtopssError, match=r"list<struct<s: string"):
        engine().match_batch(pa.array([1, 2]))
    with pytest.raises(GtopssError, match="Arrow Table: give the column"):
        engine().match_batch(pa.table({"triples": arrow([[]])}))
    binary = pa.list_(pa.struct([("s", pa.string()), ("p", pa.string()), ("o", pa.binary())]))
    with pytest.raises(GtopssError, match=r"not strings .*UTF8.*: give list<struct"):
        engine("naive").match_batch(pa.array([[{"s": "<urn:a>", "p": "<urn:p>", "o": b"\xff"}]], binary))


def test_arguments_that_do_not_fit_are_refused() -> None:
    made, document = engine(), b"<urn:a> <urn:p> <urn:b> ."
    with pytest.raises(GtopssError, match="needs a format"):
        made.match_batch(document)
    for single in ("text", Publication("p", []), rdflib.Graph(), None, 5):
        with pytest.raises(GtopssError, match="is not a batch"):
            made.match_batch(single, "nt")  # type: ignore[arg-type]
    with pytest.raises(GtopssError, match="offsets can only be used with one block of bytes"):
        made.match_batch([document], "nt", offsets=[0, 1])
    with pytest.raises(GtopssError, match="2 ids for 1 documents"):
        made.match_batch([document], "nt", ids=["a", "b"])
    with pytest.raises(GtopssError, match="named after their graphs"):
        made.match_batch(document, "nq", ids=["a"])
    with pytest.raises(MalformedPublication, match="id must be a non-empty string"):
        made.match_batch([document], "nt", ids=[""])
