"""The is-a parts of constraints: paths up the taxonomy, and other classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support.explanations import A, B, P, X, failing_check

from gtopss.explain import (
    IsACheck,
    explain,
)
from gtopss.model import Call, Publication, Subscription, Term
from gtopss.model.expressions import ancestor_of, call, directly_a, instance_of, is_a
from gtopss.model.terms import RDF_TYPE, iri
from ontology import Taxonomy
from ontology.hierarchy import Hierarchy

ZOO = Taxonomy(
    [("urn:Cat", "urn:Mammal"), ("urn:Mammal", "urn:Animal"), ("urn:Car", "urn:Thing")],
    instances=[("urn:tom", "urn:Cat")],
)
TOM, CAT, MAMMAL, ANIMAL, CAR = (iri(f"urn:{name}") for name in ("tom", "Cat", "Mammal", "Animal", "Car"))


def isa_check(test: Call, triples: Iterable[Any]) -> IsACheck:
    made = explain(Subscription("s", [(A, P, X)], where=[test]), Publication("p", triples), ZOO)
    (check,) = made.branches[0].checks()
    (isa,) = check.isa_checks
    assert isa.answer is check.holds is made.matched
    return isa


def test_path_begins_with_the_stated_type_that_made_it_true() -> None:
    check = isa_check(is_a("x", ANIMAL), [(A, P, B), (B, RDF_TYPE, CAT), (B, RDF_TYPE, CAR)])
    assert (check.path, check.type_is_stated) == ((B, CAT, MAMMAL, ANIMAL), True)


@pytest.mark.parametrize(
    ("test", "value", "path"),
    [
        (is_a("x", ANIMAL), TOM, (TOM, CAT, MAMMAL, ANIMAL)),
        (is_a("x", CAT), CAT, (CAT,)),
        (instance_of("x", MAMMAL), TOM, (TOM, CAT, MAMMAL)),
        (directly_a("x", CAT), TOM, (TOM, CAT)),
        (ancestor_of("x", TOM), MAMMAL, (TOM, CAT, MAMMAL)),
    ],
)
def test_path_up_the_taxonomy(test: Call, value: Term, path: tuple[Term, ...]) -> None:
    check = isa_check(test, [(A, P, value)])
    assert (check.answer, check.path, check.type_is_stated) == (True, path, False)


@pytest.mark.parametrize(
    ("test", "value", "path", "parents"),
    [
        (is_a("x", CAR), TOM, (), (CAT,)),
        (is_a("x", CAR), B, (), (CAT,)),  # by the publication's word
        (directly_a("x", ANIMAL), TOM, (TOM, CAT, MAMMAL, ANIMAL), (CAT,)),
        (ancestor_of("x", TOM), CAR, (), (CAT,)),
    ],
)
def test_other_classes_are_named_when_the_answer_is_no(
    test: Call, value: Term, path: tuple[Term, ...], parents: tuple[Term, ...]
) -> None:
    check = isa_check(test, [(A, P, value), (B, RDF_TYPE, CAT)])
    assert (check.answer, check.path, check.parents) == (False, path, parents)


def test_isa_inside_another_call_is_explained() -> None:
    made = explain(
        Subscription("s", [(A, P, X)], where=[call("!", is_a("x", ANIMAL))]), Publication("p", [(A, P, TOM)]), ZOO
    )
    assert failing_check(made.branches[0]).isa_checks[0].path == (TOM, CAT, MAMMAL, ANIMAL)
    assert "is false; <urn:tom> → <urn:Cat> → <urn:Mammal> → <urn:Animal>" in str(made)


def test_many_stated_types_are_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path from each of them would be millions of steps in a deep taxonomy, and the middle of one is not shown."""
    asked = []
    is_below = Hierarchy.is_below
    monkeypatch.setattr(Hierarchy, "is_below", lambda *names: asked.append(names) or is_below(*names))
    classes = [f"urn:C{number}" for number in range(400)]
    deep = Taxonomy(zip(classes[1:], classes, strict=False))
    types = [(B, RDF_TYPE, iri(name)) for name in classes[200:]]
    made = explain(
        Subscription("s", [(A, P, X, [], [is_a("x", iri("urn:C0"))])]), Publication("p", [(A, P, B), *types]), deep
    )
    (check,) = made.branches[0].checks()
    assert check.isa_checks[0].path == (B, *(iri(name) for name in reversed(classes[:201])))
    assert len(asked) < 2_000
    assert "→ <urn:C192> → (182 more) → <urn:C9> →" in str(made)
