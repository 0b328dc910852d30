"""The same folder by Python and by Hadoop's classes; a whole job and a stream on a file system that is not local."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from support.hadoop_cluster import hdfs
from support.spark_answers import answers_by, answers_of, read_without_spark

from gtopss.engine.loading import load_engine
from gtopss.spark.errors import MissingSource, StorageUnavailable
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.output import read_results
from gtopss.spark.io.sources import read_sources
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.storage import HadoopStorage, LocalStorage, Storage, local_path, open_storage, resolve
from gtopss.spark.jobs.bulk import run_bulk
from gtopss.spark.jobs.stream import StreamOptions, run_stream
from gtopss.spark.runtime.engine_versions import EngineVersions
from gtopss.spark.runtime.remote_files import LocalCopy, VersionArchive, locally

__all__ = ["hdfs"]
MOUNTED = "viewfs://mounted/folder"


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """A folder on Hadoop's viewfs, a file system that Python cannot read: it links to a local folder."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    configuration.set("fs.viewfs.mounttable.mounted.link./folder", f"file://{folder}")
    configuration.set("fs.viewfs.impl.disable.cache", "true")
    yield MOUNTED
    configuration.unset("fs.viewfs.mounttable.mounted.link./folder")


def check_folder(storage: Storage) -> None:
    assert storage.names() == []
    assert storage.read("a/b") is None
    storage.write("a/b", b"one")
    storage.write("a/b", b"two")
    assert storage.read("a/b") == b"two"
    assert storage.create("a/c", b"three")
    assert not storage.create("a/c", b"four")
    assert storage.read("a/c") == b"three"
    assert (storage.names(), storage.names("a")) == (["a"], ["b", "c"])
    assert storage.exists("a/b")
    assert storage.url("a", "b").endswith("/a/b")
    storage.delete("a")
    storage.delete("a")
    assert not storage.exists("a/b")


def test_a_local_folder(tmp_path: Path) -> None:
    check_folder(LocalStorage(tmp_path / "folder"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageUnavailable, match="file"):
        LocalStorage(tmp_path / "file").read("a")


def test_folders_by_hadoop(spark: SparkSession, mounted: str, tmp_path: Path) -> None:
    check_folder(HadoopStorage(spark, f"file://{tmp_path}/by-hadoop"))
    check_folder(HadoopStorage(spark, mounted))
    assert isinstance(open_storage(spark, mounted), HadoopStorage)
    with pytest.raises(StorageUnavailable, match="nosuch"):
        open_storage(spark, "nosuch://host/folder")


class NeverDeletes:
    """A file system of Hadoop that cannot delete: a crash between deleting and renaming would lose the file."""

    def __init__(self, files: Any) -> None:
        self._files = files

    def __getattr__(self, name: str) -> Any:
        assert name != "delete", "the old file is deleted before the new one is there"
        return getattr(self._files, name)


def test_a_file_is_replaced_in_one_step(spark: SparkSession, mounted: str) -> None:
    storage = HadoopStorage(spark, mounted)
    storage.write(".highest", b"1")
    storage._files = NeverDeletes(storage._files)
    storage.write(".highest", b"2")
    assert storage.read(".highest") == b"2"
    assert storage.names() == [".highest"]


def test_locations_are_complete_before_they_leave_the_driver(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve(spark, "feeds") == resolve(spark, f"file://{tmp_path}/feeds") == str(tmp_path / "feeds")
    assert resolve(spark, "hdfs://host/feeds") == "hdfs://host/feeds"
    assert local_path("file:/data") == Path("/data")
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    before = configuration.get("fs.defaultFS")
    configuration.set("fs.defaultFS", "viewfs://mounted/")
    configuration.set("fs.viewfs.mounttable.mounted.link./user", f"file://{tmp_path}")
    try:
        assert resolve(spark, "/user/feeds") == "viewfs://mounted/user/feeds"
        assert resolve(spark, "file:///user/feeds") == "/user/feeds"
    finally:
        configuration.set("fs.defaultFS", before or "file:///")


def check_job_and_stream(spark: SparkSession, top: str, local: Path, data: Path) -> None:
    """Read, match, spool and stream on another file system; the answers are the engine's."""
    folder = HadoopStorage(spark, top)
    feeds = sorted((data / "feeds").iterdir())[:3]
    for feed in feeds:
        folder.write(f"feeds/{feed.name}", feed.read_bytes())
    news = b"".join((data / "news" / "news.nq").read_bytes().splitlines(keepends=True)[:400])
    folder.write("feeds/news.nq", news)
    for query in (data / "subscriptions").iterdir():
        folder.write(f"subscriptions/{query.name}", query.read_bytes())
    (local / "news.nq").write_bytes(news)
    publications = read_without_spark(*feeds, local / "news.nq")
    copy = locally(spark, f"{top}/subscriptions")
    assert isinstance(copy, LocalCopy)
    engine, *_ = load_engine(copy.path(), None)
    expected = answers_by(engine, publications)
    assert len(expected) > 5

    done = run_bulk(spark, [f"{top}/feeds"], engine, f"{top}/out")
    assert done.publications == len(publications)
    assert answers_of(read_results(spark, f"{top}/out", "matches")) == expected
    again = run_bulk(spark, [f"{top}/out/publications"], engine, f"{top}/again")
    assert (again.publications, again.rows) == (done.publications, done.rows)
    with pytest.raises(MissingSource):
        read_sources(spark, [f"{top}/nowhere"])

    spool = Spool(open_storage(spark, f"{top}/spool"))
    for path in (*feeds, local / "news.nq"):
        spool.put(str(path), path.read_bytes())
    out = open_storage(spark, f"{top}/stream")
    archive = VersionArchive(out)
    for number in range(2):  # the second stream runs on another machine: it has no versions of its own
        (local / f"versions{number}").mkdir()
        versions = EngineVersions(local / f"versions{number}", copy, archive=archive)
        run_stream(spark, f"{top}/spool", out, versions, StreamOptions(once=True, batch_documents=2))
    assert answers_of(read_results(spark, out, "matches")) == expected
    assert [each.batch_id for each in BatchLog(out).completed()] == [0, 1]
    assert spool.clean(BatchLog(out).read_through()) == 4
    assert spool.put("next", b"") == 5


def test_a_job_and_a_stream_on_another_file_system(
    spark: SparkSession, mounted: str, data: Path, tmp_path: Path
) -> None:
    check_job_and_stream(spark, mounted, tmp_path, data)


def test_a_job_and_a_stream_on_hdfs(spark: SparkSession, hdfs: str, data: Path, tmp_path: Path) -> None:
    check_folder(HadoopStorage(spark, f"{hdfs}/folder"))
    check_job_and_stream(spark, f"{hdfs}/job", tmp_path, data)
