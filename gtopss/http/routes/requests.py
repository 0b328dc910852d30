"""What all routes ask of a request: the service, and the addresses that a response names."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Request

from gtopss.http.models.problems import Problem
from gtopss.http.models.subscriptions import ReadAddressResponse
from gtopss.http.problems import MEDIA_TYPE
from gtopss.http.service import Service


async def service_of(request: Request) -> Service:
    """Return the service of the application."""
    found: Service = request.app.state.service
    return found


async def base_url_of(request: Request) -> str:
    """Return the address of the service as its clients see it, without a slash at its end."""
    service: Service = request.app.state.service
    return (service.settings.public_url or str(request.base_url)).rstrip("/")


Served = Annotated[Service, Depends(service_of)]
BaseUrl = Annotated[str, Depends(base_url_of)]


def read_address(base: str, id: str, token: str) -> ReadAddressResponse:
    """Return the addresses that a reader's token opens."""
    start = f"{base}/read/{quote(id)}/{quote(token)}"
    return ReadAddressResponse(feed=f"{start}/feed.atom", events=f"{start}/events")


def problems(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Return the OpenAPI description of the errors of a route."""
    content = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}}
    return {status: {"description": _DESCRIPTIONS[status], "content": content} for status in statuses}


_DESCRIPTIONS = {
    400: "The request cannot be read",
    401: "Credentials are missing or unknown",
    403: "Not permitted",
    404: "Not found, or not yours",
    410: "The callback is no longer used",
    413: "The body is too large",
    415: "The media type is not supported",
    422: "The request cannot be processed",
    503: "The store is not available",
}
