"""The engines of a stream, one after the other: subscriptions may change, and each batch records its version.

    versions/<name>/            a saved engine; the name is a digest of its inputs
    versions/<name>.refused     the subscriptions that could not be registered, as JSON

Subscriptions come from files, and a new engine is made when they change; or from the folder of a saved engine, whose
snapshot is linked here when a new one is saved there. A version stays until no batch can need it.

The results of a stream may be on a file system that engines cannot be opened from (`hdfs://`). Versions are then made
in a temporary folder, and `VersionArchive` keeps them with the results as `versions/<name>.tar`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically
from gtopss.engine import Engine
from gtopss.engine.config import EngineConfig
from gtopss.engine.loading import load_engine, load_isolated_taxonomy
from gtopss.engine.snapshot_folder import is_saved_engine, link_snapshot
from gtopss.engine.taxonomy_input import infer_taxonomy
from gtopss.errors import GtopssError
from gtopss.operators import REGISTRY, Registry
from gtopss.spark.errors import MissingSource
from gtopss.spark.io.rows import error_row
from gtopss.spark.runtime.remote_files import LocalCopy, VersionArchive
from ontology import CyclePolicy, Reasoner, Taxonomy
from ontology.limits import DEFAULT_LIMITS

_DEFAULT_CONFIG = EngineConfig()


class EngineVersions:
    """A folder of saved engines. One process at a time may make versions; any number may open them."""

    def __init__(
        self,
        folder: Path,
        subscriptions: Path | LocalCopy,
        ontology: Path | LocalCopy | None = None,
        *,
        config: EngineConfig = _DEFAULT_CONFIG,
        operators: Registry = REGISTRY,
        reasoner: Reasoner | None = None,
        cycles: CyclePolicy = "refuse",
        archive: VersionArchive | None = None,
    ) -> None:
        """Use `ontology`, `reasoner`, `cycles` and `config` for subscriptions from files; saved engines have theirs."""
        self.folder, self.operators, self._archive = folder, operators, archive
        self._given_subscriptions, self._given_ontology, self._config = subscriptions, ontology, config
        self._reasoner, self._cycles = reasoner, cycles
        self._last_files: tuple[tuple[str, int, int], ...] | None = None
        self._last_name = ""
        folder.mkdir(parents=True, exist_ok=True)

    def newest(self) -> str:
        """Return the version of the current subscriptions, and make it if it does not exist."""
        self._locate()
        files = tuple((str(path), (stat := path.stat()).st_mtime_ns, stat.st_size) for path in self._files())
        if files != self._last_files or not self.path(self._last_name).exists():
            name = self._digest()
            if not self.path(name).exists():
                self._make(name)
            self._last_files, self._last_name = files, name
        return self._last_name

    def path(self, name: str) -> Path:
        """Return the folder of a version."""
        return self.folder / name

    def open(self, name: str) -> Path:
        """Return the folder of a version, fetched from the archive if another process has made it."""
        if not self.path(name).exists() and self._archive is not None:
            self._archive.fetch(name, self.folder)
        return self.path(name)

    def count(self, name: str) -> int:
        """Return the number of subscriptions of a version."""
        return len(Engine.open(self.open(name), operators=self.operators))

    def refused(self, name: str) -> list[dict[str, Any]]:
        """Return a row of errors for each subscription that is not in this version."""
        path = self._refused_path(name)
        rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
        return rows

    def delete_except(self, names: Iterable[str]) -> None:
        """Delete all versions but these."""
        keep = set(names)
        for path in self.folder.iterdir():
            if path.stem not in keep:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        if self._archive is not None:
            self._archive.delete_except(keep)

    def _locate(self) -> None:
        """Fetch what is not on the local file system, if it has changed."""
        self._subscriptions = _located(self._given_subscriptions)
        self._ontology = None if self._given_ontology is None else _located(self._given_ontology)
        if not self._subscriptions.exists():
            raise MissingSource(self._given_subscriptions, "subscriptions")

    def _files(self) -> Iterator[Path]:
        if is_saved_engine(self._subscriptions):
            yield self._subscriptions / "CURRENT"
        elif self._subscriptions.is_dir():
            yield from (path for path in sorted(self._subscriptions.rglob("*")) if path.is_file())
        else:
            yield self._subscriptions
        if self._ontology is not None:
            yield self._ontology

    def _digest(self) -> str:
        digest = hashlib.sha256(json.dumps(self._config.to_json(), sort_keys=True).encode())
        if self._reasoner is not None:
            digest.update(self._reasoner.encode())
        if self._cycles != "refuse":
            digest.update(self._cycles.encode())
        for path in self._files():
            digest.update(f"\n{path.name} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]

    def _taxonomy(self) -> Taxonomy | None:
        if self._ontology is None:
            return None
        if self._reasoner is not None:
            return infer_taxonomy(self._ontology, self._reasoner, self._cycles)
        limits = self._config.document_limits or DEFAULT_LIMITS
        return load_isolated_taxonomy(self._ontology, limits, cycles=self._cycles)

    def _make(self, name: str) -> None:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            if is_saved_engine(self._subscriptions):
                link_snapshot(self._subscriptions, folder)
                Engine.open(folder, operators=self.operators)  # report here what would fail in the executors
            else:
                loaded = load_engine(self._subscriptions, self._taxonomy(), self._config, operators=self.operators)
                loaded.engine.save(folder)
                write_atomically(
                    self._refused_path(name), json.dumps(error_rows(loaded.refused, self._given_subscriptions))
                )
            os.rename(folder, self.path(name))
            if self._archive is not None:
                self._archive.add(name, self.folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _refused_path(self, name: str) -> Path:
        return self.folder / f"{name}.refused"


def _located(given: Path | LocalCopy) -> Path:
    return given if isinstance(given, Path) else given.path()


def error_rows(refused: Iterable[GtopssError], subscriptions: object) -> list[dict[str, Any]]:
    """Return a row of errors for each subscription of a file or folder that was refused."""
    return [error_row(error, place=str(subscriptions)) for error in refused]
