from __future__ import annotations

from collections import Counter

import pytest
from conftest import SOAK
from hypothesis import given, settings
from support.answers import ask_directly
from support.strategies import Case, cases

from gtopss import Engine, Publication, Subscription
from gtopss.broker.shares.routing_keys import (
    FORMAT,
    FeatureReader,
    KeyRules,
    Keys,
    RoutingKey,
    decode_keys,
    encode_keys,
    feature,
    keys_of,
)
from gtopss.broker.subscription_texts import read_text
from gtopss.language import rewrite_subscription
from ontology import Taxonomy

TITLE, ABOUT = "<http://purl.org/rss/1.0/title>", "<urn:about>"


def is_satisfied(keys: Keys | None, features: frozenset[int]) -> bool:
    return keys is None or any(key.first in features and (not key.second or key.second in features) for key in keys)


def of_text(query: str, rules: KeyRules | None = None) -> Keys | None:
    read = read_text(query, "sparql", "s", Engine())
    return keys_of(read.subscription if read.normal is None else read.normal, rules or KeyRules())


def test_what_matches_has_its_key() -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=20_000 if SOAK else 300)
    @given(cases())
    def holds(case: Case) -> None:
        features = FeatureReader(case.taxonomy)(case.publication)
        found = ask_directly("naive", case.taxonomy, case.subscriptions, case.publication)
        for each in case.subscriptions:
            normal, _ = rewrite_subscription(each)
            for form in (each, normal):
                fires = form is not None and is_satisfied(keys_of(form, KeyRules()), features)
                tally["fires" if fires else "spared"] += 1
                if each.id in found:
                    tally["matches"] += 1
                    assert fires, form

    holds()
    assert tally["matches"] > 20
    assert tally["spared"] > 20


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("?x <urn:p> ?y", {"p<urn:p>"}),
        ("?x <urn:p> <urn:o>", {"o<urn:p> <urn:o>"}),
        ("<urn:s> ?p ?y", {"n<urn:s>"}),
        ("?x ?p <urn:o>", {"n<urn:o>"}),
        ('?x <urn:p> ?t FILTER words(?t, "Open SOURCE")', {"wopen", "wsource"}),
        ('?x <urn:p> ?t FILTER words(?t, "open sour*")', {"wopen", "p<urn:p>"}),
        ('?x <urn:p> ?t FILTER words(?t, "sour*")', {"p<urn:p>"}),
        ("?x ?p ?y FILTER isA(?y, <urn:C>)", {"curn:C"}),
        ("?x ?p ?y FILTER labelled(?y, <urn:C>)", {"lurn:C"}),
        ("?x ?p ?y FILTER(?y IN (<urn:a>, <urn:b>))", {"n<urn:a>", "n<urn:b>"}),
        ("{ ?x <urn:p> ?y } UNION { ?x <urn:q> ?y }", {"p<urn:p>", "p<urn:q>"}),
        ("?x <urn:p> ?y OPTIONAL { ?x <urn:q> ?z }", {"p<urn:p>"}),
    ],
)
def test_constants_words_and_classes_become_keys(pattern: str, names: set[str]) -> None:
    keys = of_text(f"SELECT * {{ {pattern} }}")
    assert keys is not None
    assert {part for key in keys for part in key if part} == {feature(name) for name in names}


@pytest.mark.parametrize(
    "pattern",
    [
        "?x ?p ?y",
        "?x ?p ?y FILTER(?y > 5)",
        "?x ?p ?y FILTER(!isA(?y, <urn:C>))",
        '?x ?p ?y FILTER(!words(?y, "x"))',
        '?x ?p ?y FILTER words(STR(?y), "x")',
        '?x ?p ?y BIND(CONCAT(STR(?y), "x") AS ?z) FILTER words(?z, "x")',
        "?x ?p ?y FILTER(?y = 5)",
    ],
)
def test_what_a_publication_need_not_have_is_no_key(pattern: str) -> None:
    assert of_text(f"SELECT * {{ {pattern} }}") is None


def test_the_rarest_features_are_chosen() -> None:
    query = 'SELECT * { ?x <urn:p> <urn:o> ; <urn:q> ?t FILTER words(?t, "common rare") }'
    subscription = read_text(query, "sparql", "s", Engine()).normal
    assert subscription is not None
    often = {feature("wcommon"): 0.9, feature("o<urn:p> <urn:o>"): 0.5, feature("p<urn:q>"): 1.0}
    assert keys_of(subscription, KeyRules(), lambda each: often.get(each, 0.0)) == (
        RoutingKey(feature("wrare"), feature("o<urn:p> <urn:o>")),
    )


def test_a_class_is_a_feature_of_whatever_is_below_it() -> None:
    taxonomy = Taxonomy([("urn:Cat", "urn:Animal"), ("urn:Animal", "urn:Thing")], [("urn:tom", "urn:Cat")])
    features = FeatureReader(taxonomy)
    of_instance = features(Publication("p", [("<urn:x>", ABOUT, "<urn:tom>")]))
    of_type = features(
        Publication("p", [("<urn:x>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<urn:Cat>")])
    )
    for cls in ("urn:Cat", "urn:Animal", "urn:Thing"):
        assert feature(f"c{cls}") in of_instance & of_type
    assert feature("curn:Dog") not in of_instance | of_type


def test_a_label_has_the_classes_above_what_it_names() -> None:
    taxonomy = Taxonomy([("urn:Cat", "urn:Animal")])
    taxonomy.add_label("urn:Cat", "Domestic cat", "en")
    found = FeatureReader(taxonomy)(Publication("p", [("<urn:x>", TITLE, '"domestic CAT"')]))
    assert {feature("lurn:Cat"), feature("lurn:Animal")} <= found
    assert feature("curn:Cat") not in found


def test_words_of_html_and_of_any_script_are_features() -> None:
    features = FeatureReader(Taxonomy())
    found = features(Publication("p", [("<urn:x>", TITLE, '"<p>Open <b>sour</b>ce</p> 東京"@ja')]))
    assert {feature("wopen"), feature("wsource"), feature("w東")} <= found


def test_entailment_leaves_only_words_and_lenient_literals_no_literals() -> None:
    query = 'SELECT * { ?x <urn:p> "5" ; <urn:q> ?t FILTER words(?t, "open") }'
    assert of_text(query, KeyRules(entailed=True)) == (RoutingKey(feature("wopen")),)
    lenient = of_text(query, KeyRules(lenient=True))
    assert lenient is not None
    assert feature('o<urn:p> "5"') not in {part for key in lenient for part in key}


def test_a_subscription_with_very_many_branches_has_no_keys() -> None:
    branches = [Subscription("s", [("?x", f"<urn:p{number}>", "?y")]).branches[0] for number in range(65)]
    assert keys_of(Subscription("s", branches=branches), KeyRules()) is None


def test_stored_keys_are_read_again_and_those_of_another_format_fire_always() -> None:
    keys = (RoutingKey(2**64 - 1, 5), RoutingKey(7))
    assert decode_keys(encode_keys(keys)) == keys
    assert decode_keys(encode_keys(None)) is None
    assert decode_keys(bytes([FORMAT + 1]) + encode_keys(keys)[1:]) is None
    assert decode_keys(None) is None
