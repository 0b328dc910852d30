"""Operators that raise errors or return invalid answers: the answer is unknown, and no other is affected."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from support.operator_stages import check_bystander, stage_with_bystander

from gtopss.model import Publication
from gtopss.operators import AnswerWithCost, Registry


def test_an_error_makes_the_answer_unknown(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: 1 / 0)
    assert "bad(): failed: ZeroDivisionError" in check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")


@pytest.mark.parametrize("value", [None, 1, "yes", [], {}, object(), float("nan")])
def test_a_value_other_than_true_or_false_is_invalid(registry: Registry, value: object) -> None:
    registry.operator("bad")(lambda publication: value)
    check_bystander(stage_with_bystander(registry, "bad"), "invalid", "bad")


@pytest.mark.parametrize(
    "value", [None, True, 5, "text", {"x": 1}, [(1, 2)], [object()], ["not a term"], ["?variable"], range(20_000)]
)
def test_a_value_that_is_not_rows_of_terms_is_invalid(registry: Registry, value: object) -> None:
    registry.operator("bad", binds=0)(lambda publication: value)
    check_bystander(stage_with_bystander(registry, "bad", "?y"), "invalid", "bad")


def test_an_error_while_rows_are_generated_makes_the_answer_unknown(registry: Registry) -> None:
    def rows(publication: Publication) -> Iterator[int]:
        yield 1
        raise RuntimeError("halfway")

    registry.operator("bad", binds=0)(rows)
    assert "halfway" in check_bystander(stage_with_bystander(registry, "bad", "?y"), "failed", "bad")


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_timeout_error_of_the_operator_itself_is_a_failure(registry: Registry, timeout: float | None) -> None:
    def bad(publication: Publication) -> bool:
        raise TimeoutError("the camera is off")

    registry.operator("bad", timeout=timeout)(bad)
    assert "the camera is off" in check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")


def test_a_cost_that_is_not_a_number_is_invalid(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: AnswerWithCost(True, float("nan")))
    check_bystander(stage_with_bystander(registry, "bad"), "invalid", "bad")


class ErrorWithoutText(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize("error", [SystemExit(3), ErrorWithoutText(), RecursionError("deep"), MemoryError()])
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_any_error_makes_the_answer_unknown(registry: Registry, timeout: float | None, error: BaseException) -> None:
    def bad(publication: Publication) -> bool:
        raise error

    registry.operator("bad", timeout=timeout)(bad)
    assert type(error).__name__ in check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), ErrorWithoutText()])
def test_any_error_of_an_async_operator_makes_the_answer_unknown(registry: Registry, error: BaseException) -> None:
    @registry.operator("bad", timeout=5)
    async def bad(publication: Publication) -> bool:
        raise error

    assert type(error).__name__ in check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")
    check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")


def test_endless_equal_rows_are_invalid(registry: Registry) -> None:
    registry.operator("bad", binds=0)(lambda publication: itertools.repeat(1))
    check_bystander(stage_with_bystander(registry, "bad", "?y"), "invalid", "bad")
