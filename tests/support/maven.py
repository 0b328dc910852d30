"""Servers for soak tests, by their Maven coordinates: `mvn` resolves them into its own cache."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>tests</artifactId><version>1</version><dependencies>{}</dependencies></project>"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def resolve(*artifacts: str) -> str:
    """Return the class path of artifacts and all that they need. Skips the test if they cannot be had."""
    if shutil.which("mvn") is None:
        pytest.skip("mvn is not on this machine")
    with tempfile.TemporaryDirectory() as folder:
        needed = "".join(DEPENDENCY.format(*each.split(":")) for each in artifacts)
        (Path(folder) / "pom.xml").write_text(POM.format(needed))
        command = ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=path"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            pytest.skip(f"{', '.join(artifacts)} cannot be fetched by mvn: {done.stdout[-300:]}")
        return (Path(folder) / "path").read_text().strip()


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
