"""A route that the framework describes and finds, but whose function reads the request itself.

For a request that many send each second, reading the parameters by the framework costs more than all that is done with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


class DirectRoute(APIRoute):
    """A route whose function gets the request and returns the response; errors are handled as those of all routes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function itself."""
        handler: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return handler


def read_query(request: Request, model: type[Model]) -> Model:
    """Return the parameters in the query of a request. Raises RequestValidationError."""
    try:
        return model.model_validate(dict(request.query_params))
    except ValidationError as error:
        errors = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(errors) from None


def query_parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the OpenAPI description of parameters that a function reads from the query by a model."""
    found = model.model_json_schema()["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in found.items()]
