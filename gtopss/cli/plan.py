"""`gtopss plan`: in which order operators would be asked, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gtopss.cli.arguments import Ontology, Subscriptions, load_engine_printing_errors
from gtopss.operators import STRATEGIES, OperatorPlan


def plan(
    subscriptions: Subscriptions,
    ontology: Ontology = None,
    strategy: Annotated[str, typer.Option(help=f"Who decides the order: {', '.join(STRATEGIES)}.")] = "sub_order",
    operators: Annotated[
        Path | None, typer.Option(help="A Python file that declares operators of your own with @gtopss.operator.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Print the order in which subscriptions' operators would be asked, with what is known of each.

    Selectivities and costs are those that were declared; a running engine learns them (Engine.plan()). Exit code 0: all
    was read; 1: some subscriptions were refused (each with a line on stderr), and the plan is that of the others.
    """
    if operators is not None:
        declare(operators)
    engine, refused = load_engine_printing_errors(subscriptions, ontology, matcher="naive", strategy=strategy)
    made = engine.plan()
    if as_json:
        typer.echo(json.dumps(made.to_json(), indent=1))
    else:
        _show(made)
    if refused:
        raise typer.Exit(1)


def declare(path: Path) -> None:
    """Run the user's own file: it registers operators."""
    if not path.is_file():
        raise typer.BadParameter(f"there is no file {path}", param_hint="--operators")
    exec(compile(path.read_bytes(), str(path), "exec"), {"__name__": "operators", "__file__": str(path)})


def _show(made: OperatorPlan) -> None:
    console = Console(highlight=False)
    if not made.chains:
        console.print("No subscription asks an operator.")
        return
    console.print(f"{made.strategy} asks {made.description}.", markup=False)
    console.print("Predicates, the most promising first")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("predicate", "subscriptions", "true", "cost", "cost / chance of no", "settles per cost"):
        table.add_column(heading, justify="left" if heading == "predicate" else "right")
    for each in made.predicates:
        worth = each.cost / (1 - each.selectivity) if each.selectivity < 1 else float("inf")
        table.add_row(
            escape(each.predicate), str(each.subscriptions), f"{each.selectivity:.0%}", f"{each.cost:g}",
            f"{worth:.3g}", f"{each.settles:.3g}",
        )  # fmt: skip
    console.print(table)
    console.print("Subscriptions, with what each asks if it is alone")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("subscription", "asks", "expected cost alone"):
        table.add_column(heading, justify="right" if heading.startswith("expected") else "left")
    for chain in made.chains:
        table.add_row(escape(chain.key[0]), escape(", then ".join(chain.predicates)), f"{chain.expected_cost:.3g}")
    console.print(table)
