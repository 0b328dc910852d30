"""The OpenAPI document of the service."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import gtopss
from gtopss.http.models.problems import Problem
from gtopss.http.models.publications import DocumentsRequest, ExplainRequest
from gtopss.http.models.subscriptions import SubscribeRequest, TextRequest

DESCRIPTION = (
    "Subscriptions to RDF documents and feeds by graph pattern, class and words. A ticket (`Authorization: Bearer "
    "gt_...`) belongs to one subscription; an API key (`X-API-Key: gk_...`) to a publisher, a subscriber or an "
    "administrator. Errors are problem details (RFC 9457)."
)
_MODELS: tuple[type[BaseModel], ...] = (Problem, SubscribeRequest, TextRequest, ExplainRequest, DocumentsRequest)
_SECURITY = {
    "ticket": {"type": "http", "scheme": "bearer", "description": "The ticket of a subscription."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key."},
}


def add_schema(app: FastAPI) -> None:
    """Let an application describe itself, with the models of bodies that have several media types."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title="G-ToPSS",
                version=gtopss.__version__,
                description=DESCRIPTION,
                routes=app.routes,
                license_info={"name": "Apache-2.0"},
            )
            _, defined = models_json_schema(
                [(model, "validation") for model in _MODELS], ref_template="#/components/schemas/{model}"
            )
            components = made.setdefault("components", {})
            components.setdefault("schemas", {}).update(defined["$defs"])
            components["securitySchemes"] = _SECURITY
            made["security"] = [{}, {"ticket": []}, {"key": []}, {"ticket": [], "key": []}]
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
