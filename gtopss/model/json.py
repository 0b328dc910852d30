"""Subscriptions as JSON, for files, tables and programs in other languages.

    {"id": "s2",
     "branches": [{"tuples": [["?y", "<...author>", "\"Arno Jacobsen\"", [["isA", "?y", "<...Publication>"]], []]],
                   "where": [], "binds": []}],
     "select": ["y"], "distinct": false}

A term is its N-Triples text, and a call is a list with the function's name first. `select` and `distinct` are
optional, and `tuples`, `where` and `binds` may stand in place of a single branch. A subscription that is more than a
union of conjunctions has its algebra as `query`; its branches are then what a publication must satisfy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gtopss.errors import InvalidSubscription, InvalidTerm
from gtopss.model.algebra import MAX_QUERY_DEPTH
from gtopss.model.expressions import MAX_CALL_DEPTH, Call, Expression, expression
from gtopss.model.subscription import Branch, FiveTuple, Subscription

_BRANCH_KEYS = ("tuples", "where", "binds")


def subscription_to_json(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as JSON-compatible data."""
    return {
        "id": subscription.id,
        "branches": [
            {
                "tuples": [_tuple_to_json(each) for each in branch.tuples],
                "where": [*map(_to_json, branch.where)],
                "binds": [[name, _to_json(tree)] for name, tree in branch.binds],
            }
            for branch in subscription.branches
        ],
        "select": [name[1:] for name in subscription.select],
        "distinct": subscription.distinct,
        **({} if subscription.query is None else {"query": _to_json(subscription.query)}),
    }


def subscription_from_json(data: Mapping[str, Any]) -> Subscription:
    """Return the subscription of JSON data; raise InvalidSubscription if the data has another form."""
    if not isinstance(data, Mapping) or not isinstance(data.get("id"), str):
        raise InvalidSubscription("?", 'its JSON must be an object with "id", a string')
    id = data["id"]
    if unknown := set(data) - {"id", "branches", *_BRANCH_KEYS, "select", "distinct", "query"}:
        raise InvalidSubscription(id, f"its JSON has unknown keys: {', '.join(sorted(map(str, unknown)))}")
    if not {"branches", "tuples"} & set(data):
        raise InvalidSubscription(id, 'its JSON has neither "tuples" nor "branches"')
    if "branches" in data and set(data) & set(_BRANCH_KEYS):
        raise InvalidSubscription(id, f'its JSON has "branches": put {", ".join(_BRANCH_KEYS)} into the branches')
    if not isinstance(data.get("distinct", False), bool):
        raise InvalidSubscription(id, 'its "distinct" must be true or false')
    branches = data.get("branches", [{key: data[key] for key in _BRANCH_KEYS if key in data}])
    try:
        return Subscription(
            id,
            branches=[_branch_from_json(each) for each in branches],
            select=data.get("select"),
            distinct=data.get("distinct", False),
            query=_query_from_json(data["query"]) if "query" in data else None,
        )
    except InvalidSubscription:
        raise
    except InvalidTerm as error:
        raise InvalidSubscription(id, str(error)) from error
    except (TypeError, AttributeError, ValueError) as error:
        raise InvalidSubscription(id, f"its JSON has another shape than documented: {error!r}") from error


def _tuple_to_json(each: FiveTuple) -> list[Any]:
    return [
        *each.edge(),
        [*map(_to_json, each.subject_constraints)],
        [*map(_to_json, each.object_constraints)],
    ]


def _branch_from_json(data: Mapping[str, Any]) -> Branch:
    if unknown := set(data) - set(_BRANCH_KEYS):
        raise TypeError(f"a branch has unknown keys: {', '.join(sorted(map(str, unknown)))}")
    tuples = []
    for subject, property, object_, *constraints in data.get("tuples", ()):
        sets = [[_call_from_json(test) for test in tests] for tests in constraints]
        tuples.append(FiveTuple(subject, property, object_, *sets))
    binds = [(name, _from_json(tree)) for name, tree in data.get("binds", ())]
    return Branch(tuples, [_call_from_json(test) for test in data.get("where", ())], binds)


def _to_json(tree: Expression) -> Any:
    return [tree.function, *map(_to_json, tree.arguments)] if isinstance(tree, Call) else tree


def _from_json(data: Any, depth: int = MAX_CALL_DEPTH) -> Expression:
    if isinstance(data, str):
        return expression(data)
    if depth < 0:
        raise InvalidTerm("[...]", f"an expression nests deeper than {MAX_CALL_DEPTH}")
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise InvalidTerm(data, 'an expression is a term\'s text or a list ["function", argument, ...]')
    return Call(data[0], tuple(_from_json(each, depth - 1) for each in data[1:]))


def _query_from_json(data: Any) -> Call:
    made = _from_json(data, MAX_QUERY_DEPTH)
    if not isinstance(made, Call):
        raise InvalidTerm(data, 'a query is a list ["pattern", argument, ...]')
    return made


def _call_from_json(data: Any) -> Call:
    made = _from_json(data)
    if not isinstance(made, Call):
        raise InvalidTerm(data, 'a constraint is a list ["function", argument, ...]')
    return made
