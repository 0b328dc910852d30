"""Require that all compared systems give the same answers before any of them is timed."""

from __future__ import annotations

from collections.abc import Mapping

from gtopss.errors import GtopssError


class Disagreement(GtopssError):
    """Two systems gave different answers to the same question, so at least one is wrong and no time is meaningful."""


def require_equal_answers(answers: Mapping[str, object], where: str) -> None:
    """Raise Disagreement unless all answers equal the first."""
    first, *others = answers
    for name in others:
        if answers[name] != answers[first]:
            raise Disagreement(f"{name} and {first} give different answers at {where}: nothing was timed")
