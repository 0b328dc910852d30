"""The selected values of a match as they are stored: terms as they are, which become JSON when somebody reads them.

    x <urn:a>        a line for each variable that has a value
    y "text"
                     an empty line ends a solution

A term has no line break, and the name of a variable no space. A text that begins with "[" is JSON: notifications of
older versions, and values with a character that a database cannot store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import cast

from gtopss.model import Term
from gtopss.model.results_json import JsonTerm, SharedJsonTerms, rows_to_json

Values = Sequence[tuple[str, Term]]
"""Names and values of one solution."""


def encode(solutions: Iterable[Values], max_characters: int) -> tuple[str, bool]:
    """Return the text of solutions, and whether some were left out because they have too many characters.

    >>> encode([[("x", "<urn:a>")], []], 100)
    ('x <urn:a>\\n\\n\\n', False)
    """
    parts, left, kept = list[str](), max_characters, list[Values]()
    is_cut = False
    for values in solutions:
        text = "".join([f"{name} {value}\n" for name, value in values])
        left -= len(text)
        if left < 0:
            is_cut = True
            break
        kept.append(values)
        parts.append(text)
        parts.append("\n")
    made = "".join(parts)
    if "\0" in made or not _is_storable(made):
        made = json.dumps(rows_to_json(map(dict, kept)), separators=(",", ":"))
    return made, is_cut


def decode(text: str) -> list[dict[str, JsonTerm]]:
    """Return the solutions of a text, as in the SPARQL 1.1 Query Results JSON Format.

    >>> decode("x <urn:a>\\n\\n\\n")
    [{'x': {'type': 'uri', 'value': 'urn:a'}}, {}]
    """
    if text.startswith("["):
        found: list[dict[str, JsonTerm]] = json.loads(text)
        return found
    shared, solutions = SharedJsonTerms(), list[dict[str, JsonTerm]]()
    solution: dict[str, JsonTerm] = {}
    for line in text.split("\n")[:-1]:
        if line:
            name, _, value = line.partition(" ")
            solution[name] = shared(cast("Term", value))
        else:
            solutions.append(solution)
            solution = {}
    return solutions


def _is_storable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
