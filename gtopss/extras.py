"""Name the optional dependencies (extras) of the package, and what to type where one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from gtopss.errors import GtopssError

PACKAGE_OF_EXTRA = {
    "broker": "sqlalchemy",
    "client": "httpx",
    "compare": "matplotlib",
    "operators": "shapely",
    "serve": "fastapi",
    "spark": "pyspark",
}
"""A package of each extra, by whose absence is seen that the extra was not installed."""


class MissingExtra(GtopssError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str, package: str) -> None:
        self.feature, self.extra, self.package = feature, extra, package
        super().__init__(f"{feature} needs {package}, which is not installed: pip install 'gtopss[{extra}]'")


def require_extra(extra: str, feature: str) -> None:
    """Raise MissingExtra if an extra is not installed. `feature` is what needs it."""
    package = PACKAGE_OF_EXTRA[extra]
    if find_spec(package) is None:
        raise MissingExtra(feature, extra, package) from None  # not a chain with the failed import
