"""The engines that a stream uses, one after the other: subscriptions change, and each batch says by which it went.

    versions/<name>/            a saved engine; the name is a digest of what it was made of
    versions/<name>.refused     the subscriptions that could not be registered, as JSON

Subscriptions are files (then an engine is made whenever they change) or the folder of a saved engine (then its
snapshot is linked here whenever a new one is saved there): either way a version stays until no batch can need it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gtopss.engine import Engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import GtopssError, NeverMatches
from gtopss.matching.index.storage import current
from gtopss.spark.io.table_schemas import error_row
from gtopss.spark.runtime.operator_settings import DEFAULT_OPERATOR_SETTINGS, OperatorSettings


class EngineVersions:
    """A folder of saved engines. One process at a time makes versions; many may open them."""

    def __init__(
        self,
        folder: Path,
        subscriptions: Path,
        ontology: Path | None = None,
        *,
        work_limit: int | None = None,
        operator_settings: OperatorSettings = DEFAULT_OPERATOR_SETTINGS,
    ) -> None:
        self.folder, self._subscriptions, self._ontology, self._limit = folder, subscriptions, ontology, work_limit
        self.operator_settings = operator_settings
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._name = ""
        folder.mkdir(parents=True, exist_ok=True)

    def newest(self) -> str:
        """The version of the subscriptions as they are now; it is made first, where there is none yet."""
        seen = tuple((str(path), (stat := path.stat()).st_mtime_ns, stat.st_size) for path in self._files())
        if seen != self._seen or not self.path(self._name).exists():
            name = self._digest()
            if not self.path(name).exists():
                self._make(name)
            self._seen, self._name = seen, name
        return self._name

    def path(self, name: str) -> Path:
        return self.folder / name

    def refused(self, name: str) -> list[dict[str, Any]]:
        """Rows of errors, for the subscriptions that are not in this version."""
        path = self._refused_path(name)
        rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
        return rows

    def keep_only(self, names: Iterable[str]) -> None:
        kept = set(names)
        for path in self.folder.iterdir():
            if path.stem not in kept:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()

    def _files(self) -> Iterator[Path]:
        if self._is_saved_engine():
            yield self._subscriptions / "CURRENT"
        elif self._subscriptions.is_dir():
            yield from (path for path in sorted(self._subscriptions.rglob("*")) if path.is_file())
        else:
            yield self._subscriptions
        if self._ontology is not None:
            yield self._ontology

    def _is_saved_engine(self) -> bool:
        return (self._subscriptions / "CURRENT").exists()

    def _digest(self) -> str:
        digest = hashlib.sha256(f"work limit {self._limit}".encode())
        for path in self._files():
            digest.update(f"\n{path.name} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]

    def _make(self, name: str) -> None:
        made = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            if self._is_saved_engine():
                _link(self._subscriptions, made)
                self.operator_settings.open(made)  # what the executors could not open is said here
            else:
                engine, refused = engine_of(
                    self._subscriptions,
                    self._ontology,
                    work_limit=self._limit,
                    operator_settings=self.operator_settings,
                )
                engine.save(made)
                self._refused_path(name).write_text(json.dumps(refused))
            os.rename(made, self.path(name))
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def _refused_path(self, name: str) -> Path:
        return self.folder / f"{name}.refused"


def engine_of(
    subscriptions: Path,
    ontology: Path | None,
    *,
    work_limit: int | None = None,
    operator_settings: OperatorSettings = DEFAULT_OPERATOR_SETTINGS,
) -> tuple[Engine, list[dict[str, Any]]]:
    """An engine with the subscriptions of files, or the saved one of a folder, and a row of errors for each refused."""
    if (subscriptions / "CURRENT").exists():
        return operator_settings.open(subscriptions), []
    engine = Engine(
        taxonomy=ontology,
        work_limit=work_limit,
        operators=operator_settings.operators,
        strategy=operator_settings.strategy,
        operator_limits=operator_settings.limits,
    )
    refused: list[GtopssError] = []

    def readable() -> Iterator[Any]:
        for read in read_subscriptions(subscriptions, engine.operators.arities()):
            if isinstance(read, GtopssError):
                refused.append(read)
            else:
                yield read

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverMatches)  # harmless here: it is registered, and costs nothing
        refused += engine.add_many(readable())
    return engine, [error_row(error, place=str(subscriptions)) for error in refused]


def _link(saved: Path, into: Path) -> None:
    """The snapshot of a saved engine under a second name, so that it outlives there being a newer one."""
    snapshot = current(saved)
    (into / snapshot.name).mkdir()
    for file in snapshot.iterdir():
        try:
            os.link(file, into / snapshot.name / file.name)
        except OSError:  # another file system
            shutil.copy2(file, into / snapshot.name / file.name)
    (into / "CURRENT").write_text(snapshot.name)
