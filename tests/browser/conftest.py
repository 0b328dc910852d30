"""Tests of the page in Debian's chromium, against a running service. Without chromium they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from support.page_service import PageService, page_service

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
WAIT_MILLISECONDS = 20_000  # a busy machine; what is expected usually takes a fraction of a second
PHONE, DESK = 375, 1280


@dataclass(frozen=True)
class Look:
    """A size of the window and a colour scheme."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


ALL_LOOKS = [Look(width, scheme) for width in (PHONE, DESK) for scheme in ("light", "dark")]
TWO_LOOKS = [Look(PHONE, "dark"), Look(DESK, "light")]
OpenPage = Callable[[Look], Page]


# The scope is a module: playwright's event loop runs in this thread, where later tests may need their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed, so the page is not tested in a browser")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def running(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageService]:
    with page_service(Path(tmp_path_factory.mktemp("service"))) as it:
        yield it


@pytest.fixture
def open_page(browser: Browser, running: PageService) -> Iterator[OpenPage]:
    """Opens the page with empty storage. Whatever it logs as an error, except refused requests, fails the test."""
    errors: list[str] = []
    contexts = []
    expect.set_options(timeout=WAIT_MILLISECONDS)

    def open_with(look: Look) -> Page:
        context = browser.new_context(
            viewport={"width": look.width, "height": 800},
            color_scheme="dark" if look.scheme == "dark" else "light",
            reduced_motion="reduce",
            base_url=running.url,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MILLISECONDS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(f"a dialog: {dialog.message}"))
        page.on("console", lambda said: errors.append(said.text) if _is_error(said.type, said.text) else None)
        page.goto("")
        return page

    yield open_with
    for context in contexts:
        context.close()
    assert errors == []


def _is_error(kind: str, text: str) -> bool:
    return kind == "error" and "the server responded with a status of" not in text
