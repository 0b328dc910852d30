"""The drawing of the errors shows the whole tree, and each error survives pickling."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator

import pytest

import gtopss
from gtopss import errors
from gtopss.errors import GtopssError, InvalidQuery, MalformedPublication, short_repr

_LINE = re.compile(r"    (?P<branch>(?:[│ ] {3})*(?:[├└]── )?)(?P<name>[A-Z]\w+)(?:  |$)")


def drawn() -> Counter[tuple[str, str]]:
    """Pairs of a class and its parent, as drawn in the docstring."""
    assert errors.__doc__ is not None
    path: list[str] = []
    pairs: Counter[tuple[str, str]] = Counter()
    for line in errors.__doc__.splitlines():
        found = _LINE.match(line)
        if found is not None and found["name"] not in ("NeverMatches", "NeverBound"):
            depth = len(found["branch"]) // 4
            path[depth:] = [found["name"]]
            if depth:
                pairs[found["name"], path[depth - 1]] += 1
    return pairs


def subclasses(cls: type[GtopssError]) -> Iterator[tuple[str, str]]:
    for each in cls.__subclasses__():
        if each.__module__.partition(".")[0] == "gtopss":  # other tests may define their own
            yield each.__name__, cls.__name__
            yield from subclasses(each)


def test_every_error_of_every_package_is_drawn_below_its_parent() -> None:
    for module in pkgutil.walk_packages(gtopss.__path__, "gtopss."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert drawn() == Counter(subclasses(GtopssError))


@pytest.mark.parametrize(
    "error",
    [
        InvalidQuery("s", "found `}`", line=2, column=5),
        MalformedPublication("no dot", publication_id="p", line=3, column=1, triple=2),
    ],
)
def test_an_error_is_pickled_with_its_message_and_attributes(error: GtopssError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_short_repr_is_short_and_never_fails() -> None:
    class Unprintable:
        def __repr__(self) -> str:
            raise RuntimeError

    assert short_repr("abc") == "'abc'"
    assert len(short_repr("a" * 10_000)) < 200
    assert "Unprintable" in short_repr(Unprintable())
