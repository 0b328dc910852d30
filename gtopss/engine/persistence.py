"""Write and read the state of an engine, apart from its matcher, which writes itself.

Operators and the clock are functions and not saved; whoever opens the engine gives them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gtopss.engine.config import EngineConfig
from gtopss.engine.registry import SubscriptionRegistry
from gtopss.errors import InvalidSnapshot
from gtopss.matching.index.array_files import read_json, write_json
from gtopss.model import Subscription
from ontology import Taxonomy

_FILE = "engine"
_FIELDS = frozenset({"config", "next_number", "registry", "operator_subscriptions", "taxonomy"})


@dataclass(frozen=True, slots=True)
class EngineState:
    """All of an engine that is saved beside its matcher."""

    config: EngineConfig
    next_number: int
    """For the next id that the engine makes."""
    registry: SubscriptionRegistry
    operator_subscriptions: tuple[Subscription, ...]
    taxonomy: Taxonomy

    def to_json(self) -> dict[str, Any]:
        return {
            "config": self.config.to_json(),
            "next_number": self.next_number,
            "registry": self.registry.to_json(),
            "operator_subscriptions": [each.to_json() for each in self.operator_subscriptions],
            "taxonomy": self.taxonomy.to_json(),
        }


def write_state(folder: Path, data: dict[str, Any]) -> None:
    """Write what `EngineState.to_json` returned into the folder of a snapshot."""
    write_json(folder / _FILE, data)


def read_state(folder: Path) -> EngineState:
    """Read what `write_state` wrote. InvalidSnapshot names the file that is missing, foreign or damaged."""
    data = read_json(folder / _FILE)
    if missing := _FIELDS - data.keys():
        reason = f"it lacks {', '.join(sorted(missing))}: it was written by another version"
        raise InvalidSnapshot(folder / _FILE, reason)
    return EngineState(
        EngineConfig.from_json(data["config"]),
        data["next_number"],
        SubscriptionRegistry.from_json(data["registry"]),
        tuple(map(Subscription.from_json, data["operator_subscriptions"])),
        Taxonomy.from_json(data["taxonomy"]),
    )
