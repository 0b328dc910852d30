from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from gtopss.spark.errors import MissingJar, WrongSession
from gtopss.spark.jars import JAR_VARIABLE, fetch_jars, find_jars
from gtopss.spark.session import spark_session

COORDINATES = "org.example:motifs_2.13:1.0"


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


def test_a_jar_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "any.jar"
    jar.touch()
    assert find_jars(jar) == find_jars(tmp_path) == [jar]
    monkeypatch.setenv(JAR_VARIABLE, str(jar))
    assert find_jars() == [jar]


def test_a_missing_jar_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JAR_VARIABLE, raising=False)
    with pytest.raises(MissingJar, match=r"is not on this machine: run `gtopss spark fetch-jars`"):
        find_jars(cache=tmp_path)
    with pytest.raises(MissingJar, match="is not there"):
        find_jars(tmp_path / "none.jar")


def test_a_running_session_is_given_again_or_refused(spark: object) -> None:
    assert spark_session() is spark
    with pytest.raises(WrongSession, match="is running"):
        spark_session("local[7]")
