"""An engine through whatever may happen to it, as a state machine for hypothesis."""

from __future__ import annotations

import warnings
from random import Random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule

from gtopss import Engine, Publication, Subscription
from gtopss.errors import DuplicateSubscription, NeverMatches, SubscriptionNotFound
from ontology import Taxonomy
from support.answers import answers, ask_directly
from support.strategies import LITERALS, publications, subscriptions, taxonomies
from support.text_cases import text_case

TEXT_SEEDS = st.integers(0, 30)
"""Seeds of texts and of subscriptions that look for them: few, so that they meet."""


def text_publications() -> st.SearchStrategy[Publication]:
    return TEXT_SEEDS.map(lambda seed: text_case(Random(seed)).publication)


class AddRemoveMatch(RuleBasedStateMachine):
    """One engine lives through everything; the model is a new naive engine for each publication."""

    matcher = "reference"
    ids = Bundle("ids")

    @initialize(taxonomy=taxonomies())
    def start(self, taxonomy: Taxonomy) -> None:
        self.engine = Engine(matcher=self.matcher, taxonomy=taxonomy, allow_cartesian=True)
        self.registered: dict[str, Subscription] = {}
        self.number = 0

    @rule(target=ids, data=st.data(), publication=publications())
    def add(self, data: st.DataObject, publication: Publication) -> str:
        self.number += 1
        subscription = data.draw(subscriptions(publication, f"s{self.number}", LITERALS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            self.engine.add(subscription)
        self.registered[subscription.id] = subscription
        return subscription.id

    @rule(target=ids, seed=TEXT_SEEDS, choice=st.integers(0, 4))
    def add_text(self, seed: int, choice: int) -> str:
        self.number += 1
        made = text_case(Random(seed)).subscriptions
        chosen = made[choice % len(made)]
        subscription = Subscription(f"s{self.number}", branches=chosen.branches, distinct=chosen.distinct)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            self.engine.add(subscription)
        self.registered[subscription.id] = subscription
        return subscription.id

    @rule(id=consumes(ids))
    def remove(self, id: str) -> None:
        self.engine.remove(id)
        del self.registered[id]

    @rule(id=ids)
    def add_again(self, id: str) -> None:
        with pytest.raises(DuplicateSubscription):
            self.engine.add(self.registered[id])

    @rule()
    def remove_the_unknown(self) -> None:
        with pytest.raises(SubscriptionNotFound):
            self.engine.remove("never registered")

    @rule(publication=st.one_of(publications(), text_publications()))
    def match(self, publication: Publication) -> None:
        expected = ask_directly("naive", self.engine.taxonomy, self.registered.values(), publication)
        assert answers(self.engine.match(publication)) == expected
        assert len(self.engine) == len(self.registered)
