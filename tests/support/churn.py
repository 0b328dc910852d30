"""Add and remove subscriptions of ever new shapes with ever new constants, in a process of its own.

    python -m support.churn CYCLES

prints by how many bytes the process grew after the first cycles, which load code and fill caches.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from pathlib import Path

from gtopss import Engine, Publication
from gtopss.matching.index.segment import release_free_memory
from gtopss.operators import Registry
from ontology import Taxonomy

MAX_FIRST_CYCLES = 10_000
"""Cycles, at most a tenth, that are not measured: they load code and fill caches."""
CYCLES_PER_MATCH = 20
"""Cycles that share one publication: the subscription is there when it is matched."""


def query(number: int) -> str:
    """Return a query that has no variable and no constant of any other."""
    x, y, c = f"?x{number}", f"?y{number}", f"urn:c{number}"
    pattern = f"{x} <{c}> {y}"
    filters = (
        f"FILTER({y} > {number})",
        f'FILTER(CONTAINS(STR({y}), "{number}"))',
        f'FILTER(CONTAINS(LCASE({y}), "{number}"))',
        f'FILTER(words({y}, "{number}"))',
        f'FILTER(STRSTARTS({y}, "{number}") || CONTAINS({y}, "x{number}"))',
        f'FILTER(REGEX(STR({y}), "^.*{number}$"))',
        f'FILTER(!CONTAINS({y}, "x{number}"))',
        f'FILTER(!has({x}, <{c}/other>, "word{number}"))',
        f"FILTER(labelled({y}, <urn:class{number % 1000}>))",
        f"FILTER({y} IN ({number}, {number + 1}, <{c}>))",
        f"FILTER(isA({x}, <urn:class{number % 1000}>))",
        f"FILTER({y} = <{c}>)",  # rewritten: the engine keeps it as it was written
        f"FILTER({y} > {number} && {y} < {number - 1})",  # never matches
        f"BIND(CONCAT(STR({y}), '{number}') AS ?z{number})",
        f"{y} <{c}/next> <{c}/end> . FILTER(stamp({x}, '{number}'))",  # calls an operator
    )
    return f"SELECT * {{ {pattern} . {filters[number % len(filters)]} }}"


def publication(number: int) -> Publication:
    """Return a publication with terms that no other has."""
    c = f"<urn:c{number}>"
    return Publication(str(number), [(f"<urn:s{number}>", c, number + 1), (f"<urn:s{number}>", c, f'"{number}"')])


def resident_bytes() -> int:
    """Return how much memory this process has, without what is free inside of it."""
    gc.collect()
    release_free_memory()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def grow_by_churn(cycles: int) -> int:
    """Return by how many bytes this process grew in so many cycles, without the first ones."""
    operators = Registry()
    operators.operator("stamp")(lambda publication, subject, text: True)
    taxonomy = Taxonomy([(f"urn:class{number + 1}", f"urn:class{number}") for number in range(0, 1000, 10)])
    engine, before, matched = Engine(taxonomy=taxonomy, operators=operators), 0, 0
    engine.add("SELECT * { ?kept <urn:c1> ?y }", id="kept")
    warnings.simplefilter("ignore")
    for number in range(cycles):
        if number == min(cycles // 10, MAX_FIRST_CYCLES):
            before = resident_bytes()
        added = engine.add(query(number))
        if number % CYCLES_PER_MATCH == number // CYCLES_PER_MATCH % CYCLES_PER_MATCH:
            matched += len(engine.match(publication(number)))
        engine.remove(added.id)
    assert len(engine) == 1
    assert matched > cycles // CYCLES_PER_MATCH // 4
    assert engine.match(publication(1)).subscription_ids == ("kept",)
    return resident_bytes() - before


def churn_in_other_process(cycles: int, timeout: float) -> int:
    """Return what `grow_by_churn` returns in a new process."""
    command = [sys.executable, "-m", "support.churn", str(cycles)]
    tests = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


if __name__ == "__main__":
    print(grow_by_churn(int(sys.argv[1])))
