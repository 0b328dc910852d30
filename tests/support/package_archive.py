"""An archive with gtopss and the packages that it needs, as `pip install --target` and `zip` would make it."""

from __future__ import annotations

import re
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from conftest import ROOT

OWN = ("gtopss", "ontology", "sparqlish")
NOT_SENT = ("pyspark", "py4j", "graphframes-py")  # Spark sends its own


def write_archive(path: Path) -> Path:
    """Write the archive, and return its path."""
    with zipfile.ZipFile(path, "w") as archive:
        for package in OWN:
            for file in (ROOT / package).rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(ROOT))
        for name in sorted(_needed("gtopss", "spark")):
            found = distribution(name)
            for each in found.files or ():
                if ".." not in each.parts and "__pycache__" not in each.parts and "tests" not in each.parts:
                    archive.write(each.locate(), str(each))
    return path


def _needed(name: str, extra: str = "") -> set[str]:
    """Return the names of all distributions that one needs, with an extra of it, without itself."""
    found: set[str] = set()
    waiting = [(name, extra)]
    while waiting:
        current, wanted = waiting.pop()
        for each in distribution(current).requires or ():
            requirement, _, marker = each.partition(";")
            package = re.match(r"[\w.-]+", requirement.strip())
            is_wanted = "extra ==" not in marker or (wanted and re.search(rf"extra == ['\"]{wanted}['\"]", marker))
            if (
                package
                and is_wanted
                and _is_here(package[0])
                and package[0].lower().replace("_", "-") not in found | set(NOT_SENT)
            ):
                found.add(package[0].lower().replace("_", "-"))
                waiting.append((package[0], ""))
    return found


def _is_here(name: str) -> bool:
    """Return whether a distribution is installed: those for other platforms are not."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
