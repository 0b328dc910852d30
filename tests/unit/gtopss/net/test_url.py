from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.net import InvalidURL, UnsupportedScheme, parse_url

HOSTS = ["127.1", "0x7f", "①", "。", ".", "@", ":", "[", "]", "::1", "%25", "/", "\\", "localhost", "8.8.8.8", "ü", "-"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG:443/Feed?a=B#c", "https://example.org/Feed?a=B"),
        ("http://example.org.:8080/", "http://example.org:8080/"),
        ("http://example.org?x=1", "http://example.org/?x=1"),
        ("http://example.org/a b/ü?q=ü", "http://example.org/a%20b/%C3%BC?q=%C3%BC"),
        ("http://example.org/%7Ea%2Fb", "http://example.org/%7Ea%2Fb"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER。example/", "http://xn--bcher-kva.example/"),
        ("http://under_score.example/", "http://under_score.example/"),
        ("http://[2606:4700:0:0::1111]:81/", "http://[2606:4700::1111]:81/"),
        ("http://134744072/", "http://8.8.8.8/"),
    ],
)
def test_a_url_has_one_spelling(text: str, plain: str) -> None:
    assert str(parse_url(text)) == plain
    assert str(parse_url(plain)) == plain


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0X7F.0X0.0X0.0X1",
        "0177.0.0.1",
        "017700000001",
        "１２７.０.０.１",
        "127。0。0。1",
        "①②⑦.⓪.⓪.①",
        "[::ffff:127.0.0.1]",
        "[::FFFF:7f00:1]",
    ],
)
def test_every_spelling_of_loopback_is_loopback(host: str) -> None:
    address = parse_url(f"http://{host}/").address
    assert address is not None
    assert (getattr(address, "ipv4_mapped", None) or address).is_loopback


@pytest.mark.parametrize(
    "text",
    [
        "",
        "feeds.example/rss",
        "//feeds.example/rss",
        "http:",
        "http://",
        "http:///rss",
        "http:feeds.example",
        "http://good@127.0.0.1/",
        "http://good:secret@feeds.example/",
        "http://127.0.0.1@feeds.example/",
        "http://@feeds.example/",
        "http://good\\@127.0.0.1/",
        "http://feeds.example\\.evil.example/",
        "http://feeds.example/\r\nX-Injected: 1",
        "http://feeds.example/\nX",
        "http://feeds.ex\tample/",
        "http://feeds.example/\x00",
        "http://feeds.example/\u2028",
        "http://feeds.example/\ud800",
        " http://feeds.example/",
        "http://feeds example/",
        "http://%31%32%37.0.0.1/",
        "http://feeds.example%00.evil.example/",
        "http://feeds.example:0/",
        "http://feeds.example:65536/",
        "http://feeds.example:80:80/",
        "http://feeds.example:８０/",
        "http://feeds.example:-1/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[127.0.0.1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://::1/",
        "http://256.0.0.1/",
        "http://1.2.3.4.5/",
        "http://0x100000000/",
        "http://08.0.0.1/",
        "http://1.2.3.a.4/",
        "http://.../",
        "http://a..b/",
        "http://-a.example/",
        f"http://{'a' * 64}.example/",
        f"http://{'a.' * 130}example/",
        "http://straße.example/",
        "http://a℀b.example/",
        "http://feeds.example/" + "a" * 9000,
    ],
)
def test_what_is_not_a_url_is_refused(text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse_url(text)
    assert caught.value.reason
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "data", "javascript", "jar", "ws", "dict", "HTTPX"])
def test_other_schemes_are_refused(scheme: str) -> None:
    with pytest.raises(UnsupportedScheme) as caught:
        parse_url(f"{scheme}:///etc/passwd")
    assert caught.value.scheme == scheme.lower()


def test_a_relative_location_starts_from_its_page() -> None:
    base = parse_url("https://feeds.example/a/b?c")
    assert str(parse_url("../d", base=base)) == "https://feeds.example/d"
    assert str(parse_url("//other.example/x", base=base)) == "https://other.example/x"
    assert str(parse_url("?e", base=base)) == "https://feeds.example/a/b?e"


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidURL):
        parse_url(b"http://feeds.example/")  # type: ignore[arg-type]


@settings(max_examples=500)
@given(text=st.text(max_size=30) | st.lists(st.sampled_from(HOSTS), max_size=6).map("".join), prefix=st.booleans())
def test_any_text_is_a_url_in_one_spelling_or_refused(text: str, prefix: bool) -> None:
    try:
        url = parse_url(f"http://{text}" if prefix else text)
    except InvalidURL:
        return
    assert parse_url(str(url)) == url
    assert str(url).isascii()
    assert "@" not in url.host


def test_a_url_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidURL, match="longer than 8192 characters"):
        parse_url("http://a.example/" + "a" * 8_192)
