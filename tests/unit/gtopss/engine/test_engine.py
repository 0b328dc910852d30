"""What the engine accepts, and how it refuses."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib import RDF, RDFS, Literal, Namespace, Variable

from gtopss import Engine, FiveTuple, GtopssError, MatchReport, Publication, Subscription
from gtopss.errors import (
    DuplicateSubscription,
    InvalidQuery,
    InvalidSubscription,
    MalformedPublication,
    SubscriptionNotFound,
    UnknownMatcher,
)
from gtopss.model.expressions import call, compare, is_a
from gtopss.semantics import entail
from ontology import Taxonomy

EX = Namespace("urn:ex:")
X, Y = Variable("x"), Variable("y")


@pytest.fixture
def engine() -> Engine:
    made = Engine()
    made.add(Subscription("s", [(X, EX.p, Y)]))
    return made


TURTLE = "<urn:ex:a> <urn:ex:p> 5 ."
XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="urn:ex:"><rdf:Description '
    'rdf:about="urn:ex:a"><ex:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">5</ex:p></rdf:Description>'
    "</rdf:RDF>"
)
JSON_LD = '{"@id": "urn:ex:a", "urn:ex:p": 5}'
LAUGHS = "<!DOCTYPE a [\n<!ENTITY l0 'laugh'>\n<!ENTITY l1 '&l0;&l0;'>\n]><a>&l1;</a>"
NTRIPLES = '<urn:ex:a> <urn:ex:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .'


@pytest.mark.parametrize(
    ("given", "format"),
    [
        (Publication("p", [(EX.a, EX.p, 5)]), None),
        (rdflib.Graph().parse(data=TURTLE, format="turtle"), None),
        ([(EX.a, EX.p, Literal(5))], None),
        (iter([(EX.a, EX.p, 5)]), None),
        (TURTLE, "turtle"),
        (TURTLE.encode(), "text/turtle"),
        (XML.encode(), "xml"),
        (JSON_LD, "json-ld"),
        (NTRIPLES, "nt"),
        (NTRIPLES, "nquads"),
        ("GRAPH <urn:g> { " + TURTLE + " }", "trig"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:12],
)
def test_what_match_takes(engine: Engine, given: Any, format: str | None) -> None:
    (match,) = engine.match(given, format)
    assert match.bindings == ({"x": EX.a, "y": Literal(5)},)


@pytest.mark.parametrize(
    ("given", "format", "line", "problem"),
    [
        (b"<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> 'x\n", "turtle", 2, r"this is not Turtle: (?!Parser error)"),
        (b'"literal" <urn:p> <urn:b> .', "nt", 1, "this is not N-Triples"),
        (b"<rdf:RDF", "xml", 1, "this is not RDF/XML"),
        (XML.removesuffix("</rdf:RDF>").encode(), "xml", 1, "this is not RDF/XML"),
        (b"", "xml", 1, "this is not RDF/XML"),
        (LAUGHS.encode(), "xml", 3, "entit"),
        (b"<a>" * 100_000, "xml", 1, "deep"),
        (b"null", "json-ld", 1, "must be an object or a list"),
        (b"\xff\xfe\x00", "turtle", 1, "this is not Turtle"),
        (b"{", "json-ld", None, "this is not JSON-LD"),
        (b'{"@context": "http://localhost/c", "@id": "urn:a", "b": 1}', "json-ld", None, "remote contexts"),
        (b"", "word", None, "there is no format 'word'"),
        (b"", None, None, "need a format"),
        (b"<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 1 }", "trig", None, "it has several graphs"),
        ([(Literal("a"), EX.p, EX.b)], None, None, "cannot be a subject"),
        ([("a", EX.p, EX.b)], None, None, "triple 1"),
        (5, None, None, "a value of type int is not a Publication"),
        ([5], None, None, "is not a triple"),
    ],
)
def test_a_bad_publication_is_refused_with_its_place_and_costs_nobody_anything(
    engine: Engine, given: Any, format: str | None, line: int | None, problem: str
) -> None:
    with pytest.raises(MalformedPublication, match=problem) as caught:
        engine.match(given, format, id="bad")
    assert isinstance(caught.value, GtopssError)
    assert isinstance(caught.value, ValueError)
    assert "'bad'" in str(caught.value)
    assert line is None or caught.value.line == line
    assert engine.match(TURTLE, "turtle").subscription_ids == ("s",)


def test_match_many_reports_the_bad_one_and_goes_on(engine: Engine) -> None:
    reports = list(engine.match_many([TURTLE, "not turtle", TURTLE], "turtle"))
    assert [report.subscription_ids for report in reports] == [("s",), (), ("s",)]
    assert isinstance(reports[1].error, MalformedPublication)
    assert reports[0].error is None
    assert len({report.publication_id for report in reports}) == 3


def test_add_many_returns_the_refused_and_goes_on(engine: Engine) -> None:
    wrong = Subscription("wrong", [(X, EX.p, Y)], where=[call("NOSUCH", X)])
    refused = engine.add_many(
        [Subscription("t", [(X, EX.p, Y)]), Subscription("s", [(X, EX.p, Y)]), wrong, Subscription("u", [(X, EX.q, Y)])]
    )
    assert [type(error) for error in refused] == [DuplicateSubscription, InvalidSubscription]
    assert len(engine) == 3


def test_invalid_settings_subscriptions_and_ids_are_refused(engine: Engine) -> None:
    with pytest.raises(UnknownMatcher, match=r"choose one of auto, gm, .*naive, ops, reference"):
        Engine(matcher="guess")
    with pytest.raises(GtopssError, match="entailment"):
        Engine(entailment="owl")  # type: ignore[arg-type]
    with pytest.raises(GtopssError, match="row_limit"):
        Engine(row_limit=0)
    with pytest.raises(InvalidSubscription, match="of type int is not a subscription"):
        engine.add(5)  # type: ignore[arg-type]
    with pytest.raises(SubscriptionNotFound) as caught:
        engine.remove("nobody")
    assert isinstance(caught.value, LookupError)


def test_a_taxonomy_from_a_graph_and_a_live_edit() -> None:
    graph = rdflib.Graph()
    graph.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    engine = Engine(taxonomy=graph)
    engine.add(Subscription("animals", [(X, EX.p, Y, [is_a("x", EX.Animal)], [])]))
    assert engine.match([(EX.Cat, EX.p, EX.o)]).subscription_ids == ("animals",)
    assert engine.match([(EX.Dog, EX.p, EX.o)]).subscription_ids == ()
    engine.taxonomy.add_subclass(EX.Dog, EX.Animal)
    assert engine.match([(EX.Dog, EX.p, EX.o)]).subscription_ids == ("animals",)


def test_rdfs_entailment_in_plain_patterns() -> None:
    taxonomy = Taxonomy(
        [(EX.Cat, EX.Mammal), (EX.Mammal, EX.Animal)],
        [(EX.tom, EX.Cat)],
        [(EX.adores, EX.likes), (EX.isKindOf, RDF.type)],
    )
    engine = Engine(taxonomy=taxonomy, entailment="rdfs")
    engine.add(Subscription("animals", [(X, RDF.type, EX.Animal)]))
    engine.add(Subscription("likes", [(X, EX.likes, Y)]))
    engine.add(Subscription("below", [(X, RDFS.subClassOf, EX.Animal)]))
    assert set(engine.match([(EX.rex, RDF.type, EX.Cat)]).subscription_ids) == {"animals", "below"}
    assert set(engine.match([(EX.tom, EX.adores, EX.fish)]).subscription_ids) == {"animals", "likes"}
    assert set(engine.match([(EX.Lion, RDFS.subClassOf, EX.Cat)]).subscription_ids) == {"below"}
    assert set(engine.match([(EX.rex, EX.isKindOf, EX.Cat)]).subscription_ids) == {"animals", "below"}
    assert set(engine.match([(EX.rex, EX.hates, EX.fish)]).subscription_ids) == set()
    assert Engine(taxonomy=taxonomy).match([(EX.rex, RDF.type, EX.Cat)]).matches == ()


def test_the_limit_of_entailment_is_reported_beside_those_of_the_matcher(monkeypatch: pytest.MonkeyPatch) -> None:
    taxonomy = Taxonomy([("urn:a", "urn:b"), ("urn:b", "urn:c")])
    engine = Engine(matcher="reference", taxonomy=taxonomy, entailment="rdfs", expansion_limit=1)
    found = MatchReport("p", (), limits_reached=("publication_work_limit",))
    monkeypatch.setattr(engine._core.matcher, "match_many", lambda publications, row_limit: [found])
    publication = Publication("p", [("<urn:x>", RDF.type, "<urn:a>")])
    for report in (engine.match(publication), *engine.match_many([publication])):
        assert report.limits_reached == ("expansion_limit", "publication_work_limit")


def test_triples_that_somebody_else_inferred_reach_no_limit_of_an_engine_without_entailment() -> None:
    inferred = entail(Publication("p", [("<urn:x>", RDF.type, "<urn:a>")]), Taxonomy([("urn:a", "urn:b")]), 9)
    assert inferred.inferred
    engine = Engine(matcher="reference", expansion_limit=1)
    for report in (engine.match(inferred), *engine.match_many([inferred])):
        assert report.limits_reached == ()


def test_importing_the_class_imports_no_large_package() -> None:
    """`from gtopss import Engine` takes milliseconds: numpy, numba and rdflib are imported with the first engine."""
    code = "import sys; from gtopss import Engine; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    large = {
        "alembic", "asyncio", "fastapi", "feedparser", "httpx", "llvmlite", "multiprocessing", "networkx", "numba",
        "numpy", "ontology", "owlready2", "pandas", "pyarrow", "pydantic", "pyoxigraph", "pypdf", "pyspark", "rdflib",
        "re2", "rich", "sparqlish", "sqlalchemy", "typer",
    }  # fmt: skip
    assert not large & set(done.stdout.split())


def test_a_matcher_without_an_ontology_does_not_import_networkx() -> None:
    code = """if True:
        import sys
        from gtopss import Engine
        engine = Engine()
        engine.add("SELECT * { ?x a ?type FILTER isA(?x, <urn:C>) }")
        assert len(engine.match([("<urn:a>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<urn:C>")])) == 1
        print("networkx" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "fail",
    [
        lambda: Engine(matcher="naive").add("SELECT * { ?x"),
        lambda: Engine(matcher="naive").match(b"<a> <b", "turtle"),
        lambda: Engine(matcher="naive").match([("<urn:a>", "<urn:p>", object())]),
        lambda: Engine(matcher="naive", taxonomy="no-such-file.ttl"),
        lambda: Engine(matcher="naive", taxonomy=5),  # type: ignore[arg-type]
    ],
)
def test_an_error_is_shown_without_the_errors_behind_it(fail: Any) -> None:
    with pytest.raises(GtopssError) as caught:
        fail()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_5_tuples_are_added_directly() -> None:
    engine = Engine(matcher="naive")
    made = engine.add([(X, EX.p, Y), (Y, EX.q, 5)], id="s")
    assert made == Subscription("s", [(X, EX.p, Y), (Y, EX.q, 5)])
    assert engine.add((X, EX.p, Y)).id == "subscription-1"
    assert engine.add(FiveTuple(X, EX.p, Y)).branches == Subscription("t", [(X, EX.p, Y)]).branches
    with pytest.raises(InvalidSubscription, match=r"a 5-tuple is .* has 2 parts"):
        engine.add([(X, EX.p)])
    with pytest.raises(InvalidSubscription, match="a value of type int is not a subscription"):
        engine.add(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidSubscription, match="None is not a subscription"):
        engine.add(None)  # type: ignore[arg-type]
    assert len(engine) == 3


def test_constraints_of_a_5_tuple_are_several_one_or_none() -> None:
    above = compare("?y", ">", 2)
    several = Subscription("s", [(X, EX.p, Y, [], [above])])
    assert Subscription("s", [(X, EX.p, Y, None, above)]) == several
    with pytest.raises(InvalidSubscription, match=r"'\?y > 2' is not a valid term here: a constraint is made by"):
        Subscription("s", [(X, EX.p, Y, None, "?y > 2")])


def test_a_short_form_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(InvalidQuery, match=r"gtopss\.short_form\.to_query"):
        Engine(matcher="naive").add("topic:health")
    with pytest.raises(InvalidQuery, match="found `SELEC`") as caught:
        Engine(matcher="naive").add("SELEC * { ?x ?p ?y }")
    assert "short_form" not in str(caught.value)


def test_one_feed_is_matched_item_by_item(tmp_path: Path) -> None:
    path = tmp_path / "feed.rss"
    path.write_text("<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>")
    engine = Engine(matcher="naive")
    engine.add("SELECT ?title { ?item a rss:item ; rss:title ?title }", id="titles")
    (of_path,), (of_bytes,) = engine.match_many(path, "rss"), engine.match_many(path.read_bytes(), "rss")
    assert of_path.subscription_ids == of_bytes.subscription_ids == ("titles",)


def test_a_subscription_is_shown_as_it_was_written() -> None:
    engine = Engine(matcher="naive")
    with pytest.warns(UserWarning, match=r"\?tittle"):
        unbound = engine.add('SELECT ?title { ?item rss:title ?title FILTER CONTAINS(?tittle, "x") }', id="unbound")
    assert repr(unbound) == "<Subscription 'unbound': ?item rss:title ?title . CONTAINS(?tittle, \"x\")>"
    assert repr(engine.add([(X, EX.p, 5)], id="number")).endswith(f"?x <{EX.p}> 5>")


def test_an_impossible_subscription_is_explained_with_prefixes() -> None:
    engine = Engine(matcher="naive")
    with pytest.warns(UserWarning, match="never matches"):
        engine.add(
            "SELECT * { ?x dc:date ?d FILTER(?d > '2020-01-01'^^xsd:date && ?d < '2000-01-01'^^xsd:date) }", id="s"
        )
    text = str(engine.explain([("<urn:x>", "<http://purl.org/dc/elements/1.1/date>", Literal("2010"))], "s"))
    assert "never matches" in text
    assert "XMLSchema#" not in text


def test_an_unknown_matcher_is_refused_with_a_guess() -> None:
    with pytest.raises(UnknownMatcher, match=r"did you mean 'gm'\? The matchers are auto"):
        Engine(matcher="gn")


def test_a_publication_is_matched_on_an_event_loop(engine: Engine) -> None:
    async def match_two() -> list[MatchReport]:
        return await asyncio.gather(engine.match_async(TURTLE, "turtle"), engine.match_async(NTRIPLES, "nt"))

    assert [report.subscription_ids for report in asyncio.run(match_two())] == [("s",), ("s",)]


def test_an_engine_shows_its_subscriptions_with_their_prefixes() -> None:
    engine = Engine(matcher="naive", taxonomy=Taxonomy([("urn:Cat", "urn:Animal")]))
    engine.add("PREFIX e: <urn:ex:> SELECT * { ?x e:p ?y FILTER(?y < 3) }", id="<s>")
    assert repr(engine) == "<Engine: 1 subscription, matcher 'naive', taxonomy of 2 classes, 0 instances, 0 properties>"
    assert "<td>&lt;s&gt;</td><td>?x  e:p  ?y  (?y &lt; 3)</td>" in engine._repr_html_()
    explanation = engine.explain([(EX.a, EX.p, 1)], "<s>")
    assert "e:a  e:p  1" in str(explanation)
    assert "e:p" in explanation.svg()
    engine.remove("<s>")
    assert "e" not in engine.prefixes("<s>")


def test_events_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="gtopss")
    engine = Engine()
    engine.add_many(["ASK { ?x <urn:p> ?y }", "no query"])
    engine.save(tmp_path / "saved")
    Engine.open(tmp_path / "saved").remove("subscription-1")
    messages = [(each.name, each.getMessage()) for each in caplog.records]
    for message in (
        "subscription 'subscription-1' was added", "added 1 subscription, refused 1",
        f"saved 1 subscription into {tmp_path / 'saved'}", f"opened {tmp_path / 'saved'} with 1 subscription",
        "subscription 'subscription-1' was removed",
    ):  # fmt: skip
        assert ("gtopss.engine", message) in messages
