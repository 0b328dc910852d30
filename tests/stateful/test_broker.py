"""The broker through everything that its users and the clock may do, on every store, against a plain model."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SOAK
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from support.broker_machine import BrokerMachine
from support.postgresql_server import PostgresqlServer
from support.share_machine import ShareMachine

pytestmark = pytest.mark.slow


def run(
    new_url: Callable[[], str],
    *,
    examples: int,
    soak: int,
    matcher: str = "reference",
    kind: type[BrokerMachine] = BrokerMachine,
) -> None:
    machine = type("Machine", (kind,), {"matcher": matcher, "new_url": staticmethod(new_url)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=soak if SOAK else examples,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def sqlite_urls(folder: Path) -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"sqlite:{folder / f'{next(numbers)}.db'}"


def test_a_broker_in_memory_does_as_the_model() -> None:
    run(lambda: "memory:", examples=12, soak=2_000)


def test_brokers_on_one_sqlite_file_do_as_the_model(tmp_path: Path) -> None:
    run(sqlite_urls(tmp_path), examples=5, soak=500)


def test_brokers_on_one_postgresql_do_as_the_model(postgresql: PostgresqlServer) -> None:
    run(postgresql.new_store_url, examples=3, soak=300)


def test_the_default_matcher_does_as_the_model() -> None:
    run(lambda: "memory:", examples=6, soak=1_000, matcher="gm")


def test_brokers_that_hold_shares_do_as_the_model() -> None:
    run(lambda: "memory:", examples=6, soak=1_000, kind=ShareMachine)


def test_brokers_that_hold_shares_of_one_postgresql_do_as_the_model(postgresql: PostgresqlServer) -> None:
    run(postgresql.new_store_url, examples=2, soak=150, kind=ShareMachine)
