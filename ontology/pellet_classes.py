"""Let the Pellet that owlready2 ships run on Java 8 and later.

owlready2 0.51 ships three classes of Jena's RDF/XML reader that were compiled for Java 25 (class file version 69); all
its other classes need Java 8 or less. The three use nothing that an older Java lacks, and Pellet gets N-Triples here.
Copies of them that state the version of Java 8 come first on the class path while Pellet runs. A release of owlready2
without such classes is not affected.
"""

from __future__ import annotations

import os
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from owlready2 import reasoning

_JAVA_8 = 52
"""The class file version of Java 8."""
_VERSION = slice(6, 8)
"""The bytes of a class file that hold its version, big-endian."""
_ONE_RUN_AT_A_TIME = threading.Lock()
"""owlready2 reads the class path from a module variable."""


@contextmanager
def lowered_class_versions() -> Iterator[None]:
    """Put copies of the classes that need a newer Java on Pellet's class path. Other threads wait."""
    with _ONE_RUN_AT_A_TIME, tempfile.TemporaryDirectory() as folder:
        original = reasoning._PELLET_CLASSPATH
        lowered = Path(folder) / "lowered.jar"
        with zipfile.ZipFile(lowered, "w") as made:
            for name, content in _newer_classes(original.split(os.pathsep)):
                made.writestr(name, content)
        reasoning._PELLET_CLASSPATH = os.pathsep.join([str(lowered), original])
        try:
            yield
        finally:
            reasoning._PELLET_CLASSPATH = original


def _newer_classes(jars: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the classes that need a newer Java than 8, with the version of Java 8."""
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            for entry in archive.infolist():
                if not entry.filename.endswith(".class") or entry.filename.startswith("META-INF/"):
                    continue
                with archive.open(entry) as opened:
                    head = opened.read(_VERSION.stop)
                if int.from_bytes(head[_VERSION], "big") > _JAVA_8:
                    content = bytearray(archive.read(entry))
                    content[_VERSION] = _JAVA_8.to_bytes(2, "big")
                    yield entry.filename, bytes(content)
