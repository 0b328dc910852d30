"""Compare a plan of Spark with the same plan of an earlier commit, in alternating runs on one machine.

The earlier commit is checked out into a temporary work tree. Each run is a process of its own, which times the plan on
the sample of `gtopss.experiments.benchmark.spark` after a warm-up and compares its matches with the engine's. Both
commits run with the installed packages. Run it in a clone of the repository.

`python -m gtopss.experiments.benchmark.spark_commits d896f09 [--plan graphframes] [--pairs 3] [--out FILE]`
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gtopss.errors import GtopssError
from gtopss.experiments.result_files import environment, save

SAMPLE = (10_000, 1_000)
PAIRS = 3
ROOT = Path(__file__).parents[3]
_MEASURE = """
import json, sys
try:
    from gtopss.experiments.benchmark.spark import Size, measure_spark
except ModuleNotFoundError:  # where it was before
    from gtopss.bench.spark import Size, measure_spark
plan, publications, subscriptions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(json.dumps(measure_spark(Size(100, 100), Size(publications, subscriptions), plans=[plan])))
"""
"""The workload of the engine plan, which the benchmark times too, is made as small as it can be."""


def compare_commits(
    commit: str,
    plan: str,
    sample: tuple[int, int] = SAMPLE,
    pairs: int = PAIRS,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Return the rates of both commits as JSON data. Raises GtopssError if a run fails or the matches differ."""
    with tempfile.TemporaryDirectory(prefix="gtopss-commit-") as folder:
        earlier = Path(folder) / "earlier"
        _git("worktree", "add", "--detach", str(earlier), commit)
        try:
            runs: dict[str, list[dict[str, Any]]] = {"earlier": [], "current": []}
            for pair in range(pairs):
                for name, tree in (("earlier", earlier), ("current", ROOT)):
                    progress(f"{plan}, {name}, run {pair + 1} of {pairs}")
                    runs[name].append(_measure(tree, plan, sample))
        finally:
            _git("worktree", "remove", "--force", str(earlier))
    result: dict[str, Any] = {"plan": plan, "commit": commit, "sample": list(sample), **environment()}
    return result | summarise(runs)


def summarise(runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the seconds of all runs and the median ratio of the pairs. Raises GtopssError if the matches differ."""
    seconds: dict[str, list[float]] = {}
    for name, results in runs.items():
        rows = [next(row for row in each["plans"] if row["of"] == "sample") for each in results]
        for row in rows:
            if "left_out" in row:
                raise GtopssError(f"the {name} commit cannot run the plan: {row['left_out']}")
        seconds[name] = [row["seconds"] for row in rows]
    if len({each["matches_per_publication"] for results in runs.values() for each in results}) > 1:
        raise GtopssError("the two commits have different matches, so that their times cannot be compared")
    ratios = [before / now for before, now in zip(seconds["earlier"], seconds["current"], strict=True)]
    return {"seconds": seconds, "times_as_fast": round(statistics.median(ratios), 2)}


def _measure(tree: Path, plan: str, sample: tuple[int, int]) -> dict[str, Any]:
    command = [sys.executable, "-P", "-c", _MEASURE, plan, *map(str, sample)]
    paths = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=paths, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GtopssError(f"the benchmark failed in {tree}: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise GtopssError(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")


def main() -> None:
    arguments = argparse.ArgumentParser(description="Compare a plan of Spark with that of an earlier commit.")
    arguments.add_argument("commit", help="the earlier commit")
    arguments.add_argument("--plan", default="graphframes", help="graphframes or relational")
    arguments.add_argument("--pairs", type=int, default=PAIRS, help="runs of each commit, in turn")
    arguments.add_argument("--sample", type=int, nargs=2, default=SAMPLE, metavar=("PUBLICATIONS", "SUBSCRIPTIONS"))
    arguments.add_argument("--out", type=Path, default=None, help="also write the result to this JSON file")
    given = arguments.parse_args()
    result = compare_commits(
        given.commit, given.plan, tuple(given.sample), given.pairs, lambda step: print(step, file=sys.stderr)
    )
    if given.out is not None:
        save(given.out, result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
