"""Requests that are generated from the OpenAPI document cause no server error.

GTOPSS_SOAK=1 sends 500 for each operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from conftest import SOAK
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from support.services import NoInternet, served

pytestmark = pytest.mark.slow
EXAMPLES = 500 if SOAK else 5


@pytest.fixture(scope="module")
def interface() -> Iterator[Any]:
    with served(allowed_hosts=None, connector=NoInternet().connector()) as it:
        it.subscribe()
        it.publish()
        it.service.start()  # /readyz is 503 without workers
        yield schemathesis.openapi.from_asgi("/openapi.json", it.client.app)


schema = schemathesis.pytest.from_fixture("interface").exclude(path_regex="/events$")  # they have no end


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_generated_request_is_a_server_error(case: Any) -> None:
    case.call_and_validate(checks=(not_a_server_error,))
