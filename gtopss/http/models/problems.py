"""The body of an error: problem details (RFC 9457)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FieldError(BaseModel):
    """What is wrong with one member of a request."""

    field: str
    reason: str


class Problem(BaseModel):
    """An error. `line` and `column` are given where a text has one; both count from 1."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="Names the kind of error.", examples=["urn:gtopss:problem:invalid-query"])
    title: str
    status: int
    detail: str
    line: int | None = None
    column: int | None = None
    errors: list[FieldError] | None = None
    request_id: str | None = None
