"""The arrays of a batch say what its reports say, and turn into Arrow and pandas."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import numpy as np
import pytest
from support.answers import answers
from support.batch_matcher import reports_from_columns

from gtopss import Engine, GtopssError, MatchBatch, Publication, Subscription
from gtopss.errors import MalformedPublication
from gtopss.operators import Registry, operator

DOCUMENTS = [
    b'<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c> .\n<urn:a> <urn:title> "flood in Ghent" .\n',
    b"not N-Triples",
    b'<urn:d> <urn:p> <urn:b> .\n<urn:d> <urn:size> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
    b"",
]
SUBSCRIPTIONS = {
    "object": "SELECT ?x { ?x <urn:p> <urn:b> }",
    "several": "SELECT ?x ?y { ?x <urn:p> ?y }",
    "words": 'SELECT ?t { ?x <urn:title> ?t FILTER(CONTAINS(LCASE(?t), "flood")) }',
    "residual": "SELECT ?n { ?x <urn:size> ?n FILTER(?n * ?n > 40) }",
    "union": "SELECT ?x { { ?x <urn:p> <urn:b> } UNION { ?x <urn:p> <urn:c> } }",
    "computed": "SELECT ?x ?z { ?x <urn:size> ?n BIND(?n + 1 AS ?z) }",
}


def engine(matcher: str = "gm", **settings: object) -> Engine:
    made = Engine(matcher=matcher, **settings)  # type: ignore[arg-type]
    for id, text in SUBSCRIPTIONS.items():
        made.add(text, id=id)
    return made


@pytest.mark.parametrize("bindings", [True, False])
@pytest.mark.parametrize("matcher", ["gm", "reference", "naive"])
def test_arrays_and_reports_agree(matcher: str, bindings: bool) -> None:
    made = engine(matcher)
    found = made.match_batch(DOCUMENTS, "nt", bindings=bindings)
    expected = [
        made.match(document, "nt", bindings=bindings) if number != 1 else None
        for number, document in enumerate(DOCUMENTS)
    ]
    assert [set(ids) for ids in found.ids()] == [set(each.subscription_ids) if each else set() for each in expected]
    for report, wanted in zip(reports_from_columns(found, made._core.matcher), expected, strict=True):
        assert answers(report) == (answers(wanted) if wanted is not None else {})
    assert sorted(found.errors) == [1]
    assert isinstance(found.errors[1], MalformedPublication)
    assert len(found) == len(found.publication) == len(found.subscription) == sum(map(len, found.reports())) > 7
    assert len(set(found.publication_ids)) == 4
    if not bindings:
        assert not len(found.solutions.branch)


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_limits_are_reported_by_publication(matcher: str) -> None:
    made = Engine(matcher=matcher, row_limit=2)
    made.add(SUBSCRIPTIONS["several"], id="several")
    many = [("<urn:a>", "<urn:p>", f"<urn:o{n}>") for n in range(5)]
    found = made.match_batch([Publication("few", many[:2]), Publication("many", many)])
    assert found.truncated.tolist() == [False, True]
    assert found.solutions.offsets.tolist() == [0, 2, 4]


def test_a_search_that_a_limit_ended_is_named() -> None:
    made = Engine(work_limit=1_000)
    made.add(Subscription("big", [("?a", "<urn:p>", "?b"), ("?b", "<urn:p>", "?c"), ("?c", "<urn:p>", "?d")]))
    clique = [(f"<urn:n{a}>", "<urn:p>", f"<urn:n{b}>") for a in range(40) for b in range(40)]
    found = made.match_batch([Publication("empty", []), Publication("clique", clique)])
    assert {number: [each.subscription_id for each in names] for number, names in found.exceeded.items()} == {
        1: ["big"]
    }


def test_operators_and_times_take_part() -> None:
    operators = Registry()

    @operator(registry=operators)
    def is_b(publication: Publication, term: str) -> bool:
        return "urn:b" in str(term)

    made = Engine(operators=operators, clock=lambda: datetime(2020, 5, 1, tzinfo=UTC))
    made.add("SELECT ?x { ?x <urn:p> ?y FILTER(is_b(?y)) }", id="operator")
    made.add("SELECT ?x { ?x <urn:p> ?y FILTER(YEAR(NOW()) = 2020) }", id="now")
    found = made.match_batch(DOCUMENTS, "nt")
    assert [set(ids) for ids in found.ids()] == [{"operator", "now"}, set(), {"operator", "now"}, set()]


def test_what_follows_from_the_taxonomy_takes_part() -> None:
    from ontology import Taxonomy

    made = Engine(taxonomy=Taxonomy([("urn:Dog", "urn:Animal")]), entailment="rdfs")
    made.add("SELECT ?x { ?x a <urn:Animal> }", id="animal")
    dog = b"<urn:rex> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Dog> .\n"
    assert list(made.match_batch([b"", b"bad", dog], "nt").ids()) == [(), (), ("animal",)]


def test_a_batch_turns_into_arrow_and_pandas() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    found = engine().match_batch(DOCUMENTS, "nt", ids=["one", "bad", "two", "none"])
    rows = found.to_arrow().to_pylist()
    assert {row["subscription_id"] for row in rows if row["publication_id"] == "one"} == {
        "object", "several", "words", "union",
    }  # fmt: skip
    (words,) = [row for row in rows if row["subscription_id"] == "words"]
    assert words["publication"] == 0
    assert words["bindings"] == [[("t", '"flood in Ghent"')]]
    frame = found.to_pandas()
    assert frame["publication_id"].tolist() == [row["publication_id"] for row in rows]


def test_publications_with_the_same_id_turn_into_pandas() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    made = Engine(matcher="naive")
    made.add("SELECT ?x { ?x <urn:p> ?y }", id="s")
    documents = [b"<urn:a> <urn:p> <urn:b> .", b"", b"<urn:c> <urn:p> <urn:d> ."]
    frame = made.match_batch(documents, "nt", ids=["same", "other", "same"]).to_pandas()
    assert frame["publication"].tolist() == [0, 2]
    assert frame["publication_id"].tolist() == ["same", "same"]


@pytest.mark.parametrize(("method", "package"), [("to_arrow", "pyarrow"), ("to_pandas", "pandas")])
def test_a_missing_package_is_named(method: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = engine().match_batch(DOCUMENTS, "nt")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(GtopssError, match=rf"{method}\(\) needs {package}.*pip install"):
        getattr(found, method)()


def test_an_empty_batch_has_no_matches() -> None:
    found = engine().match_batch([])
    assert isinstance(found, MatchBatch)
    assert (len(found), list(found.reports()), found.offsets.tolist()) == (0, [], [0])
    assert found.solutions.offsets.tolist() == [0]
    assert found.publication.dtype == found.subscription.dtype == np.int32
