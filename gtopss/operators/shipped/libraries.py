"""Libraries that only some operators need, imported when one of them first runs."""

from __future__ import annotations

import importlib
from typing import Any

from gtopss.operators.errors import MissingLibrary


def library(operator: str, name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibrary(operator, name.partition(".")[0]) from error
