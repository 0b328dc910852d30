"""Hostile expressions: each ends at a limit that its own report names, and costs the other subscriptions nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT

from gtopss import Engine
from gtopss.errors import InvalidSubscription
from gtopss.matching.table import MATCHERS

OWN_EVALUATION = [name for name in MATCHERS if not name.startswith("sparql")]
"""The matchers that evaluate expressions themselves."""
MEGABYTE = '<urn:a> <urn:p> "' + "ab" * 500_000 + '" .\n'


def doubling(count: int) -> str:
    """Return binds of which each is twice as long as the one before."""
    binds = "".join(f"BIND(CONCAT(?x{n}, ?x{n}) AS ?x{n + 1}) " for n in range(count))
    return f"SELECT ?x{count} {{ ?s <urn:p> ?x0 {binds} }}"


def squaring(start: str, count: int) -> str:
    """Return binds of which each is the square of the one before."""
    binds = "".join(f"BIND(?x{n} * ?x{n} AS ?x{n + 1}) " for n in range(count))
    return f"SELECT ?x{count} {{ ?s <urn:p> ?o BIND({start} AS ?x0) {binds} }}"


def alternatives(count: int) -> str:
    return "|".join(f".*{chr(97 + n % 26)}.*Z" for n in range(count))


HOSTILE = {
    "CONCAT of a megabyte, 300 times": (
        f"ASK {{ ?s <urn:p> ?o FILTER(CONCAT({', '.join(['?o'] * 300)}) = 'a') }}", "row_text_limit"
    ),
    "binds that double": (doubling(25), "row_text_limit"),
    "concatenations of what binds doubled": (
        doubling(6).replace("}", "BIND(CONCAT(" + ", ".join(["?x6"] * 900) + ") AS ?y) }"), "row_text_limit"
    ),
    "REPLACE that grows": (
        f"ASK {{ ?s <urn:p> ?o FILTER(REPLACE(?o, 'a', '{'a' * 200}') = 'a') }}", "row_text_limit"
    ),
    "REPLACE by what it found": (
        "ASK { ?s <urn:p> ?o FILTER(REPLACE(?o, '(.+)', '$1$1$1$1$1$1') = 'a') }", "row_text_limit"
    ),
    "squares of an integer": (squaring("10", 30), "number_limit"),
    "squares of a decimal": (squaring("10.5", 30), "number_limit"),
    "REGEX of 4,000 alternatives": (f"ASK {{ ?s <urn:p> ?o FILTER REGEX(?o, '{alternatives(4000)}') }}", "work_limit"),
    "REGEX of a computed pattern": (
        f"ASK {{ ?s <urn:p> ?o FILTER REGEX(?o, CONCAT('{alternatives(4000)}', '|x')) }}", "work_limit"
    ),
    "a computed pattern that is too large": (
        r"ASK { ?s <urn:p> ?o FILTER REGEX('a', CONCAT('\\w{1000}', SUBSTR(?o, 1, 1))) }", "regex_limit"
    ),
    "REPLACE that reads to the end for each match": (
        "ASK { ?s <urn:p> ?o FILTER(REPLACE(?o, 'a.*Z|.', 'x') = 'a') }", "work_limit"
    ),
}  # fmt: skip


@pytest.mark.parametrize("matcher", OWN_EVALUATION)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_expression_is_given_up_by_name(name: str, matcher: str) -> None:
    text, limit = HOSTILE[name]
    engine = Engine(matcher=matcher)
    engine.add(text, id="hostile")
    engine.add("ASK { ?s <urn:p> ?o FILTER(STRLEN(?o) > 5) }", id="harmless")
    report = engine.match(MEGABYTE.encode(), format="nt")
    assert [(each.subscription_id, each.limit) for each in report.exceeded] == [("hostile", limit)]
    assert report.subscription_ids == ("harmless",)
    assert limit in str(report.exceeded[0])


@pytest.mark.parametrize("matcher", OWN_EVALUATION)
@pytest.mark.parametrize(
    "expression",
    [
        " || ".join(f"?o = {n}" for n in range(3000)),
        " && ".join(f"?o != {n}" for n in range(3000, 6000)),
        f"?o IN ({', '.join(f'?o + {n}' for n in range(1, 3000))})",
        f"COALESCE({', '.join(['1/0'] * 3000)}, true)",
    ],
    ids=["or", "and", "in", "coalesce"],
)
def test_an_expression_is_charged_by_its_size(expression: str, matcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.matching.matcher.DEFAULT_WORK_LIMIT", 1_000_000)
    engine = Engine(matcher=matcher)
    engine.add(f"SELECT ?o {{ ?s <urn:p> ?o FILTER({expression}) }}", id="large")
    rows = [("<urn:a>", "<urn:p>", f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>') for n in range(-1, -101, -1)]
    report = engine.match(rows)
    assert [(each.subscription_id, each.limit) for each in report.exceeded] == [("large", "work_limit")]
    assert engine.match(rows[:5]).exceeded == ()


def test_a_large_set_of_constants_is_one_look_up() -> None:
    engine = Engine()
    engine.add(f"SELECT ?o {{ ?s <urn:p> ?o FILTER(?o IN ({', '.join(map(str, range(9000)))})) }}", id="in")
    rows = [("<urn:a>", "<urn:p>", f'"{n}.0"^^<http://www.w3.org/2001/XMLSchema#decimal>') for n in range(-5000, 5000)]
    report = engine.match(rows)
    assert report.exceeded == ()
    assert len(report[0].rows) == 5000


def test_a_pattern_that_is_too_large_is_refused() -> None:
    engine = Engine()
    with pytest.raises(InvalidSubscription, match="above 4 MiB"):
        engine.add(r"ASK { ?s <urn:p> ?o FILTER REGEX(?o, '\\w{1000}') }")


@pytest.mark.parametrize("matcher", OWN_EVALUATION)
def test_what_solutions_keep_is_limited_per_publication(matcher: str) -> None:
    engine = Engine(matcher=matcher, publication_text_limit=100_000)
    engine.add("SELECT ?y { ?s <urn:p> ?o BIND(CONCAT(?o, '!') AS ?y) }", id="keeps")
    engine.add("SELECT ?y { ?s <urn:p> ?o BIND('short' AS ?y) }", id="keeps little")
    rows = [("<urn:a>", "<urn:p>", f'"{n}{"a" * 1000}"') for n in range(200)]
    report = engine.match(rows)
    assert [(each.subscription_id, each.limit) for each in report.exceeded] == [("keeps", "publication_text_limit")]
    kept, little = sorted(report, key=lambda match: match.subscription_id)
    assert kept.truncated
    assert 50 < len(kept.rows) < 100
    assert len(little.rows) == 200
    assert engine.match(rows[:50]).exceeded == ()


@pytest.mark.parametrize("matcher", OWN_EVALUATION)
def test_many_moderate_rows_are_bounded_together(matcher: str) -> None:
    engine = Engine(matcher=matcher)
    engine.add(f"ASK {{ ?s <urn:p> ?o FILTER REGEX(?o, '{alternatives(300)}') }}", id="hostile")
    report = engine.match([("<urn:a>", "<urn:p>", f'"{n}{"abcdefgh" * 100}"') for n in range(200)])
    assert [(each.subscription_id, each.limit) for each in report.exceeded] == [("hostile", "work_limit")]


def test_ordinary_regular_expressions_on_a_long_article_are_answered() -> None:
    engine = Engine()
    patterns = [r"\\w+@\\w+\\.com", "(?:climate|vaccine|health).{0,50}(?:crisis|care)", r"^\\s*\\d{4}-\\d\\d", "[^<>]+"]
    engine.add_many(
        f"SELECT ?o {{ ?s <urn:p> ?o FILTER REGEX(?o, '{pattern}', 'i') }}" for pattern in patterns for _ in range(20)
    )
    article = "the Climate of a health care système " * 2_000
    report = engine.match([("<urn:a>", "<urn:p>", f'"{article}"')])
    assert report.exceeded == ()
    assert len(report) == 40


CHILD = """
import resource, sys
from gtopss import Engine
engine = Engine(matcher=sys.argv[1])
engine.add(sys.stdin.read(), id="hostile")
publication = [("<urn:a>", "<urn:p>", '"' + "ab" * 500_000 + '"')]
engine.match([("<urn:a>", "<urn:p>", '"a"')])
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
print([each.limit for each in engine.match(publication).exceeded])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CONCAT of a megabyte, 300 times", "binds that double"])
def test_a_hostile_expression_takes_little_memory(name: str) -> None:
    used: dict[str, Any] = {"capture_output": True, "text": True, "cwd": ROOT, "timeout": 300}
    run = subprocess.run([sys.executable, "-c", CHILD, "reference", str(3 << 30)], input=HOSTILE[name][0], **used)
    assert run.stdout.strip() == f"['{HOSTILE[name][1]}']", run.stderr[-500:]
