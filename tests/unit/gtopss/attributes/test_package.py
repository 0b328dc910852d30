"""The public names of the package."""

from __future__ import annotations

import gtopss.attributes


def test_every_name_in_all_exists() -> None:
    assert all(hasattr(gtopss.attributes, name) for name in gtopss.attributes.__all__)
