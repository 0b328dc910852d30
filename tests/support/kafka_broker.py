"""A real Kafka broker on this machine, from Maven's artifacts: one process that is its own controller (KRaft).

It is started under GTOPSS_SOAK=1 only. Where `mvn` or the artifacts are missing, its tests are skipped with the reason.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SOAK

from support.maven import free_port, resolve

ARTIFACTS = ("org.apache.kafka:kafka_2.13:3.9.1", "org.slf4j:slf4j-reload4j:1.7.36")
CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"  # any 16 bytes in base64
SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
num.partitions=3
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the broker and yield its address."""
    if not SOAK:
        pytest.skip("a Kafka broker: GTOPSS_SOAK=1")
    folder = tmp_path_factory.mktemp("kafka")
    port = free_port()
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(port=port, controller=free_port(), folder=folder))
    java = ["java", "-Xmx300m", "-cp", resolve(*ARTIFACTS)]
    subprocess.run(
        [*java, "kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, "--config", str(settings)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen([*java, "kafka.Kafka", str(settings)], cwd=folder, stdout=out, stderr=out)
    try:
        _wait_for_port(process, port, log)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the broker accepts connections. Its clients wait by themselves until it is ready."""
    for _ in range(300):
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return
        else:
            break
    pytest.fail(f"Kafka did not start: {log.read_text(errors='replace')[-2000:]}")
