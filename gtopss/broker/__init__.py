"""The broker: durable subscriptions with tickets, publications, notifications and their delivery (docs/broker.md)."""
