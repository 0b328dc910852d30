"""Servers for soak tests, by their Maven coordinates: `mvn` resolves them into its own cache."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pyspark
import pytest

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>tests</artifactId><version>1</version><dependencies>{}</dependencies></project>"""
NAMED = "<groupId>{}</groupId><artifactId>{}</artifactId>"
DEPENDENCY = "<dependency>" + NAMED + "<version>{}</version><exclusions>{}</exclusions></dependency>"


class ArtifactsMissing(Exception):
    """Artifacts could not be fetched. The message says in one line which, and why."""


def class_path(*artifacts: str) -> list[str]:
    """Return the jars of artifacts and of all that they need. Raises ArtifactsMissing.

    Where two versions of an artifact are needed, one that is named here wins.
    """
    if shutil.which("mvn") is None:
        raise ArtifactsMissing("mvn is not on this machine")
    with tempfile.TemporaryDirectory() as folder:
        named = [each.split(":") for each in artifacts]
        own = "".join(f"<exclusion>{NAMED.format(*each)}</exclusion>" for each in named)
        needed = "".join(DEPENDENCY.format(*each, own) for each in named)
        (Path(folder) / "pom.xml").write_text(POM.format(needed))
        command = ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=path", "-Dstyle.color=never"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            errors = [line.partition("[ERROR] ")[2] for line in done.stdout.splitlines() if "[ERROR] " in line]
            raise ArtifactsMissing(f"mvn cannot fetch {', '.join(artifacts)}: {' '.join(errors[:1])[:300]}")
        return (Path(folder) / "path").read_text().strip().split(os.pathsep)


def resolve(*artifacts: str) -> list[str]:
    """Return the jars of artifacts and of all that they need. Skips the test if they cannot be fetched."""
    try:
        return class_path(*artifacts)
    except ArtifactsMissing as missing:
        pytest.skip(str(missing))


def added_to_spark(jars: list[str]) -> list[str]:
    """Return the jars whose artifacts Spark lacks, for `--jars`.

    `--packages` would look into the cache of `mvn` first, and fail at an artifact of which only the POM is there.
    """
    own = {_artifact(path) for path in (Path(pyspark.__file__).parent / "jars").iterdir()}
    return [each for each in jars if _artifact(Path(each)) not in own]


def _artifact(jar: Path) -> str:
    """Return the name of a jar without its version."""
    return re.sub(r"-\d.*", "", jar.stem)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
