"""Extract GraphFrames' JVM part from Apache Sedona's shaded jar, for machines that cannot fetch GraphFrames itself.

Apache Sedona (Apache-2.0, like GraphFrames) publishes one jar that contains its dependencies, unchanged and under their
own names. Only GraphFrames' classes are taken; the other 70 MB (geometry) would be of no use in a session:

    org/graphframes/                    GraphFrames
    org/apache/spark/sql/graphframes/   the classes that must be in Spark's package to reach its private members
    META-INF/LICENSE, META-INF/NOTICE   required by the licence
    META-INF/ORIGIN                     what was taken from where; written here

The jar's list of dependencies names the version. It is older than the current Python package. Motifs, the only part
that is used here, are the same in both versions, and the tests run with this jar.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

from gtopss.spark.errors import MissingJar

COORDINATES = "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0"
DIGEST = "c847cec67cd06b43c7a2f67086fa56fd6044564a539128e598cf68262fe53a2f"
"""SHA-256 of the jar at these coordinates. Its code runs in the session, so it is checked wherever it came from."""

_CLASSES = ("org/graphframes/", "org/apache/spark/sql/graphframes/")
_LICENCE_FILES = ("META-INF/LICENSE", "META-INF/NOTICE")
_DEPENDENCIES = "META-INF/DEPENDENCIES"
_VERSION = re.compile(rb"io\.graphframes:(graphframes-spark4_2\.13):jar:([\w.]+)")
_MANIFEST = "Manifest-Version: 1.0\r\nCreated-By: gtopss\r\n\r\n"
_DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal inputs give equal jars


def extract_graphframes(source: Path, folder: Path) -> Path:
    """Write the GraphFrames classes of `source` to a new jar in `folder`, and return its path.

    The new jar's name contains the version if the source names one. Raises MissingJar if `source` has another digest
    than the jar at COORDINATES.
    """
    found = _digest(source)
    if found != DIGEST:
        raise MissingJar(COORDINATES, f"is not the expected jar (SHA-256 {found})", fetching=True)
    with zipfile.ZipFile(source) as shaded:
        return _extract(shaded, folder)


def _extract(shaded: zipfile.ZipFile, folder: Path) -> Path:
    names = shaded.namelist()
    classes = sorted(each for each in names if each.startswith(_CLASSES) and not each.endswith("/"))
    version = _VERSION.search(shaded.read(_DEPENDENCIES)) if _DEPENDENCIES in names else None
    artifact = "-".join(part.decode() for part in version.groups()) if version else "graphframes-spark4_2.13"
    licence_files = [each for each in _LICENCE_FILES if each in names]
    taken = ", ".join([*_CLASSES, *licence_files])
    origin = f"{artifact}\nfrom: {COORDINATES}, SHA-256 {DIGEST}\ntaken: {taken}, unchanged\n"
    path = folder / f"{artifact}.jar"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        for entry, data in (("META-INF/MANIFEST.MF", _MANIFEST), ("META-INF/ORIGIN", origin)):
            jar.writestr(zipfile.ZipInfo(entry, _DATE), data, zipfile.ZIP_DEFLATED)
        for entry in (*licence_files, *classes):
            jar.writestr(zipfile.ZipInfo(entry, _DATE), shaded.read(entry), zipfile.ZIP_DEFLATED)
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
