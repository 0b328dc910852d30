"""Steps on the page of the service that several tests need."""

from __future__ import annotations

import re
from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

MAX_TABS = 80  # keys until an element must have had the focus


def write(page: Page, text: str, *, form: str = "Short form") -> None:
    """Write a subscription, and wait until the service has checked it."""
    page.goto("#/")
    page.get_by_role("radio", name=form).check()
    page.get_by_label("Your subscription", exact=True).fill(text)
    expect(page.get_by_role("heading", name="What it would deliver")).to_be_visible()
    expect(page.locator(".preview[aria-busy]")).to_have_count(0)


def subscribe(page: Page, text: str, *, name: str = "", form: str = "Short form") -> None:
    """Register a subscription, and wait until its matches arrive live."""
    write(page, text, form=form)
    page.get_by_label("Name, for you alone").fill(name)
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def kept(page: Page) -> Sequence[dict[str, str]]:
    """Return the subscriptions that the browser keeps."""
    found: Sequence[dict[str, str]] = page.evaluate("JSON.parse(localStorage.getItem('gtopss.subscriptions') ?? '[]')")
    return found


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(MAX_TABS):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {target}")


def expect_no_sideways_scrolling(page: Page) -> None:
    """Check that the page is not wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"the page is {wide} pixels wider than the window"


def pill(page: Page, text: str) -> Locator:
    """Return the state of a subscription, a feed or a target."""
    return page.locator(".pill", has_text=re.compile(f"^{text}$"))
