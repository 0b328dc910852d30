"""Publishing over HTTP, the list of publications, and explanations."""

from __future__ import annotations

import gzip
import json
from urllib.parse import quote

import pytest
from support.services import FEED, VACCINES, served, ticket_of

from gtopss.http.routes.publications import DOCUMENTS

TURTLE = b"@prefix rss: <http://purl.org/rss/1.0/> . <urn:i> rss:title 'A vaccine' ."
QUADS = b"<urn:a> <urn:p> <urn:b> <urn:g1> .\n<urn:c> <urn:p> <urn:d> <urn:g2> .\n"


@pytest.mark.parametrize(
    ("media_type", "data", "count"),
    [
        ("text/turtle", TURTLE, 1),
        ("text/turtle; charset=utf-8", TURTLE, 1),
        ("application/n-triples", b"<urn:a> <urn:p> <urn:b> .", 1),
        ("application/n-quads", QUADS, 2),
        ("application/ld+json", b'{"@id": "urn:a", "urn:p": "x"}', 1),
        ("application/rss+xml", FEED, 2),
        ("application/xml", FEED, 2),
        ("application/octet-stream", FEED, 2),
    ],
)
def test_the_content_type_says_what_a_document_is(media_type: str, data: bytes, count: int) -> None:
    with served() as it:
        headers = {"Content-Type": media_type}
        first = it.client.post("/publications", content=data, headers=headers)
        assert first.status_code == 202, first.text
        (result,) = first.json()["results"]
        assert [each["duplicate"] for each in result["publications"]] == [False] * count
        (again,) = it.client.post("/publications", content=data, headers=headers).json()["results"]
        assert [each["duplicate"] for each in again["publications"]] == [True] * count
        assert len(it.client.get("/publications").json()["publications"]) == count


def test_a_document_that_cannot_be_read_has_line_and_column() -> None:
    with served() as it:
        response = it.client.post(
            "/publications", content=b"<urn:a>\n <urn:p> .", headers={"Content-Type": "text/turtle"}
        )
        problem = response.json()
        assert (response.status_code, problem["type"]) == (422, "urn:gtopss:problem:malformed-publication")
        assert problem["line"] == 2


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", "image/png"])
def test_another_media_type_is_refused(media_type: str) -> None:
    with served() as it:
        response = it.client.post("/publications", content=TURTLE, headers={"Content-Type": media_type})
        assert response.status_code == 415


def test_a_compressed_body_is_refused_by_name() -> None:
    with served() as it:
        headers = {"Content-Type": "text/turtle", "Content-Encoding": "gzip"}
        response = it.client.post("/publications", content=gzip.compress(TURTLE), headers=headers)
        assert response.status_code == 415
        assert "Content-Encoding is gzip" in response.json()["detail"]


def test_several_documents_get_one_result_each() -> None:
    with served() as it:
        documents = [
            {"content": TURTLE.decode(), "content_type": "text/turtle", "id": "urn:doc:1"},
            {"content": "<broken", "content_type": "text/turtle"},
            {"content": FEED.decode()},
        ]
        headers = {"Content-Type": DOCUMENTS}
        response = it.client.post("/publications", content=json.dumps({"documents": documents}), headers=headers)
        assert response.status_code == 202
        found = [(len(each["publications"]), each["error"] is None) for each in response.json()["results"]]
        assert found == [(1, True), (0, False), (2, True)]
        assert response.json()["results"][0]["publications"][0]["id"] == "urn:doc:1"
        response = it.client.post(
            "/publications", content=json.dumps({"documents": documents[1:2] * 2}), headers=headers
        )
        assert (response.status_code, len(response.json()["results"])) == (422, 2)


def test_the_list_goes_on_before_a_number() -> None:
    with served() as it:
        for number in range(5):
            it.publish(f"<urn:i{number}> <urn:p> 1 .".encode(), "text/turtle")
        seen, before = [], ""
        while True:
            page = it.client.get(f"/publications?limit=2{before}").json()
            seen += [each["number"] for each in page["publications"]]
            if page["next_before"] is None:
                break
            before = f"&before={page['next_before']}"
        assert seen == [5, 4, 3, 2, 1]


def test_a_publication_is_explained_as_json_text_and_drawing() -> None:
    with served() as it:
        mine = it.subscribe()
        it.publish()
        football, vaccine = it.client.get("/publications").json()["publications"]
        for item, matched in ((vaccine, True), (football, False)):
            for name in (item["number"], quote(item["id"], safe="")):
                path = f"/publications/{name}/explain/{mine['id']}"
                found = it.client.get(path, headers=ticket_of(mine)).json()
                assert (found["matched"], found["publication"]) == (matched, item["id"])
        text = it.client.get(path, headers={**ticket_of(mine), "Accept": "text/plain"})
        assert "does not match" in text.text
        drawing = it.client.get(f"{path}?format=svg", headers=ticket_of(mine))
        assert drawing.headers["content-type"] == "image/svg+xml"
        assert drawing.text.startswith("<svg")
        assert it.client.get(path).status_code == 200  # everybody on loopback is an administrator
        assert it.client.get(f"/publications/99/explain/{mine['id']}").status_code == 404
        assert it.client.get("/publications/1/explain/nonsense").status_code == 401


def test_a_text_that_is_not_registered_is_explained_too() -> None:
    with served() as it:
        it.publish()
        short = it.client.post("/publications/1/explain", json={"query": "vaccine -tested", "form": "short"}).json()
        assert short["matched"] is False
        assert "✘ -tested" in short["text"]
        assert it.client.post("/publications/1/explain", json={"query": VACCINES}).json()["matched"] is True
        wrong = it.client.post("/publications/1/explain", json={"query": "SELECT"})
        assert (wrong.status_code, wrong.json()["line"]) == (422, 1)


def test_a_parameter_that_is_too_long_is_named_as_one() -> None:
    with served() as it:
        response = it.client.post("/publications", params={"id": "x" * 2_000}, content=b"")
        assert response.status_code == 422
        assert response.json()["detail"] == "query.id: it must have at most 1,000 characters"
