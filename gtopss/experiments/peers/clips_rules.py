"""The rule engine CLIPS (Rete): triples are facts, and rules fire for each matching subscription."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import clips

from gtopss.experiments.peers.subscription_shapes import Part, Shape, ShapeGroup, group_by_shape
from gtopss.experiments.peers.term_numbers import ClassMembership, TermNumbers, comparable_value
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription, Term
from ontology import Taxonomy

CONSTRUCTS = (
    "(deftemplate triple (slot s) (slot p) (slot o))",
    "(deftemplate kind (slot node) (slot class) (slot instance))",
    "(deftemplate value (slot node) (slot value))",
    "(deffunction forget () (do-for-all-facts ((?fact triple kind value)) TRUE (retract ?fact)))",
)


class ClipsRules:
    """A rule per shape with a fact per subscription; a rule per subscription if there are too many shapes."""

    name = "CLIPS"
    tuning = (
        "a rule per shape and a fact per subscription, joined by hash (a rule per subscription where shapes are many); "
        "terms as integers; an item's facts loaded in one call and retracted in one; clipspy's error router off"
    )

    def declines(self, workload: Workload) -> str | None:
        return None

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self._numbers, self._membership = TermNumbers(), ClassMembership(taxonomy)
        self._found: list[int] = []
        self._environment = clips.Environment()
        for router in self._environment.routers():
            router.deactivate()  # clipspy's router calls Python for every character that CLIPS reads
        self._environment.define_function(self._found.append, "found")
        for construct in CONSTRUCTS:
            self._environment.build(construct)
        self._ids, groups = group_by_shape(subscriptions)
        self._ranges = any(group.shape.ranges() for group in groups)
        self._is_a = any(group.shape.is_a() for group in groups)
        for place, group in enumerate(groups):
            if group.shape.by_property():
                self._add_shape_rule(f"subscription{place}", group)
            else:
                self._add_subscription_rules(group)

    def match_many(self, publications: Sequence[Publication]) -> Iterator[set[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> set[str]:
        number = self._numbers.of_publication()
        facts = [f"(triple (s {number[s]}) (p {number[p]}) (o {number[o]}))" for s, p, o in publication.triples]
        if self._ranges:
            objects = dict.fromkeys(o for _, _, o in publication.triples)
            facts += [
                f"(value (node {number[o]}) (value {v}))" for o in objects if (v := comparable_value(o)) is not None
            ]
        if self._is_a:
            kinds = self._membership.rows(publication)
            facts += [f"(kind (node {number[n]}) (class {number[c]}) (instance {int(i)}))" for n, c, i in kinds]
        self._environment.load_facts("\n".join(facts))
        self._environment.run()
        self._environment.eval("(forget)")
        matched = {self._ids[row] for row in self._found}
        self._found.clear()
        return matched

    def _add_shape_rule(self, name: str, group: ShapeGroup) -> None:
        """Add a rule that joins the item's facts first and then looks up the subscriptions."""
        places = range(group.shape.parameters)
        slots = " ".join(f"(slot c{place})" for place in places)
        self._environment.build(f"(deftemplate {name} (slot id) {slots})")
        subscription = f"({name} (id ?id) {' '.join(f'(c{place} ?c{place})' for place in places)})"
        edges, tests = _conditions(group.shape, self._rule_part)
        self._environment.build(f"(defrule {name} {edges} {subscription} {tests} => (found ?id))")
        facts = []
        for row, constants in group.rows:
            values = " ".join(
                f"(c{place} {text})" for place, text in enumerate(self._constants(group.shape, constants))
            )
            facts.append(f"({name} (id {row}) {values})")
        self._environment.load_facts("\n".join(facts))

    def _add_subscription_rules(self, group: ShapeGroup) -> None:
        for row, constants in group.rows:
            texts = dict(enumerate(self._constants(group.shape, constants)))
            edges, tests = _conditions(group.shape, partial(self._rule_part, constants=texts))
            self._environment.build(f"(defrule rule{row} {edges} {tests} => (found {row}))")

    def _constants(self, shape: Shape, constants: Sequence[Term]) -> list[str]:
        compared = {test.parameter for test in shape.ranges()}
        return [
            str(self._numbers.column_value(each, compared=f"${place}" in compared))
            for place, each in enumerate(constants)
        ]

    def _rule_part(self, part: Part, constants: Mapping[int, str] = MappingProxyType({})) -> str:
        """Return a part of an edge for a rule: a variable, a known constant, or the number of a fixed term."""
        if part[0] == "?":
            return f"?v{part[1:]}"
        if part[0] == "$":
            return constants.get(int(part[1:]), f"?c{part[1:]}")
        return str(self._numbers.of(Term(part)))


def _conditions(shape: Shape, part_text: Callable[[Part], str]) -> tuple[str, str]:
    """Return the patterns of a rule for the item's facts, and the comparisons that follow them."""
    facts = [f"(triple (s {part_text(s)}) (p {part_text(p)}) (o {part_text(o)}))" for s, p, o in shape.edges]
    for test in shape.is_a():
        instance = "(instance 1)" if test.function == "instanceOf" else ""
        facts.append(f"(kind (node {part_text(test.variable)}) (class {part_text(test.parameter)}) {instance})")
    compared = dict.fromkeys(test.variable for test in shape.ranges())
    facts += [f"(value (node {part_text(name)}) (value {part_text(name)}value))" for name in compared]
    tests = [f"(test ({t.function} {part_text(t.variable)}value {part_text(t.parameter)}))" for t in shape.ranges()]
    return " ".join(facts), " ".join(tests)
