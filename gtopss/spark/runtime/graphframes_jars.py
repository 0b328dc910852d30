"""GraphFrames' JVM part: from a path, from this user's cache, or from Maven by its coordinates.

`spark.jars.packages` would resolve coordinates while the session starts, and a package that cannot be had then kills
the session with a page of Java. So jars are fetched beforehand, by the Ivy that Spark itself ships, in a process of its
own; a session is only ever given files that are there. Where to look is Ivy's affair: its own settings, or those that
`settings` names. Where GraphFrames' own coordinates cannot be had, a republished copy is taken (`sedona_jar.py`).

    ~/.cache/gtopss/jars/io.graphframes_graphframes-spark4_2.13-<version>/*.jar      a folder is whole, or not there
    ~/.cache/gtopss/jars/graphframes-from-<the copy's coordinates>/*.jar
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple, NoReturn

import pyspark

from gtopss.spark.errors import MissingJar
from gtopss.spark.runtime import sedona_jar

JAR_ENVIRONMENT_VARIABLE = "GTOPSS_GRAPHFRAMES_JAR"
ARTIFACT = "io.graphframes:graphframes-spark4_2.13"
FETCH_TIMEOUT_SECONDS = 300.0
"""That fetching a jar may take."""


class _Search(NamedTuple):
    """How Ivy looks."""

    settings: Path | None
    seconds: float


def coordinates() -> str:
    """The JVM part that belongs to the installed graphframes-py. Both are released together, but not always both to
    where one looks."""
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
    given = jar or os.environ.get(JAR_ENVIRONMENT_VARIABLE)
    if given is None:
        wanted = coordinates()
        cached = _jars_in(_folder_of(wanted, cache)) or _jars_in(_copy_folder(cache))
        return cached or _refuse(wanted, "is not on this machine")
    if _are_coordinates(str(given)):
        return _jars_in(_folder_of(str(given), cache)) or fetch_jars(str(given), cache=cache)
    path = Path(given)
    found = _jars_in(path) if path.is_dir() else [path] if path.is_file() else []
    return [each.absolute() for each in found] or _refuse(str(path), "is not there")


def jars_available() -> bool:
    """Whether `find_jars` finds them."""
    try:
        return bool(find_jars())
    except MissingJar:
        return False


def fetch_jars(
    wanted: str | None = None,
    *,
    cache: Path | None = None,
    settings: Path | None = None,
    seconds: float = FETCH_TIMEOUT_SECONDS,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Fetch the jar of these coordinates and what it depends on into the cache; what Spark ships itself is left out.

    Without coordinates it is the JVM part of the installed graphframes-py, else a republished copy; `tell` is told so.
    """
    search = _Search(settings, seconds)
    if wanted is not None:
        return _fetch(wanted, cache, search)
    own = coordinates()
    try:
        return _fetch(own, cache, search)
    except MissingJar as error:
        reason = error.reason
    jars = _fetch_copy(own, reason, cache, search)
    tell(f"{own} {reason}: taken instead is {jars[0].stem}, out of {sedona_jar.COORDINATES}")
    return jars


def _fetch(wanted: str, cache: Path | None, search: _Search) -> list[Path]:
    if not _are_coordinates(wanted):
        _refuse(wanted, "is not `group:artifact:version`", fetching=True)
    with _made(_folder_of(wanted, cache)) as into:
        for each in _run_ivy(wanted, into, search):
            if _is_in_spark(each) and wanted.split(":")[1] not in each.name:
                each.unlink()
    return _jars_in(_folder_of(wanted, cache))


def _fetch_copy(own: str, reason: str, cache: Path | None, search: _Search) -> list[Path]:
    if jars := _jars_in(_copy_folder(cache)):
        return jars
    try:
        with _made(_copy_folder(cache)) as into, tempfile.TemporaryDirectory(dir=into.parent) as download:
            (whole,) = _run_ivy(sedona_jar.COORDINATES, Path(download), search, alone=True)
            sedona_jar.extract_graphframes(whole, into)
    except MissingJar as error:
        _refuse(own, f"{reason}, and its copy, {error.wanted}, {error.reason}", fetching=True)
    return _jars_in(_copy_folder(cache))


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """An empty folder that becomes this one when all went well; until then what was there stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as workplace:
        into = Path(workplace) / "jars"
        into.mkdir()
        yield into
        if folder.exists():
            os.rename(folder, Path(workplace) / "old")
        os.rename(into, folder)


def _run_ivy(wanted: str, into: Path, search: _Search, *, alone: bool = False) -> list[Path]:
    """The jars that Ivy put into a folder; `alone`, without what the one depends on."""
    home = Path(pyspark.__file__).parent / "jars"
    ivy = next(home.glob("ivy-*.jar"), None)
    java = shutil.which("java", path=_java_path())
    if ivy is None or java is None:
        lacking = "java" if java is None else "Ivy, which this Spark lacks"
        _refuse(wanted, f"cannot be fetched without {lacking}", fetching=True)
    group, artifact, release = wanted.split(":")
    with tempfile.TemporaryDirectory(dir=into.parent) as cache:
        command = [str(java), "-jar", str(ivy), "-cache", cache, "-dependency", group, artifact, release]
        command += ["-confs", "default", "-retrieve", f"{into}/[organisation]_[artifact]-[revision].[ext]"]
        command += ["-notransitive"] if alone else []
        command += ["-settings", str(search.settings)] if search.settings is not None else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=search.seconds, check=False)
        except subprocess.TimeoutExpired:
            _refuse(wanted, f"was not fetched in {search.seconds:g} s", fetching=True)
    jars = _jars_in(into)
    if done.returncode != 0 or not jars:
        _refuse(wanted, f"was not found by Ivy ({_last_words(done.stdout + done.stderr)})", fetching=True)
    return jars


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


def _copy_folder(cache: Path | None) -> Path:
    return (cache or cache_folder()) / f"graphframes-from-{sedona_jar.COORDINATES.replace(':', '_')}"


def _are_coordinates(text: str) -> bool:
    parts = text.split(":")
    return len(parts) == 3 and all(part and "/" not in part and "\\" not in part for part in parts)


def _jars_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jar"))


def _refuse(wanted: str, reason: str, *, fetching: bool = False) -> NoReturn:
    raise MissingJar(wanted, reason, fetching=fetching)
