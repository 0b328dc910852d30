"""Write and read the state of an engine, apart from its matcher, which writes itself.

Operators and the clock are functions and not saved; whoever opens the engine gives them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gtopss.engine.config import EngineConfig
from gtopss.engine.registry import SubscriptionRegistry
from gtopss.model import Subscription
from gtopss.snapshot_files import SnapshotReader, SnapshotWriter, reading
from ontology import Taxonomy

_FILE = "engine"


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


def write_state(snapshot: SnapshotWriter, data: dict[str, Any]) -> None:
    """Write what `EngineState.to_json` returned into a snapshot."""
    snapshot.write_json(_FILE, data)


def read_state(snapshot: SnapshotReader) -> EngineState:
    """Read what `write_state` wrote. Raises InvalidSnapshot."""
    data = snapshot.json(_FILE)
    with reading(snapshot.path(_FILE)):
        return EngineState(
            EngineConfig.from_json(data["config"]),
            data["next_number"],
            SubscriptionRegistry.from_json(data["registry"]),
            tuple(map(Subscription.from_json, data["operator_subscriptions"])),
            Taxonomy.from_json(data["taxonomy"]),
        )
