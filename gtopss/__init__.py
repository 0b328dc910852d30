"""G-ToPSS: a semantic filter for RDF streams.

Graph-pattern subscriptions with constraints and is-a, matched against each publication through one merged index.

The names below are imported when they are first used, and numpy, numba and rdflib with the first engine. The command
line can therefore handle signals before these imports, which take about a second.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, whose import takes time
if TYPE_CHECKING:
    from gtopss.engine import Engine
    from gtopss.engine.config import EngineConfig
    from gtopss.errors import GtopssError
    from gtopss.explain import Explanation
    from gtopss.matching.match_batch import MatchBatch
    from gtopss.matching.table import MATCHERS
    from gtopss.model import Branch, FiveTuple, Match, MatchReport, Publication, Subscription
    from gtopss.operators import operator

__all__ = [
    "MATCHERS", "Branch", "Engine", "EngineConfig", "Explanation", "FiveTuple", "GtopssError", "Match", "MatchBatch",
    "MatchReport", "Publication", "Subscription", "operator",
]  # fmt: skip

__version__ = "0.2.0"

_MODULE_OF_NAME = {
    "MATCHERS": "matching.table", "Branch": "model", "Engine": "engine", "EngineConfig": "engine.config",
    "Explanation": "explain", "FiveTuple": "model", "GtopssError": "errors", "Match": "model",
    "MatchBatch": "matching.match_batch", "MatchReport": "model", "Publication": "model", "Subscription": "model",
    "operator": "operators",
}  # fmt: skip

if not TYPE_CHECKING:  # a type checker would take every name for one of this package

    def __getattr__(name):
        if name not in _MODULE_OF_NAME:
            raise AttributeError(f"module 'gtopss' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"gtopss.{_MODULE_OF_NAME[name]}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
