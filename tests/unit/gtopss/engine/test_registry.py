from __future__ import annotations

import json

from gtopss import Subscription
from gtopss.engine.registry import SubscriptionRegistry
from gtopss.model.expressions import call

S = Subscription("s", [("?x", "<urn:p>", "?y")], where=[call("=", "?x", "?y")], select=["x"], distinct=True)


def test_a_subscription_comes_back_as_it_was_written() -> None:
    registry = SubscriptionRegistry()
    registry.add(S, ("a reason",), never_matches=True)
    assert "s" in registry
    assert registry.get("s") == S
    assert registry.impossible_branches("s") == ("a reason",)
    assert registry.never_matching() == {"s"}


def test_a_removed_subscription_leaves_nothing() -> None:
    registry = SubscriptionRegistry()
    registry.add(S, ("a reason",), never_matches=True)
    for _ in range(2):
        registry.remove("s")
        assert ("s" in registry, registry.get("s"), registry.impossible_branches("s")) == (False, None, ())
        assert not registry.never_matching()


def test_json_gives_back_the_registry() -> None:
    registry = SubscriptionRegistry()
    registry.add(S, ("a reason",), never_matches=True)
    registry.add(Subscription("t", [("?x", "<urn:p>", 1)]), (), never_matches=False)
    registry.uses_now = True
    again = SubscriptionRegistry.from_json(json.loads(json.dumps(registry.to_json())))
    assert again.to_json() == registry.to_json()
    assert (again.uses_now, again.get("s"), set(again.never_matching())) == (True, S, {"s"})
