"""Measure how long a broker takes to start with many subscriptions, from a snapshot and the log of changes.

    python -m gtopss.experiments.benchmark.broker_start FOLDER --subscriptions 1000000

The first part fills a SQLite database and saves the engine: few shapes, a tenth of the subscriptions with words, all
with an end. The second part is a new process that opens both; the code is compiled before.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.engine_snapshots import EngineSnapshots
from gtopss.broker.store.open_store import open_store
from gtopss.engine import Engine
from gtopss.experiments.benchmark.broker_subscriptions import store_texts, text_of
from gtopss.experiments.workloads import few_shapes
from gtopss.language import subscription_from_text

CHANGES_AFTER_SNAPSHOT = 1_000
"""Subscriptions that are added after the engine was saved, and are in the log only."""
WORDS_EACH = 10
"""One subscription in so many asks for words."""


def texts(count: int) -> Iterator[tuple[str, str]]:
    """Yield ids and queries: a tenth asks for two words of a title."""
    for number, each in enumerate(few_shapes(count).subscriptions()):
        if number % WORDS_EACH == 0:
            words = f"word{number % 5_003} term{number // WORDS_EACH % 4_001}"
            yield each.id, f'SELECT ?x {{ ?x <http://purl.org/rss/1.0/title> ?t FILTER words(?t, "{words}") }}'
        else:
            yield each.id, text_of(each)


def prepare(folder: Path, count: int) -> None:
    """Fill a store and save the engine of its subscriptions."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_store(f"sqlite:{folder}/broker.db") as store:
        made, engine = list(texts(count + CHANGES_AFTER_SNAPSHOT)), Engine()
        saved = store_texts(store, made[:count])
        written = few_shapes(count + CHANGES_AFTER_SNAPSHOT).subscriptions()
        for number, each in enumerate(islice(written, count)):
            is_words = number % WORDS_EACH == 0
            engine.add(subscription_from_text(made[number][1], each.id) if is_words else each)
        EngineSnapshots(folder / "snapshots" / "plain").save(engine, saved, store)
        store_texts(store, made[count:])


def start(folder: Path) -> dict[str, float]:
    """Start a broker and return the seconds that it took, by part."""
    began = time.perf_counter()
    with open_store(f"sqlite:{folder}/broker.db") as store:
        opened = time.perf_counter()
        broker = Broker(store, Engine(), BrokerConfig(snapshot_folder=folder / "snapshots", snapshot_interval=1e9))
        broker.start()
        started = time.perf_counter()
        broker.publishing.close()
        return {
            "store_seconds": opened - began,
            "engine_seconds": started - opened,
            "cpu_seconds": time.process_time(),
            "subscriptions": sum(len(each.engine) for each in broker.followers()),
        }


def measure_start(folder: Path, count: int) -> dict[str, float]:
    """Prepare the folder if it has no saved engine, start a broker in a new process, and return how long that took."""
    if not (folder / "snapshots").exists():
        prepare(folder, count)
    began = time.perf_counter()
    command = [sys.executable, "-m", "gtopss.experiments.benchmark.broker_start", str(folder), "--start"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return {**measured, "process_seconds": time.perf_counter() - began}


def main() -> None:
    """Run the measurement and print it as JSON."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--subscriptions", type=int, default=1_000_000)
    arguments.add_argument("--start", action="store_true", help="only start a broker on a folder that is prepared")
    given = arguments.parse_args()
    measured = start(given.folder) if given.start else measure_start(given.folder, given.subscriptions)
    print(json.dumps({name: value if math.isfinite(value) else None for name, value in measured.items()}))


if __name__ == "__main__":
    main()
