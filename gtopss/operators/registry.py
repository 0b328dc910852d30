"""The registry: operators that subscriptions may call, by name.

Importing a module registers nothing. `REGISTRY` is the default registry; it starts with the shipped operators that need
no settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from gtopss.operators.declaration import Function, Operator, declare_operator
from gtopss.operators.errors import InvalidOperator
from gtopss.operators.shipped import OPERATORS

_Function = TypeVar("_Function", bound=Function)


class Registry(Mapping[str, Operator]):
    """Operators by name.

    >>> registry = Registry()
    >>> @registry.operator("locIn", cost=5)
    ... def loc_in(publication, region):
    ...     return True
    >>> registry["locIn"].arity_text()
    '1'
    """

    def __init__(self, operators: Iterable[Operator] = ()) -> None:
        self._operators: dict[str, Operator] = {}
        for each in operators:
            self.add(each)

    def add(self, operator: Operator) -> Operator:
        """Register an operator. Raises InvalidOperator if its name is taken."""
        if operator.name in self._operators:
            raise InvalidOperator(operator.name, "the name is taken: remove the other operator first")
        self._operators[operator.name] = operator
        return operator

    def remove(self, name: str) -> None:
        """Remove an operator. Subscriptions that were registered with it keep it."""
        if name not in self._operators:
            raise InvalidOperator(name, "it is not registered")
        del self._operators[name]

    def operator(self, name: str | None = None, **settings: Any) -> Callable[[_Function], _Function]:
        """Register the decorated function; `settings` are the fields of `Operator`, and `arity`."""

        def register(function: _Function) -> _Function:
            self.add(declare_operator(name, function, **settings))
            return function

        return register

    def arities(self) -> dict[str, int | tuple[int, int | None] | None]:
        """Return the numbers of arguments for the query parser. A BIND omits the argument that it binds."""
        ranges = {
            name: (max(each.min_arguments - bool(each.binds or each.binds_any), 0), each.max_arguments)
            for name, each in self._operators.items()
        }
        return {name: least if least == most else (least, most) for name, (least, most) in ranges.items()}

    def __getitem__(self, name: str) -> Operator:
        return self._operators[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)


REGISTRY = Registry(OPERATORS)


def operator(
    name: str | None = None, *, registry: Registry = REGISTRY, **settings: Any
) -> Callable[[_Function], _Function]:
    """Declare a function as an operator, which subscriptions may call in FILTER and BIND. Use it as a decorator.

        @operator("isLong")
        def is_long(publication, text):
            return len(text) > 1_000

    The function takes the publication and the arguments of the call, which are terms, and returns True or False. It is
    registered in `REGISTRY`, which engines use by default. Its result is shared by all subscriptions with the same
    call. An `async def` function is awaited. `settings` are fields of `Operator`:

    arity
        Number of arguments, or (minimum, maximum). By default it is taken from the function.
    binds
        Positions, from 0, of arguments that the function computes, or "any". It then returns rows of values for them.
    cost, selectivity
        Estimated cost of a call, and fraction of calls that return True. They are replaced by measured values.
    timeout
        Seconds after which a call is abandoned and its answer is unknown.
    batch
        Maximum number of calls per batch. The function then takes a list of argument tuples and returns a list.
    pure
        Whether the answer depends on the arguments alone. The function is then called without the publication, and
        its answers are cached.
    check
        Function that is called with the arguments at registration. It raises ValueError to refuse the subscription.

    Raises InvalidOperator if the declaration is contradictory or the name is taken.
    """
    return registry.operator(name, **settings)
