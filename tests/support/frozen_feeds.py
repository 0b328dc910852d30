"""The publications of the shipped feeds, triple for triple, as digests.

`python -m support.frozen_feeds` in `tests` writes them again, after a change that is meant.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from gtopss.reading.documents import read_document

ROOT = Path(__file__).parents[2]
FROZEN = ROOT / "tests" / "frozen" / "feeds.json"
FEEDS = sorted(path for path in (ROOT / "data" / "feeds").iterdir() if path.suffix in (".rdf", ".atom", ".xml"))


def described(path: Path) -> list[list[str]]:
    """Return the id, the date, the number of triples and their digest of each publication of a feed."""
    return [
        [
            one.id,
            str(one.published_at),
            str(len(one.triples)),
            hashlib.sha256("\n".join(sorted(map(" ".join, one.triples))).encode()).hexdigest()[:16],
        ]
        for one in read_document(path.read_bytes(), source=path.name).publications
    ]


if __name__ == "__main__":
    FROZEN.write_text(json.dumps({path.name: described(path) for path in FEEDS}, indent=1) + "\n")
