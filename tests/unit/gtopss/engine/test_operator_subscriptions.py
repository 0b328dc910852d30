"""Operators through the engine: in the language, with the graph pattern's rows, in reports and explanations."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gtopss import Engine, Publication, Subscription
from gtopss.cli.commands import app
from gtopss.engine import operator_subscriptions
from gtopss.errors import DuplicateSubscription, GtopssError, InvalidSubscription
from gtopss.model import Term
from gtopss.model.expressions import call, compare
from gtopss.model.terms import iri, literal
from gtopss.operators import STRATEGIES, OperatorLimits, Registry

ITEM, TITLE, PLACE = iri("urn:item"), iri("urn:title"), iri("urn:place")


@pytest.fixture
def asked() -> list[tuple[object, ...]]:
    return []


@pytest.fixture
def registry(asked: list[tuple[object, ...]]) -> Iterator[Registry]:
    made, released = Registry(), threading.Event()

    @made.operator("wordIn", cost=2, timeout=None)
    def word_in(publication: Publication, text: Term, word: Term) -> bool:
        asked.append(("wordIn", text, word))
        return word.strip('"') in text

    @made.operator("placeOf", binds=(1, 2), cost=5, timeout=None)
    def place_of(publication: Publication, place: Term) -> list[tuple[int, int]]:
        asked.append(("placeOf", place))
        return [(52, 13)] if "Berlin" in place else [(48, 2), (48, 3)] if "Paris" in place else []

    @made.operator("people", binds=0, timeout=None)
    def people(publication: Publication) -> list[int]:
        asked.append(("people",))
        return [60]

    @made.operator("broken", timeout=None)
    def broken(publication: Publication) -> bool:
        raise RuntimeError("no camera")

    @made.operator("slow", timeout=0.05)
    def slow(publication: Publication) -> bool:
        return released.wait(30)

    yield made
    released.set()


def item(title: str, place: str) -> Publication:
    return Publication("p", [(ITEM, TITLE, literal(title)), (ITEM, PLACE, literal(place))])


@pytest.fixture(params=["gm", "reference", "naive"])
def engine(request: pytest.FixtureRequest, registry: Registry) -> Engine:
    return Engine(matcher=request.param, operators=registry)


def test_an_operator_in_a_filter_is_called_with_the_rows_of_the_pattern(
    engine: Engine, asked: list[tuple[object, ...]]
) -> None:
    engine.add('SELECT ?t { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id="storm")
    engine.add('SELECT ?t { ?i <urn:other> ?t FILTER(wordIn(?t, "storm")) }', id="other")
    engine.add("SELECT ?t { ?i <urn:title> ?t }", id="plain")
    report = engine.match(item("a storm", "Berlin"))
    assert set(report.subscription_ids) == {"storm", "plain"}
    assert asked == [("wordIn", literal("a storm"), literal("storm"))]
    assert report.operator_usage is not None
    assert (report.operator_usage.calls, report.operator_usage.cost) == (1, 2)
    assert engine.match(item("calm", "Berlin")).subscription_ids == ("plain",)


def test_rows_of_an_operator_are_bound_joined_tested_and_selected(engine: Engine) -> None:
    engine.add(
        "SELECT ?lat ?long { ?i <urn:place> ?p FILTER(placeOf(?p, ?lat, ?long)) FILTER(?lat - ?long > 45) }", id="s"
    )
    (match,) = engine.match(item("x", "Paris"))
    assert [{name: str(value) for name, value in row.items()} for row in match.bindings] == [{"lat": "48", "long": "2"}]
    assert not engine.match(item("x", "Berlin"))
    assert not engine.match(item("x", "Nowhere"))


def test_a_bind_gets_the_first_value_that_an_operator_finds(engine: Engine) -> None:
    engine.add("SELECT ?n { ?i <urn:title> ?t BIND(people() AS ?n) FILTER(?n > 50) }", id="many")
    engine.add("SELECT ?n { ?i <urn:title> ?t BIND(people() AS ?n) FILTER(?n > 70) }", id="more")
    (match,) = engine.match(item("x", "y"))
    assert match.subscription_id == "many"
    assert str(match.bindings[0]["n"]) == "60"


def test_a_call_is_made_once_for_all_subscriptions(engine: Engine, asked: list[tuple[object, ...]]) -> None:
    for number in range(20):
        engine.add(f'SELECT ?x{number} {{ ?x{number} <urn:title> ?t FILTER(wordIn(?t, "storm")) }}', id=f"s{number}")
    report = engine.match(item("a storm", "Berlin"), bindings=False)
    assert len(report) == 20
    assert len(asked) == 1
    assert report.operator_usage is not None
    assert report.operator_usage.saved == 19


def test_branches_with_equal_patterns_may_call_different_operators(engine: Engine) -> None:
    engine.add(
        'SELECT ?t { { ?i <urn:title> ?t FILTER(wordIn(?t, "sun")) } UNION '
        '{ ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) } }',
        id="either",
    )
    assert len(engine.match(item("a storm", "x"))) == len(engine.match(item("the sun", "x"))) == 1
    assert not engine.match(item("fog", "x"))


def test_an_unanswered_call_leaves_the_subscription_undecided(engine: Engine) -> None:
    engine.add("ASK { ?i <urn:title> ?t FILTER(broken()) }", id="broken")
    engine.add("ASK { ?i <urn:title> ?t FILTER(slow()) }", id="slow")
    engine.add('ASK { ?i <urn:title> ?t FILTER(slow()) FILTER(wordIn(?t, "sun")) }', id="refused anyway")
    engine.add('ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id="fine")
    report = engine.match(item("a storm", "x"))
    assert report.subscription_ids == ("fine",)
    undecided = {each.subscription_id: each.calls for each in report.undecided}
    assert set(undecided) == {"broken", "slow"}
    assert "no camera" in undecided["broken"][0]
    assert report.operator_usage is not None
    assert dict(report.operator_usage.failing) == {"broken": 1, "slow": 1}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_strategies_give_the_same_answers(strategy: str, registry: Registry) -> None:
    engine = Engine(operators=registry, strategy=strategy)
    words = ("storm", "sun", "rain", "a", "st")
    for one in words:
        for other in words:
            query = f'ASK {{ ?i <urn:title> ?t FILTER(wordIn(?t, "{one}")) FILTER(wordIn(?t, "{other}")) }}'
            engine.add(query, id=f"{one} {other}")
    found = set(engine.match(item("a storm", "x")).subscription_ids)
    assert found == {f"{one} {other}" for one in ("storm", "a", "st") for other in ("storm", "a", "st")}


def test_a_subscription_of_operators_alone_needs_no_triples(engine: Engine) -> None:
    engine.add(Subscription("s", where=[call("people", "?n"), compare("n", ">", 50)]))
    (match,) = engine.match([])
    assert str(match.bindings[0]["n"]) == "60"


def test_invalid_operator_calls_are_refused_at_registration(engine: Engine) -> None:
    for text, reason in (
        ("ASK { ?i <urn:title> ?t FILTER(wordOn(?t)) }", "wordIn"),
        ("ASK { ?i <urn:title> ?t FILTER(wordIn(?t)) }", "wordIn"),
        ('ASK { ?i <urn:title> ?t FILTER(!wordIn(?t, "x")) }', "of its own"),
        ('ASK { ?i <urn:title> ?t FILTER(wordIn(?nobody, "x")) }', "nobody"),
        ("ASK { ?i <urn:title> ?t BIND(broken() AS ?x) }", "true or false"),
    ):
        with pytest.raises(InvalidSubscription, match=reason):
            engine.add(text, id="wrong")
    assert len(engine) == 0


def test_ids_are_shared_with_plain_subscriptions(engine: Engine) -> None:
    asking = 'ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "x")) }'
    engine.add(asking, id="s")
    for text in (asking, "ASK { ?i <urn:title> ?t }"):
        with pytest.raises(DuplicateSubscription):
            engine.add(text, id="s")
    assert [each.id for each in engine.subscriptions()] == ["s"]
    engine.remove("s")
    engine.add("ASK { ?i <urn:title> ?t }", id="s")
    with pytest.raises(DuplicateSubscription):
        engine.add(asking, id="s")
    assert len(engine) == 1


def test_an_explanation_shows_the_calls(engine: Engine) -> None:
    engine.add('SELECT ?t { ?i <urn:title> ?t FILTER(wordIn(?t, "sun")) FILTER(broken()) }', id="s")
    explanation = engine.explain(item("a storm", "x"), "s")
    assert not explanation.matched
    assert explanation.settled
    text = explanation.text()
    assert 'operator call: wordIn("a storm", "sun"): no' in text
    assert "broken(): not known: failed" in text
    assert "by itself, naive: calls 1, saved 1, cost 2" in text
    assert len(explanation.to_json()["strategies"]) == len(STRATEGIES)


def test_a_saved_engine_calls_its_operators_again(registry: Registry, tmp_path: Path) -> None:
    engine = Engine(operators=registry)
    engine.add('SELECT ?t { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id="storm")
    engine.save(tmp_path / "engine")
    assert Engine.open(tmp_path / "engine", operators=registry).match(item("a storm", "x"))
    with pytest.raises(GtopssError, match="wordIn"):
        Engine.open(tmp_path / "engine", operators=Registry())


def test_a_budget_decides_as_many_subscriptions_as_it_can(registry: Registry) -> None:
    engine = Engine(operators=registry, operator_limits=OperatorLimits(cost=2))
    engine.add('ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id="cheap")
    engine.add("ASK { ?i <urn:place> ?p FILTER(placeOf(?p, ?lat, ?long)) }", id="dear")
    report = engine.match(item("a storm", "Paris"))
    assert report.subscription_ids == ("cheap",)
    assert [each.subscription_id for each in report.undecided] == ["dear"]


def test_a_budget_decides_the_most_valuable_subscriptions_first(
    registry: Registry, asked: list[tuple[object, ...]]
) -> None:
    limits = OperatorLimits(cost=2, values={"dear to us": 100})
    engine = Engine(operators=registry, operator_limits=limits)
    for number in range(9):
        engine.add('ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id=f"s{number}")
    engine.add('ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "sun")) }', id="dear to us")
    report = engine.match(item("a storm", "Paris"))
    assert [each[-1] for each in asked] == [literal("sun")]
    assert len(report.undecided) == 9
    with pytest.raises(InvalidSubscription, match="value"):
        Engine(operators=registry, operator_limits=OperatorLimits(values={"s": -1})).add(
            'ASK { ?i <urn:title> ?t FILTER(wordIn(?t, "storm")) }', id="s"
        )


def test_subscriptions_without_operators_do_not_wait_for_a_call(registry: Registry) -> None:
    begun, go_on = threading.Event(), threading.Event()

    @registry.operator("waits", timeout=None)
    def waits(publication: Publication) -> bool:
        begun.set()
        return go_on.wait(20)

    engine = Engine(operators=registry)
    engine.add("SELECT * WHERE { ?item <urn:title> ?title FILTER waits() }", id="asks")
    with ThreadPoolExecutor(1) as pool:
        report = pool.submit(engine.match, item("a title", "Berlin"))
        assert begun.wait(20)
        engine.add("SELECT * WHERE { ?item <urn:title> ?title }", id="plain")
        engine.remove("plain")
        go_on.set()
        assert report.result().subscription_ids == ("asks",)


def test_a_wrong_number_of_operator_arguments_is_named() -> None:
    with pytest.raises(InvalidSubscription, match="inRegion takes 3 arguments, here it has 2"):
        Engine().add("ASK { ?i <urn:title> ?t FILTER(inRegion(?t, 1)) }")


@pytest.mark.parametrize("command", ["match", "filter"])
def test_the_command_line_names_undecided_subscriptions(command: str, tmp_path: Path) -> None:
    """Who reads only the matches would take it for a no."""
    (tmp_path / "open.rq").write_text(
        'ASK { ?i <http://purl.org/rss/1.0/title> ?t FILTER(nearPlace(?t, ?t, "Toronto", 5)) }'
    )
    (tmp_path / "item.ttl").write_text(
        '<urn:i> a <http://purl.org/rss/1.0/item> ; <http://purl.org/rss/1.0/title> "x" .'
    )
    done = CliRunner().invoke(app, [command, str(tmp_path / "item.ttl"), "-s", str(tmp_path / "open.rq")])
    assert done.exit_code == 0, done.output
    assert "open is undecided: nearPlace" in done.stderr
    assert "1 undecided" in done.stderr


def test_names_that_the_language_has_are_refused() -> None:
    for name in ("where", "contains", "Filter", "isA", "ABC", "two words", "in"):
        with pytest.raises(GtopssError, match="name"):
            Registry().operator(name)(lambda publication: True)


def test_a_pattern_with_too_many_rows_for_operators_is_reported(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_subscriptions, "MAX_PATTERN_ROWS", 3)
    engine = Engine(operators=registry)
    engine.add("SELECT ?y { ?x <urn:p> ?y FILTER wordIn(?y, 'a') }", id="s")
    report = engine.match([("<urn:a>", "<urn:p>", f'"a{n}"') for n in range(5)])
    assert [each.subscription_id for each in report.exceeded] == ["s"]
    assert [len(match.solutions) for match in report] == [3]
