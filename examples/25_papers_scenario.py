"""The papers' scenario over HTTP: two publishers; subscribers by webhook, Atom and events; a renewal, an expiry."""

import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook

from gtopss import Engine
from gtopss.client import Client, Target
from gtopss.http.app import create_app
from gtopss.http.background_server import serving
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

FEED = '<rss version="2.0"><channel><title>News</title><item><guid>{0}</guid><title>{1}</title></item></channel></rss>'
received = queue.Queue()
later = [0.0]  # seconds by which the clock of the service is ahead, so that an hour passes at once


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body, headers = self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers.items())
        data = Webhook(self.server.secret).verify(body, headers)["data"]  # raises an error if it is forged
        received.put(data["item"]["title"] if "item" in data else "verified")
        self.send_response_only(200)
        self.end_headers()
        self.wfile.write(data.get("challenge", "").encode())  # the first message asks for this answer


def scenario(url: str, hook: HTTPServer) -> None:
    with Client(url) as client, Client(url) as reuters, Client(url) as sports:  # the last two publish
        alice = client.subscribe("vaccine*", form="short", deliver=[Target(f"http://127.0.0.1:{hook.server_port}/")])
        hook.secret = alice.targets[0].secret  # it is shown once
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        bob, carol = (client.subscribe(f"vaccine* {more}", form="short", validity="1h") for more in ("", "-players"))
        events = client.follow(carol.id, carol.ticket, after=0)
        reuters.publish(FEED.format("urn:health:1", "A vaccine is tested"), source="https://reuters.example/feed")
        sports.publish(FEED.format("urn:sport:1", "Players get a vaccine"), source="https://sports.example/feed")
        print("Alice, webhook:", ", ".join(sorted(received.get(timeout=60) for _ in range(3))))
        print("Bob, Atom:", client.atom_feed(bob.id, bob.ticket).count("<entry"), "entries")
        print("Carol, event stream:", next(events).title)  # not the players
        client.unsubscribe(alice.id, alice.ticket)
        later[0] = 3_500
        client.renew(bob.id, bob.ticket)
        print("Carol:", next(events).kind)
        later[0] = 3_700
        print("Carol:", next(events).kind)
        print("Bob has renewed, and has had", client.subscription(bob.id, bob.ticket).notifications, "notifications")


if __name__ == "__main__":  # documents are read in another process, which imports this file
    hook = HTTPServer(("127.0.0.1", 0), Receiver)
    settings = ServiceSettings(allow=(f"127.0.0.1:{hook.server_port}",))  # private addresses are refused otherwise
    with Service(settings, clock=lambda: time.time() + later[0], engine=Engine(matcher="naive")) as service:
        service.start()
        with serving(create_app(service)) as url:
            scenario(url, hook)
