"""Folders of subscriptions, valid and invalid, for tests of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SUBSCRIPTIONS = {
    "recent.rq": "PREFIX bib: <http://example.org/bib#> SELECT ?paper { ?paper bib:conference ?c . ?c bib:year ?y "
    "FILTER(?y > 1999) FILTER(isA(?paper, bib:Publication)) }",
    "deep/er.rq": "ASK { ?x <http://example.org/bib#title> ?t FILTER(STRSTARTS(?t, 'Very')) }",
    "lines.jsonl": '{"id": "line", "query": "ASK { ?x ?p 2001 }"}\n\n'
    '{"id": "tuples", "tuples": [["?x", "<http://example.org/bib#year>", "?y"]]}\n',
}
INVALID_SUBSCRIPTIONS = {
    "bad.rq": "SELECT ?x {\n  ?x a ?y\n  SERVICE <urn:s> {} }",
    "bad.jsonl": '{"id": "torn", "query": \n{"id": "line", "query": "ASK {}"}\n{"query": "ASK {}"}\n["x"]\n',
    "latin.rq": b"ASK { ?x ?y '\xe9' }",
    "never.rq": "ASK { ?x <urn:p> ?y FILTER(?y > 2 && ?y < 1) }",
}


def write_files(folder: Path, files: dict[str, Any]) -> Path:
    """Write text or bytes to files below a folder, and return the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder
