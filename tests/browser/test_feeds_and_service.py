"""The pages for feeds and for the state of the service."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser.conftest import DESK, TWO_LOOKS, Look, OpenPage
from playwright.sync_api import expect
from support.feed_server import feed_server
from support.pages import pill, subscribe

LIGHT = Look(DESK, "light")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_a_feed_is_added_shown_and_removed(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    page.goto("#/feeds")
    expect(page.get_by_text("No feed is read yet.")).to_be_visible()
    with feed_server() as host:
        page.get_by_label("The address of a feed").fill(f"http://{host}/{look.width}")
        page.get_by_role("button", name="Add feed").click()
        expect(page.get_by_role("alert")).to_contain_text("Added, with")
    card = page.locator(".feed")
    expect(card.get_by_role("heading")).to_have_text("Liftoff News")
    expect(pill(page, "Healthy")).to_be_visible()
    expect(card).to_contain_text("Items a day")
    card.get_by_role("button", name="Remove Liftoff News").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("No feed is read yet.")).to_be_visible()


def test_an_address_without_a_feed_is_refused_in_place(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    page.goto("#/feeds")
    page.get_by_label("The address of a feed").fill("http://10.0.0.1/feed")
    page.get_by_role("button", name="Add feed").click()
    expect(page.get_by_role("alert")).to_contain_text("10.0.0.1")


def test_feeds_are_imported_and_exported_as_opml(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(LIGHT)
    page.goto("#/feeds")
    opml = tmp_path / "feeds.opml"
    feed = '<outline type="rss" text="Mine" xmlUrl="https://mine.invalid/feed"/>'
    opml.write_text(f'<opml version="2.0"><head/><body>{feed}<outline type="rss" xmlUrl="nonsense"/></body></opml>')
    page.get_by_label("Import OPML").set_input_files(opml)
    expect(page.get_by_role("alert")).to_contain_text("1 feed added")
    expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export OPML").click()
    assert "https://mine.invalid/feed" in Path(download.value.path()).read_text()
    page.get_by_role("button", name="Remove Mine").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("heading", name="Mine")).to_be_hidden()


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_the_service_shows_figures_and_the_busiest_subscriptions(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    subscribe(page, "wheat", name=f"Prices {look}")
    page.goto("#/service")
    expect(page.locator(".figures")).to_contain_text("publications")
    busy = page.get_by_role("region", name="Busiest subscriptions")
    expect(busy.get_by_role("link", name=f"Prices {look}")).to_be_visible()
    expect(page.get_by_role("region", name="Most expensive subscriptions")).to_be_visible()
    expect(page.get_by_role("region", name="Dead letters")).to_contain_text("None.")


def test_an_unknown_key_is_reported_and_can_be_removed(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    page.goto("#/service")
    page.get_by_label("API key").fill("gk_wrong")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator(".figures .problem")).to_contain_text("no owner has this API key")
    page.get_by_label("API key").fill("")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator(".figures")).to_contain_text("publications")
