"""No exception of a library leaves a matcher: whatever a subscription or document does is its own error."""

from __future__ import annotations

import os
import random

import pytest
from support.matchers import SLOW_MATCHERS

from gtopss import Engine
from gtopss.errors import GtopssError
from gtopss.matching.table import MATCHERS
from gtopss.model.terms import XSD, Triple, literal
from gtopss.semantics.casts import CASTS
from gtopss.semantics.functions import function_arities

CASES = 2_000 if os.environ.get("GTOPSS_SOAK") else 6
SUBSCRIPTIONS_PER_CASE = 8
ODD_TEXTS = [
    "", "a", "abc", "9" * 30, "9" * 5_000, "1e9999", "-1e9999", "INF", "NaN", "-0.0", "1.5", "(", "[", "(a+)+$", "\\",
    "a\nb", "é🙂", "x" * 2_000, "2001-05-21", "99999-01-01", "0000-00-00", "2001-05-21T24:00:00", "P1Y",
    "P" + "9" * 40 + "D", "true", "maybe", "<a>", "<a/>", "%", "$1", "\\1", "{", "*", "a{1000}", "a{2,1}", "[z-a]",
    "(?P<x>a)",
]  # fmt: skip
TYPES = [
    "string", "integer", "decimal", "double", "float", "boolean", "dateTime", "date", "time", "duration", "byte",
    "dayTimeDuration", "unsignedLong", "gYear", "hexBinary", "base64Binary", "token", "anyURI",
]  # fmt: skip
SIGNS = ["+", "-", "*", "/", "=", "!=", "<", ">", "<=", ">=", "||", "&&"]
ARITIES = {name: arity for name, arity in function_arities().items() if name not in ("BOUND", "NOW")}


class OddQueries:
    """Generate queries and triples with odd values, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def constant(self) -> str:
        odd = literal(self.random.choice(ODD_TEXTS))
        kinds = [
            odd,
            f"{odd}@en",
            f"{odd}^^<{XSD}{self.random.choice(TYPES)}>",
            str(10**30),
            "1e300",
            "true",
            "<urn:a>",
        ]
        return self.random.choice(kinds)

    def expression(self, depth: int) -> str:
        kind = (
            "leaf" if depth == 0 else self.random.choice(["leaf", "call", "call", "cast", "sign", "sign", "in", "not"])
        )
        arguments = [self.expression(depth - 1) for _ in range(3)] if kind != "leaf" else []
        match kind:
            case "call":
                name, arity = self.random.choice(list(ARITIES.items()))
                least, most = (arity, arity) if isinstance(arity, int) else arity
                arguments += arguments
                return f"{name}({', '.join(arguments[: self.random.randint(least, most or 3)])})"
            case "cast":
                return f"<{self.random.choice(list(CASTS))}>({arguments[0]})"
            case "sign":
                return f"({arguments[0]} {self.random.choice(SIGNS)} {arguments[1]})"
            case "in":
                return f"({arguments[0]} {self.random.choice(['IN', 'NOT IN'])} ({arguments[1]}, {arguments[2]}))"
            case "not":
                return f"(! {arguments[0]})"
        return self.random.choice(["?s", "?p", "?o", "?o", "?o", self.constant(), self.constant()])

    def query(self) -> str:
        bind = f"BIND({self.expression(3)} AS ?b)" if self.random.random() < 0.5 else ""
        return f"SELECT * {{ ?s ?p ?o {bind} FILTER({self.expression(3)}) }}"

    def triples(self) -> list[Triple]:
        odd = [literal(self.random.choice(ODD_TEXTS), XSD + self.random.choice(TYPES)) for _ in range(4)]
        return [("<urn:s>", "<urn:p>", each) for each in odd]  # type: ignore[misc]


@pytest.mark.filterwarnings("ignore:Parsing weird boolean", "ignore::gtopss.errors.NeverMatches")
@pytest.mark.parametrize("matcher", MATCHERS)
def test_no_exception_leaves_a_matcher(matcher: str) -> None:
    for seed in range(CASES // 3 if matcher in SLOW_MATCHERS else CASES):
        generator = OddQueries(seed)
        engine = Engine(matcher=matcher)
        for number in range(SUBSCRIPTIONS_PER_CASE):
            try:
                engine.add(generator.query(), id=str(number))
            except GtopssError:
                continue  # refused, by name
        engine.add("ASK { <urn:s> <urn:p> ?o }", id="harmless")
        (report,) = engine.match_many([generator.triples()])
        assert report.error is None, (seed, report.error)
        assert "harmless" in report.subscription_ids
        for match in report:
            assert len(match.bindings) == len(match.solutions)


def test_an_error_of_the_engine_behind_a_matcher_is_that_subscriptions() -> None:
    engine = Engine(matcher="sparql-rdflib")
    engine.add("SELECT ?o { ?s <urn:p> ?o FILTER REGEX(?o, ?o) }", id="its own pattern")
    engine.add("SELECT ?o { ?s <urn:p> ?o }", id="all")
    bad, good = engine.match_many([[("<urn:a>", "<urn:p>", '"("')], [("<urn:a>", "<urn:p>", '"b"')]])
    assert bad.subscription_ids == ("all",)
    ((name, reasons),) = bad.undecided
    assert name == "its own pattern"
    assert reasons[0].startswith("error: missing )")
    assert good.subscription_ids == ("its own pattern", "all")
    assert good.undecided == ()
