"""The limits of requests and responses."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError
from support.services import VACCINES, Served, served, ticket_of

from gtopss.http.models.operations import MAX_NAME_CHARACTERS
from gtopss.http.models.publications import MAX_DOCUMENTS, MAX_LISTED_SUMMARY_CHARACTERS
from gtopss.http.models.subscriptions import MAX_ADDRESS_CHARACTERS, MAX_QUERY_CHARACTERS, TextRequest
from gtopss.http.problems import MAX_DETAIL_CHARACTERS, MAX_FIELD_ERRORS, Problem, problem_of, validation_problem
from gtopss.http.routes import catalogue, operations, publications, subscriptions


def test_a_body_that_is_too_large_is_refused() -> None:
    with served(max_body_bytes=1_000) as it:
        response = it.client.post("/publications", content=b"x" * 1_001, headers={"Content-Type": "text/turtle"})
        assert (response.status_code, response.json()["type"]) == (413, "urn:gtopss:problem:body-too-large")
        parts = (b"x" * 500 for _ in range(3))  # without a Content-Length
        response = it.client.post("/publications", content=parts, headers={"Content-Type": "text/turtle"})
        assert (response.status_code, response.json()["type"]) == (413, "urn:gtopss:problem:body-too-large")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/subscriptions", {"query": "x" * (MAX_QUERY_CHARACTERS + 1)}),
        ("/subscriptions", {"query": VACCINES, "deliver": [{"address": "x" * (MAX_ADDRESS_CHARACTERS + 1)}]}),
        ("/subscriptions", {"query": VACCINES, "deliver": [{"address": "https://a.example/"}] * 6}),
        ("/feeds", {"url": "http://a.example/" + "x" * MAX_ADDRESS_CHARACTERS}),
        ("/keys", {"name": "x" * (MAX_NAME_CHARACTERS + 1)}),
    ],
)
def test_a_member_that_is_too_long_is_refused(path: str, body: object) -> None:
    with served() as it:
        response = it.client.post(path, json=body)
        assert (response.status_code, response.json()["type"]) == (422, "urn:gtopss:problem:invalid-request")


def test_too_many_documents_are_refused() -> None:
    with served() as it:
        body = json.dumps({"documents": [{"content": ""}] * (MAX_DOCUMENTS + 1)})
        response = it.client.post("/publications", content=body, headers={"Content-Type": publications.DOCUMENTS})
        assert response.status_code == 422


def test_lists_have_a_largest_length() -> None:
    with served() as it:
        for path in (
            f"/publications?limit={publications.MAX_LISTED_PUBLICATIONS + 1}",
            f"/terms?q=x&limit={catalogue.MAX_TERMS + 1}",
            f"/costs?most={operations.MAX_LISTED_COSTS + 1}",
        ):
            assert it.client.get(path).status_code == 422


def test_the_list_of_subscriptions_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_LISTED_SUBSCRIPTIONS", 2)
    with served() as it:
        made = [it.subscribe()["id"] for _ in range(3)]
        listed = it.client.get("/subscriptions").json()["subscriptions"]
        assert [each["id"] for each in listed] == made[:0:-1]


def test_a_long_description_is_cut_in_the_list() -> None:
    with served() as it:
        long = b"<p>word " * 1_000
        feed = b"<rss version='2.0'><channel><item><guid>a</guid><title>T</title><description><![CDATA[" + long
        it.publish(feed + b"]]></description></item></channel></rss>")
        (only,) = it.client.get("/publications").json()["publications"]
        assert len(only["summary"]) == MAX_LISTED_SUMMARY_CHARACTERS + 1


def test_the_message_of_an_error_is_cut() -> None:
    problem = problem_of(publications.UnsupportedMediaType("x" * 10_000))
    assert len(problem.detail) == MAX_DETAIL_CHARACTERS + 1


def test_a_request_with_many_errors_lists_some() -> None:
    problem: Problem = validation_problem([{"loc": ("a",), "msg": "wrong"}] * 100)
    assert len(problem.errors or ()) == MAX_FIELD_ERRORS


def test_no_names_are_proposed_in_a_request_with_many_errors() -> None:
    def details(count: int) -> str:
        with pytest.raises(ValidationError) as error:
            TextRequest.model_validate({"query": "x", **{f"fom{number}": 1 for number in range(count)}})
        return validation_problem(error.value.errors()).detail

    assert "did you mean 'form'?" in details(MAX_FIELD_ERRORS)
    assert "did you mean" not in details(MAX_FIELD_ERRORS + 1)


def test_targets_of_a_subscription_are_limited() -> None:
    with served() as it:
        mine = it.subscribe(deliver=[{"address": f"https://a.example/{number}"} for number in range(5)])
        assert _add(it, mine) == 422


def _add(it: Served, mine: dict[str, str]) -> int:
    path = f"/subscriptions/{mine['id']}/targets"
    return it.client.post(path, json={"address": "https://b.example/"}, headers=ticket_of(mine)).status_code


def test_a_wrong_member_is_refused_in_plain_words() -> None:
    problem = validation_problem([{"loc": ("validity",), "msg": "Value error, give seconds"}])
    assert problem.detail == "validity: give seconds"
