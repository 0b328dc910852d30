from __future__ import annotations

from pathlib import Path

from support.spark_answers import answers_by, read_without_spark
from support.spark_operators import PLAIN, engine_for

from gtopss.engine.loading import load_engine
from gtopss.operators import OperatorLimits
from gtopss.spark.runtime.engine_shards import shards


def test_shards_share_out_all_subscriptions(data: Path) -> None:
    engine = load_engine(data / "subscriptions", data / "ontologies" / "iptc-mediatopics-en-GB.ttl").engine
    publications = read_without_spark(data / "feeds", data / "news" / "news.nq")
    parts = list(shards(engine, 3))
    assert sorted(each.id for part in parts for each in part.subscriptions()) == sorted(
        each.id for each in engine.subscriptions()
    )
    sizes = sorted(map(len, parts))
    assert sizes[0] > 0
    united = set().union(*(answers_by(part, publications) for part in parts))
    assert united == answers_by(engine, publications)


def test_shards_keep_those_together_that_share_calls(tmp_path: Path) -> None:
    engine = engine_for(tmp_path / "calls")
    engine.add(PLAIN, id="plain too")
    first, second = shards(engine, 2)
    assert (len(first.operator_subscription_ids()), len(first)) == (4, 4)
    assert (len(second.operator_subscription_ids()), len(second)) == (0, 2)
    assert first.config == engine.config
    assert (first.config.strategy, first.config.operator_limits) == ("sequential", OperatorLimits(concurrency=2))
