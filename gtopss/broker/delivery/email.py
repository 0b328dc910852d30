"""E-mail by SMTP, if the operator has configured a server.

An address gets one message with a code first, and the owner of the subscription confirms it: so nobody can have
notifications sent to somebody else. Headers cannot be injected: an address is one plain mailbox, and texts of strangers
lose their line breaks and control characters before they become a header.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import re
import secrets
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Literal

from gtopss.broker.delivery.kind import DONE, Outcome, Result
from gtopss.broker.delivery.message import Message, Notification
from gtopss.broker.errors import InvalidTarget
from gtopss.broker.store.target_rows import Target

MAX_SUBJECT_CHARACTERS = 200
"""Characters of a subject; the rest is left out."""

# One mailbox as it is common: RFC 5321 allows more, such as quoted names and comments, which nobody needs.
_MAILBOX = re.compile(
    r"(?=.{3,254}\Z)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64})*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpConfig:
    """The server that sends e-mail, and the sender's address."""

    host: str
    sender: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    """"none" is for a server on the same machine."""
    username: str | None = None
    password: str | None = None
    timeout_seconds: float = 10.0
    """For each step of the exchange with the server; all of them together must be shorter than a lease."""

    def __repr__(self) -> str:
        return f"SmtpConfig(host={self.host!r}, port={self.port}, sender={self.sender!r})"


class EmailDelivery:
    """Sends messages by SMTP, each in a connection of its own. Thread-safe."""

    name = "email"

    def __init__(self, config: SmtpConfig, *, tls: ssl.SSLContext | None = None) -> None:
        if not _MAILBOX.fullmatch(config.sender):
            raise InvalidTarget(self.name, config.sender, "the sender is not a mail address")
        self._config, self._tls = config, tls

    def normalise_address(self, address: str) -> str:
        if not _MAILBOX.fullmatch(address):
            raise InvalidTarget(self.name, address, "it is not a mail address such as name@example.org")
        return address

    def new_secret(self) -> str:
        return secrets.token_urlsafe(32)

    def host(self, target: Target) -> str:
        """Return the SMTP server: it gets a few messages at once, whoever they are for."""
        return f"smtp:{self._config.host}"

    def verify(self, target: Target, now: float) -> Outcome:
        """Send the code that the owner of the subscription has to confirm."""
        text = (
            f"Somebody wants to send notifications of the subscription {target.subscription} to this address.\n"
            "If it was you, confirm it with this code:\n\n"
            f"    {confirmation_code(target)}\n\n"
            "If it was not you, do nothing: you get no further message.\n"
        )
        outcome = self._send(target, f"verification_{target.id}", "Confirm your address", text, now)
        if outcome.result is not Result.DONE:
            return outcome
        return Outcome(Result.CONFIRMATION_NEEDED, "the code that was sent to the address is not confirmed yet")

    def deliver(self, target: Target, message: Message, now: float) -> Outcome:
        """Send one message for a delivery."""
        parts = [_text(each) for each in message.notifications]
        first, *others = (_title(each) for each in message.notifications)
        subject = first if not others else f"{len(parts)} notifications: {first}"
        return self._send(target, message.id, subject, "\n\n".join(parts) + "\n", now)

    def _send(self, target: Target, id: str, subject: str, text: str, now: float) -> Outcome:
        made = EmailMessage()
        made["From"] = self._config.sender
        made["To"] = target.address
        made["Subject"] = header_text(subject)[:MAX_SUBJECT_CHARACTERS]
        made["Date"] = format_datetime(dt.datetime.fromtimestamp(now, dt.UTC))
        domain = self._config.sender.rpartition("@")[2]
        made["Message-ID"] = f"<{hashlib.sha256(f'{target.id} {id}'.encode()).hexdigest()[:40]}@{domain}>"
        made["Auto-Submitted"] = "auto-generated"
        made.set_content(text.encode("utf-8", "replace").decode())
        try:
            with self._connect() as server:
                server.send_message(made, self._config.sender, [target.address])
        except smtplib.SMTPRecipientsRefused as error:
            code, reason = next(iter(error.recipients.values()), (550, b"refused"))
            return _failed(code, reason)
        except smtplib.SMTPResponseException as error:
            return _failed(error.smtp_code, error.smtp_error)
        except (OSError, smtplib.SMTPException) as error:
            return Outcome(Result.FAILED, f"the mail server cannot be used: {header_text(str(error))}")
        return DONE

    def _connect(self) -> smtplib.SMTP:
        config = self._config
        context = self._tls or ssl.create_default_context()
        if config.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                config.host, config.port, timeout=config.timeout_seconds, context=context
            )
        else:
            server = smtplib.SMTP(config.host, config.port, timeout=config.timeout_seconds)
        try:
            if config.security == "starttls":
                server.starttls(context=context)
            if config.username is not None:
                server.login(config.username, config.password or "")
        except BaseException:
            server.close()
            raise
        return server


def confirmation_code(target: Target) -> str:
    """Return the code that an address gets, and that confirms it. It cannot be guessed without the target's secret."""
    key = target.secrets[0].text.encode()
    return hmac.new(key, f"confirm {target.id} {target.address}".encode(), hashlib.sha256).hexdigest()[:32]


def header_text(text: str) -> str:
    """Return a text that can stand in a header: on one line, without control characters.

    >>> header_text("Hello\\r\\nBcc: everybody@example.org")
    'Hello Bcc: everybody@example.org'
    """
    return _CONTROL.sub(" ", text).strip()


def _failed(code: int, reason: bytes | str) -> Outcome:
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
    result = Result.REFUSED if 500 <= code < 600 else Result.FAILED
    return Outcome(result, header_text(f"the mail server answered {code} {text}")[:500])


def _title(notification: Notification) -> str:
    return notification.entry().title


def _text(notification: Notification) -> str:
    entry = notification.entry()
    lines = (entry.title, entry.link, entry.source, f"subscription {notification.row.subscription}")
    return "\n".join(filter(None, lines))
