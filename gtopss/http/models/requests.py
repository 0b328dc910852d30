"""The base of all requests."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from gtopss.http.problems import MAX_FIELD_ERRORS
from gtopss.model.display import MAX_SHOWN_CHARACTERS


class StrictRequest(BaseModel):
    """A request. Unknown members are refused, because they are misspelled; the error proposes the nearest name."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _propose_names(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            if error.error_count() > MAX_FIELD_ERRORS:  # most of them are not listed, and comparing names is slow
                raise
            listed = [_with_proposal(each, cls.model_fields) for each in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(cls.__name__, listed) from None


def _with_proposal(error: ErrorDetails, known: Iterable[str]) -> InitErrorDetails:
    """Return an error; that about an unknown member of the object itself with the nearest known name."""
    kind: str | PydanticCustomError = error["type"]
    context = error.get("ctx", {})
    if kind == "extra_forbidden":
        if len(error["loc"]) == 1:
            name = str(error["loc"][0])[:MAX_SHOWN_CHARACTERS]
            close = get_close_matches(name, known, n=1)
            context = {"proposal": close[0]} if close else {}
        kind = PydanticCustomError("extra_forbidden", "there is no such member", context)
    return InitErrorDetails(type=kind, loc=error["loc"], input=error["input"], ctx=context)
