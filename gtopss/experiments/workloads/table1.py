"""The paper's own workload (G-ToPSS, Table 1) as one of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gtopss.experiments.workloads.table1_generator import Table1, publication, subscriptions
from gtopss.experiments.workloads.workload import Workload, generator
from gtopss.model import Publication, Subscription


def paper(size: int) -> Workload:
    """Publications of 90 edges; 0.1% of the subscriptions match the first, and hardly any the others."""
    table = replace(Table1(), subscriptions=size)

    def items(count: int) -> list[Publication]:
        chance = generator("c", size, "publications")
        return [publication(table, chance, f"p{i}") for i in range(count)]

    def made() -> Iterator[Subscription]:
        return subscriptions(table, items(1)[0], generator("c", size, "subscriptions"))

    return Workload("c", "the paper's Table 1", size, made, items)
