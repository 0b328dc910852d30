"""The broker as a service: subscribe, publish and read over HTTP, on a free port of this machine."""

import json
import threading
import urllib.request

from gtopss import Engine
from gtopss.http.app import create_app
from gtopss.http.server import bind, server_of
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

FEED = b"""<rss version="2.0"><channel><title>Health news</title>
<item><guid>urn:example:1</guid><title>A vaccine is tested</title></item>
<item><guid>urn:example:2</guid><title>Football</title></item></channel></rss>"""


def call(url: str, body: bytes | None = None, media_type: str = "text/plain", ticket: str = "") -> str:
    headers = {"Content-Type": media_type, "Authorization": f"Bearer {ticket}"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        return str(response.read().decode())


def main() -> None:
    listener = bind("127.0.0.1", 0)
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with Service(ServiceSettings(store="memory:"), engine=Engine(matcher="naive")) as service:
        service.start()
        server = server_of(create_app(service))
        listener.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        mine = json.loads(call(f"{base}/subscriptions?form=short&validity=7d", b"vaccine -football"))
        print("warnings:", mine["warnings"], "forecast:", mine["forecast"])
        events = urllib.request.urlopen(mine["read_address"]["events"])  # it needs no ticket
        accepted = json.loads(call(f"{base}/publications", FEED, "application/rss+xml"))
        print("accepted:", [each["id"] for each in accepted["results"][0]["publications"]])
        for line in events:
            if line.startswith(b"data:"):
                print("event:", json.loads(line[5:])["item"]["title"])
                break
        matches = json.loads(call(f"{base}/subscriptions/{mine['id']}/matches", ticket=mine["ticket"]))
        print("match:", matches["notifications"][0]["why"])
        print("Atom:", "A vaccine is tested" in call(mine["read_address"]["feed"]))
        events.close()
        server.should_exit = True
        thread.join()


if __name__ == "__main__":  # the broker reads documents in another process, which imports this file
    main()
