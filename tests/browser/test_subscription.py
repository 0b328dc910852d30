"""A subscription on the page: its matches as they arrive, changes of it, deliveries, and why or why not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from browser.conftest import DESK, PHONE, TWO_LOOKS, Look, OpenPage
from playwright.sync_api import Locator, Page, Route, expect
from support.deliveries import webhook_receiver
from support.page_service import PageService
from support.pages import expect_no_sideways_scrolling, kept, pill, subscribe, tab_to, write

from gtopss.broker.store import target_rows
from gtopss.broker.store.tables import notifications
from gtopss.broker.store.target_rows import DeadLetter

LIGHT = Look(DESK, "light")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_matches_arrive_while_the_page_is_open(open_page: OpenPage, running: PageService, look: Look) -> None:
    page = open_page(look)
    subscribe(page, f"comet{look.width}")
    expect(page.get_by_text("Nothing has matched yet.")).to_be_visible()
    running.publish((f"A comet{look.width} appears", "space", "Ann", "Seen by many."))
    arrived = page.locator(".matches li").first
    expect(arrived).to_contain_text(f"A comet{look.width} appears")
    expect(page.locator("#announcer")).to_have_text(f"New: A comet{look.width} appears")
    expect(page.get_by_text("Nothing has matched yet.")).to_be_hidden()
    expect(page.get_by_text("1 notification so far")).to_be_visible()
    arrived.get_by_text("Why?").click()
    expect(arrived.locator(".why mark")).to_have_text(f"«comet{look.width}»")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_a_subscription_is_paused_renewed_edited_and_deleted(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    subscribe(page, "wheat")
    page.get_by_role("button", name="Pause").click()
    expect(pill(page, "Paused")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(pill(page, "Active")).to_be_visible()
    page.get_by_role("button", name="Renew", exact=True).click()
    expect(page.locator("#announcer")).to_have_text("Renewed.")
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Your subscription", exact=True)).to_have_value("wheat")
    page.get_by_label("Your subscription", exact=True).fill("maize")
    page.get_by_label("Name, for you alone").fill("Corn")
    page.get_by_role("button", name="Save the change").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Corn")
    (mine,) = kept(page)
    headers = {"Authorization": f"Bearer {mine['ticket']}"}
    assert page.request.get(f"subscriptions/{mine['id']}", headers=headers).json()["query"] == "maize"
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Corn")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("You have no subscriptions in this browser yet.")).to_be_visible()
    assert page.request.get(f"subscriptions/{mine['id']}", headers=headers).status == 404


def test_on_a_phone_the_picture_is_whole_and_can_be_enlarged_with_the_keyboard(open_page: OpenPage) -> None:
    page = open_page(Look(PHONE, "light"))
    write(page, "topic:health -sponsored")
    page.get_by_role("button", name="Show the pattern").first.click()
    frame = page.get_by_role("group", name="Picture of the pattern")
    enlarge = page.get_by_role("button", name="Enlarge the picture")
    expect(enlarge).to_be_visible()
    assert _hidden_width(frame) == 0
    tab_to(page, enlarge)
    page.keyboard.press("Enter")
    expect(enlarge).to_have_attribute("aria-pressed", "true")
    hidden = _hidden_width(frame)
    assert hidden > 100
    expect_no_sideways_scrolling(page)
    page.keyboard.press("Shift+Tab")
    expect(frame).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("frame => frame.scrollLeft > 0", arg=frame.element_handle())
    frame.get_by_role("img").click()
    expect(enlarge).to_have_attribute("aria-pressed", "false")
    assert _hidden_width(frame) == 0


def test_on_a_wide_window_there_is_nothing_to_enlarge(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    write(page, "topic:health -sponsored")
    page.get_by_role("button", name="Show the pattern").first.click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    expect(page.get_by_role("button", name="Enlarge the picture")).to_be_hidden()


def _hidden_width(frame: Locator) -> int:
    width: int = frame.evaluate("frame => frame.scrollWidth - frame.clientWidth")
    return width


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_any_item_is_asked_why_or_why_not(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    subscribe(page, "SELECT ?title { ?item rss:title ?title FILTER words(?title, 'wheat') }", form="SPARQL")
    page.get_by_role("link", name="Ask why not").click()
    page.get_by_label("Find").fill("wheat")
    page.get_by_role("button", name="Why, or why not: Wheat rises").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This item matches")
    expect(dialog.locator("table.bindings")).to_contain_text("Wheat rises")
    picture = dialog.get_by_role("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 200
    page.keyboard.press("Escape")
    page.get_by_label("Find").fill("cup")
    page.get_by_role("button", name="Why, or why not: The final of the cup").click()
    expect(dialog).to_contain_text("This item does not match")
    expect(dialog.locator(".why .fails")).to_contain_text("not found")
    expect(dialog.get_by_role("img")).to_be_visible()


def test_a_webhook_gets_a_secret_a_match_and_a_replay(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    with webhook_receiver() as receiver:
        subscribe(page, "rocket")
        (mine,) = kept(page)
        page.get_by_label("Send matches to this address").fill(receiver.url)
        page.get_by_role("button", name="Add webhook").click()
        expect(page.locator(".secret-once code")).to_contain_text("whsec_")
        secret = page.locator(".secret-once code").inner_text()
        running.publish(("A rocket starts", "space", "Ann", "On time."))
        expect(page.locator(".matches li")).to_contain_text("A rocket starts")
        expect(page.locator(".target")).to_have_count(1)
        page.get_by_role("button", name="New secret").click()
        expect(page.locator(".secret-once code")).not_to_have_text(secret)
        _reload_until(page, lambda: pill(page, "active").is_visible())
        target = page.request.get(f"subscriptions/{mine['id']}/targets", headers=_ticket(mine)).json()["targets"][0]
        letter = DeadLetter(target["id"], 1, 1, mine["id"], "the receiver answered 500", running.service.clock())
        running.service.store.write(lambda connection: target_rows.add_dead_letter(connection, letter))
        page.goto("#/service")
        expect(page.get_by_text("the receiver answered 500")).to_be_visible()
        page.get_by_role("button", name="Replay notifications 1 to 1").click()
        expect(page.locator("#announcer")).to_have_text("It is delivered again.")
        _reload_until(page, lambda: page.get_by_role("region", name="Dead letters").get_by_text("None.").is_visible())
        page.goto(f"#/s/{mine['id']}")
        page.get_by_role("button", name=f"Remove {receiver.url}").click()
        expect(page.locator(".target")).to_have_count(0)
        titles = [each["data"]["item"]["title"] for each in receiver.messages() if each["type"] == "match"]
        assert set(titles) == {"A rocket starts"}


def _reload_until(page: Page, holds: Callable[[], bool]) -> None:
    """Reload the page until something holds that the service does in the background."""
    for _ in range(50):
        page.reload()
        expect(page.locator("[aria-labelledby=dead-letters] p, .target").first).to_be_visible()
        if holds():
            return
    raise AssertionError("it never held")


def _ticket(mine: dict[str, str]) -> dict[str, str]:
    return {"Authorization": f"Bearer {mine['ticket']}"}


def test_a_webhook_that_cannot_be_one_is_refused_in_place(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    subscribe(page, "wheat")
    page.get_by_label("Send matches to this address").fill("http://10.0.0.1/hook")
    page.get_by_role("button", name="Add webhook").click()
    expect(page.locator(".card").filter(has_text="Webhooks").get_by_role("alert")).to_contain_text("10.0.0.1")


def test_the_read_addresses_work_and_can_be_replaced(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    subscribe(page, "wheat")
    atom = page.locator(".copyable", has_text="Atom feed").locator("code")
    before = atom.inner_text()
    assert "Wheat rises" in httpx.get(before).text
    page.get_by_role("button", name="Replace the addresses").click()
    page.get_by_role("button", name="Replace them").click()
    expect(atom).not_to_have_text(before)
    assert httpx.get(before).status_code == 404
    assert httpx.get(atom.inner_text()).status_code == 200
    page.reload()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_tickets_are_exported_forgotten_and_imported(open_page: OpenPage, look: Look, tmp_path: Path) -> None:
    page = open_page(look)
    subscribe(page, "wheat", name="Prices")
    page.goto("#/mine")
    expect(page.get_by_text("In the storage of this browser")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export tickets").click()
    exported = tmp_path / "tickets.json"
    download.value.save_as(exported)
    assert [each["name"] for each in json.loads(exported.read_text())["subscriptions"]] == ["Prices"]
    page.get_by_role("button", name="Forget all").click()
    page.get_by_role("button", name="Forget them").click()
    expect(page.get_by_text("You have no subscriptions in this browser yet.")).to_be_visible()
    page.get_by_label("Import tickets").set_input_files(exported)
    expect(page.get_by_role("link", name="Prices")).to_be_visible()
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    page.get_by_label("Import tickets").set_input_files(wrong)
    expect(page.get_by_role("alert").filter(has_text="no subscriptions with a ticket")).to_be_visible()


def test_a_subscription_that_has_ended_can_be_forgotten(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    subscribe(page, "wheat")
    (mine,) = kept(page)
    running.service.broker.unsubscribe(mine["id"], mine["ticket"])
    page.goto("#/mine")
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator(".cards .card")).to_have_count(0)
    assert kept(page) == []


def test_a_service_that_is_not_ready_does_not_end_a_subscription(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    subscribe(page, "wheat", name="Prices")
    (mine,) = kept(page)
    page.route(re.compile(r"/subscriptions/"), lambda route: route.fulfill(status=503, body="starting"))
    for address, state in (("#/mine", "Not known"), (f"#/s/{mine['id']}", None)):
        page.goto(address)
        if state is not None:
            expect(pill(page, state)).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Forget it"))).to_have_count(0)
    page.unroute(re.compile(r"/subscriptions/"))
    page.get_by_role("button", name="Try again").click()
    expect(pill(page, "Active")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_an_event_stream_that_was_refused_is_opened_again(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    refusals = iter([503])

    def answer(route: Route) -> None:
        status = next(refusals, None)
        route.continue_() if status is None else route.fulfill(status=status, body="starting")

    page.route(re.compile("/events[?]"), answer)
    subscribe(page, "quasar")
    assert next(refusals, None) is None
    running.publish(("A quasar appears", "space", "Ann", "Seen by many."))
    expect(page.locator(".matches li").first).to_contain_text("A quasar appears")


def test_the_end_of_a_subscription_is_shown_at_once(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    subscribe(page, "wheat")
    (mine,) = kept(page)
    running.service.broker.unsubscribe(mine["id"], mine["ticket"])
    expect(pill(page, "Ended")).to_be_visible()


def test_missed_matches_are_reported_and_the_others_are_shown(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    subscribe(page, "nebula*")
    (mine,) = kept(page)
    page.goto("#/feeds")
    running.publish(*((f"A nebula {number}", "space", "Ann", "Seen.") for number in range(3)))
    headers = {"Authorization": f"Bearer {mine['ticket']}"}
    for _ in range(200):
        if page.request.get(f"subscriptions/{mine['id']}", headers=headers).json()["notifications"] == 3:
            break
    page.route(
        re.compile(r"/matches\?"),
        lambda route: route.fulfill(json={"notifications": [], "next_after": 0}),
        times=1,
    )
    running.service.store.write(
        lambda connection: connection.execute(
            notifications.delete().where(notifications.c.subscription == mine["id"], notifications.c.sequence <= 2)
        )
    )
    page.goto(f"#/s/{mine['id']}")
    expect(page.locator(".gap")).to_have_text("2 matches were missed and can no longer be shown.")
    expect(page.locator(".matches li")).to_have_count(1)
    expect(page.locator(".matches li")).to_contain_text("A nebula 2")
