"""Follow the feed of a subscription by WebSub: new matches are pushed, signed, and nobody polls."""

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

SECRET, ATOM = "only the hub and I know this", "{http://www.w3.org/2005/Atom}"
FEED = '<rss version="2.0"><channel><item><guid>urn:1</guid><title>A vaccine is tested</title></item></channel></rss>'
agreed, received = Queue[str](), Queue[bytes]()


class Callback(BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # the hub asks whether I agree: I repeat its challenge
        asked = parse_qs(urlsplit(self.path).query)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(asked["hub.challenge"][0].encode())
        agreed.put(asked["hub.mode"][0])

    def do_POST(self) -> None:  # the hub sends what is new
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        self.send_response(202)
        self.end_headers()
        if hmac.compare_digest(expected, self.headers["X-Hub-Signature"]):
            received.put(body)


def follow(url: str, callback: str) -> None:
    with Client(url) as client:
        mine = client.subscribe("vaccine*", form="short")
        feed = ET.fromstring(urlopen(mine.read_address.feed).read())
        named = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}  # its hub, and itself
        asked = {"hub.mode": "subscribe", "hub.topic": named["self"], "hub.callback": callback, "hub.secret": SECRET}
        print("asked the hub:", urlopen(Request(named["hub"], urlencode(asked).encode())).status)
        print("agreed to:", agreed.get(timeout=60))
        client.publish(FEED)
        print("pushed:", ET.fromstring(received.get(timeout=60)).findtext(f"{ATOM}entry/{ATOM}title"))


if __name__ == "__main__":  # documents are read in another process, which imports this file
    follower = ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=follower.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{follower.server_port}"  # by default, a callback must have a public address
    with Service(ServiceSettings(allow=(host,)), engine=Engine(matcher="naive")) as it, serving(create_app(it)) as url:
        it.start()
        follow(url, f"http://{host}/")
