"""A table of classes by name whose modules are imported when a class is first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TypeVar

_Value = TypeVar("_Value")


class LazyTable(MutableMapping[str, _Value]):
    """Map names to classes. Some of the modules import packages that take long to load; a program usually needs one."""

    def __init__(self, package: str, places: Mapping[str, tuple[str, str]]) -> None:
        """`places` has, for each name, a module of the package and the name of the class in it."""
        self._package = package
        self._places = dict(places)
        self._imported: dict[str, _Value] = {}

    def __getitem__(self, name: str) -> _Value:
        if name not in self._imported:
            module, class_name = self._places[name]
            self._imported[name] = getattr(import_module(f"{self._package}.{module}"), class_name)
        return self._imported[name]

    def __setitem__(self, name: str, value: _Value) -> None:
        self._places.setdefault(name, ("", ""))  # keeps the order of names
        self._imported[name] = value

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._imported.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places
