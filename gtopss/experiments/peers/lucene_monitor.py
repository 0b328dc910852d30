"""Lucene's Monitor, which matches stored queries against documents, as a Java process that reads titles."""

from __future__ import annotations

import os
import shutil
import subprocess
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from gtopss.experiments.peers.needle_conjunctions import declined_without_needles, read_needles, title_of
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from gtopss.spark.errors import MissingJar
from ontology import Taxonomy

COORDINATES = "org.apache.lucene:lucene-monitor:9.11.1"
PROGRAM = Path(__file__).with_name("LuceneMonitorPeer.java")
TITLES_AT_ONCE = 16  # fewer than a pipe has room for, so that neither side waits for the other


class LuceneMonitor:
    """Write titles to a Java process, and read the ids of the queries that match each."""

    name = "Lucene Monitor"
    tuning = f"{COORDINATES}, in memory, TermFilteredPresearcher, conjunctions of terms; one Java process; titles only"

    def declines(self, workload: Workload) -> str | None:
        return declined_without_needles(workload) or _missing()

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        command = ["java", "-Xmx2g", "-cp", os.pathsep.join(map(str, _lucene_jars())), str(PROGRAM)]
        self._process = process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
        self._end = weakref.finalize(self, process.kill)
        assert process.stdin is not None
        for each in read_needles(subscriptions):
            process.stdin.write(f"{' '.join([each.id, *each.needles])}\n")
        process.stdin.write("\n")
        process.stdin.flush()
        if self._line() != "ready":
            raise OSError("the Java process of Lucene Monitor did not start")

    def match_many(self, publications: Sequence[Publication]) -> Iterator[list[str]]:
        assert self._process.stdin is not None
        for start in range(0, len(publications), TITLES_AT_ONCE):
            titles = [title_of(each).replace("\n", " ") for each in publications[start : start + TITLES_AT_ONCE]]
            self._process.stdin.write("".join(f"{title}\n" for title in titles))
            self._process.stdin.flush()
            for _ in titles:
                yield self._line().split()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


@cache
def _missing() -> str | None:
    """Return why Lucene cannot be run here, or None if it can."""
    if shutil.which("java") is None:
        return "not run: there is no java"
    try:
        _lucene_jars()
    except ImportError as error:
        return f"not run: {error}"
    except MissingJar as error:
        return f"not run: {error.jar} {error.reason}"
    return None


@cache
def _lucene_jars() -> list[Path]:
    """Return Lucene's jars, which are fetched at the first call on a machine."""
    from gtopss.spark.runtime.graphframes_jars import find_jars  # only where Spark is installed, whose Ivy it uses

    return find_jars(COORDINATES)
