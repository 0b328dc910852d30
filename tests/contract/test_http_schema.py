"""Requests that are generated from the OpenAPI document cause no server error.

GTOPSS_SOAK=1 sends 500 for each operation.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import schemathesis
from conftest import SOAK
from hypothesis import HealthCheck, given, settings
from support.services import NoInternet, served

pytestmark = pytest.mark.slow
EXAMPLES = 500 if SOAK else 5


def test_no_generated_request_is_a_server_error() -> None:
    statuses = Counter[int]()
    with served(allowed_hosts=None, connector=NoInternet().connector()) as it:
        it.subscribe()
        it.publish()
        it.service.start()  # /readyz is 503 without workers
        schema = schemathesis.openapi.from_asgi("/openapi.json", it.client.app)
        operations = [each.ok() for each in schema.exclude(path_regex="/events$").get_all_operations()]  # no end
        assert len(operations) > 35
        for operation in operations:
            _send(operation, statuses)
    assert not [status for status in statuses if status >= 500], statuses
    assert sum(statuses[status] for status in (200, 201, 202, 204)) > len(operations)  # not all were refused


def _send(operation: Any, statuses: Counter[int]) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def send(case: Any) -> None:
        response = case.call()
        statuses[response.status_code] += 1
        assert response.status_code < 500, (operation.label, response.text)

    send()
