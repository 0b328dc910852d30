"""The brokers of `broker_machine` with the subscriptions divided into shares, whose number changes."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from support.broker_machine import MAX_ANONYMOUS, OPERATORS, RETENTION, BrokerMachine


class ShareMachine(BrokerMachine):
    """Brokers that hold shares. What they do must be what one broker with all subscriptions does."""

    which = st.integers(0, 1)

    @initialize()
    def start(self) -> None:
        super().start()
        self.divide(0, 3)

    def _new_broker(self) -> Broker:
        config = BrokerConfig(
            anonymous_max_subscriptions=MAX_ANONYMOUS,
            default_validity=20.0,
            dry_run_publications=2,
            expired_retention=RETENTION,
            operator_patience=600.0,  # no further thread, which would go on after a step has returned
            max_shares=4,  # the only broker that lives holds all of them
        )
        return Broker(self.store, Engine(matcher=self.matcher, operators=OPERATORS), config, clock=self.clock)

    @rule(which=which, count=st.integers(1, 4))
    def divide(self, which: int, count: int) -> None:
        """Divide the subscriptions anew, while publications may wait."""
        self._broker(which).set_shares(count)
        assert self._broker(which + 1).resharing.reshare_step() == 1

    @rule(which=which)
    def match(self, which: int) -> None:
        for broker in self.brokers:
            broker.shares.refresh()
        self._broker(which).routing.route_step()
        for broker in self.brokers:
            broker.matching.match_step()
            broker.matching.operator_step()
        for each in self.publications:
            if each.waiting:
                each.waiting = False
                self._match(each, operators=False)
                self._match(each, operators=True)
