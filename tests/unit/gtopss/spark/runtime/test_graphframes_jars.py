from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from gtopss.spark.errors import MissingJar
from gtopss.spark.runtime import graphframes_jars, sedona_jar
from gtopss.spark.runtime.graphframes_jars import JAR_ENVIRONMENT_VARIABLE, fetch_jars, find_jars

COORDINATES = "org.example:motifs_2.13:1.0"
TAKEN = [
    "META-INF/LICENSE",
    "META-INF/NOTICE",
    "org/graphframes/GraphFrame.class",
    "org/graphframes/pattern/Pattern.class",
    "org/apache/spark/sql/graphframes/SparkShims.class",
]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Ivy's settings for a repository in a folder, with one artifact that depends on another and on Scala."""
    repository = tmp_path / "repository"
    needs = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>1.0</version></dependency>"
        for group, name in (("org.example", "needed"), ("org.scala-lang", "scala-library"))
    )
    for group, name, depends in (
        ("org/example", "motifs_2.13", f"<dependencies>{needs}</dependencies>"),
        ("org/example", "needed", ""),
        ("org/scala-lang", "scala-library", ""),
    ):
        folder = repository / group / name / "1.0"
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / f"{name}-1.0.jar", "w") as jar:
            jar.writestr("content", name)
        (folder / f"{name}-1.0.pom").write_text(
            f"<project><modelVersion>4.0.0</modelVersion><groupId>{group.replace('/', '.')}</groupId>"
            f"<artifactId>{name}</artifactId><version>1.0</version>{depends}</project>"
        )
    path = tmp_path / "ivysettings.xml"
    path.write_text(
        "<ivysettings><settings defaultResolver='here'/><resolvers>"
        f"<ibiblio name='here' m2compatible='true' root='{repository.as_uri()}/'/></resolvers></ivysettings>"
    )
    return path


def test_fetched_jars_are_found_afterwards_without_what_spark_has(settings: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    names = ["org.example_motifs_2.13-1.0.jar", "org.example_needed-1.0.jar"]
    assert [jar.name for jar in fetch_jars(COORDINATES, cache=cache, settings=settings)] == names
    assert [jar.name for jar in find_jars(COORDINATES, cache=cache)] == names
    assert len(list(cache.iterdir())) == 1


def test_what_cannot_be_fetched_is_one_line_and_leaves_nothing(settings: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingJar, match="was not found by Ivy") as caught:
        fetch_jars("org.example:nothing:1.0", cache=tmp_path / "cache", settings=settings)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").iterdir())


def _shaded() -> bytes:
    """A small jar of many things, GraphFrames among them."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as jar:
        for name in (*TAKEN, "org/graphframes/", "org/apache/spark/sql/sedona/Geometry.class", "META-INF/services/x"):
            jar.writestr(name, f"{name} as it is")
        jar.writestr(
            "META-INF/DEPENDENCIES", "  - g () io.graphframes:graphframes-spark4_2.13:jar:0.9.2\n  - other:jar:1\n"
        )
    return data.getvalue()


@pytest.fixture
def shaded(settings: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The republished copy, in the repository of the settings; what it says to depend on is nowhere."""
    data = _shaded()
    folder = settings.parent / "repository" / "org" / "example" / "shaded_2.13" / "1.8"
    folder.mkdir(parents=True)
    (folder / "shaded_2.13-1.8.jar").write_bytes(data)
    needs = "<dependency><groupId>no</groupId><artifactId>where</artifactId><version>1</version></dependency>"
    (folder / "shaded_2.13-1.8.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>shaded_2.13</artifactId>"
        f"<version>1.8</version><dependencies>{needs}</dependencies></project>"
    )
    monkeypatch.setattr(sedona_jar, "COORDINATES", "org.example:shaded_2.13:1.8")
    monkeypatch.setattr(sedona_jar, "DIGEST", hashlib.sha256(data).hexdigest())
    return folder / "shaded_2.13-1.8.jar"


def test_graphframes_is_cut_out_of_its_copy(shaded: Path, tmp_path: Path) -> None:
    made = sedona_jar.extract_graphframes(shaded, tmp_path)
    assert made == tmp_path / "graphframes-spark4_2.13-0.9.2.jar"
    with zipfile.ZipFile(made) as jar:
        assert set(jar.namelist()) == {*TAKEN, "META-INF/MANIFEST.MF", "META-INF/ORIGIN"}
        assert all(jar.read(name).decode() == f"{name} as it is" for name in TAKEN)
        origin = jar.read("META-INF/ORIGIN").decode()
    assert "graphframes-spark4_2.13-0.9.2\nfrom: org.example:shaded_2.13:1.8, SHA-256 " in origin
    before = made.read_bytes()
    assert sedona_jar.extract_graphframes(shaded, tmp_path).read_bytes() == before


def test_a_copy_that_is_another_is_refused(shaded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sedona_jar, "DIGEST", "0" * 64)
    with pytest.raises(MissingJar, match="is not the expected jar"):
        sedona_jar.extract_graphframes(shaded, tmp_path)


def test_the_copy_is_used_only_if_the_jar_itself_cannot_be_fetched(
    shaded: Path, settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(JAR_ENVIRONMENT_VARIABLE, raising=False)
    messages: list[str] = []
    cache = tmp_path / "cache"
    (copy,) = fetch_jars(cache=cache, settings=settings, on_message=messages.append)
    assert copy.name == "graphframes-spark4_2.13-0.9.2.jar"
    assert find_jars(cache=cache) == [copy]
    assert "was not found by Ivy" in messages[0]
    assert "using graphframes-spark4_2.13-0.9.2 from org.example:shaded_2.13:1.8 instead" in messages[0]
    shaded.unlink()
    assert fetch_jars(cache=cache, settings=settings) == [copy]  # it is there
    assert [path.name for path in cache.iterdir()] == ["graphframes-from-org.example_shaded_2.13_1.8"]

    monkeypatch.setattr(graphframes_jars, "coordinates", lambda: COORDINATES)
    messages.clear()
    real = fetch_jars(cache=cache, settings=settings, on_message=messages.append)
    assert real[0].name == "org.example_motifs_2.13-1.0.jar"
    assert find_jars(cache=cache) == real
    assert not messages


def test_one_line_says_that_neither_jar_can_be_fetched(shaded: Path, settings: Path, tmp_path: Path) -> None:
    shaded.unlink()
    with pytest.raises(
        MissingJar, match=r"not found.*and its copy, org.example:shaded_2.13:1.8, was not found"
    ) as caught:
        fetch_jars(cache=tmp_path / "cache", settings=settings)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").iterdir())


def test_a_jar_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "any.jar"
    jar.touch()
    assert find_jars(jar) == find_jars(tmp_path) == [jar]
    monkeypatch.setenv(JAR_ENVIRONMENT_VARIABLE, str(jar))
    assert find_jars() == [jar]


def test_a_missing_jar_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JAR_ENVIRONMENT_VARIABLE, raising=False)
    with pytest.raises(MissingJar, match=r"is not on this machine: run `gtopss spark fetch-jars`"):
        find_jars(cache=tmp_path)
    with pytest.raises(MissingJar, match="does not exist"):
        find_jars(tmp_path / "none.jar")
