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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gtopss.engine import Engine
from gtopss.engine.loading import load_engine
from gtopss.engine.snapshot_folder import is_saved_engine, link_snapshot
from gtopss.operators import REGISTRY, Registry
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
        return is_saved_engine(self._subscriptions)

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
                link_snapshot(self._subscriptions, made)
                self.operator_settings.open(made)  # what the executors could not open is said here
            else:
                engine, refused = load_engine_with_error_rows(
                    self._subscriptions,
                    self._ontology,
                    work_limit=self._limit,
                    operators=self.operator_settings.operators,
                )
                engine.save(made)
                self._refused_path(name).write_text(json.dumps(refused))
            os.rename(made, self.path(name))
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def _refused_path(self, name: str) -> Path:
        return self.folder / f"{name}.refused"


def load_engine_with_error_rows(
    subscriptions: Path,
    ontology: Path | None,
    *,
    work_limit: int | None = None,
    operators: Registry = REGISTRY,
) -> tuple[Engine, list[dict[str, Any]]]:
    """Load an engine from files or a saved one, and return an error row for each refused subscription."""
    loaded = load_engine(subscriptions, ontology, operators=operators, work_limit=work_limit)
    return loaded.engine, [error_row(error, place=str(subscriptions)) for error in loaded.refused]
