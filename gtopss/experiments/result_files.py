"""Save and load results as JSON, with the machine and the versions. Tables and plots are made from the JSON."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically

PACKAGES = ("gtopss", "rdflib", "pyoxigraph", "networkx", "owlready2", "numpy", "numba", "duckdb", "clipspy")


def environment() -> dict[str, Any]:
    """Return the Python version, the machine and the versions of the packages that affect results."""
    return {
        "python": platform.python_version(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "versions": {name: found for name in PACKAGES if (found := _version(name)) is not None},
    }


def save(path: Path, result: Any) -> None:
    """Write a result atomically: an interruption while saving leaves the previous file intact."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:  # an optional package that is not installed
        return None


def _processor() -> str:
    """Return the processor's name, which `platform` does not know on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
