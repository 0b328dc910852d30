"""What killed brokers said they did, and what must and must not follow from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any


@dataclass(slots=True)
class Version:
    """A text of a subscription: when it may have begun to hold, and since when it holds for certain."""

    value: int
    begun: float
    done: float = inf


@dataclass(slots=True)
class KnownSubscription:
    """What is known about a subscription whose acknowledgement was seen."""

    id: str
    ticket: str
    versions: list[Version]
    end_begun: float = inf
    end_done: float = inf
    expires_at: list[float] = field(default_factory=list)
    """The ends that were acknowledged by `renew`."""
    renewal_unknown: bool = False
    """Whether a later renewal was begun and not acknowledged."""
    target_done: float = inf

    def must_exist(self) -> bool:
        return self.end_begun == inf

    def possible_values(self, since: float) -> set[int]:
        """Return the values that its text may have had at some time after `since`."""
        certain = [number for number, each in enumerate(self.versions) if each.done <= since]
        return {each.value for each in self.versions[certain[-1] if certain else 0 :]}

    def certain_value(self, since: float) -> int | None:
        """Return the value that its text had all the time after `since`; None if it changed or may have changed."""
        values = self.possible_values(since)
        was_there = self.versions[0].done <= since
        return next(iter(values)) if was_there and len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class KnownPublication:
    id: str
    value: int
    begun: float
    acknowledged: bool


class History:
    """Collects the lines of all processes."""

    def __init__(self) -> None:
        self.subscriptions: dict[str, KnownSubscription] = {}
        self.publications: dict[str, KnownPublication] = {}
        self.actions: defaultdict[str, int] = defaultdict(int)

    def add(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Add the lines of one process, in their order."""
        open_action: Mapping[str, Any] | None = None
        for line in lines:
            if "do" in line:
                open_action = line
                self._begin(line)
            elif "done" in line:
                assert open_action is not None
                assert open_action["do"] == line["done"]
                self.actions[open_action["action"]] += 1
                self._end(open_action, line)
                open_action = None

    def tickets(self) -> dict[str, str]:
        """Return the tickets of the subscriptions that exist for certain."""
        return {id: each.ticket for id, each in self.subscriptions.items() if each.must_exist()}

    def _begin(self, line: Mapping[str, Any]) -> None:
        action, at = line["action"], line["at"]
        if action == "publish":
            for id, value in line["publications"]:
                self.publications[id] = KnownPublication(id, value, at, False)
        elif action == "replace":
            self.subscriptions[line["id"]].versions.append(Version(line["value"], at))
        elif action == "unsubscribe":
            self.subscriptions[line["id"]].end_begun = at
        elif action == "renew":
            self.subscriptions[line["id"]].renewal_unknown = True

    def _end(self, begun: Mapping[str, Any], line: Mapping[str, Any]) -> None:
        action, at = begun["action"], line["at"]
        if action == "subscribe":
            version = Version(begun["value"], begun["at"], at)
            self.subscriptions[line["id"]] = KnownSubscription(line["id"], line["ticket"], [version])
        elif action == "publish":
            for id, value in begun["publications"]:
                self.publications[id] = KnownPublication(id, value, begun["at"], True)
        elif action == "replace":
            self.subscriptions[begun["id"]].versions[-1].done = at
        elif action == "unsubscribe":
            self.subscriptions[begun["id"]].end_done = at
        elif action == "renew":
            known = self.subscriptions[begun["id"]]
            known.expires_at.append(line["expires_at"])
            known.renewal_unknown = False
        elif action == "target":
            self.subscriptions[begun["id"]].target_done = at
