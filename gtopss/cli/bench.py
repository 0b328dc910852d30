"""`gtopss bench`: the fast engine beside its peers, in one run on the same items."""

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

from gtopss.engine import MATCHERS
from gtopss.errors import GtopssError, UnknownMatcher

if TYPE_CHECKING:
    from gtopss.experiments.benchmark.run_benchmark import BenchmarkPlan


def bench(
    workload: Annotated[
        str, typer.Option(help="Workloads by letter, a to h, separated by commas.")
    ] = "a,b,c,d,e,f,g,h",
    sizes: Annotated[str, typer.Option(help="Numbers of subscriptions, in place of each workload's own.")] = "",
    peers: Annotated[str, typer.Option(help="Peers by name, separated by commas; all unless said.")] = "",
    matcher: Annotated[str, typer.Option(help="Whose times and answers the peers are compared with.")] = "gm",
    publications: Annotated[int | None, typer.Option(min=3, help="Publications per point.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, two minutes.")] = False,
    feeds: Annotated[Path, typer.Option(help="A folder of feeds, to be read and filtered.")] = Path("data/feeds"),
    out: Annotated[Path | None, typer.Option(help="Write the results here as JSON, as they are found.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Draw figures into this folder.")] = None,
) -> None:
    """Time the fast engine and its peers, after checking that their answers are the same."""
    if matcher not in MATCHERS:
        raise UnknownMatcher(matcher, MATCHERS)
    try:  # the peers are an extra: whoever only filters need not have them
        from gtopss.experiments.benchmark.draw_figures import draw_figures
        from gtopss.experiments.benchmark.run_benchmark import FULL_BENCHMARK, QUICK_BENCHMARK, run_benchmark
        from gtopss.experiments.peers import PEERS
    except ImportError as error:
        raise GtopssError(f"the peers are not installed ({error}): pip install gtopss[compare]") from error
    chosen = peers.split(",") if peers else list(PEERS)
    if unknown := set(chosen) - set(PEERS):
        raise typer.BadParameter(f"there is no {', '.join(unknown)}: {', '.join(PEERS)}", param_hint="--peers")
    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.absolute().parent}", param_hint="--out")
    plan = _planned(QUICK_BENCHMARK if quick else FULL_BENCHMARK, workload.split(","), sizes, publications)
    with Console(stderr=True).status("preparing") as status:
        result = run_benchmark(plan, matcher=matcher, peers=chosen, feeds=feeds, out=out, progress=status.update)
    if plots is not None:
        draw_figures(result, plots)
    _print(result)


def _planned(plan: BenchmarkPlan, letters: Sequence[str], sizes: str, publications: int | None) -> BenchmarkPlan:
    """The plan for the workloads, sizes and items that were asked for."""
    if unknown := set(letters) - set(plan.sizes):
        raise typer.BadParameter(f"there is no workload {', '.join(unknown)}", param_hint="--workload")
    plan = replace(plan, sizes={letter: plan.sizes[letter] for letter in letters}, items=publications or plan.items)
    if not sizes:
        return plan
    numbers = [int(size) for size in sizes.split(",") if size.isascii() and size.isdigit() and int(size) > 0]
    if len(numbers) < len(sizes.split(",")):
        raise typer.BadParameter(f"{sizes!r} is not a list of positive numbers", param_hint="--sizes")
    return replace(plan, sizes=dict.fromkeys(letters, sorted(numbers)), memory=numbers, end_to_end=numbers)


def _print(result: Mapping[str, Any]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)  # a file is as wide as our lines
    for letter in dict.fromkeys(row["workload"] for row in result["points"]):
        console.print(_times([row for row in result["points"] if row["workload"] == letter]))
    for row in result["points"]:
        if row["left_out"]:
            typer.echo(f"{row['workload']}, {row['size']:,}: {row['engine']} {row['left_out']}")
    for engine, tuning in {row["engine"]: row["tuning"] for row in result["points"]}.items():
        typer.echo(f"{engine}: {tuning}")
    for row in result["churn"]:
        typer.echo(
            f"h, {row['size']:,}: p50 {row['steady_p50_ms']:.3f} and p99 {row['steady_p99_ms']:.3f} ms; with "
            f"{row['changes_per_item']:g} additions and removals an item p50 {row['churn_p50_ms']:.3f} and p99 "
            f"{row['churn_p99_ms']:.3f} ms; {row['add_us']:.0f} us an addition, {row['remove_us']:.0f} us a removal"
        )
    for row in result["end_to_end"]:
        typer.echo(
            f"bytes to matches, {row['size']:,}: {row['match_ms']:.3f} ms an item; Oxigraph only parses in "
            f"{row['parse_ms']:.3f} ms"
        )
    for row in result["memory"]:
        arrays = "untold" if row["index_bytes"] is None else f"{row['index_bytes']:.0f} bytes"
        typer.echo(f"memory, {row['size']:,}: {arrays} a subscription in arrays, {row['process_bytes']:.0f} in all")
    console.print(_targets(result["targets"]))
    _print_reading(result)


def _times(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title=f"{rows[0]['workload']}: {rows[0]['title']}", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("subscriptions", "engine", "ms an item", "times ours", "items", "matches an item", "prepared, s"):
        table.add_column(heading, justify="left" if heading == "engine" else "right", no_wrap=heading == "engine")
    for row in rows:
        if row["ms"] is not None:
            table.add_row(
                f"{row['size']:,}",
                row["engine"],
                f"{row['ms']:.4f}",
                f"{row['ms'] / row['ours_ms']:.1f}",
                str(row["items"]),
                f"{row['matches']:.1f}",
                f"{row['prepare_s']:.1f}",
            )
    return table


def _targets(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="targets", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("target", "required", "measured", ""):
        table.add_column(heading, justify="right" if heading == "measured" else "left")
    for row in rows:
        measured = "not in this run" if row["measured"] is None else f"{row['measured']:.1f}"
        table.add_row(row["target"], row["required"], measured, {True: "met", False: "missed", None: ""}[row["met"]])
    return table


def _print_reading(result: Mapping[str, Any]) -> None:
    language = result["language"]
    typer.echo(
        f"reading a three-pattern subscription: {language['parse_and_lower_us']:.0f} us; rdflib's prepareQuery "
        f"{language['rdflib_prepareQuery_us']:.0f} us, {language['ratio']:.0f} times as long"
    )
    if result["feeds"]:
        measured = result["feeds"]
        seconds = measured["seconds"]
        typer.echo(
            f"filtering feeds with {measured['subscriptions']} subscriptions: {measured['items_per_second']:,.0f} "
            f"items/s; reading {seconds['read_isolated']:.3f} s, of it guarding {seconds['guard']:.3f} s, and matching "
            f"{seconds['match']:.3f} s; guard and isolation take {measured['guard_and_isolation_share']:.0%} of "
            f"reading; RSS 1.0 at {measured['rss10_times_feedparser']:.1f} and its items as N-Triples at "
            f"{measured['rdf_times_feedparser']:.1f} times feedparser's rate"
        )
