"""The default matcher, `gm`: one merged graph of all subscriptions (docs/engine.md)."""
