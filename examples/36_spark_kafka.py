"""Match the messages of a Kafka topic on Spark, and send the matches to another topic.

    spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:<version of Spark> 36_spark_kafka.py HOST:PORT

Without a server, files of a folder take the place of the messages; the rest is the same.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import gtopss.spark
from gtopss import Engine
from gtopss.spark.runtime.session import spark_session

ALERTS = '<urn:1> <urn:says> "storm tonight" <urn:alert:1> .\n<urn:2> <urn:says> "sun tomorrow" <urn:alert:2> .\n'

engine = Engine()
engine.add('SELECT ?text { ?alert <urn:says> ?text FILTER words(?text, "storm") }', id="storms")

spark = spark_session(app="example")
folder = TemporaryDirectory()
if len(sys.argv) > 1:
    kafka = {"kafka.bootstrap.servers": sys.argv[1]}
    sent = spark.createDataFrame([("alerts.nq", ALERTS), ("broken.nq", "this is no feed")], "key string, value string")
    sent.write.format("kafka").options(**kafka).option("topic", "alerts").save()
    topic = spark.readStream.format("kafka").options(**kafka).option("startingOffsets", "earliest")
    messages = topic.option("subscribe", "alerts").load()
else:
    (Path(folder.name) / "alerts.nq").write_text(ALERTS)
    (Path(folder.name) / "broken.nq").write_text("this is no feed")
    files = spark.readStream.schema("value string").option("wholetext", True).text(folder.name)
    messages = files.selectExpr("value", "regexp_extract(_metadata.file_path, '[^/]*$', 0) AS key")

documents = gtopss.spark.parse_documents(messages, content="value", name="key")
matches = gtopss.spark.match(documents, engine)
found = matches.selectExpr("coalesce(subscription_id, source) AS key", "to_json(struct(*)) AS value").writeStream
found = found.trigger(availableNow=True).option("checkpointLocation", f"{folder.name}/.checkpoint")
if len(sys.argv) > 1:
    found.format("kafka").options(**kafka).option("topic", "matches").start().awaitTermination()
    stored = spark.read.format("kafka").options(**kafka).option("subscribe", "matches").load()
else:
    found.format("memory").queryName("matches").start().awaitTermination()
    stored = spark.table("matches")

for row in stored.selectExpr("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value").orderBy("key").collect():
    print(f"{row.key}: {row.value}")
folder.cleanup()
spark.stop()
