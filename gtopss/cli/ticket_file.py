"""The tickets of this user's subscriptions, in one file that only the user can read.

A ticket is shown once, when its subscription is registered. It is kept here, with the address of the service, so that
later commands need only the id: `$XDG_STATE_HOME/gtopss/tickets.json`, by default in `~/.local/state`. The file is
replaced in one step, and a lock keeps two commands from overwriting each other's entries.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically
from gtopss.cli.errors import UnknownTicket, UnusableTicketFile
from gtopss.errors import OutputNotWritable


@dataclass(frozen=True, slots=True)
class KeptTicket:
    """The ticket of a subscription, and where the subscription is: the URL of a service, or of a store."""

    id: str
    ticket: str = field(repr=False)
    service: str
    query: str = ""
    expires_at: str | None = None


def default_path() -> Path:
    """Return the path of the file: `$XDG_STATE_HOME/gtopss/tickets.json`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if base and Path(base).is_absolute() else Path("~/.local/state").expanduser()
    return root / "gtopss" / "tickets.json"


class TicketFile:
    """Reads and changes the file. Every method reads it anew, so several processes may use it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = default_path() if path is None else path

    def all(self) -> list[KeptTicket]:
        """Return all tickets, in the order in which they were kept. Raises UnusableTicketFile."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return [_kept(id, each) for id, each in data["tickets"].items()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UnusableTicketFile(self.path, error.strerror or str(error)) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UnusableTicketFile(self.path, "it is not a file of tickets") from error

    def find(self, id: str) -> KeptTicket | None:
        """Return the ticket of a subscription, if it is kept. Raises UnusableTicketFile."""
        return next((each for each in self.all() if each.id == id), None)

    def get(self, id: str) -> KeptTicket:
        """Return the ticket of a subscription. Raises UnknownTicket or UnusableTicketFile."""
        if (found := self.find(id)) is None:
            raise UnknownTicket(id, self.path)
        return found

    def keep(self, ticket: KeptTicket) -> None:
        """Add or replace a ticket. Raises OutputNotWritable or UnusableTicketFile."""
        with self._locked():
            self._write({**{each.id: each for each in self.all()}, ticket.id: ticket})

    def forget(self, id: str) -> None:
        """Remove a ticket, if it is there. Raises OutputNotWritable or UnusableTicketFile."""
        with self._locked():
            kept = {each.id: each for each in self.all()}
            if kept.pop(id, None) is not None:
                self._write(kept)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise OutputNotWritable(self.path, error.strerror or str(error)) from error
        with os.fdopen(lock, "rb"):
            fcntl.flock(lock, fcntl.LOCK_EX)  # the other command needs a few milliseconds
            yield

    def _write(self, kept: Mapping[str, KeptTicket]) -> None:
        tickets = {
            id: {name: value for name, value in asdict(each).items() if name != "id"} for id, each in kept.items()
        }
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self.path.chmod(0o600)  # the new file gets the mode of this one
        except OSError as error:
            raise OutputNotWritable(self.path, error.strerror or str(error)) from error
        write_atomically(self.path, json.dumps({"version": 1, "tickets": tickets}, indent=2, ensure_ascii=False) + "\n")


def _kept(id: str, data: Mapping[str, Any]) -> KeptTicket:
    expires_at = data.get("expires_at")
    return KeptTicket(
        id, str(data["ticket"]), str(data["service"]), str(data.get("query", "")), expires_at and str(expires_at)
    )
