"""The registry of subscriptions as written forgets what is removed."""

from __future__ import annotations

from gtopss import Subscription
from gtopss.engine.registry import SubscriptionRegistry


def test_terms_and_templates_go_with_their_last_subscription() -> None:
    registry = SubscriptionRegistry()
    shared = [("?x", "<urn:p>", "<urn:shared>")]
    registry.add(Subscription("kept", shared), (), never_matches=False)
    for number in range(100):
        written = Subscription("s", [*shared, (f"?x{number}", "<urn:p>", f"<urn:{number}>")])
        registry.add(written, ("why",), never_matches=True)
        assert registry.get("s") == written
        registry.remove("s")
    registry.remove("s")
    assert registry.get("kept") == Subscription("kept", shared)
    assert len(registry._terms._terms) == len(registry._terms._uses) == 3
    assert len(registry._terms._numbers) == 2
    assert len(registry._codec._templates) == 1
    assert not registry.never_matching()
