"""A real HDFS on this machine, from Maven's artifacts: a name node and a data node in one process.

It is started under GTOPSS_SOAK=1 only, with the jars that `mvn` fetches into its own cache. Where `mvn` or the
artifacts are missing, its tests are skipped with the reason.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SOAK

from support.maven import free_port, resolve

ARTIFACTS = (
    "org.apache.hadoop:hadoop-client-minicluster:{hadoop}",
    "org.junit.jupiter:junit-jupiter-api:5.11.4",
    "org.mockito:mockito-core:5.14.2",
)
"""The cluster, and what its classes want of test libraries. The rest is in Spark's jars."""


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the cluster and yield its URL."""
    if not SOAK:
        pytest.skip("a name node and a data node: GTOPSS_SOAK=1")
    folder = tmp_path_factory.mktemp("hdfs")
    port = free_port()
    details = folder / "details.json"
    command = ["java", "-Xmx1g", "-cp", _class_path(), "org.apache.hadoop.test.MiniDFSClusterManager"]
    command += ["-format", "-datanodes", "1", "-nnport", str(port), "-writeDetails", str(details)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(600):
            if details.exists() or _has_ended(process):
                break
        if not details.exists():
            pytest.skip(f"HDFS could not be started: {(folder / 'log').read_text(errors='replace')[-300:]}")
        yield f"hdfs://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment for the end of a process."""
    try:
        process.wait(timeout=0.2)
    except subprocess.TimeoutExpired:
        return False
    return True


def _class_path() -> str:
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    version = next(jars.glob("hadoop-client-api-*.jar")).stem.removeprefix("hadoop-client-api-")
    return os.pathsep.join([*resolve(*(each.format(hadoop=version) for each in ARTIFACTS)), f"{jars}/*"])
