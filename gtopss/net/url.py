"""Parse a URL and normalise its spelling.

Where browsers and resolvers are lenient (127.1, 0x7f000001, full-width digits, ideographic dots) the parser follows
the WHATWG URL standard, so that a spelling that means an address to any client means the same address to our check.
It refuses what is only ever used to mislead: user names, backslashes, control characters, and percent signs or zones
in hosts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, urljoin, urlsplit

from gtopss.net.addresses import Address
from gtopss.net.errors import InvalidURL, UnsupportedScheme

MAX_URL_CHARACTERS = 8192
"""Longer URLs are refused."""
DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_DEVIATIONS = frozenset("ßẞς\u200c\u200d")  # IDNA 2003 and 2008 map these to different hosts


@dataclass(frozen=True, slots=True)
class Url:
    """A valid http or https URL. The addresses of `host` have not been checked yet."""

    scheme: str
    host: str
    """A name in lower-case ASCII without a trailing dot, or an address in canonical spelling without brackets."""
    port: int
    target: str
    """Path and query, percent-encoded."""
    address: Address | None = None
    """The host as an address, if it is one rather than a name."""

    @property
    def authority(self) -> str:
        """The value of the Host header: the port is included only if it is not the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_url(text: str, *, base: Url | None = None) -> Url:
    """Parse `text`, relative to `base` if that is given. Raise InvalidURL if it must not be fetched.

    >>> str(parse_url("HTTP://EXAMPLE.org.:80/a b#top"))
    'http://example.org/a%20b'
    >>> parse_url("http://0x7f.1/").host
    '127.0.0.1'
    """
    if not isinstance(text, str):
        raise InvalidURL(repr(text), "a URL is a str")
    if len(text) > MAX_URL_CHARACTERS:
        raise InvalidURL(text[:200], f"it is longer than {MAX_URL_CHARACTERS} characters")
    if found := _CONTROL.search(text):
        raise InvalidURL(text, f"it contains {found.group()!r}")
    try:
        whole = urljoin(str(base), text) if base is not None else text
        scheme = _SCHEME.match(whole)
        if scheme is None:
            raise InvalidURL(text, "it has no scheme: write http:// or https:// before the host")
        if scheme.group().lower() not in DEFAULT_PORTS:
            raise UnsupportedScheme(text, scheme.group().lower())
        parts = urlsplit(whole)
    except ValueError as error:
        if isinstance(error, InvalidURL):
            raise
        raise InvalidURL(text, str(error)) from None
    if not parts.netloc:
        raise InvalidURL(text, "it names no host")
    if "@" in parts.netloc:
        raise InvalidURL(text, "URLs with a user name or password are refused: the text before @ is not the host")
    host, port, address = split_authority(parts.netloc, url=text)
    target = quote(parts.path or "/", safe="/%:=&~+!$,;'@()*[]|-._")
    if not target.startswith("/"):
        target = f"/{target}"
    if parts.query:
        target += "?" + quote(parts.query, safe="/?%:=&~+!$,;'@()*[]|-._")
    return Url(parts.scheme, host, port or DEFAULT_PORTS[parts.scheme], target, address)


def split_authority(text: str, *, url: str) -> tuple[str, int | None, Address | None]:
    """Split `host`, `host:port`, `[v6]` or `[v6]:port` into canonical host, port, and address if the host is one."""
    if text.startswith("["):
        inside, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise InvalidURL(url, "its IPv6 address is not closed by ]")
        address: Address | None = _ipv6(inside, url)
        host, port = str(address), rest[1:]
    else:
        name, _, port = text.partition(":")
        host, address = _host(name, url)
    return host, _port(port, url), address


def _port(text: str, url: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536):
        raise InvalidURL(url, f"{text!r} is not a port")
    return int(text)


def _ipv6(text: str, url: str) -> IPv6Address:
    if "%" in text:
        raise InvalidURL(url, "an address with a zone is link-local and is not fetched")
    try:
        address = ip_address(text)
    except ValueError:
        address = None
    if not isinstance(address, IPv6Address):
        raise InvalidURL(url, f"[{text}] is not an IPv6 address")
    return address


def _host(text: str, url: str) -> tuple[str, Address | None]:
    if len(text) > 255:
        raise InvalidURL(url, "its host is longer than 255 characters")
    if not _DEVIATIONS.isdisjoint(text):
        raise InvalidURL(
            url, "its host has a letter that IDNA 2003 and 2008 treat differently: write the label as xn--..."
        )
    name = unicodedata.normalize("NFKC", text).lower().replace("\u3002", ".")
    name = name.removesuffix(".")
    if not name:
        raise InvalidURL(url, "it names no host")
    labels = []
    for label in name.split("."):
        try:
            ascii_label = label if label.isascii() else label.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise InvalidURL(url, f"{label!r} is not a valid host label: {error}") from None
        labels.append(ascii_label)
    if _NUMBER.fullmatch(labels[-1]):
        address = _ipv4(labels, url)
        return str(address), address
    for label in labels:
        if not _LABEL.fullmatch(label):
            raise InvalidURL(url, f"{label!r} is not a valid host label")
    host = ".".join(labels)
    if len(host) > 253:
        raise InvalidURL(url, "its host is longer than 253 characters")
    return host, None


def _ipv4(labels: list[str], url: str) -> IPv4Address:
    """Parse one to four decimal, octal or hexadecimal numbers; the last one fills the remaining bytes (inet_aton)."""
    refusal = InvalidURL(url, f"{'.'.join(labels)!r} is neither an IPv4 address nor a host name")
    if len(labels) > 4 or not all(_NUMBER.fullmatch(label) and len(label) <= 16 for label in labels):
        raise refusal
    try:
        numbers = [_number(label) for label in labels]
    except ValueError:
        raise refusal from None
    *firsts, last = numbers
    if any(number > 255 for number in firsts) or last >= 256 ** (4 - len(firsts)):
        raise refusal
    return IPv4Address(sum(number << 8 * (3 - place) for place, number in enumerate(firsts)) + last)


def _number(label: str) -> int:
    if label[:2].lower() == "0x":
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label[0] == "0" else int(label)
