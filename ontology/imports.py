"""``owl:imports``, which are not followed: a document would choose what this process fetches.

What was not read is listed in ``Taxonomy.missing_imports`` and warned about once.
"""

from __future__ import annotations

import sys
import warnings

from rdflib import OWL, Graph

__all__ = ["ImportNotFollowed", "unread_imports"]


class ImportNotFollowed(UserWarning):
    """An ontology imports another, which was not read: merge the two documents if its classes matter."""


def unread_imports(graph: Graph, *, source: str) -> tuple[str, ...]:
    """What the graph imports, in order of name; one warning says so, where the caller of this package stands."""
    missing = tuple(sorted({str(imported) for imported in graph.objects(None, OWL.imports)}))
    if missing:
        message = f"{source}: imports not followed: {', '.join(missing)}"
        warnings.warn(message, ImportNotFollowed, stacklevel=_outside_this_package())
    return missing


def _outside_this_package() -> int:
    """How many frames up, from the caller of this function, the first one lies that is not ours."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level += 1
        frame = frame.f_back
    return level
