"""G-ToPSS: a semantic filter for RDF streams.

Graph-pattern subscriptions with constraints and is-a, matched against each publication through one merged index.
"""

from gtopss.engine import MATCHERS, Engine, EngineConfig
from gtopss.errors import GtopssError
from gtopss.explain import Explanation
from gtopss.model import Branch, FiveTuple, Match, MatchReport, Publication, Subscription
from gtopss.operators import operator

__all__ = [
    "MATCHERS", "Branch", "Engine", "EngineConfig", "Explanation", "FiveTuple", "GtopssError", "Match", "MatchReport",
    "Publication", "Subscription", "operator",
]  # fmt: skip

__version__ = "0.1.0"
