"""The engine: subscriptions in, publications through, matches out."""

from gtopss.engine.engine import MATCHERS, Engine

__all__ = ["MATCHERS", "Engine"]
