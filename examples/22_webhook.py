"""Subscribe with a webhook: a receiver on this machine verifies the signatures of what it gets."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.delivery.deliveries import Deliveries
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.store.sqlite import memory_store
from gtopss.net import Connector

FEED = b"""<rss version="2.0"><channel><title>Health news</title>
<item><guid>urn:example:1</guid><title>A vaccine is tested</title></item>
<item><guid>urn:example:2</guid><title>Football</title></item></channel></rss>"""


class Receiver(BaseHTTPRequestHandler):
    secret = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = Webhook(self.secret).verify(body, dict(self.headers.items()))  # raises an error if it is forged
        answer = message["data"].get("challenge", "").encode()  # a receiver agrees by repeating the challenge
        print(f"{message['type']}: {message['data'].get('item', {}).get('title', 'the challenge is repeated')}")
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments: object) -> None:
        pass


def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    with memory_store() as store, Broker(store, Engine(matcher="naive")) as broker:
        # Private addresses are refused unless the operator allows them.
        deliveries = Deliveries(broker, {"webhook": WebhookDelivery(Connector(allow={host}))})
        mine = broker.subscribe('SELECT ?title { ?item rss:title ?title FILTER words(?title, "vaccine*") }')
        target = deliveries.add_target(mine.id, mine.ticket, "webhook", f"http://{host}/")
        Receiver.secret = target.secret  # it is shown once
        broker.publish([FEED])
        broker.run_pending()
        deliveries.schedule.run_due()
        (status,) = deliveries.targets(mine.id, mine.ticket)
        print(f"the target is {status.state} and has got notification {status.delivered_sequence}")
        deliveries.close()
    server.shutdown()


if __name__ == "__main__":  # the broker reads documents in another process, which imports this file
    main()
