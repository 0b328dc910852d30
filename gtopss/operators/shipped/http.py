"""`http`: send the publication to a web service with POST, and use its answer.

The request is `{"publication": id, "triples": [[s, p, o], ...], "arguments": [...]}`, terms in N-Triples form. The
response must be `{"answer": true}`, or `{"rows": [[...], ...]}` for an operator that computes values; either may have
a `"cost"`. The operator uses the hardened HTTP client that also fetches feeds (`gtopss.net`), with its checks of
addresses and its limits. Redirects are not followed.
"""

from __future__ import annotations

import json
from typing import Any

from gtopss.errors import short_repr
from gtopss.model import Publication, Term
from gtopss.net import Connector, parse_url, post
from gtopss.operators.declaration import AnswerWithCost, Operator
from gtopss.operators.limits import DEFAULT_TIMEOUT_SECONDS


def http(
    name: str,
    url: str,
    *,
    connector: Connector,
    arity: int | tuple[int, int | None],
    binds: tuple[int, ...] = (),
    cost: float = 1.0,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
) -> Operator:
    """Create the operator `name` that calls the service at `url`.

    The connector's time limit should not exceed `timeout`. Raises an error for a URL that is not HTTP.
    """
    parse_url(url)
    least, most = (arity, arity) if isinstance(arity, int) else arity

    def call_service(publication: Publication, *arguments: Term) -> Any:
        request = {"publication": publication.id, "triples": publication.triples, "arguments": arguments}
        response = post(url, json.dumps(request).encode(), "application/json", connector=connector)
        return _parse_response(response.body, binds)

    return Operator(name, call_service, least, most, binds=binds, cost=cost, timeout=timeout)


def _parse_response(body: bytes, binds: tuple[int, ...]) -> Any:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise ValueError(f"the service's response is not JSON: {short_repr(body)}") from error
    expected = "rows" if binds else "answer"
    if not isinstance(data, dict) or expected not in data:
        raise ValueError(f"the service's response {short_repr(data)} has no {expected!r}")
    return AnswerWithCost(data[expected], data["cost"]) if "cost" in data else data[expected]
