"""What `gtopss feeds` prints of hubs; the command itself is used in test_subscribing.py."""

from __future__ import annotations

from gtopss.cli.feeds import push_line
from gtopss.client.models import FeedPush


def test_a_hub_is_shown_with_what_it_saved() -> None:
    push = FeedPush("https://hub.example/", "pushing", None, None, 12, 0, 140.6, None)
    assert push_line(push) == "\n    pushing by https://hub.example/; 12 pushes, 141 polls saved"
    failing = FeedPush("https://hub.example/", "failing", None, None, 0, 0, 0.0, "the hub answered 500")
    assert push_line(failing).endswith("0 polls saved: the hub answered 500")
    assert push_line(None) == ""
