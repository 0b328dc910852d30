"""GraphFrames' JVM part: from a path, from this user's cache, or from Maven by its coordinates.

`spark.jars.packages` would resolve coordinates while the session starts, and a package that cannot be had then kills
the session with a page of Java. So jars are fetched beforehand, by the Ivy that Spark itself ships, in a process of its
own; a session is only ever given files that are there. Where to look is Ivy's affair: its own settings, or those that
`settings` names.

    ~/.cache/gtopss/jars/io.graphframes_graphframes-spark4_2.13-<version>/*.jar      a folder is whole, or not there
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn

import pyspark

from gtopss.spark.errors import MissingJar

JAR_VARIABLE = "GTOPSS_GRAPHFRAMES_JAR"
ARTIFACT = "io.graphframes:graphframes-spark4_2.13"
SECONDS = 600.0
"""That fetching may take."""


def coordinates() -> str:
    """The JVM part that belongs to the installed graphframes-py: the two are released under the same version."""
    try:
        return f"{ARTIFACT}:{version('graphframes-py')}"
    except PackageNotFoundError:
        raise MissingJar(ARTIFACT, "has no Python part here, `pip install graphframes-py`") from None


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gtopss" / "jars"


def find_jars(jar: Path | str | None = None, *, cache: Path | None = None) -> list[Path]:
    """The jars that motifs need: those of `jar` (a file, a folder, or coordinates), else the variable's, else cached.

    Coordinates that are not in the cache are fetched into it.
    """
    given = jar or os.environ.get(JAR_VARIABLE)
    if given is None:
        wanted = coordinates()
        return _jars_in(_folder_of(wanted, cache)) or _refuse(wanted, "is not on this machine")
    if _are_coordinates(str(given)):
        return _jars_in(_folder_of(str(given), cache)) or fetch_jars(str(given), cache=cache)
    path = Path(given)
    found = _jars_in(path) if path.is_dir() else [path] if path.is_file() else []
    return [each.absolute() for each in found] or _refuse(str(path), "is not there")


def fetch_jars(wanted: str | None = None, *, cache: Path | None = None, settings: Path | None = None) -> list[Path]:
    """Fetch the jar of these coordinates and what it depends on into the cache; what Spark ships itself is left out."""
    wanted = wanted or coordinates()
    if not _are_coordinates(wanted):
        _refuse(wanted, "is not `group:artifact:version`", fetching=True)
    folder = _folder_of(wanted, cache)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as workplace:
        into = Path(workplace) / "jars"
        _run_ivy(wanted, into, Path(workplace) / "ivy", settings)
        for each in _jars_in(into):
            if _is_in_spark(each) and wanted.split(":")[1] not in each.name:
                each.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(into, folder)
    return _jars_in(folder)


def _run_ivy(wanted: str, into: Path, cache: Path, settings: Path | None) -> None:
    home = Path(pyspark.__file__).parent / "jars"
    ivy = next(home.glob("ivy-*.jar"), None)
    java = shutil.which("java", path=_java_path())
    if ivy is None or java is None:
        _refuse(
            wanted,
            fetching=True,
            reason=f"cannot be fetched without {'java' if java is None else 'Ivy, which this Spark lacks'}",
        )
    group, artifact, release = wanted.split(":")
    command = [str(java), "-jar", str(ivy), "-cache", str(cache), "-dependency", group, artifact, release]
    command += ["-confs", "default", "-retrieve", f"{into}/[organisation]_[artifact]-[revision].[ext]"]
    command += ["-settings", str(settings)] if settings is not None else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        _refuse(wanted, fetching=True, reason=f"was not fetched in {SECONDS:g} s")
    if done.returncode != 0 or not _jars_in(into):
        _refuse(wanted, fetching=True, reason=f"was not found by Ivy ({_last_words(done.stdout + done.stderr)})")


def _last_words(output: str) -> str:
    """Ivy's line that says what is missing, out of its hundred."""
    said = [line.strip(" \t:") for line in output.splitlines() if "not found" in line or "Exception" in line]
    return said[-1] if said else "no reason given"


def _java_path() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin{os.pathsep}{os.environ.get('PATH', '')}" if home else None


def _is_in_spark(jar: Path) -> bool:
    """By the artifact's name: whatever version Spark has is the one that it runs with."""
    artifact = jar.stem.split("_", 1)[1].rpartition("-")[0]
    return any((Path(pyspark.__file__).parent / "jars").glob(f"{artifact}-[0-9]*.jar"))


def _folder_of(wanted: str, cache: Path | None) -> Path:
    group, artifact, release = wanted.split(":")
    return (cache or cache_folder()) / f"{group}_{artifact}-{release}"


def _are_coordinates(text: str) -> bool:
    parts = text.split(":")
    return len(parts) == 3 and all(part and "/" not in part and "\\" not in part for part in parts)


def _jars_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jar"))


def _refuse(wanted: str, reason: str, *, fetching: bool = False) -> NoReturn:
    raise MissingJar(wanted, reason, fetching=fetching)
