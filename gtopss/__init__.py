"""G-ToPSS: a semantic filter for RDF streams.

Register subscriptions, which are SPARQL queries or graph patterns, and match RDF publications against all of them:

    from gtopss import Engine

    engine = Engine()
    engine.add("SELECT ?who { ?who <urn:knows> <urn:bob> }", id="friends-of-bob")
    for match in engine.match(b"<urn:ann> <urn:knows> <urn:bob> .", "turtle"):
        print(match.subscription_id, match.bindings)

Start with `help(Engine)`. Names are imported when they are first used, and numpy, numba and rdflib with the first
engine, so that `import gtopss` is fast and the command line handles signals from its first milliseconds on.
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
