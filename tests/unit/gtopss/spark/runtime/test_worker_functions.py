from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import py4j
import pyspark
from pyspark import cloudpickle

from gtopss.spark.runtime.worker_functions import worker_function


def twice(more: int, batches: Iterator[Any]) -> Iterator[Any]:
    return (2 * each + more for each in batches)


def test_the_function_is_called_with_its_arguments() -> None:
    assert list(worker_function(twice, 1)(iter([1, 2]))) == [3, 5]


def test_a_worker_without_gtopss_says_so_in_one_sentence(tmp_path: Path) -> None:
    """A Python with cloudpickle and without the packages of this one."""
    from gtopss.spark.plans.engine_plan import match_batches

    packed = tmp_path / "packed"
    packed.write_bytes(cloudpickle.dumps(worker_function(match_batches, None)))  # type: ignore[no-untyped-call]
    code = "import pickle, sys; sys.path.append(sys.argv[2]); pickle.load(open(sys.argv[1], 'rb'))(iter(()))"
    for package in (pyspark, py4j):
        (tmp_path / package.__name__).symlink_to(Path(package.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(packed), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: gtopss: the worker")
    assert "which lacks gtopss: install gtopss[spark] there" in last
