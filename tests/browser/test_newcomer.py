"""The README's steps on the page, as they are written."""

from __future__ import annotations

import re
import subprocess

from browser.conftest import DESK, Look, OpenPage
from conftest import ROOT
from playwright.sync_api import Route, expect
from support.page_service import PageService

README = (ROOT / "README.md").read_text()


def test_the_steps_of_the_readme_on_the_page(open_page: OpenPage, running: PageService) -> None:
    (steps,) = re.findall(r"^Open http://127\.0\.0\.1:8080/ in a browser.*?\n\n", README, re.MULTILINE | re.DOTALL)
    (text,) = re.findall(r"Write `(.*?)` under", steps)
    editor, preview, button, arriving = re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", steps.replace(f"`{text}`", ""))
    page = open_page(Look(DESK, "light"))
    page.get_by_label(editor, exact=True).fill(text)
    expect(page.get_by_role("heading", name=preview)).to_be_visible()
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("heading", name=arriving)).to_be_visible()
    expect(page.get_by_text("gt_").first).to_be_attached()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    (command,) = re.findall(r"^curl -sS -H 'Content-Type.*?\n.*?</rss>'$", README, re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        ["bash", "-c", command.replace("http://127.0.0.1:8080/", running.url)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"durable":' in done.stdout
    expect(page.locator(".matches li").first).to_contain_text("My vaccine item")


def test_while_the_service_prepares_the_page_says_so(open_page: OpenPage, running: PageService) -> None:
    page = open_page(Look(DESK, "light"))
    problem = {
        "type": "urn:gtopss:problem:not-ready",
        "title": "Not ready",
        "detail": "The service starts: it compiles",
    }
    answers = iter([503, 503])

    def answer(route: Route) -> None:
        status = next(answers, None)
        if status is None:
            route.continue_()
        else:
            route.fulfill(status=status, json=problem, content_type="application/problem+json")

    page.route(re.compile("/readyz$"), answer)
    page.reload()
    banner = page.locator("#preparing")
    expect(banner).to_have_text("Preparing. The service starts: it compiles")
    expect(banner).to_be_hidden()
    expect(page.get_by_label("Your subscription", exact=True)).to_be_visible()
