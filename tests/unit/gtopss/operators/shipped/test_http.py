"""The operator that calls a web service."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from gtopss.errors import GtopssError
from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.net import Connector, FetchLimits
from gtopss.operators import OperatorStage, Registry
from gtopss.operators.shipped.http import http


@pytest.fixture
def service() -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """A service that records its requests, and whose responses the test sets."""
    sent: list[Any] = []
    answers: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps(answers["body"]).encode()
            self.send_response(answers.get("status", 200))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/operator", sent, answers
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_response_of_the_service_is_the_answer(service: tuple[str, list[Any], dict[str, Any]]) -> None:
    url, sent, answers = service
    connector = Connector(allow={"127.0.0.1"}, limits=FetchLimits(total_seconds=5))
    registry = Registry(
        [
            http("looksLike", url, connector=connector, arity=1),
            http("count", url, connector=connector, arity=2, binds=(1,)),
            http("guarded", url, connector=Connector(), arity=0),
        ]
    )
    stage = OperatorStage(registry)
    stage.add(("one", 0), [call("looksLike", literal("fire"))])
    stage.add(("two", 0), [call("count", literal("cars"), "?n")])
    stage.add(("three", 0), [call("guarded")])
    picture = Publication("p", [("<urn:a>", "<urn:b>", 5)])
    answers["body"] = {"answer": True, "cost": 0.25}
    report = stage.evaluate(picture, {("one", 0): [{}]})
    assert set(report.matched) == {("one", 0)}
    assert report.cost == 0.25
    assert sent == [{"publication": "p", "triples": [list(picture.triples[0])], "arguments": ['"fire"']}]
    answers["body"] = {"rows": [[7], [8]]}
    assert len(stage.evaluate(picture, {("two", 0): [{}]}).matched["two", 0]) == 2
    for body in (["yes"], {"rows": []}, None, {"answer": "yes"}, {"answer": True, "cost": "much"}):
        answers["body"] = body
        assert stage.evaluate(picture, {("one", 0): [{}]}).unanswered_by_operator == {"looksLike": 1}
    answers.update(body={"answer": True}, status=500)
    report = stage.evaluate(picture, {("one", 0): [{}]})
    assert "500" in report.undecided["one", 0][0].detail
    report = stage.evaluate(picture, {("three", 0): [{}]})
    assert "not public" in report.undecided["three", 0][0].detail


def test_an_invalid_url_is_refused_at_once() -> None:
    with pytest.raises(GtopssError):
        http("odd", "ftp://example.org/", connector=Connector(), arity=0)
