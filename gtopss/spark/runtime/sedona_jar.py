"""GraphFrames' JVM part out of a jar that republishes it, for where its own coordinates cannot be had.

Apache Sedona (Apache-2.0, as GraphFrames) ships one jar with all that it uses, unchanged and under its own names. Of
it we take GraphFrames' classes and nothing else, since 70 MB of geometry in a session would only be in the way:

    org/graphframes/                    GraphFrames
    org/apache/spark/sql/graphframes/   its few classes that must lie in Spark's package, to see what is private there
    META-INF/LICENSE, META-INF/NOTICE   as the terms want it
    META-INF/ORIGIN                     what was taken from where: written by us

Which version it is stands in the jar's list of dependencies. It is older than the Python part of today; motifs, which
are all that is used here, are the same in both, and the tests run with it.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

from gtopss.spark.errors import MissingJar

COORDINATES = "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0"
DIGEST = "c847cec67cd06b43c7a2f67086fa56fd6044564a539128e598cf68262fe53a2f"
"""SHA-256 of the jar of these coordinates: it is run in a session, whoever we have it from."""

_CLASSES = ("org/graphframes/", "org/apache/spark/sql/graphframes/")
_TERMS = ("META-INF/LICENSE", "META-INF/NOTICE")
_DEPENDENCIES = "META-INF/DEPENDENCIES"
_VERSION = re.compile(rb"io\.graphframes:(graphframes-spark4_2\.13):jar:([\w.]+)")
_MANIFEST = "Manifest-Version: 1.0\r\nCreated-By: gtopss\r\n\r\n"
_DATE = (1980, 1, 1, 0, 0, 0)


def extract_graphframes(source: Path, folder: Path) -> Path:
    """Write GraphFrames' part of the jar into a folder; the new jar's name says which version it is, if that is known.

    MissingJar where it is not the jar of these coordinates.
    """
    found = _digest(source)
    if found != DIGEST:
        raise MissingJar(COORDINATES, f"is not the jar that it was (SHA-256 {found})", fetching=True)
    with zipfile.ZipFile(source) as whole:
        return _cut(whole, folder)


def _cut(whole: zipfile.ZipFile, folder: Path) -> Path:
    names = whole.namelist()
    classes = sorted(each for each in names if each.startswith(_CLASSES) and not each.endswith("/"))
    told = _VERSION.search(whole.read(_DEPENDENCIES)) if _DEPENDENCIES in names else None
    which = "-".join(part.decode() for part in told.groups()) if told else "graphframes-spark4_2.13"
    terms = [each for each in _TERMS if each in names]
    taken = ", ".join([*_CLASSES, *terms])
    origin = f"{which}\nfrom: {COORDINATES}, SHA-256 {DIGEST}\ntaken: {taken}, unchanged\n"
    path = folder / f"{which}.jar"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        for entry, data in (("META-INF/MANIFEST.MF", _MANIFEST), ("META-INF/ORIGIN", origin)):
            jar.writestr(zipfile.ZipInfo(entry, _DATE), data, zipfile.ZIP_DEFLATED)
        for entry in (*terms, *classes):
            jar.writestr(zipfile.ZipInfo(entry, _DATE), whole.read(entry), zipfile.ZIP_DEFLATED)
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
