"""`tests/unit` mirrors the packages."""

from __future__ import annotations

from conftest import ROOT

UNIT = ROOT / "tests" / "unit"


def test_every_unit_test_file_is_named_after_its_module() -> None:
    """`test_package.py` tests a package as a whole; `test_module_aspect.py` is a part of the tests of `module.py`."""
    for path in UNIT.rglob("test_*.py"):
        package = ROOT / path.parent.relative_to(UNIT)
        name = path.stem.removeprefix("test_")
        modules = [each.stem for each in package.glob("*.py")]
        assert name == "package" or any(f"{name}_".startswith(f"{module}_") for module in modules), path
