"""Spark matches and the broker delivers: each notification once, however often Spark runs a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gtopss.broker.broker import Broker
from gtopss.broker.spark_sink import SinkReport, SparkSink
from gtopss.broker.store.store import Store
from gtopss.model import Publication

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TITLE = "<http://purl.org/rss/1.0/title>"
QUERY = 'SELECT ?title { ?item rss:title ?title FILTER words(?title, "open source") }'


def row(number: int, title: str) -> dict[str, Any]:
    triples = [{"s": f"<urn:item:{number}>", "p": TITLE, "o": f'"{title}"'}]
    return {"publication_id": f"p{number}", "source": "spark", "published_at": None, "triples": triples}


def test_a_batch_that_runs_again_writes_nothing_twice(store: Store) -> None:
    with Broker(store) as broker:
        mine = broker.subscribe(QUERY)
        rows = [row(number, "An open source release") for number in range(250)]
        sink = SparkSink(store)
        sink._follower.follow()
        first = sink.write(rows[:120])
        assert first == SinkReport(120, 120, 0)
        assert sink.write(rows) == SinkReport(130, 130, 0)  # the batch was killed in the middle, and runs again
        assert SparkSink(store).write([]) == SinkReport(0, 0, 0)
        broker.run_pending()
        written = [each for after in (0, 100, 200) for each in broker.notifications(mine.id, mine.ticket, after=after)]
        ids = {each.row.id for each in written}
        assert len(ids) == 250
        late = broker.subscribe(QUERY)
        broker.run_pending()
        assert not broker.notifications(late.id, late.ticket)  # subscribed after Spark had matched


def test_the_broker_gives_the_same_ids(store: Store) -> None:
    with Broker(store) as broker:
        mine = broker.subscribe(QUERY)
        given = row(1, "An open source release")
        broker.publish([Publication("p1", [("<urn:item:1>", TITLE, '"An open source release"')], source="spark")])
        broker.run_pending()
        sink = SparkSink(store)
        sink._follower.follow()
        assert sink.write([given]) == SinkReport(0, 0, 0)  # the broker has it
        bad = {**row(2, "x"), "triples": [{"s": '"a"', "p": TITLE, "o": '"b"'}]}
        assert sink.write([bad]) == SinkReport(0, 0, 1)
        assert len(list(broker.notifications(mine.id, mine.ticket))) == 1


def test_tables_of_a_stream_and_of_a_batch(spark: SparkSession, tmp_path_factory: Any) -> None:
    from gtopss.broker.store.open_store import open_store

    folder = tmp_path_factory.mktemp("sink")
    schema = "publication_id string, triples array<struct<s: string, p: string, o: string>>"
    titles = ["An open source release", "Nothing", "Open-Source news"]
    rows = [(f"p{n}", [(f"<urn:item:{n}>", TITLE, f'"{title}"')]) for n, title in enumerate(titles)]
    spark.createDataFrame(rows, schema).write.json(str(folder / "in"))
    with open_store("memory:") as store, Broker(store) as broker:
        mine = broker.subscribe(QUERY)
        sink, reports = SparkSink(store), list[SinkReport]()
        stream = spark.readStream.schema(schema).json(str(folder / "in"))
        writer = stream.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        query = (
            writer.foreachBatch(lambda batch, id: reports.append(sink(batch, id))).trigger(availableNow=True).start()
        )
        assert query.awaitTermination(120)
        assert sum(each.notifications for each in reports) == 2
        again = sink(spark.createDataFrame([*rows, ("bad", [('"a"', TITLE, '"b"')])], schema))
        assert (again.publications, again.notifications) == (0, 0)
        broker.run_pending()
        assert {each.publications[0].id for each in broker.notifications(mine.id, mine.ticket)} == {"p0", "p2"}
