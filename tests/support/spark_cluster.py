"""A standalone cluster of Spark on this machine: a master and two workers, in processes of their own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pyspark
import pytest

SPARK = Path(pyspark.__file__).parent
_STEPS = "starting|reading|matching|finding stories|counting|writing the report"
_PROGRESS = re.compile(rf"gtopss: (?:{_STEPS})(?:, \d+ of \d+ tasks)?")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A standalone master and two workers on this machine, in processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK)}
    deploy = "org.apache.spark.deploy"
    worker = [
        f"{deploy}.worker.Worker",
        "--host",
        "127.0.0.1",
        "--webui-port",
        "0",
        "--cores",
        "1",
        "--memory",
        "1200m",
    ]
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    commands += [[*worker, "--work-dir", str(tmp_path / f"work{number}"), master] for number in range(2)]
    with ExitStack() as running:
        processes = []
        for command in commands:
            process = subprocess.Popen(
                [str(SPARK / "bin" / "spark-class"), *command],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if processes else subprocess.PIPE,  # the master's log is read below
            )
            processes.append(process)
            running.callback(process.wait)
            running.callback(process.kill)
        log = processes[0].stderr
        assert log is not None
        registrations = (line for line in log if b"Registering worker" in line)
        assert len(list(islice(registrations, 2))) == 2, "the master ended before both workers registered"
        threading.Thread(target=log.read, daemon=True).start()  # a full pipe would block the master
        yield master


def submit(
    master: str, arguments: Sequence[object], *, cwd: Path, options: Sequence[str] = (), python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run spark-submit in a folder, and return what it did."""
    command = [SPARK / "bin" / "spark-submit", "--master", master, "--executor-memory", "500m", *options, *arguments]
    environment = {**os.environ, "PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK)}
    environment["PYSPARK_DRIVER_PYTHON"] = sys.executable
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=False
    )


def messages_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the messages of gtopss without its progress. spark-submit writes the driver's stderr to its own stdout."""
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if line.startswith("gtopss: ") and not _PROGRESS.fullmatch(line)]
