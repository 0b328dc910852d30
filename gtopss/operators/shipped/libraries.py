"""Import libraries that only some operators need, when one of these first runs."""

from __future__ import annotations

import importlib
from typing import Any

from gtopss.operators.errors import MissingLibrary


def import_library(operator: str, name: str) -> Any:
    """Import a library for an operator. Raises MissingLibrary, which says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibrary(operator, name.partition(".")[0]) from error
