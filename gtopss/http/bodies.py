"""Request bodies that may have several media types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar, cast

from fastapi import Depends, Request
from pydantic import BaseModel

from gtopss.http.models.subscriptions import TextRequest
from gtopss.http.problems import InvalidRequest, UnsupportedMediaType

Model = TypeVar("Model", bound=BaseModel)
JSON, SPARQL, TEXT = "application/json", "application/sparql-query", "text/plain"
TEXT_TYPES = (JSON, SPARQL, TEXT)
"""The media types of the text of a subscription."""


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The bytes of a body, and its media type in lower case without parameters; empty if it has none."""

    data: bytes
    media_type: str


async def read_body(request: Request) -> RequestBody:
    """Read the whole body. Its size is limited before (`protection.py`). Raises UnsupportedMediaType."""
    if (coding := request.headers.get("content-encoding", "").strip().lower()) not in ("", "identity"):
        raise UnsupportedMediaType(f"the Content-Encoding is {coding}: send the body uncompressed")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return RequestBody(await request.body(), media_type)


Body = Annotated[RequestBody, Depends(read_body)]


def parse_text_request(body: RequestBody, model: type[Model], form: str, **options: object) -> Model:
    """Return the request of a body: JSON, or the text of a subscription itself, to which `options` are added.

    Raises UnsupportedMediaType, InvalidRequest or pydantic's ValidationError.
    """
    if body.media_type == JSON:
        return model.model_validate_json(body.data)
    if body.media_type not in TEXT_TYPES:
        given = body.media_type or "none"
        raise UnsupportedMediaType(
            f"the Content-Type is {given}: send {SPARQL} for SPARQL, {TEXT} for a text whose form the parameter "
            f"`form` says, or {JSON}"
        )
    given_form = "sparql" if body.media_type == SPARQL else cast(Literal["sparql", "short"], form)
    try:
        text = body.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"the text is not UTF-8: byte {error.start}") from None
    present = {name: value for name, value in options.items() if value is not None}
    return model.model_validate({"query": text, "form": given_form, **present})


def text_request_body(model: type[TextRequest]) -> dict[str, object]:
    """Return the OpenAPI description of a body that `parse_text_request` reads."""
    text = {"schema": {"type": "string"}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}},
                SPARQL: text,
                TEXT: text,
            },
        }
    }
