"""Follow the feed of a subscription by WebSub: new matches are pushed, and nobody polls.

A service advertises itself as the hub of the feeds of its subscriptions. The follower here is a few lines of the
standard library: it agrees to the hub's question, verifies the signature, and prints what arrives.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
import xml.etree.ElementTree as ET
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

from gtopss import Engine
from gtopss.client import Client
from gtopss.http.app import create_app
from gtopss.http.background_server import serving
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

SECRET = "only the hub and I know this"
ATOM = "{http://www.w3.org/2005/Atom}"
agreed, received = Queue[str](), Queue[bytes]()


class Callback(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Agree: repeat the challenge of the hub."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(asked["hub.challenge"].encode())
        agreed.put(asked["hub.mode"])

    def do_POST(self) -> None:
        """Take what the hub sends, if its signature is right."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        is_right = hmac.compare_digest(expected, self.headers["X-Hub-Signature"])
        self.send_response(202 if is_right else 403)
        self.end_headers()
        received.put(body if is_right else b"")

    def log_message(self, *arguments: object) -> None:
        pass


def hub_of(feed: str) -> tuple[str, str]:
    """Return the hub and the topic that a feed names."""
    links = ET.fromstring(urlopen(feed).read()).findall(f"{ATOM}link")
    named = {link.get("rel"): link.get("href") or "" for link in links}
    return named["hub"], named["self"]


def main() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Callback) as follower:
        threading.Thread(target=follower.serve_forever, daemon=True).start()
        callback = f"127.0.0.1:{follower.server_port}"
        settings = ServiceSettings(allow=(callback,))  # by default, a callback must have a public address
        with Service(settings, engine=Engine(matcher="naive")) as service:
            service.start()
            with serving(create_app(service)) as url, Client(url) as client:
                mine = client.subscribe("vaccine*", form="short")
                assert mine.read_address is not None
                hub, topic = hub_of(mine.read_address.feed)
                asked = {"hub.mode": "subscribe", "hub.topic": topic, "hub.secret": SECRET}
                asked["hub.callback"] = f"http://{callback}/"
                print("asked the hub:", urlopen(Request(hub, urlencode(asked).encode())).status)
                print("agreed to:", agreed.get(timeout=60))
                client.publish(
                    b"<rss version='2.0'><channel><title>News</title><item><guid>urn:1</guid>"
                    b"<title>A vaccine is tested</title></item></channel></rss>"
                )
                for entry in ET.fromstring(received.get(timeout=120)).findall(f"{ATOM}entry"):
                    print("pushed:", entry.findtext(f"{ATOM}title"))
        follower.shutdown()


if __name__ == "__main__":
    main()
