"""G-ToPSS: a semantic filter for RDF streams.

Graph-pattern subscriptions with constraints and is-a, matched against each publication through one merged index.

The names below are imported when they are first used. The command line can therefore handle signals before the imports
of the engine, which take about a second.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, whose import takes time
if TYPE_CHECKING:
    from gtopss.engine import MATCHERS, Engine, EngineConfig, MatchBatch
    from gtopss.errors import GtopssError
    from gtopss.explain import Explanation
    from gtopss.model import Branch, FiveTuple, Match, MatchReport, Publication, Subscription
    from gtopss.operators import operator

__all__ = [
    "MATCHERS", "Branch", "Engine", "EngineConfig", "Explanation", "FiveTuple", "GtopssError", "Match", "MatchBatch",
    "MatchReport", "Publication", "Subscription", "operator",
]  # fmt: skip

__version__ = "0.2.0"

_PACKAGE_OF_NAME = {
    "MATCHERS": "engine", "Branch": "model", "Engine": "engine", "EngineConfig": "engine", "Explanation": "explain",
    "FiveTuple": "model", "GtopssError": "errors", "Match": "model", "MatchBatch": "engine",
    "MatchReport": "model", "Publication": "model", "Subscription": "model", "operator": "operators",
}  # fmt: skip

if not TYPE_CHECKING:  # a type checker would take every name for one of this package

    def __getattr__(name):
        if name not in _PACKAGE_OF_NAME:
            raise AttributeError(f"module 'gtopss' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"gtopss.{_PACKAGE_OF_NAME[name]}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
