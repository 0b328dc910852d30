"""`gtopss plan` prints the order in which operators would be called."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.operators import REGISTRY


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
