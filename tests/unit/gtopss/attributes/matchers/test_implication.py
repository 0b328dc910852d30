"""Implication between predicates on one attribute."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.attribute_strategies import SCHEMA, VALUES

from gtopss.attributes import Operator, Predicate
from gtopss.attributes.matchers.implication import implies

PREDICATES = st.one_of(
    *(
        st.builds(
            Predicate,
            st.just(name),
            st.sampled_from(sorted(SCHEMA.domain(name).operators)),
            st.sampled_from(VALUES[name]),
        )
        for name in ("n", "s", "kind")
    )
)


@given(PREDICATES, PREDICATES)
def test_an_implied_predicate_always_holds(known: Predicate, other: Predicate) -> None:
    domain = SCHEMA.domain(known.attribute)
    if known.attribute != other.attribute or not implies(known, other, domain):
        return
    for value in VALUES[known.attribute]:
        if known.operator is not Operator.CONTAINS and domain.holds(value, known.operator, known.value):
            assert domain.holds(value, other.operator, other.value)
