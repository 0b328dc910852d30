"""A real Kafka broker on this machine, from Maven's artifacts: one process that is its own controller (KRaft).

It is started under GTOPSS_SOAK=1 only. Where `mvn` or the artifacts are missing, its tests are skipped with the reason.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from conftest import SOAK

from support.maven import ArtifactsMissing, added_to_spark, class_path, free_port, resolve

ARTIFACTS = ("org.apache.kafka:kafka_2.13:3.9.1", "org.slf4j:slf4j-reload4j:1.7.36")
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:{}"
TOKENS = "org.apache.spark:spark-token-provider-kafka-0-10_2.13:{}"
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
LOGGING = """
log4j.rootLogger=WARN, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.SimpleLayout
"""


def connector() -> list[str]:
    """Return the jars of Kafka's connector for the installed Spark. Skips the test if they cannot be fetched.

    Repositories do not always have all of a new release. The connector of Spark 4.2 runs on 4.3 too; that of 4.0 does
    not, but the part of it that handles tokens of secured clusters, which 4.2 lacks there, is not used here.
    """
    try:
        jars = class_path(CONNECTOR.format(pyspark.__version__))
    except ArtifactsMissing:
        jars = resolve(CONNECTOR.format("4.2.0"), TOKENS.format("4.0.0"))
    return added_to_spark(jars)


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the broker and yield its address."""
    if not SOAK:
        pytest.skip("a Kafka broker: GTOPSS_SOAK=1")
    folder = tmp_path_factory.mktemp("kafka")
    port = free_port()
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(port=port, controller=free_port(), folder=folder))
    (folder / "log4j.properties").write_text(LOGGING)
    logging = f"-Dlog4j.configuration=file:{folder}/log4j.properties"
    java = ["java", "-Xmx300m", logging, "-cp", os.pathsep.join(resolve(*ARTIFACTS))]
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
