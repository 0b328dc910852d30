"""Requests that are generated from the OpenAPI document cause no server error.

GTOPSS_SOAK=1 sends 500 for each operation.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import pytest
import schemathesis
from conftest import SOAK
from hypothesis import HealthCheck, given, settings
from support.services import NoInternet, served, ticket_of

pytestmark = pytest.mark.slow
EXAMPLES = 500 if SOAK else 5


def test_no_generated_request_is_a_server_error() -> None:
    statuses = Counter[int]()
    with served(allowed_hosts=None, connector=NoInternet().connector()) as it:
        it.publish()
        it.service.start()  # /readyz is 503 without workers
        schema = schemathesis.openapi.from_asgi("/openapi.json", it.client.app)
        operations = [each.ok() for each in schema.exclude(path_regex="/events$").get_all_operations()]  # no end
        assert len(operations) > 35
        for operation in operations:
            _send(operation, it.subscribe(), statuses)
    assert not [status for status in statuses if status >= 500], statuses
    assert sum(statuses[status] for status in (200, 201, 202, 204)) > len(operations)  # not all were refused


def _send(operation: Any, mine: dict[str, Any], statuses: Counter[int]) -> None:
    """Send generated requests; every second one is about a subscription that exists."""
    numbers = count()

    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def send(case: Any) -> None:
        headers = {}
        if next(numbers) % 2 and case.path.startswith("/subscriptions/{id}"):
            case.path_parameters["id"], headers = mine["id"], ticket_of(mine)
        response = case.call(headers=headers)
        statuses[response.status_code] += 1
        assert response.status_code < 500, (operation.label, response.text)

    send()
