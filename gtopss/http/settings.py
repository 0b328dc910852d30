"""Hold every setting of a service in one frozen object."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from gtopss.broker.config import BrokerConfig
from gtopss.broker.delivery.email import SmtpConfig
from gtopss.engine.config import EngineConfig
from ontology import CyclePolicy, Reasoner

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""The names under which a service on loopback may be addressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Every setting of a service."""

    store: str = "memory:"
    """The URL of the store: `memory:`, `sqlite:PATH` or `postgresql://...`."""
    ontology: Path | None = None
    """An RDFS, SKOS or OWL file for is-a constraints and topics."""
    reasoner: Reasoner | None = None
    """The OWL reasoner that infers what follows from the ontology."""
    cycles: CyclePolicy = "refuse"
    """What to do if subclasses of the ontology form a cycle: refuse it, or condense its members to one class."""
    opml: Path | None = None
    """A list of feeds that are polled from the start."""
    examples: Path | None = None
    """A folder whose example feeds are published into an empty store, and whose subscriptions are templates."""
    keys_required: bool = False
    """Whether publishing, subscribing and operating need API keys."""
    administrator_key: str | None = field(default=None, repr=False)
    """The administrator's API key, if the operator has chosen one."""
    public_url: str | None = None
    """The address under which clients reach the service, for the addresses that it returns."""
    allowed_hosts: tuple[str, ...] | None = LOOPBACK_NAMES
    """Names that the Host header may have, without port; None for any."""
    cors_origins: tuple[str, ...] = ()
    """Origins of other pages that may use the service."""
    allow: tuple[str, ...] = ()
    """Hosts and networks that may be reached though they are not public, for feeds and webhooks."""
    smtp: SmtpConfig | None = None
    """The mail server; None for no deliveries by e-mail."""
    max_body_bytes: int = 16 * 2**20
    """Bytes of a request body."""
    max_event_streams: int = 20_000
    """Clients that may read event streams at once."""
    engine: EngineConfig = field(default_factory=EngineConfig)
    broker: BrokerConfig = field(default_factory=BrokerConfig)


def default_data_folder() -> Path:
    """Return the folder for the embedded store: `$XDG_DATA_HOME/gtopss`, by default `~/.local/share/gtopss`."""
    base = os.environ.get("XDG_DATA_HOME", "")
    try:
        root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError:  # no home folder
        root = Path.cwd()
    return root / "gtopss"
