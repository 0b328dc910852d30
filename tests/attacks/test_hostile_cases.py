"""Generated hostile subscriptions and publications, in child processes with 2 GB of memory and 10 s for each case.

A case fails if it reaches the memory or the time, ends the process, raises anything that is not a refusal, or keeps a
harmless subscription beside it from matching. To see a case: `PYTHONPATH=tests python -m support.hostile_cases SEED`.
"""

from __future__ import annotations

import time

import pytest
from conftest import SOAK
from support.hostile_worker import HostileWorker

from gtopss.matching.index.warmup import compile_kernels

pytestmark = pytest.mark.slow

CASES = 5_000 if SOAK else 20
FIRST_SEED = int(time.time()) * 10_000 if SOAK else 0
"""A soak run has new cases each time; the failures name their seeds."""


def test_no_case_reaches_its_limits() -> None:
    compile_kernels()  # or the first case would wait for it
    failures = {}
    with HostileWorker() as worker:
        for seed in range(FIRST_SEED, FIRST_SEED + CASES):
            failure = worker.run(seed)
            if failure is not None:
                failures[seed] = failure
    assert not failures
