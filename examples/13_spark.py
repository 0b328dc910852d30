"""The same subscriptions on Spark: documents become a table, the engine runs in the executors, matches are a table."""

from pathlib import Path
from tempfile import TemporaryDirectory

from gtopss import Engine
from gtopss.spark.kernel import kernel_plan
from gtopss.spark.readers import read_sources
from gtopss.spark.session import spark_session

DATA = Path(__file__).parent.parent / "data"

engine = Engine()
for name in ("earthquakes-above-2", "severe-weather", "xml-tools"):
    engine.add((DATA / "subscriptions" / f"{name}.rq").read_text(), id=name)

spark = spark_session("local[1]", app="example")
with TemporaryDirectory() as folder:
    (Path(folder) / "broken.rss").write_text("this is no feed")
    arrivals = read_sources(spark, [DATA / "feeds", folder])
    print(f"{arrivals.publications.count()} publications")
    for error in arrivals.errors.collect():
        print("refused:", Path(error.source).name)

outcome = kernel_plan(spark, arrivals.publications, engine)
pairs = outcome.matches.select("publication_id", "subscription_id").distinct()
for row in pairs.groupBy("subscription_id").count().orderBy("subscription_id").collect():
    print(f"{row['subscription_id']}: {row['count']}")
spark.stop()
