"""The same subscriptions on Spark: documents become a table, the engine runs in the executors, matches are a table."""

from pathlib import Path
from tempfile import TemporaryDirectory

from gtopss import Engine
from gtopss.spark.io.sources import read_sources
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.runtime.session import spark_session

DATA = Path(__file__).parent.parent / "data"

engine = Engine()
for name in ("earthquakes-above-2", "severe-weather", "xml-tools"):
    engine.add((DATA / "subscriptions" / f"{name}.rq").read_text(), id=name)

spark = spark_session("local[1]", app="example")
with TemporaryDirectory() as folder:
    (Path(folder) / "broken.rss").write_text("this is no feed")
    publication_tables = read_sources(spark, [DATA / "feeds", folder])
    print(f"{publication_tables.publications.count()} publications")
    for error in publication_tables.errors.collect():
        print("refused:", Path(error.source).name)

match_tables = engine_plan(spark, publication_tables.publications, engine)
pairs = match_tables.matches.select("publication_id", "subscription_id").distinct()
for row in pairs.groupBy("subscription_id").count().orderBy("subscription_id").collect():
    print(f"{row['subscription_id']}: {row['count']}")
spark.stop()
