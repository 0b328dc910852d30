"""Registries, and the decorator that fills them."""

from __future__ import annotations

import pytest

from gtopss.model import Publication
from gtopss.operators import (
    REGISTRY,
    InvalidOperator,
    Registry,
    operator,
)


def test_the_decorator_fills_the_default_registry_unless_another_is_given() -> None:
    @operator("test_only_operator")
    def test_only(publication: Publication) -> bool:
        return True

    assert REGISTRY["test_only_operator"].function is test_only
    REGISTRY.remove("test_only_operator")
    mine = Registry()
    operator(registry=mine)(test_only)
    assert list(mine) == ["test_only"]
    assert mine.arities() == {"test_only": 0}


def test_a_name_that_is_taken_or_not_registered_is_refused(registry: Registry) -> None:
    with pytest.raises(InvalidOperator, match="taken"):
        registry.operator("good")(lambda publication: True)
    with pytest.raises(InvalidOperator, match="not registered"):
        registry.remove("nobody")
