"""Find the sample data: feeds, news, subscriptions, ontologies and the papers' examples.

In the repository, `gtopss/data` is a symbolic link to the folder `data`. A wheel has the files themselves in its place,
so that an installed package has the sample data too, and the repository has it once.
"""

from __future__ import annotations

from pathlib import Path

from gtopss.errors import GtopssError


def sample_data(*parts: str) -> Path:
    """Return the folder of the sample data, or a file or folder in it. Raises GtopssError if it is missing.

    >>> sample_data("figure5", "event.ttl").name
    'event.ttl'
    """
    found = (Path(__file__).parent / "data").resolve().joinpath(*parts)
    if not found.exists():
        raise GtopssError(f"the sample data is missing: there is no {found}. Install gtopss again")
    return found
