"""`gtopss bench`: compare the default engine with other systems on the same workloads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gtopss.cli.arguments import check_matcher
from gtopss.experiments.benchmark.broker_benchmark import BROKER_WORKLOADS
from gtopss.extras import require_extra
from gtopss.sample_data import sample_data

if TYPE_CHECKING:
    from gtopss.experiments.benchmark.run_benchmark import BenchmarkPlan


_LIST = "list"


def bench(
    workload: Annotated[
        str,
        typer.Option(
            help="Workloads, separated by commas: matching (a to j), reading feeds (r) or the broker (broker-...). "
            f"`--workload {_LIST}` prints what each one is."
        ),
    ] = "a,b,c,d,e,f,g,h,i,i-contains,i-regex,i-mixed,i-graph,j,r",
    sizes: Annotated[
        str, typer.Option(help="Numbers of subscriptions, separated by commas. Default: depends on the workload.")
    ] = "",
    peers: Annotated[str, typer.Option(help="Systems to compare with, separated by commas. Default: all.")] = "",
    matcher: Annotated[
        str, typer.Option(callback=check_matcher, help="Matching algorithm of G-ToPSS to measure.")
    ] = "gm",
    publications: Annotated[int | None, typer.Option(min=3, help="Number of publications per measurement.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use small sizes. Takes about two minutes.")] = False,
    feeds: Annotated[
        Path | None, typer.Option(help="Folder of feeds to read and filter. Default: the sample feeds.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSON file for the results. It is written after each measurement.")
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="Folder for plots of the results.")] = None,
) -> None:
    """Benchmark the default engine and other systems, after checking that their matches are equal.

    Exit code 0: measured, even if targets are missed. 1: two systems found different matches, or a measurement failed.
    2: wrong usage.
    """
    require_extra("compare", "gtopss bench")
    from gtopss.experiments.benchmark.draw_figures import draw_figures
    from gtopss.experiments.benchmark.run_benchmark import (
        FULL_BENCHMARK,
        QUICK_BENCHMARK,
        run_benchmark,
        workload_descriptions,
    )
    from gtopss.experiments.peers import PEERS, TEXT_PEERS

    if workload == _LIST:
        for name, description in workload_descriptions().items():
            typer.echo(f"{name:<18} {description}")
        return
    chosen = peers.split(",") if peers else [*PEERS, *TEXT_PEERS]
    if unknown := set(chosen) - set(PEERS) - set(TEXT_PEERS):
        raise typer.BadParameter(
            f"there is no system {', '.join(unknown)}: choose from {', '.join([*PEERS, *TEXT_PEERS])}",
            param_hint="--peers",
        )
    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.absolute().parent}: create it first", param_hint="--out")
    plan = _make_plan(QUICK_BENCHMARK if quick else FULL_BENCHMARK, workload.split(","), sizes, publications)
    with Console(stderr=True).status("preparing") as status:
        folder = feeds or sample_data("feeds")
        result = run_benchmark(plan, matcher=matcher, peers=chosen, feeds=folder, out=out, progress=status.update)
    if plots is not None:
        draw_figures(result, plots)
    _print(result)


def _make_plan(plan: BenchmarkPlan, letters: Sequence[str], sizes: str, publications: int | None) -> BenchmarkPlan:
    """Return the plan restricted to the requested workloads, sizes and number of publications."""
    from gtopss.experiments.benchmark.run_benchmark import READING_LETTER

    if unknown := set(letters) - {*plan.sizes, READING_LETTER, *BROKER_WORKLOADS}:
        raise typer.BadParameter(
            f"there is no workload {', '.join(sorted(unknown))}: `gtopss bench --workload {_LIST}` prints all",
            param_hint="--workload",
        )
    broker = [letter for letter in letters if letter in BROKER_WORKLOADS]
    if broker:
        count = int(sizes) if sizes.isdigit() else plan.broker_subscriptions
        plan = replace(plan, broker=broker, broker_subscriptions=count)
        letters = [letter for letter in letters if letter not in BROKER_WORKLOADS]
        if not letters:
            items = publications or plan.items
            return replace(plan, sizes={}, memory=(), end_to_end=(), generated_feeds=0, items=items)
    if list(letters) == [READING_LETTER]:
        return replace(plan, sizes={}, memory=(), end_to_end=())
    if READING_LETTER not in letters:
        plan = replace(plan, generated_feeds=0)
    letters = [letter for letter in letters if letter != READING_LETTER]
    plan = replace(plan, sizes={letter: plan.sizes[letter] for letter in letters}, items=publications or plan.items)
    if not sizes:
        return plan
    numbers = [int(size) for size in sizes.split(",") if size.isascii() and size.isdigit() and int(size) > 0]
    if len(numbers) < len(sizes.split(",")):
        raise typer.BadParameter(f"{sizes!r} is not a list of numbers such as 1000,10000", param_hint="--sizes")
    return replace(
        plan, sizes=dict.fromkeys(letters, sorted(numbers)), memory=numbers, end_to_end=numbers, words=numbers
    )


HOW_TO_READ = (
    "All systems matched the same items, and gave the same answers, before they were timed. Lower times are better. "
    "The ratio is the other's time divided by that of G-ToPSS; in a row 'X, and Y', which compares two measurements, "
    "it is X divided by Y. Targets are goals of this project, most of them for full sizes only."
)


def _print(result: Mapping[str, Any]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)  # lines in a file are 120 characters wide
    typer.echo(f"Machine: {result['machine']}; Python {result['python']}")
    _print_names("Workloads", {row["workload"]: row["title"] for row in result["points"]})
    _print_names("Systems", {row["engine"]: row["tuning"] for row in result["points"]})
    console.print(HOW_TO_READ, highlight=False)
    for row in result["churn"]:
        typer.echo(
            f"Matching while subscriptions change (workload h), {row['size']:,} subscriptions: an item takes "
            f"{row['steady_p50_ms']:.3f} ms (median) and {row['steady_p99_ms']:.3f} ms (99th percentile) while nothing "
            f"changes; with {row['changes_per_item']:g} additions and removals per item, {row['churn_p50_ms']:.3f} and "
            f"{row['churn_p99_ms']:.3f} ms. An addition takes {row['add_us']:.0f} µs, a removal "
            f"{row['remove_us']:.0f} µs."
        )
    console.print(_table(result["table"]))
    if result["broker"]:
        console.print(_table(result["broker"]))
    _print_reading(result)
    if result["reading"]:
        console.print(_reading(result["reading"]))
    for row in result["reading"]:
        if row["left_out"]:
            typer.echo(f"Not measured: {row['what']}: {row['left_out']}")


def _print_names(heading: str, meanings: Mapping[str, str]) -> None:
    """Print what the names in the table mean."""
    if meanings:
        typer.echo(f"\n{heading}:")
        width = max(map(len, meanings))
        for name, meaning in meanings.items():
            typer.echo(f"  {name:<{width}}  {meaning}")
        typer.echo("")


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="Matching, by workload and number of subscriptions", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("measured", "unit", "G-ToPSS", "other", "ratio", "target", ""):
        table.add_column(heading, justify="right" if heading in ("G-ToPSS", "other", "ratio") else "left")
    for row in rows:
        numbers = [_number(row[each]) for each in ("ours", "peer", "ratio")]
        verdict = {True: "met", False: "missed", None: ""}[row["met"]]
        table.add_row(row["what"], row["unit"], *numbers, row["target"], verdict)
    return table


def _number(value: float | None) -> str:
    """Return a number with four digits, never with an exponent."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _reading(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(
        title="Reading feeds: µs of CPU time per item (unless it says wall clock); lower is better",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("measured", "items", "G-ToPSS", "other", "other's", "ratio", "target", ""):
        table.add_column(heading, justify="right" if heading in ("items", "G-ToPSS", "other's", "ratio") else "left")
    for row in rows:
        if row["peer_us"] is not None:
            table.add_row(
                row["what"],
                f"{row['items']:,}",
                f"{row['ours_us']:.1f}",
                row["peer"],
                f"{row['peer_us']:.1f}",
                f"{row['ratio']:.2f}",
                row["target"],
                "met" if row["met"] else "missed",
            )
    return table


def _print_reading(result: Mapping[str, Any]) -> None:
    language = result["language"]
    typer.echo(
        f"Parsing a subscription with three patterns takes {language['parse_and_lower_us']:.0f} µs; rdflib's "
        f"prepareQuery takes {language['rdflib_prepareQuery_us']:.0f} µs, {language['ratio']:.0f} times as long."
    )
    if result["feeds"]:
        measured = result["feeds"]
        seconds = measured["seconds"]
        typer.echo(
            f"Filtering feeds with {measured['subscriptions']} subscriptions: {measured['items_per_second']:,.0f} "
            f"items/s; reading {seconds['read_isolated']:.3f} s, of which checking XML {seconds['guard']:.3f} s, and "
            f"matching {seconds['match']:.3f} s; checks and isolation take "
            f"{measured['guard_and_isolation_share']:.0%} of reading; RSS 1.0 at "
            f"{measured['rss10_times_feedparser']:.1f} and its items as N-Triples at "
            f"{measured['rdf_times_feedparser']:.1f} times feedparser's rate"
        )
