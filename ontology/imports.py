"""Find ``owl:imports``. They are not followed, because a document would then choose what this process fetches.

Imports that were not read are listed in ``Taxonomy.missing_imports``, and one warning names them.
"""

from __future__ import annotations

import sys
import warnings

__all__ = ["ImportNotFollowed", "stack_level_outside_package", "warn_of_imports"]


class ImportNotFollowed(UserWarning):
    """An ontology imports another one, which was not read. Merge the two documents if its classes are needed."""


def warn_of_imports(names: tuple[str, ...], *, source: str) -> None:
    """Warn once of imports that were not read, at the line that called this package."""
    if names:
        message = f"{source}: imported documents were not read (merge them if needed): {', '.join(names)}"
        warnings.warn(message, ImportNotFollowed, stacklevel=stack_level_outside_package())


def stack_level_outside_package() -> int:
    """Return the stack level, counted from the caller, of the first frame outside this package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level += 1
        frame = frame.f_back
    return level
