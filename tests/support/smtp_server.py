"""A mail server on 127.0.0.1 that keeps what it receives."""

from __future__ import annotations

import contextlib
import email
import email.policy
import queue
import socketserver
import threading
from collections.abc import Iterator
from email.message import EmailMessage

DEADLINE_SECONDS = 60


class Mailbox:
    """What a server has received, and what it answers to RCPT."""

    def __init__(self) -> None:
        self.port = 0
        self.raw: list[bytes] = []
        self.envelopes: list[tuple[str, list[str]]] = []
        self.recipient_answer = b"250 ok"
        self._arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def receive(self, sender: str, recipients: list[str], raw: bytes) -> None:
        """Keep a message."""
        self.raw.append(raw)
        self.envelopes.append((sender, recipients))
        self._arrived.put(raw)

    def wait_for_message(self) -> EmailMessage:
        """Return the next message that no call of this method has returned yet."""
        raw = self._arrived.get(timeout=DEADLINE_SECONDS)
        return email.message_from_bytes(raw, policy=email.policy.default)  # type: ignore[return-value]

    def messages(self) -> list[EmailMessage]:
        return [email.message_from_bytes(raw, policy=email.policy.default) for raw in self.raw]  # type: ignore[misc]


@contextlib.contextmanager
def smtp_server() -> Iterator[Mailbox]:
    box = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            sender, recipients = "", []
            self.wfile.write(b"220 test\r\n")
            while line := self.rfile.readline():
                command = line.strip().upper()
                answer = b"250 ok"
                if command.startswith(b"MAIL"):
                    sender = line.decode().strip()
                elif command.startswith(b"RCPT"):
                    recipients.append(line.decode().strip())
                    answer = box.recipient_answer
                elif command == b"DATA":
                    self.wfile.write(b"354 go\r\n")
                    data = b""
                    while (part := self.rfile.readline()) != b".\r\n":
                        data += part
                    box.receive(sender, recipients, data)
                elif command == b"QUIT":
                    self.wfile.write(b"221 bye\r\n")
                    return
                self.wfile.write(answer + b"\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield box
        server.shutdown()
