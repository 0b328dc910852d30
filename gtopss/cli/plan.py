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
    DEFAULT_STRATEGY,
    Cycles,
    Literals,
    Ontology,
    OperatorSource,
    ReasonerName,
    StrategyName,
    Subscriptions,
    declare_operators,
    load_engine_printing_errors,
    with_inferences,
)
from gtopss.operators import OperatorPlan


def plan(
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    reasoner: ReasonerName = None,
    cycles: Cycles = "refuse",
    literals: Literals = "sparql",
    strategy: StrategyName = DEFAULT_STRATEGY,
    operators: OperatorSource = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Print the order in which operators would be called, with the selectivity and cost of each.

    `match`, `filter`, `pipeline` and `serve` start with this order if they have the same --strategy. It holds as long
    as every answer is true; a false answer makes other calls unnecessary. A saved engine has its own strategy.
    Selectivities and costs are the declared ones; a running engine replaces them with measured ones, and plans again
    (Engine.plan() in Python).

    Exit code 0: every subscription was read. 1: some subscriptions were refused, each with a message on stderr, and the
    plan is that of the others; or no subscription is usable. 2: wrong usage.
    """
    declare_operators(operators)
    taxonomy = with_inferences(ontology, reasoner, cycles)
    engine, refused = load_engine_printing_errors(
        subscriptions, taxonomy, matcher="naive", strategy=strategy, literals=literals
    )
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
    console.print("Predicates in the order of the calls, as long as every answer is true")
    table = Table(box=box.SIMPLE_HEAD)
    place = {predicate: number for number, predicate in reversed(list(enumerate(made.calls, start=1)))}
    for heading in ("call", "predicate", "subscriptions", "true", "cost", "cost / P(false)", "decided per cost"):
        table.add_column(heading, justify="left" if heading == "predicate" else "right")
    for each in sorted(made.predicates, key=lambda each: place[each.predicate]):
        worth = each.cost / (1 - each.selectivity) if each.selectivity < 1 else float("inf")
        numbers = (f"{each.selectivity:.0%}", f"{each.cost:g}", f"{worth:.3g}", f"{each.settles:.3g}")
        table.add_row(str(place[each.predicate]), escape(each.predicate), str(each.subscriptions), *numbers)
    console.print(table)
    console.print("Subscriptions, with the calls that each needs if it is alone")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("subscription", "calls", "expected cost alone"):
        table.add_column(heading, justify="right" if heading.startswith("expected") else "left")
    for chain in made.chains:
        table.add_row(escape(chain.key[0]), escape(", then ".join(chain.predicates)), f"{chain.expected_cost:.3g}")
    console.print(table)
