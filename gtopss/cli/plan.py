"""`gtopss plan`: the order in which operators would be called, and why."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gtopss.cli.arguments import (
    Ontology,
    OperatorFile,
    ReasonerName,
    Subscriptions,
    declare_operators,
    load_engine_printing_errors,
    with_inferences,
)
from gtopss.operators import STRATEGIES, OperatorPlan


def plan(
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    strategy: Annotated[
        str, typer.Option(help=f"Strategy that orders the operator calls: {', '.join(STRATEGIES)}.")
    ] = "adaptive",
    operators: OperatorFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Print the order in which the operators of subscriptions would be called, with their selectivity and cost.

    Selectivities and costs are the declared ones; a running engine measures them (Engine.plan()).

    Exit code 0: every subscription was read. 1: some subscriptions were refused, each with a message on stderr, and the
    plan is that of the others. 2: wrong usage.
    """
    if operators is not None:
        declare_operators(operators)
    taxonomy = with_inferences(ontology, reasoner)
    engine, refused = load_engine_printing_errors(subscriptions, taxonomy, matcher="naive", strategy=strategy)
    made = engine.plan()
    if as_json:
        typer.echo(json.dumps(made.to_json(), indent=1))
    else:
        _show(made)
    if refused:
        raise typer.Exit(1)


def _show(made: OperatorPlan) -> None:
    console = Console(highlight=False)
    if not made.chains:
        console.print("No subscription uses an operator.")
        return
    console.print(f"{made.strategy} evaluates {made.description}.", markup=False)
    console.print("Predicates, the first to be called first")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("predicate", "subscriptions", "true", "cost", "cost / P(false)", "decided per cost"):
        table.add_column(heading, justify="left" if heading == "predicate" else "right")
    for each in made.predicates:
        worth = each.cost / (1 - each.selectivity) if each.selectivity < 1 else float("inf")
        table.add_row(
            escape(each.predicate), str(each.subscriptions), f"{each.selectivity:.0%}", f"{each.cost:g}",
            f"{worth:.3g}", f"{each.settles:.3g}",
        )  # fmt: skip
    console.print(table)
    console.print("Subscriptions, with the calls that each needs if it is alone")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("subscription", "calls", "expected cost alone"):
        table.add_column(heading, justify="right" if heading.startswith("expected") else "left")
    for chain in made.chains:
        table.add_row(escape(chain.key[0]), escape(", then ".join(chain.predicates)), f"{chain.expected_cost:.3g}")
    console.print(table)
