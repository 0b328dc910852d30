"""A route that the framework describes and finds, but whose function reads the request itself.

For a request that many send each second, reading the parameters by the framework costs more than all that is done with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel


class DirectRoute(APIRoute):
    """A route whose function gets the request and returns the response; errors are handled as those of all routes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function itself."""
        handler: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return handler


def query_parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the OpenAPI description of parameters that a function reads from the query by a model."""
    found = model.model_json_schema()["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in found.items()]
