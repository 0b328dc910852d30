"""Run subscriptions on Spark: documents become a table, the engine runs in the executors, matches are a table."""

from pathlib import Path
from tempfile import TemporaryDirectory

from gtopss import Engine
from gtopss.spark.io.sources import read_sources
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.runtime.session import spark_session

DATA = Path(__file__).parent.parent / "data"

engine = Engine()
for name in ("earthquakes-above-2", "martin-on-tfs", "xml-tools"):
    engine.add((DATA / "subscriptions" / f"{name}.rq").read_text(), id=name)

spark = spark_session(app="example")
with TemporaryDirectory() as folder:
    (Path(folder) / "broken.rss").write_text("this is no feed")
    read = read_sources(spark, [DATA / "feeds", folder])
    print(f"{read.publications.count()} publications")
    for error in read.errors.collect():
        print("refused:", Path(error.source).name)

found = engine_plan(spark, read.publications, engine)
pairs = found.matches.select("publication_id", "subscription_id").distinct()
for row in pairs.groupBy("subscription_id").count().orderBy("subscription_id").collect():
    print(f"{row['subscription_id']}: {row['count']}")
spark.stop()
