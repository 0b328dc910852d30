"""The operators that subscriptions may name.

A registry is a table that somebody filled; importing a module fills none. `REGISTRY` is the one that is used where no
other is given: it starts with the shipped operators that need no setting up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from gtopss.operators.declaration import Function, Operator, declared
from gtopss.operators.errors import InvalidOperator
from gtopss.operators.shipped import OPERATORS

_Function = TypeVar("_Function", bound=Function)


class Registry(Mapping[str, Operator]):
    """Operators by name.

    >>> registry = Registry()
    >>> @registry.operator("locIn", cost=5)
    ... def loc_in(publication, region):
    ...     return True
    >>> registry["locIn"].wanted()
    '1'
    """

    def __init__(self, operators: Iterable[Operator] = ()) -> None:
        self._operators: dict[str, Operator] = {}
        for each in operators:
            self.add(each)

    def add(self, operator: Operator) -> Operator:
        if operator.name in self._operators:
            raise InvalidOperator(operator.name, "the name is taken: remove the other one first")
        self._operators[operator.name] = operator
        return operator

    def remove(self, name: str) -> None:
        """Forget an operator. Subscriptions that were registered with it keep it."""
        if name not in self._operators:
            raise InvalidOperator(name, "it is not registered")
        del self._operators[name]

    def operator(self, name: str | None = None, **facts: Any) -> Callable[[_Function], _Function]:
        """Register the decorated function; `facts` are the fields of `Operator`, and `arity`."""

        def register(function: _Function) -> _Function:
            self.add(declared(name, function, **facts))
            return function

        return register

    def arities(self) -> dict[str, int | tuple[int, int | None] | None]:
        """What the language's parser wants to know of them; a BIND leaves out the argument that it binds."""
        ranges = {name: (each.least - bool(each.binds), each.most) for name, each in self._operators.items()}
        return {name: least if least == most else (least, most) for name, (least, most) in ranges.items()}

    def __getitem__(self, name: str) -> Operator:
        return self._operators[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)


REGISTRY = Registry(OPERATORS)


def operator(
    name: str | None = None, *, registry: Registry = REGISTRY, **facts: Any
) -> Callable[[_Function], _Function]:
    """Register a function as an operator, by default in `REGISTRY`.

    `name`, `arity` (the function's own parameters say it, unless it is batched), `binds` (argument places that it
    fills), `cost`, `selectivity` (both only until they are learned), `timeout`, `batch` (calls at once), `pure`. An
    `async def` is awaited.
    """
    return registry.operator(name, **facts)
