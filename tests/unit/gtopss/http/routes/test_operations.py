"""Health, metrics, costs and figures."""

from __future__ import annotations

from support.services import served

from gtopss.broker.errors import NewerStore


def test_the_service_is_ready_when_its_workers_run() -> None:
    with served() as it:
        assert it.client.get("/healthz").json()["status"] == "ok"
        assert (it.client.get("/readyz").status_code, it.client.get("/readyz").headers["retry-after"]) == (503, "5")
        it.service.start()
        assert it.client.get("/readyz").json()["status"] == "ready"
        assert it.service.workers is not None
        it.service.workers.stopped_by = NewerStore("store", "0009", "0001")
        assert it.client.get("/readyz").status_code == 503


def test_metrics_have_no_label_per_subscription() -> None:
    with served() as it:
        mine = it.subscribe()
        it.publish()
        text = it.client.get("/metrics").text
        assert mine["id"] not in text
        assert "gtopss_subscriptions 1.0" in text
        assert "gtopss_publications_accepted 2.0" in text
        assert 'gtopss_documents_total{result="accepted"} 1.0' in text
        assert 'gtopss_http_requests_total{method="POST",route="/subscriptions",status="201"} 1.0' in text
        it.client.get("/subscriptions/x")
        it.client.get("/there/is/no/such/path")
        again = it.client.get("/metrics").text
        assert 'route="/subscriptions/{id}"' in again
        assert "/there/is" not in again


def test_costs_name_busy_subscriptions() -> None:
    with served() as it:
        it.subscribe("SELECT ?x { ?x rss:title 'nothing' }")
        mine = it.subscribe()
        it.publish()
        found = it.client.get("/costs?most=1").json()
        assert [(each["subscription"], each["notifications"]) for each in found["busy"]] == [(mine["id"], 1)]
        assert found["expensive"] == []  # only the matcher gm counts steps


def test_figures_for_the_page() -> None:
    with served() as it:
        it.subscribe(deliver=[{"address": "https://a.example/"}])
        it.publish()
        found = it.client.get("/stats").json()
        shown = ("subscriptions", "publications", "publications_waiting", "targets", "feeds", "event_stream_clients")
        assert [found[name] for name in shown] == [1, 2, 0, 1, 0, 0]
        assert (found["store"], found["durable"], found["delivery_kinds"]) == ("memory", False, ["webhook"])


def test_a_name_that_cannot_be_stored_is_refused() -> None:
    with served() as it:
        for name in ('"\\ud800"', '"a\\u0000b"'):
            body, headers = f'{{"name": {name}}}', {"Content-Type": "application/json"}
            assert it.client.post("/keys", content=body, headers=headers).status_code == 422
        assert it.client.get("/keys").json() == {"keys": []}
