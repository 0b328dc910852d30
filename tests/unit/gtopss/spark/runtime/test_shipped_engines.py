from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from gtopss import Engine
from gtopss.model import Publication
from gtopss.spark.io.rows import publications_table
from gtopss.spark.plans.engine_plan import match_with_shipped_engines
from gtopss.spark.runtime.shipped_engines import ShippedEngine, pack_folder
from gtopss.spark.runtime.shipped_operators import pack_operators


def test_a_packed_engine_answers_where_its_folder_is_not(spark: SparkSession, tmp_path: Path) -> None:
    engine = Engine()
    engine.add("ASK { ?x <urn:p> ?y }", id="any")
    engine.save(tmp_path / "saved")
    packed = spark.sparkContext.broadcast(pack_folder(tmp_path / "saved"))
    shipped = ShippedEngine("packed", str(tmp_path / "nowhere"), pack_operators(engine.operators_in_use()), packed)
    table = publications_table(spark, [Publication(f"p{n}", [("<urn:a>", "<urn:p>", n)]) for n in range(20)])
    match_tables = match_with_shipped_engines(table.repartition(2), shipped)
    assert match_tables.matches.count() == 20
    match_tables.release()


@pytest.mark.parametrize(("set_to", "used"), [(None, 1), (2, 2)])
def test_an_executor_matches_in_one_thread_unless_it_was_set(set_to: int | None, used: int, tmp_path: Path) -> None:
    engine = Engine(threads=set_to)
    engine.add("ASK { ?x <urn:p> ?y }", id="any")
    engine.save(tmp_path / "saved")
    shipped = ShippedEngine(f"threads {set_to}", str(tmp_path / "saved"), pack_operators(engine.operators_in_use()))
    assert shipped.engine().config.threads == used
