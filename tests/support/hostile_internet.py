"""A hostile internet on 127.0.0.1: servers that send what a test wants, and a socket that must get no connection."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

from gtopss.net import Connector, FetchLimits

PUBLIC_ADDRESS = "93.184.216.34"
SHORT_LIMITS = FetchLimits(total_seconds=5.0)


class Server:
    """A server that answers each path with fixed bytes or with a function of the connection. It records requests."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET, wrap: Callable | None = None) -> None:
        self.routes: dict[str, bytes | Callable[[socket.socket], None]] = {}
        self.requests: list[str] = []
        self.stopping = threading.Event()
        self._wrap = wrap
        self._threads: list[threading.Thread] = []
        self._socket = socket.create_server(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family)
        self.port = self._socket.getsockname()[1]
        self._run(self._accept)

    def _run(self, target: Callable, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopping.is_set():
            with contextlib.suppress(OSError):
                self._run(self._answer, self._socket.accept()[0])

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(5)
            if self._wrap is not None:
                connection = self._wrap(connection)
            request = b""
            while b"\r\n\r\n" not in request:
                data = connection.recv(65536)
                if not data:
                    return
                request += data
            self.requests.append(request.decode("latin-1"))
            answer = self.routes[request.split()[1].decode("latin-1")]
            if callable(answer):
                answer(connection)
            else:
                connection.sendall(answer)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            connection.recv(1)  # wait until the client closes, so that it never gets a reset

    def drip(self, piece: bytes, *, first: bytes = b"", every: float = 0.02) -> Callable[[socket.socket], None]:
        """Return a handler that sends `first`, then `piece` repeatedly until the client or the test ends."""

        def answer(connection: socket.socket) -> None:
            connection.sendall(first)
            while not self.stopping.wait(every):
                connection.sendall(piece)

        return answer

    def stop(self) -> None:
        self.stopping.set()
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        for thread in self._threads:
            thread.join(6)
        self._socket.close()


class Trap:
    """A listening socket on an internal address that must get no connection."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]

    @property
    def touched(self) -> bool:
        # The kernel completes a connection before the client's connect returns, so there is no race here.
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        self._socket.close()


class Internet:
    """Names and addresses that a test declares. Every connection goes to the test's server and is recorded."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.names: dict[str, list[list[str]]] = {}
        self.lookups: list[str] = []
        self.dialled: list[str] = []

    def name(self, host: str, *answers: list[str]) -> None:
        """Set the answers of successive lookups; the last one repeats."""
        self.names[host] = list(answers) or [[PUBLIC_ADDRESS]]

    def resolve(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "unknown name")
        answers = self.names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def dial(self, address: object, port: int, timeout: float) -> socket.socket:
        self.dialled.append(str(address))
        return socket.create_connection(("127.0.0.1", self.server.port), timeout)

    def connector(self, **options: object) -> Connector:
        options.setdefault("limits", SHORT_LIMITS)
        return Connector(resolve=self.resolve, dial=self.dial, **options)


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def http_response(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, *([f"Content-Length: {len(body)}"] if length else [])]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
