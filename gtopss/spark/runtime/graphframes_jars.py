"""Find GraphFrames' JVM part: at a path, in the user's cache, or in Maven by its coordinates.

`spark.jars.packages` would resolve coordinates while the session starts; a package that cannot be fetched then ends the
session with a page of Java. Jars are therefore fetched beforehand, by the Ivy that Spark ships, in a process of its
own, and a session gets only files that exist. Ivy's own settings, or those of `settings`, say which repositories are
searched. If GraphFrames' own coordinates cannot be fetched, a copy of its classes is used (`sedona_jar.py`).

    ~/.cache/gtopss/jars/io.graphframes_graphframes-spark4_2.13-<version>/*.jar    a folder is complete or absent
    ~/.cache/gtopss/jars/graphframes-from-<coordinates of the copy>/*.jar
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
FETCH_TIMEOUT_SECONDS = 300.0  # for each of the two places; after this the jar is reported as missing


class _IvyOptions(NamedTuple):
    settings: Path | None
    timeout_seconds: float


def coordinates() -> str:
    """Return the coordinates of the JVM part for the installed graphframes-py.

    Both are released together, but not always to the repositories at hand.
    """
    try:
        return f"{ARTIFACT}:{version('graphframes-py')}"
    except PackageNotFoundError:
        raise MissingJar(ARTIFACT, "has no Python part here, `pip install 'gtopss[spark]'`") from None


def cache_folder() -> Path:
    """Return the folder in which fetched jars are stored."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gtopss" / "jars"


def find_jars(jar: Path | str | None = None, *, cache: Path | None = None) -> list[Path]:
    """Return the jars of `jar` (a file, a folder or coordinates), else of the environment variable, else of the cache.

    Coordinates that are not cached are fetched. Raises MissingJar.
    """
    given = jar or os.environ.get(JAR_ENVIRONMENT_VARIABLE)
    if given is None:
        own = coordinates()
        cached = _jars_in(_cache_folder_of(own, cache)) or _jars_in(_copy_folder(cache))
        return cached or _raise_missing(own, "is not on this machine")
    if _are_coordinates(str(given)):
        return _jars_in(_cache_folder_of(str(given), cache)) or fetch_jars(str(given), cache=cache)
    path = Path(given)
    found = _jars_in(path) if path.is_dir() else [path] if path.is_file() else []
    return [each.absolute() for each in found] or _raise_missing(str(path), "does not exist")


def jars_available() -> bool:
    """Return whether `find_jars` succeeds."""
    try:
        return bool(find_jars())
    except MissingJar:
        return False


def fetch_jars(
    artifact: str | None = None,
    *,
    cache: Path | None = None,
    settings: Path | None = None,
    timeout_seconds: float = FETCH_TIMEOUT_SECONDS,
    on_message: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Fetch a jar by its coordinates into the cache, with its dependencies except those that Spark ships.

    Without coordinates, fetch the JVM part of the installed graphframes-py; if that fails, extract a copy of it, and
    call `on_message` with a line that says so. Raises MissingJar.
    """
    ivy = _IvyOptions(settings, timeout_seconds)
    if artifact is not None:
        return _fetch(artifact, cache, ivy)
    own = coordinates()
    try:
        return _fetch(own, cache, ivy)
    except MissingJar as error:
        reason = error.reason
    jars = _fetch_copy(own, reason, cache, ivy)
    on_message(f"{own} {reason}: using {jars[0].stem} from {sedona_jar.COORDINATES} instead")
    return jars


def _fetch(artifact: str, cache: Path | None, ivy: _IvyOptions) -> list[Path]:
    if not _are_coordinates(artifact):
        _raise_missing(artifact, "is not `group:artifact:version`", fetching=True)
    with _replace_folder(_cache_folder_of(artifact, cache)) as into:
        for each in _run_ivy(artifact, into, ivy):
            if _is_in_spark(each) and artifact.split(":")[1] not in each.name:
                each.unlink()
    return _jars_in(_cache_folder_of(artifact, cache))


def _fetch_copy(own: str, reason: str, cache: Path | None, ivy: _IvyOptions) -> list[Path]:
    if jars := _jars_in(_copy_folder(cache)):
        return jars
    try:
        with _replace_folder(_copy_folder(cache)) as into, tempfile.TemporaryDirectory(dir=into.parent) as download:
            (shaded,) = _run_ivy(sedona_jar.COORDINATES, Path(download), ivy, with_dependencies=False)
            sedona_jar.extract_graphframes(shaded, into)
    except MissingJar as error:
        _raise_missing(own, f"{reason}, and its copy, {error.jar}, {error.reason}", fetching=True)
    return _jars_in(_copy_folder(cache))


@contextmanager
def _replace_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` on success. After an error the old content stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        into = Path(temporary) / "jars"
        into.mkdir()
        yield into
        if folder.exists():
            os.rename(folder, Path(temporary) / "old")
        os.rename(into, folder)


def _run_ivy(artifact: str, into: Path, options: _IvyOptions, *, with_dependencies: bool = True) -> list[Path]:
    """Let Ivy download an artifact into a folder, and return the jars."""
    home = Path(pyspark.__file__).parent / "jars"
    ivy = next(home.glob("ivy-*.jar"), None)
    java = shutil.which("java", path=_java_path())
    if ivy is None or java is None:
        lacking = "java" if java is None else "Ivy, which this Spark lacks"
        _raise_missing(artifact, f"cannot be fetched without {lacking}", fetching=True)
    group, name, release = artifact.split(":")
    with tempfile.TemporaryDirectory(dir=into.parent) as cache:
        command = [str(java), "-jar", str(ivy), "-cache", cache, "-dependency", group, name, release]
        command += ["-confs", "default", "-retrieve", f"{into}/[organisation]_[artifact]-[revision].[ext]"]
        command += [] if with_dependencies else ["-notransitive"]
        command += ["-settings", str(options.settings)] if options.settings is not None else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout_seconds, check=False)
        except subprocess.TimeoutExpired:
            _raise_missing(artifact, f"was not fetched in {options.timeout_seconds:g} s", fetching=True)
    jars = _jars_in(into)
    if done.returncode != 0 or not jars:
        _raise_missing(artifact, f"was not found by Ivy ({_ivy_error(done.stdout + done.stderr)})", fetching=True)
    return jars


def _ivy_error(output: str) -> str:
    """Return the line of Ivy's output that says what is missing."""
    errors = [line.strip(" \t:") for line in output.splitlines() if "not found" in line or "Exception" in line]
    return errors[-1] if errors else "no reason given"


def _java_path() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin{os.pathsep}{os.environ.get('PATH', '')}" if home else None


def _is_in_spark(jar: Path) -> bool:
    """Return whether Spark ships this artifact. Its version does not matter: Spark runs with its own."""
    artifact = jar.stem.split("_", 1)[1].rpartition("-")[0]
    return any((Path(pyspark.__file__).parent / "jars").glob(f"{artifact}-[0-9]*.jar"))


def _cache_folder_of(artifact: str, cache: Path | None) -> Path:
    group, name, release = artifact.split(":")
    return (cache or cache_folder()) / f"{group}_{name}-{release}"


def _copy_folder(cache: Path | None) -> Path:
    return (cache or cache_folder()) / f"graphframes-from-{sedona_jar.COORDINATES.replace(':', '_')}"


def _are_coordinates(text: str) -> bool:
    parts = text.split(":")
    return len(parts) == 3 and all(part and "/" not in part and "\\" not in part for part in parts)


def _jars_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jar"))


def _raise_missing(jar: str, reason: str, *, fetching: bool = False) -> NoReturn:
    raise MissingJar(jar, reason, fetching=fetching)
