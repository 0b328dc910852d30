from __future__ import annotations

import math
from typing import Any

import pytest

from gtopss.broker.config import BrokerConfig, SubscriptionOptions
from gtopss.broker.errors import InvalidSetting, NotPermitted


@pytest.mark.parametrize(
    "settings",
    [
        {"default_validity": 0},
        {"max_validity": 60.0},
        {"max_validity": math.inf},
        {"match_batch": 49},
        {"match_lease": 0},
        {"operator_lease": math.inf},
        {"max_operator_attempts": 0},
        {"dry_run_publications": -1},
        {"reader_processes": 0},
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting):
        BrokerConfig(**settings)


@pytest.mark.parametrize("validity", [0, -1, 0.5, math.nan, True, "10"])
def test_a_validity_that_is_no_time_is_refused(validity: Any) -> None:
    with pytest.raises(InvalidSetting, match="number of seconds"):
        BrokerConfig().granted_validity(validity)


def test_the_operator_limits_the_validity() -> None:
    config = BrokerConfig(default_validity=5, max_validity=10)
    assert config.granted_validity(None) == 5
    assert config.granted_validity(10) == 10
    with pytest.raises(NotPermitted):
        config.granted_validity(11)
    unlimited = BrokerConfig(allow_no_end=True, max_validity=math.inf)
    assert unlimited.granted_validity(math.inf) is None
    with pytest.raises(NotPermitted):
        unlimited.granted_validity(10**400)  # no time that a database stores


@pytest.mark.parametrize(
    "options",
    [
        {"digest": 0},
        {"digest": "5"},
        {"digest": 1e300},
        {"at_most": 1},
        {"at_most_period": 5},
        {"at_most": 1.5, "at_most_period": 5},
        {"at_most": 2**31, "at_most_period": 5},
    ],
)
def test_an_option_that_cannot_be_used_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting):
        SubscriptionOptions(**options)
