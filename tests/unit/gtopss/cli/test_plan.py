"""`gtopss plan` prints the order in which operators would be called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.operators import REGISTRY, STRATEGIES


def test_a_subscription_that_calls_an_unknown_operator_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.rq").write_text("ASK { ?i <urn:title> ?t FILTER(noSuchOperator(?t)) }")
    done = CliRunner().invoke(app, ["plan", "-s", str(tmp_path / "s.rq")])
    assert done.exit_code == 1
    assert "noSuchOperator" in done.stderr


def test_the_order_is_printed_as_a_table_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "operators.py").write_text(
        "import gtopss\n@gtopss.operator('planTest', cost=7, selectivity=0.25)\n"
        "def plan_test(publication, word):\n    return True\n"
    )
    (tmp_path / "s.rq").write_text('ASK { ?i <urn:title> ?t FILTER(planTest("x")) FILTER(mentions("storm")) }')
    arguments = ["plan", "-s", str(tmp_path / "s.rq"), "--operators", str(tmp_path / "operators.py")]
    try:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        assert 'planTest("x")' in done.output
        assert "adaptive evaluates the predicate expected to decide most subscriptions per cost" in done.output
        REGISTRY.remove("planTest")
        plan = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
        assert {each["predicate"] for each in plan["predicates"]} == {'planTest("x")', 'mentions("storm")'}
        assert plan["chains"][0]["predicates"][0] == 'mentions("storm")'
    finally:
        REGISTRY.remove("planTest")


def test_without_operators_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "s.rq").write_text("ASK { ?i <urn:title> ?t }")
    done = CliRunner().invoke(app, ["plan", "-s", str(tmp_path / "s.rq")])
    assert (done.exit_code, done.stdout) == (0, "No subscription uses an operator.\n")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_is_that_of_the_calls_of_match(strategy: str, tmp_path: Path) -> None:
    """Every answer is true, so `match` makes all calls, and in the order that the plan has for its strategy."""
    called = tmp_path / "called"
    made = "".join(
        f"@gtopss.operator('planned{name}', cost={cost}, selectivity={selectivity}, timeout=None)\n"
        f"def planned(publication, name='planned{name}()'):\n"
        f"    with open({str(called)!r}, 'a') as file:\n        file.write(name + '\\n')\n    return True\n"
        for name, cost, selectivity in (("A", 5, 0.5), ("B", 1, 0.9), ("C", 2, 0.1), ("D", 9, 0.01))
    )
    (tmp_path / "operators.py").write_text("import gtopss\n" + made.replace(", name=", ", *, name="))
    wanted = {"s1": "AB", "s2": "DA", "s3": "CBD"}
    for id, names in wanted.items():
        tests = " ".join(f"FILTER(planned{name}())" for name in names)
        (tmp_path / f"{id}.rq").write_text(f"ASK {{ ?i <urn:title> ?t {tests} }}")
    (tmp_path / "item.nt").write_text('<urn:i> <urn:title> "t" .')
    options = ["-s", str(tmp_path), "--operators", str(tmp_path / "operators.py"), "--strategy", strategy]
    try:
        plan = json.loads(CliRunner().invoke(app, ["plan", *options, "--json"]).output)
        for name in "ABCD":
            REGISTRY.remove(f"planned{name}")
        done = CliRunner().invoke(app, ["match", str(tmp_path / "item.nt"), *options])
        assert done.exit_code == 0, done.output
        assert len(done.stdout.splitlines()) == 3
        assert called.read_text().split() == plan["calls"]
        assert sorted(plan["calls"]) == [f"planned{name}()" for name in "ABCD"]
    finally:
        for name in "ABCD":
            REGISTRY.remove(f"planned{name}")


def test_literals_are_read_as_the_other_commands_read_them(tmp_path: Path) -> None:
    """With strict literals, no text is above 10: the branch can never match, and is not part of the plan."""
    (tmp_path / "s.rq").write_text('ASK { ?i <urn:n> ?n FILTER(?n > 10) FILTER(?n = "12") FILTER(mentions("x")) }')
    outputs = [
        CliRunner().invoke(app, ["plan", "-s", str(tmp_path / "s.rq"), "--literals", rules]).output
        for rules in ("sparql", "lenient")
    ]
    assert ['mentions("x")' in output for output in outputs] == [False, True]
