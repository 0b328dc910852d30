"""The subscription language: query text to subscriptions, and rewriting."""
