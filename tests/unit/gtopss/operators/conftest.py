"""Fixtures of the operator tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from gtopss.operators import Registry


@pytest.fixture
def registry() -> Registry:
    """A registry with the operator `good`, which binds 1."""
    made = Registry()
    made.operator("good", binds=0)(lambda publication: [1])
    return made


@pytest.fixture
def pq_registry() -> Registry:
    """A registry with `p`, which binds two arguments, and `q`, which tests one."""
    made = Registry()
    made.operator("p", arity=2, binds=(0, 1), timeout=None)(lambda publication: [(1, 1), (1, 2)])
    made.operator("q", timeout=None)(lambda publication, value: True)
    return made


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """The event that a hanging operator waits for. It is set at the end, so that no thread outlives the test."""
    event = threading.Event()
    yield event
    event.set()
