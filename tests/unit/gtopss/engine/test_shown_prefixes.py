"""The prefixes that subscriptions declare are used where their solutions are shown."""

from __future__ import annotations

import pickle

import pytest

from gtopss import Engine, MatchReport

QUERIES = {
    "pattern": "PREFIX e: <urn:ex:> SELECT * { ?x e:p ?y }",
    "query": "PREFIX e: <urn:ex:> SELECT * { ?x e:p ?y OPTIONAL { ?x e:q ?z } }",
}
EVENT = [("<urn:ex:a>", "<urn:ex:p>", "<urn:ex:b>")]


@pytest.fixture(params=["gm", "reference"])
def engine(request: pytest.FixtureRequest) -> Engine:
    engine = Engine(matcher=request.param)
    for id, query in QUERIES.items():
        engine.add(query, id=id)
    engine.add("SELECT * { ?x <urn:ex:p> ?y }", id="none")
    return engine


def shown(report: MatchReport) -> str:
    return report._repr_html_()


def test_a_report_is_shown_with_the_prefixes_of_its_subscriptions(engine: Engine) -> None:
    for report in (engine.match(EVENT), *engine.match_many([EVENT])):
        for id in QUERIES:
            assert f"<td>{id}</td><td>?x = e:a, ?y = e:b</td>" in shown(report)
        assert "<td>none</td><td>?x = &lt;urn:ex:a&gt;, ?y = &lt;urn:ex:b&gt;</td>" in shown(report)


def test_a_report_can_be_sent_to_another_process_without_its_engine(engine: Engine) -> None:
    report = engine.match(EVENT)
    copy = pickle.loads(pickle.dumps(report))
    assert copy == report
    assert "?x = &lt;urn:ex:a&gt;" in shown(copy)


def test_removing_a_subscription_forgets_its_prefixes(engine: Engine) -> None:
    report = engine.match(EVENT)
    engine.remove("pattern")
    assert "e" not in engine.prefixes("pattern")
    assert "<td>pattern</td><td>?x = &lt;urn:ex:a&gt;" in shown(report)
