"""The page for everybody: by keyboard alone, with a screen reader, on a phone, in the dark, and with hostile texts."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import ALL_LOOKS, PHONE, TWO_LOOKS, Look, OpenPage
from conftest import SOAK
from playwright.sync_api import Browser, Page, expect
from support.page_service import PageService
from support.pages import expect_no_sideways_scrolling, kept, pill, subscribe, tab_to, write

SERIOUS = ("serious", "critical")
SECRET_TITLE = "<script>alert(1)</script><img src=x onerror=alert(2)> & \u202egnihtemos\u202c"
LONG_WORD = "w" * 3_000


def check_with_axe(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [
        (each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found if each["impact"] in SERIOUS
    ]
    assert serious == []


@pytest.mark.parametrize("look", ALL_LOOKS if SOAK else TWO_LOOKS, ids=str)
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    expect(page.get_by_role("heading", name="Newest items")).to_be_visible()
    expect(page.locator(".item").first).to_be_visible()
    page.get_by_role("button", name="Topic", exact=True).click()
    page.keyboard.type("heal")
    expect(page.get_by_role("option").first).to_be_visible()
    _check(page)
    page.get_by_label("Your subscription", exact=True).fill("topik:health")
    expect(page.locator("#editor-problem .problem")).to_be_visible()
    _check(page)
    write(page, "vaccine -sport")
    page.get_by_role("button", name="Show the pattern").first.click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    _check(page)
    page.keyboard.press("Escape")
    subscribe(page, "wheat", name="Prices")
    expect(page.locator(".matches li").first).to_be_visible()
    _check(page)
    for place, ready in (("mine", ".pill"), ("items", ".item"), ("feeds", ".empty"), ("service", ".ranking")):
        page.goto(f"#/{place}")
        expect(page.locator(ready).first).to_be_visible()
        _check(page)


def _check(page: Page) -> None:
    check_with_axe(page)
    expect_no_sideways_scrolling(page)


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_everything_can_be_done_with_the_keyboard(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Topic", exact=True))
    page.keyboard.press("Enter")
    page.keyboard.type("vacc")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your subscription", exact=True)).to_be_focused()
    expect(page.get_by_label("Your subscription", exact=True)).to_have_value("topic:vaccine")
    page.keyboard.type(" -sport")
    expect(page.locator(".item.holds")).to_have_count(1)
    tab_to(page, page.get_by_role("button", name="Show the pattern").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Show the pattern").first).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Subscribe"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    _change_with_the_keyboard(page)


def _change_with_the_keyboard(page: Page) -> None:
    tab_to(page, page.get_by_role("button", name="Pause"))
    page.keyboard.press("Enter")
    expect(pill(page, "Paused")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    page.keyboard.press("Enter")
    expect(pill(page, "Active")).to_be_visible()
    tab_to(page, page.get_by_text("Show the ticket"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(kept(page)[0]["ticket"])).to_be_visible()
    page.keyboard.press("Control+Home")
    tab_to(page, page.get_by_role("button", name="Delete"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Delete it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You have no subscriptions in this browser yet.")).to_be_visible()
    tab_to(page, page.get_by_role("link", name="Feeds", exact=True).first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Feeds")


def test_landmarks_and_headings_are_there(open_page: OpenPage) -> None:
    page = open_page(Look(PHONE, "light"))
    for place in ("", "mine", "items", "feeds", "service"):
        page.goto(f"#/{place}")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_role("banner")).to_have_count(1)
        expect(page.get_by_role("navigation", name="Pages")).to_have_count(1)
        expect(page.get_by_role("main")).to_have_count(1)
        expect(page.get_by_role("contentinfo")).to_have_count(1)
        expect(page.locator("nav a[aria-current=page]")).to_have_count(1)


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_hostile_texts_are_shown_as_texts(open_page: OpenPage, running: PageService, look: Look) -> None:
    running.publish(
        (f"{SECRET_TITLE} {look}", "<b>category</b>", "javascript:alert(3)", "<script>alert(4)</script>evil"),
        (f"{LONG_WORD} {look}", LONG_WORD, LONG_WORD, LONG_WORD),
        link="javascript:alert(5)//",
    )
    page = open_page(look)
    title = page.locator(".item-title", has_text="alert(1)").first
    expect(title).to_be_visible()
    shown = title.inner_text()
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in shown
    assert "\u202e" not in shown
    assert title.locator("a").count() == 0
    assert page.locator("main script, main img").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    expect_no_sideways_scrolling(page)
    subscribe(page, "evil")
    expect(page.locator(".matches")).to_contain_text("<script>")
    assert page.locator(".matches a[href^='javascript'], .matches script, .matches img").count() == 0
    expect_no_sideways_scrolling(page)
    page.get_by_text("Why?").first.click()
    page.get_by_role("button", name="Show the pattern").first.click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    expect_no_sideways_scrolling(page)


def test_the_content_security_policy_is_strict(browser: Browser, running: PageService) -> None:
    page = browser.new_page()
    response = page.goto(running.url)
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    refused = page.evaluate(
        "(() => { try { document.body.innerHTML = '<p>x'; return ''; } catch (e) { return e.name } })()"
    )
    assert refused == "TypeError"
    page.close()
