"""`gtopss bench`: the matchers side by side, in one run on one workload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gtopss.bench.feeds import measure_feeds
from gtopss.bench.language import compare_readers
from gtopss.bench.matchers import compare_matchers


def bench(
    sizes: Annotated[str, typer.Option(help="Numbers of subscriptions, separated by commas.")] = "100,1000,3000",
    matchers: Annotated[
        str, typer.Option(help="Matchers, separated by commas; the first one's answers are the standard.")
    ] = "reference,naive,sparql",
    publications: Annotated[int, typer.Option(min=1, help="Publications per point; the median is shown.")] = 5,
    feeds: Annotated[Path, typer.Option(help="A folder of feeds, to be read and filtered.")] = Path("data/feeds"),
    out: Annotated[Path | None, typer.Option(help="Write the results here as JSON.")] = None,
) -> None:
    """Time the matchers on the paper's Table 1 workload, after checking that their answers are the same."""
    messages = Console(stderr=True)
    chosen = [int(size) for size in sizes.split(",") if size.isascii() and size.isdigit() and int(size) > 0]
    if len(chosen) < len(sizes.split(",")):
        raise typer.BadParameter(f"{sizes!r} is not a list of positive numbers", param_hint="--sizes")
    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.absolute().parent}", param_hint="--out")
    with messages.status("preparing") as status:
        result = compare_matchers(matchers.split(","), chosen, publications, status.update)
        status.update("reading subscriptions")
        result["language"] = compare_readers()
        status.update("reading feeds")
        result["feeds"] = measure_feeds(feeds) if feeds.is_dir() else None
    if out is not None:
        out.write_text(json.dumps(result, indent=1) + "\n")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("subscriptions", "matcher", "add, us each", "match, ms an item", "times the first", "matches"):
        table.add_column(heading, justify="left" if heading == "matcher" else "right")
    first = 0.0
    for point in result["points"]:
        if point["matcher"] == result["points"][0]["matcher"]:
            first = point["match_ms"]
        table.add_row(
            str(point["subscriptions"]),
            point["matcher"],
            f"{point['add_us']:.0f}",
            f"{point['match_ms']:.3f}",
            f"{point['match_ms'] / first:.1f}",
            str(point["matches"]),
        )
    Console().print(table)
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
