"""The G-ToPSS engine: one merged graph of all subscriptions."""
