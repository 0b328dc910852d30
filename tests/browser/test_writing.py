"""Write a subscription on the page: templates, mistakes, what it would deliver, registration."""

from __future__ import annotations

import json

import pytest
from browser.conftest import DESK, TWO_LOOKS, Look, OpenPage
from playwright.sync_api import expect
from support.page_service import PageService
from support.pages import kept, pill, subscribe, write

LIGHT = Look(DESK, "light")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_a_mistake_is_shown_under_its_line(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    page.get_by_label("Your subscription", exact=True).fill("wheat topik:health")
    problem = page.locator("#editor-problem")
    expect(problem).to_contain_text("there is no field topik: did you mean topic:?")
    expect(problem).to_contain_text("Line 1, column 7")
    expect(problem.locator("p").first).not_to_contain_text("^")
    expect(page.locator(".caret")).to_have_text("t")
    expect(page.locator(".editor-backdrop mark")).to_have_text("topik")
    expect(page.get_by_label("Your subscription", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("radio", name="SPARQL").check()
    page.get_by_label("Your subscription", exact=True).fill("SELECT ?x {\n  ?x rss:title }")
    expect(problem).to_contain_text("Line 2")
    page.get_by_label("Your subscription", exact=True).fill("SELECT ?x {\n  ?x rss:title ?t }")
    expect(problem).to_be_empty()
    expect(page.get_by_role("heading", name="What it would deliver")).to_be_visible()


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_what_it_would_deliver_is_shown_with_reasons(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    write(page, "wheat")
    expect(page.locator(".forecast")).to_contain_text("about 12 a day")
    expect(page.locator(".forecast")).to_contain_text("1 of the newest 4 items match")
    matched = page.locator(".item.holds")
    expect(matched).to_have_count(1)
    expect(matched.locator(".why mark")).to_have_text("«Wheat»")
    write(page, "vaccine author:smith")
    near = page.locator(".item.fails").filter(has_text="A vaccine is tested")
    expect(near.locator(".why .holds")).to_contain_text("vaccine")
    expect(near.locator(".why .fails")).to_contain_text("author:smith")


def test_the_short_form_becomes_the_same_query(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    write(page, "wheat")
    page.get_by_text("The same in SPARQL").click()
    query = page.locator(".meaning pre").inner_text()
    page.get_by_role("radio", name="SPARQL").check()
    assert page.get_by_label("Your subscription", exact=True).input_value().strip() == query.strip()
    expect(page.locator(".forecast")).to_contain_text("1 of the newest")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_templates_write_the_text(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    editor = page.get_by_label("Your subscription", exact=True)
    page.get_by_role("button", name="Words").click()
    page.get_by_label("Words in the title or the text").fill("open source")
    page.get_by_role("button", name="Add").click()
    expect(editor).to_have_value('"open source"')
    page.get_by_role("button", name="Author").click()
    page.get_by_label("Part of the author’s name").fill("jacobsen")
    page.get_by_role("button", name="Add").click()
    expect(editor).to_have_value('"open source" author:jacobsen')
    expect(page.locator(".item.holds")).to_contain_text("An open source release")
    page.get_by_role("button", name="Place").click()
    page.get_by_label("Items with a position inside").select_option("Alaska")
    page.get_by_role("button", name="Write it").click()
    assert "georss:point" in editor.input_value()
    expect(page.locator("#editor-problem")).to_be_empty()
    expect(page.get_by_role("radio", name="SPARQL")).to_be_checked()


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_a_class_is_picked_by_its_label_with_the_keyboard(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    page.get_by_role("button", name="Topic", exact=True).click()
    picker = page.get_by_role("combobox", name="A topic of the ontology")
    expect(picker).to_be_focused()
    page.keyboard.type("heal")
    expect(page.get_by_role("option")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.type("t")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_contain_text("health")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your subscription", exact=True)).to_have_value("topic:health")
    expect(page.locator(".item.holds")).to_contain_text("A vaccine is tested")
    page.get_by_role("button", name="Class", exact=True).click()
    page.get_by_role("combobox", name="A class of the ontology").fill("sport")
    page.get_by_role("listbox").get_by_role("option").first.click()
    assert "isA(?class, <urn:topic:sport>)" in page.get_by_label("Your subscription", exact=True).input_value()


def test_an_example_is_chosen(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    page.get_by_role("button", name="Example", exact=True).click()
    page.get_by_label("A subscription that exists").select_option("One of several words")
    expect(page.locator(".template")).to_contain_text("Items with at least one of them.")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_label("Your subscription", exact=True)).to_have_value("flood OR drought")


def test_a_category_of_a_recent_item_begins_a_subscription(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    page.get_by_role("button", name="economy").first.click()
    expect(page.get_by_label("Your subscription", exact=True)).to_have_value("category:economy")


@pytest.mark.parametrize("look", TWO_LOOKS, ids=str)
def test_registration_gives_a_ticket_that_survives_a_reload(open_page: OpenPage, look: Look) -> None:
    page = open_page(look)
    subscribe(page, "wheat", name="Prices")
    expect(page.get_by_role("heading", level=1)).to_have_text("Prices")
    expect(page.locator(".matches")).to_contain_text("Wheat rises")
    (mine,) = kept(page)
    page.get_by_text("Show the ticket").click()
    expect(page.get_by_text(mine["ticket"])).to_be_visible()
    expect(page.get_by_text(f"gtopss renew {mine['id']}")).to_be_visible()
    expect(page.locator(".copyable", has_text="Atom feed")).to_contain_text(f"/read/{mine['id']}/")
    page.goto("#/mine")
    page.reload()
    expect(page.get_by_role("link", name="Prices")).to_be_visible()
    expect(pill(page, "Active")).to_be_visible()


def test_what_the_service_refuses_is_shown_in_place(open_page: OpenPage, running: PageService) -> None:
    page = open_page(LIGHT)
    write(page, "wheat")
    page.evaluate("document.querySelector('#validity').add(new Option('3000 years', '94672800000'))")
    page.get_by_label("Valid for").select_option("3000 years")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("alert").filter(has_text="the longest validity")).to_be_visible()
    assert kept(page) == []


def test_a_service_that_is_not_reached_is_reported(open_page: OpenPage) -> None:
    page = open_page(LIGHT)
    page.route(
        "**/subscriptions/check", lambda route: route.fulfill(status=503, body=json.dumps({"detail": "no store"}))
    )
    page.get_by_label("Your subscription", exact=True).fill("wheat")
    expect(page.locator("#editor-problem")).to_contain_text("no store")
