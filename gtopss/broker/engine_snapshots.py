"""Saved engines with the number of the last change that each has applied.

    folder/engine-<number>/          an engine, as `Engine.save` writes it
    folder/engine-<number>.json      written last: which database, which change, which settings and taxonomy

A snapshot is used only if it fits: it is of this database, the log still has the change that it names, with the same
subscription and time (a database that was restored from a backup has others), and the settings and the taxonomy are
those of now. One that is missing, damaged or does not fit costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from gtopss.atomic_files import write_atomically
from gtopss.broker.store import change_rows
from gtopss.broker.store.store import Store
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.matching.table import MATCHERS

_NAME, _FOLDER = re.compile(r"engine-(\d{1,18})\.json"), re.compile(r"engine-\d{1,18}")
_log = logging.getLogger(__name__)


class EngineSnapshots:
    """The snapshots of one engine in a folder. One broker uses a folder; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def save(self, engine: Engine, number: int, store: Store) -> bool:
        """Save an engine that has applied all changes up to a number, and delete older snapshots.

        Returns whether it was saved; why not is in the log.
        """
        if not MATCHERS[engine.config.matcher].capabilities.saving:
            return False
        with self._lock:
            try:
                description = store.read(partial(_description, engine=engine, number=number))
                if description is None:
                    return False
                folder, file = self._folder / f"engine-{number}", self._folder / f"engine-{number}.json"
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it has the texts of subscriptions
                engine.save(folder)
                write_atomically(file, json.dumps(description))
                self._delete_others(number)
                _log.info("saved the engine as of change %d", number)
                return True
            except (GtopssError, OSError) as error:
                _log.warning("the engine was not saved, so that the next start takes longer: %s", error)
                return False

    def open(self, empty: Engine, store: Store) -> tuple[Engine, int] | None:
        """Open the newest snapshot that fits; return the engine and its number, or None if there is none.

        `empty` has the settings, taxonomy and operators that the engine must have.
        """
        with self._lock:
            for number in sorted(self._numbers(), reverse=True):
                try:
                    found = json.loads((self._folder / f"engine-{number}.json").read_text())
                    wanted = store.read(partial(_description, engine=empty, number=number))
                    if wanted is None or found != wanted:
                        _log.warning("the saved engine of change %d does not fit the database or the settings", number)
                        continue
                    opened = Engine.open(self._folder / f"engine-{number}", operators=empty.operators)
                    return opened, number
                except (GtopssError, OSError, ValueError) as error:
                    _log.warning("the saved engine of change %d cannot be used: %s", number, error)
        return None

    def _numbers(self) -> Iterator[int]:
        if self._folder.is_dir():
            for path in list(self._folder.iterdir()):
                if named := _NAME.fullmatch(path.name):
                    yield int(named[1])

    def _delete_others(self, number: int) -> None:
        """Delete other snapshots, and what was left of them when a process was killed."""
        for older in list(self._numbers()):
            if older != number:  # the file first, so that nobody opens half of a snapshot
                (self._folder / f"engine-{older}.json").unlink(missing_ok=True)
        for path in list(self._folder.iterdir()):
            if _FOLDER.fullmatch(path.name) and path.name != f"engine-{number}":
                shutil.rmtree(path, ignore_errors=True)


def _description(connection: Connection, engine: Engine, number: int) -> dict[str, object] | None:
    """Return what must be true of a database and an engine for a snapshot; None if the log lacks the change."""
    change = change_rows.get(connection, number)
    if change is None and number > 0:
        return None
    settings = json.dumps([engine.config.to_json(), engine.taxonomy.to_json()], sort_keys=True, default=str)
    return {
        "store": change_rows.store_number(connection),
        "number": number,
        "subscription": None if change is None else change.subscription,
        "at": None if change is None else change.at,
        "settings": hashlib.sha256(settings.encode()).hexdigest(),
    }
