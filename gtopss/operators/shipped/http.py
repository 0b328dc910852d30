"""`http`: the publication goes by POST to a service, which answers; a model behind an address, say.

Sent is `{"publication": id, "triples": [[s, p, o], ...], "arguments": [...]}`, terms in N-Triples form. Wanted back is
`{"answer": true}`, or `{"rows": [[...], ...]}` for an operator that binds, and with either `"cost"`, if the service
knows what it charges. It uses the hardened HTTP client that also fetches feeds (`gtopss.net`), with
its checks of addresses and its limits; redirects are not followed.
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
    """The operator `name` that asks the service at `url`. The connector's time limit should not exceed `timeout`."""
    parse_url(url)
    least, most = (arity, arity) if isinstance(arity, int) else arity

    def ask(publication: Publication, *arguments: Term) -> Any:
        question = {"publication": publication.id, "triples": publication.triples, "arguments": arguments}
        response = post(url, json.dumps(question).encode(), "application/json", connector=connector)
        return _answer(response.body, binds)

    return Operator(name, ask, least, most, binds=binds, cost=cost, timeout=timeout)


def _answer(body: bytes, binds: tuple[int, ...]) -> Any:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise ValueError(f"the service answered what is not JSON: {short_repr(body)}") from error
    wanted = "rows" if binds else "answer"
    if not isinstance(data, dict) or wanted not in data:
        raise ValueError(f"the service answered {short_repr(data)}, without {wanted!r}")
    return AnswerWithCost(data[wanted], data["cost"]) if "cost" in data else data[wanted]
