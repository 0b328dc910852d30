"""CLIPS, the rule engine (Rete): triples as facts, and rules that fire for each subscription they satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import clips

from gtopss.experiments.peers.numbers import Above, Numbers, value
from gtopss.experiments.peers.shapes import Group, Part, Shape, grouped
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription, Term
from ontology import Taxonomy

CONSTRUCTS = (
    "(deftemplate triple (slot s) (slot p) (slot o))",
    "(deftemplate kind (slot node) (slot class) (slot instance))",
    "(deftemplate value (slot node) (slot value))",
    "(deffunction forget () (do-for-all-facts ((?fact triple kind value)) TRUE (retract ?fact)))",
)


class Clips:
    """A rule per shape with a fact per subscription; where shapes are too many for that, a rule per subscription."""

    name = "CLIPS"
    tuning = (
        "a rule per shape and a fact per subscription, joined by hash (a rule per subscription where shapes are many); "
        "terms as integers; an item's facts loaded in one call and retracted in one; clipspy's error router off"
    )

    def declines(self, workload: Workload) -> str | None:
        return None

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> None:
        self._numbers, self._above = Numbers(), Above(taxonomy)
        self._found: list[int] = []
        self._environment = clips.Environment()
        for router in self._environment.routers():
            router.deactivate()  # clipspy's asks Python about every character that CLIPS reads
        self._environment.define_function(self._found.append, "found")
        for construct in CONSTRUCTS:
            self._environment.build(construct)
        self._ids, groups = grouped(subscriptions)
        self._ranges = any(group.shape.ranges() for group in groups)
        self._is_a = any(group.shape.is_a() for group in groups)
        for place, group in enumerate(groups):
            if group.shape.by_property():
                self._as_facts(f"wanted{place}", group)
            else:
                self._one_by_one(group)

    def match_many(self, publications: Sequence[Publication]) -> Iterator[set[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> set[str]:
        number = self._numbers.passing()
        facts = [f"(triple (s {number[s]}) (p {number[p]}) (o {number[o]}))" for s, p, o in publication.triples]
        if self._ranges:
            objects = dict.fromkeys(o for _, _, o in publication.triples)
            facts += [f"(value (node {number[o]}) (value {v}))" for o in objects if (v := value(o)) is not None]
        if self._is_a:
            kinds = self._above.kinds(publication)
            facts += [f"(kind (node {number[n]}) (class {number[c]}) (instance {int(i)}))" for n, c, i in kinds]
        self._environment.load_facts("\n".join(facts))
        self._environment.run()
        self._environment.eval("(forget)")
        matched = {self._ids[row] for row in self._found}
        self._found.clear()
        return matched

    def _as_facts(self, name: str, group: Group) -> None:
        """The subscriptions come last in the rule: what the item's facts join to is looked up among them."""
        places = range(group.shape.parameters)
        slots = " ".join(f"(slot c{place})" for place in places)
        self._environment.build(f"(deftemplate {name} (slot id) {slots})")
        wanted = f"({name} (id ?id) {' '.join(f'(c{place} ?c{place})' for place in places)})"
        edges, tests = _conditions(group.shape, self._shown)
        self._environment.build(f"(defrule {name} {edges} {wanted} {tests} => (found ?id))")
        facts = []
        for row, constants in group.rows:
            values = " ".join(f"(c{place} {text})" for place, text in enumerate(self._texts(group.shape, constants)))
            facts.append(f"({name} (id {row}) {values})")
        self._environment.load_facts("\n".join(facts))

    def _one_by_one(self, group: Group) -> None:
        for row, constants in group.rows:
            texts = dict(enumerate(self._texts(group.shape, constants)))
            edges, tests = _conditions(group.shape, partial(self._shown, constants=texts))
            self._environment.build(f"(defrule rule{row} {edges} {tests} => (found {row}))")

    def _texts(self, shape: Shape, constants: Sequence[Term]) -> list[str]:
        compared = {test.parameter for test in shape.ranges()}
        return [
            str(self._numbers.stored(each, compared=f"${place}" in compared)) for place, each in enumerate(constants)
        ]

    def _shown(self, part: Part, constants: Mapping[int, str] = MappingProxyType({})) -> str:
        """A part of an edge in a rule: a variable, a constant that is known, or a fixed term's number."""
        if part[0] == "?":
            return f"?v{part[1:]}"
        if part[0] == "$":
            return constants.get(int(part[1:]), f"?c{part[1:]}")
        return str(self._numbers.of(Term(part)))


def _conditions(shape: Shape, shown: Callable[[Part], str]) -> tuple[str, str]:
    """What a rule asks of the item's facts, and the comparisons that come after all facts are found."""
    facts = [f"(triple (s {shown(s)}) (p {shown(p)}) (o {shown(o)}))" for s, p, o in shape.edges]
    for test in shape.is_a():
        instance = "(instance 1)" if test.function == "instanceOf" else ""
        facts.append(f"(kind (node {shown(test.variable)}) (class {shown(test.parameter)}) {instance})")
    compared = dict.fromkeys(test.variable for test in shape.ranges())
    facts += [f"(value (node {shown(name)}) (value {shown(name)}value))" for name in compared]
    tests = [f"(test ({t.function} {shown(t.variable)}value {shown(t.parameter)}))" for t in shape.ranges()]
    return " ".join(facts), " ".join(tests)
