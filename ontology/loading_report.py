"""Say what was loaded, and warn of a document that has nothing of an ontology."""

from __future__ import annotations

import logging
import warnings

from ontology.imports import stack_level_outside_package
from ontology.taxonomy import Taxonomy

__all__ = ["NothingLoaded", "report_loaded"]

_log = logging.getLogger(__name__)


class NothingLoaded(UserWarning):
    """A document has no classes, instances or properties: it may be the wrong file."""


def report_loaded(taxonomy: Taxonomy, source: str) -> None:
    """Log what was loaded. Warn, at the line that called this package, if that is nothing."""
    if taxonomy.is_empty:
        message = f"{source}: the document has no classes, instances or properties; check that it is the right file"
        warnings.warn(message, NothingLoaded, stacklevel=stack_level_outside_package())
    else:
        _log.info("%s: loaded %s", source, taxonomy.summary())
