"""Errors name options, not arguments of Python."""

from __future__ import annotations

import pytest

from gtopss.cli.option_names import with_options
from gtopss.engine.config import needs_other_matcher
from gtopss.engine.taxonomy_input import taxonomy_errors
from gtopss.errors import CartesianSubscription, InvalidTaxonomy
from ontology import CyclicTaxonomy


def test_arguments_of_the_engine_become_options() -> None:
    assert with_options(str(CartesianSubscription("s", ["?a", "?b"]))).endswith("or use --allow-cartesian")
    assert with_options(str(needs_other_matcher("costs()", "costs"))).endswith(": --matcher gm")


def test_where_both_are_named_the_option_is_left() -> None:
    with pytest.raises(InvalidTaxonomy) as caught, taxonomy_errors("o.ttl"):
        raise CyclicTaxonomy(("urn:a", "urn:b"))
    assert with_options(str(caught.value)).endswith(": --cycles condense")
    assert "ontology.load" in str(caught.value)
