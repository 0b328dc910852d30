"""What one pass cannot prove safe is left to the full check, which refuses it as before."""

from __future__ import annotations

import pytest
from support.feed_samples import AS_ATOM, AS_RSS2, rss

from gtopss.errors import MalformedPublication
from gtopss.feeds.repair import check_and_repair
from gtopss.feeds.xml_guard import parse_safe_xml
from ontology.limits import DocumentLimits

LIMITS = DocumentLimits(
    max_depth=10, max_attributes=20, max_feed_elements=100, max_output_growth=2, min_output_bytes=1_000
)
DEEP = rss("<item>" + "<a>" * 10 + "</a>" * 10 + "</item>")
TOO_MUCH = {
    "max_depth": DEEP,
    "max_attributes": rss("<item " + " ".join(f"a{number}=''" for number in range(21)) + "/>"),
    "max_feed_elements": rss("<item/>" * 100),
    "max_output_growth": rss("<a/>" * 50, attributes=f"xmlns='{'n' * 20_000}'"),
}


@pytest.mark.parametrize("data", [AS_RSS2.encode(), AS_ATOM.encode(), b"\xef\xbb\xbf" + AS_ATOM.encode()])
def test_a_usual_feed_is_parsed_in_one_pass(data: bytes) -> None:
    assert parse_safe_xml(data) is not None


@pytest.mark.parametrize("limit", TOO_MUCH)
def test_a_limit_is_reported_by_its_name(limit: str) -> None:
    assert parse_safe_xml(TOO_MUCH[limit], LIMITS) is None
    reason = "it has more than 100 elements: split it" if limit == "max_feed_elements" else limit
    with pytest.raises(MalformedPublication, match=reason):
        check_and_repair(TOO_MUCH[limit], "feed", limits=LIMITS)


def test_namespaces_in_scope_are_counted() -> None:
    many = rss("<item/>", attributes=" ".join(f"xmlns:a{number}='urn:{number}'" for number in range(21)))
    assert parse_safe_xml(many, LIMITS) is None


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE rss [<!ENTITY x 'y'>]><rss><channel><item/></channel></rss>",
        AS_RSS2.encode("utf-16"),
        b"<?xml version='1.0' encoding='iso-8859-1'?><rss/>",
        b"<?xml version='1.0' encoding='utf-7'?><rss/>",
        b" <?xml version='1.0'?><rss/>",
        b"<rss><channel>",
        b"<rss>\xff</rss>",
        b"",
    ],
)
def test_other_documents_are_left_to_the_full_check(data: bytes) -> None:
    assert parse_safe_xml(data) is None
