"""The parser with the functions that the engine knows."""

from typing import Any

import sparqlish
from gtopss.semantics import function_arities
from sparqlish import Query

FUNCTIONS = function_arities()


def parse(text: str, **options: Any) -> Query:
    return sparqlish.parse(text, functions=FUNCTIONS, **options)
