"""The routes of publishers, and of those who ask what was published and why it matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from gtopss.broker.explaining import ExplainedPublication
from gtopss.broker.publishing import Document
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.http.access import Credentials, Given, credentials_of
from gtopss.http.bodies import Body, RequestBody, parse_text_request, read_body, text_request_body
from gtopss.http.direct_route import DirectRoute, query_parameters, read_query
from gtopss.http.models.publications import (
    DocumentsRequest,
    ExplainRequest,
    ExplanationResponse,
    ListedPublicationModel,
    PublicationList,
    PublishParameters,
    PublishResponse,
    PublishResultModel,
)
from gtopss.http.problems import UnsupportedMediaType, problem_of, respond
from gtopss.http.route_threads import runs_in
from gtopss.http.routes.requests import Served, problems
from gtopss.http.routes.subscriptions import Form
from gtopss.http.service import Service
from gtopss.rdf.formats import RdfFormat
from gtopss.reading.detect import is_feed_format

router = APIRouter(tags=["publications"])
DOCUMENTS = "application/vnd.gtopss.documents+json"
DETECTED = ("", "application/octet-stream", "application/xml", "text/xml", "application/json", "text/plain")
"""Media types that say too little: the content decides."""
MAX_LISTED_PUBLICATIONS = 200
"""Publications in one response."""
ExplanationFormat = Annotated[
    str | None, Query(pattern="^(json|text|svg)$", description="Instead of the Accept header.")
]
_PUBLISH_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            DOCUMENTS: {"schema": {"$ref": "#/components/schemas/DocumentsRequest"}},
            **{
                name: {"schema": {"type": "string"}}
                for name in (
                    *(format.media_type for format in RdfFormat),
                    "application/rss+xml",
                    "application/atom+xml",
                    "application/feed+json",
                    "application/octet-stream",
                )
            },
        },
    }
}


async def publish(request: Request) -> Response:
    """Publish a document: RDF in any syntax, or a feed. 202 says that what was accepted is stored.

    Several documents in one request get one result each; the status is 202 if at least one of them was accepted.
    """
    service: Service = request.app.state.service
    given = await credentials_of(request)
    asked = read_query(request, PublishParameters)
    body = await read_body(request)
    service.access.require_key(given)
    documents = _documents(body, asked.id, asked.source)
    results = await service.publish_queue.publish(documents, given.key)
    for each in results:
        service.metrics.documents.labels("accepted" if each.error is None else "refused").inc()
    errors = [None if each.error is None else problem_of(each.error) for each in results]
    if all(errors):
        first = errors[0]
        assert first is not None
        listed = [each.model_dump(exclude_none=True) for each in errors if each is not None]
        made = first.model_copy(update={"results": listed} if len(listed) > 1 else {})
        return respond(made, request.scope.get("gtopss.request_id"))
    accepted = PublishResponse(
        durable=service.store.durable,
        results=[PublishResultModel.of(each, error) for each, error in zip(results, errors, strict=True)],
    )
    return Response(accepted.model_dump_json(), 202, media_type="application/json")


router.add_api_route(
    "/publications",
    publish,
    methods=["POST"],
    status_code=202,
    response_model=PublishResponse,
    responses=problems(401, 403, 413, 415, 422, 503),
    openapi_extra={**_PUBLISH_BODY, "parameters": query_parameters(PublishParameters)},
    route_class_override=DirectRoute,
)


def _documents(body: RequestBody, id: str | None, source: str | None) -> Sequence[Document]:
    if body.media_type == DOCUMENTS:
        asked = DocumentsRequest.model_validate_json(body.data)
        return [
            Document(each.content.encode("utf-8", "replace"), _format(each.content_type or ""), each.id, each.source)
            for each in asked.documents
        ]
    return [Document(body.data, _format(body.media_type), id, source)]


def _format(media_type: str) -> str | None:
    name = media_type.partition(";")[0].strip().lower()
    if name in DETECTED:
        return None
    if is_feed_format(name) or RdfFormat.from_name(name) is not None:
        return name
    raise UnsupportedMediaType(
        f"the Content-Type is {name[:100]}: send a feed (application/rss+xml, application/atom+xml, "
        "application/feed+json), RDF (such as text/turtle), or application/octet-stream to have it detected"
    )


@router.get("/publications", responses=problems(401, 422, 503))
def list_publications(
    service: Served,
    given: Given,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED_PUBLICATIONS)] = 50,
    before: Annotated[int | None, Query(ge=0, le=2**63 - 1, description="Publications before this number.")] = None,
) -> PublicationList:
    """List retained publications, the newest first."""
    service.access.require_any_key(given)
    rows = service.store.read(lambda connection: publication_rows.newest_first(connection, limit, before=before))
    made = [ListedPublicationModel.of(each) for each in rows]
    return PublicationList(publications=made, next_before=rows[-1].row.number if len(rows) == limit else None)


@router.get(
    "/publications/{id:path}/explain/{subscription}",
    response_model=ExplanationResponse,
    responses={
        200: {"content": {"text/plain": {}, "image/svg+xml": {}}},
        **problems(401, 403, 404, 422, 503),
    },
)
@runs_in("match")
def explain(
    service: Served, given: Given, request: Request, id: str, subscription: str, format: ExplanationFormat = None
) -> Response | ExplanationResponse:
    """Explain why a publication, named by its number or id, matches a subscription, or what is missing."""
    query, form = _text_of(service, given, subscription)
    found = service.broker.explaining.explain(id, query, form, subscription)
    return _explained(found, subscription, format or _accepted(request))


@router.post(
    "/publications/{id:path}/explain",
    response_model=ExplanationResponse,
    responses={
        200: {"content": {"text/plain": {}, "image/svg+xml": {}}},
        **problems(401, 403, 404, 413, 415, 422, 503),
    },
    openapi_extra=text_request_body(ExplainRequest),
)
@runs_in("match")
def explain_text(
    service: Served,
    given: Given,
    request: Request,
    id: str,
    body: Body,
    form: Form = "sparql",
    format: ExplanationFormat = None,
) -> Response | ExplanationResponse:
    """Explain a publication with a text that need not be registered."""
    service.access.require_any_key(given)
    asked = parse_text_request(body, ExplainRequest, form)
    found = service.broker.explaining.explain(id, asked.query, asked.form, "text")
    return _explained(found, "text", format or _accepted(request))


def _text_of(service: Service, given: Credentials, subscription: str) -> tuple[str, str]:
    """Return the text of a subscription, for the holder of its ticket or the administrator."""
    if given.bearer is None and service.access.is_administrator(given):
        row = service.store.read(lambda connection: subscription_rows.get(connection, subscription))
        if row is not None and row.is_active(service.clock()):
            return row.query, row.form
    row = service.broker.authorised(subscription, given.ticket)
    return row.query, row.form


def _accepted(request: Request) -> str:
    accept = request.headers.get("accept", "")
    if "image/svg+xml" in accept:
        return "svg"
    return "text" if accept.startswith("text/plain") else "json"


def _explained(found: ExplainedPublication, subscription: str, format: str) -> Response | ExplanationResponse:
    if format == "svg":
        return Response(found.svg(), media_type="image/svg+xml")
    if format == "text":
        return Response(found.text, media_type="text/plain")
    return ExplanationResponse(
        publication=found.publication.id,
        subscription=subscription,
        matched=found.explanation.matched,
        text=found.text,
        explanation=found.explanation.to_json(),
    )
