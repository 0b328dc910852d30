"""Read the elements of an XML feed that items and channels have in common: RSS 0.9x to 2.0 and Atom.

`SHARED_ELEMENTS` names the method that reads each; `xml_feed.py` has the elements of items alone and of channels alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from gtopss.feeds.inline_markup import content_text, content_type, own_text
from gtopss.feeds.iris import can_be_link
from gtopss.feeds.items import Category, Link, ModuleLines, Person
from gtopss.feeds.modules import module_lines
from gtopss.feeds.namespaces import ADMIN, CONTENT, DC, DCTERMS, FORMAT_NAMESPACES, RSS, XHTML, XML
from gtopss.feeds.text import Repair, undo_double_encoding
from gtopss.model.terms import RDF

BASE, _LANGUAGE = f"{{{XML}}}base", f"{{{XML}}}lang"
RESOURCE = f"{{{RDF}}}resource"
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_ITUNES, _MEDIA_CATEGORIES = "http://www.itunes.com/", "http://search.yahoo.com/mrss/category_schema"
_NOT_FORMATS = frozenset({XHTML, RDF, XML})
_PREFIXES = {
    **{namespace.lower(): "" for namespace in FORMAT_NAMESPACES - _NOT_FORMATS},
    DC: "dc:",
    DCTERMS: "dcterms:",
    CONTENT: "content:",
    ADMIN: "admin:",
    XHTML: "xhtml:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://search.yahoo.com/mrss/": "media:",
    "http://search.yahoo.com/mrss": "media:",
    "http://web.resource.org/cc/": "cc:",
    "http://creativecommons.org/ns#license": "cc:",
    "http://backend.userland.com/creativecommonsrssmodule": "license:",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "license:",
}
_EMAIL = re.compile(
    r"(?:[a-zA-Z0-9_\-.+]+)@(?:(?:\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.)|(?:(?:[a-zA-Z0-9\-]+\.)+))"
    r"(?:[a-zA-Z]{2,24}|[0-9]{1,3})(?:\]?)(?:\?subject=\S+)?"
)
_REFERENCE = re.compile("&([A-Za-z0-9_]+);")
_MAX_AUTHOR_CHARACTERS = 1_000  # no address is searched in longer ones, because that takes quadratic time
_MAX_NAMES = 4_096  # in the table of names, which is cleared when it is full


class ElementNames:
    """What the names of elements mean in feeds whose root is in one namespace, which is that of a feed format.

    `roles` has what the tables of elements call each tag that was looked up: its local name in lower case, with a
    prefix for its module. `readers` is for the functions that read the elements of an item (`xml_feed.py`).
    """

    __slots__ = ("namespace", "readers", "roles")

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.roles: dict[str, str] = {}
        self.readers: dict[str, Callable[[Any, Element], None]] = {}

    def role(self, tag: str) -> str:
        role = self.roles.get(tag)
        if role is None:
            role = self.roles[tag] = self._role(tag)
        return role

    def _role(self, tag: str) -> str:
        if tag[0] != "{":
            return tag.lower()
        namespace, _, local = tag[1:].partition("}")
        prefix = "" if namespace == self.namespace else _PREFIXES.get(namespace.lower())
        if prefix is None:
            prefix = "" if "backend.userland.com/rss" in namespace.lower() else "?"
        return prefix + local.lower()


_names_by_namespace: dict[str, ElementNames] = {}


def names_of(root: Element) -> ElementNames:
    """Return the names that are known so far."""
    namespace = root.tag[1 : root.tag.index("}")] if root.tag[0] == "{" else ""
    if sum(len(each.roles) for each in _names_by_namespace.values()) > _MAX_NAMES:
        _names_by_namespace.clear()
    found = _names_by_namespace.get(namespace)
    if found is None:
        found = _names_by_namespace[namespace] = ElementNames(namespace)
    return found


class ElementContext:
    """What the elements inside one inherit: names, base and language. `base` is None without an `xml:base`."""

    __slots__ = ("base", "document_base", "is_atom", "is_atom_10", "language", "names", "repair")

    def __init__(
        self,
        names: ElementNames,
        is_atom: bool,
        is_atom_10: bool,
        repair: Repair,
        document_base: str | None,
        base: str | None,
        language: str | None,
    ) -> None:
        self.names, self.is_atom, self.is_atom_10, self.repair = names, is_atom, is_atom_10, repair
        self.document_base, self.base, self.language = document_base, base, language

    def inside(self, element: Element) -> ElementContext:
        if not element.keys():
            return self
        base, language = element.get(BASE), element.get(_LANGUAGE)
        if base is None and language is None:
            return self
        return ElementContext(
            self.names, self.is_atom, self.is_atom_10, self.repair, self.document_base,
            self.base if base is None else base_of(element, self.base or self.document_base),
            self.language if language is None else language or None,
        )  # fmt: skip


def base_of(element: Element, base: str | None) -> str | None:
    own = element.get(BASE)
    if not own:
        return base
    try:
        return urljoin(base or "", own)
    except ValueError:
        return base


def language_of(element: Element) -> str | None:
    return element.get(_LANGUAGE) or element.get("lang") or None


class ElementReader:
    """Reads what items and channels have in common. Later elements replace earlier ones, as in feedparser."""

    guid: str | None = None
    guid_is_link = False
    html_link: str | None = None
    title: str | None = None
    published: str | None = None
    updated: str | None = None
    language: str | None = None
    rights: str | None = None
    comments: str | None = None
    origin: str | None = None

    def __init__(self, context: ElementContext, element: Element) -> None:
        self.context = context.inside(element)
        self.element = element
        self.links: list[Link] = []
        self.people: list[Person] = []
        self.module_elements: list[Element] = []
        self.tags: dict[tuple[str | None, str | None, str | None], None] = {}

    def modules(self, letter: str) -> ModuleLines | None:
        """Return what makes the triples of module elements; None if there are none."""
        if not self.module_elements:
            return None
        elements, base = self.module_elements, self.context.base or self.context.document_base
        return lambda subject: module_lines(elements, subject, base, letter)

    # --- the elements, in the order of the tables ------------------------------------------------------------

    def read_title(self, element: Element) -> None:
        if self.title is None:
            self.title = self.content(element) or None

    def read_guid(self, element: Element) -> None:
        self.guid = own_text(element) or None
        self.guid_is_link = element.get("isPermaLink", element.get("ispermalink", "true")) == "true"

    def read_link(self, element: Element) -> None:
        if not element.keys() and not self.context.base:
            if written := own_text(element):
                if "&" in written:
                    written = strip(_REFERENCE.sub(r"&\g<1>", written.replace("&amp;", "&")))
                self.links.append(Link(written, "alternate", "text/html"))
                self.html_link = written
            return
        rel = strip(element.get("rel")).lower() or "alternate"
        href = element.get("url") or element.get("uri") or element.get("href")
        kind = element.get("type")
        if href is None:
            href = own_text(element)
            if "&" in href:
                href = _REFERENCE.sub(r"&\g<1>", href.replace("&amp;", "&"))
            is_html = True
        else:
            is_html = kind is None or content_type(kind) in HTML_TYPES
        if not (href := self.resolved(element, href)):
            return
        default = "application/atom+xml" if rel == "self" else "text/html"
        self.links.append(Link(href, rel, strip(kind).lower() or default, strip(element.get("length")) or None))
        if is_html and rel == "alternate":
            self.html_link = href

    def read_enclosure(self, element: Element) -> None:
        if href := strip(element.get("url") or element.get("uri") or element.get("href")):
            kind, length = strip(element.get("type")).lower(), strip(element.get("length"))
            self.links.append(Link(href, "enclosure", kind or None, length or None))

    def read_license(self, element: Element) -> None:
        if href := strip(element.get(RESOURCE)) or own_text(element):
            self.links.append(Link(href, "license"))

    def read_author(self, element: Element) -> None:
        name = uri = email = None
        for child in element if len(element) else ():
            role = self.role(child)
            if role in ("name", "itunes:name"):
                name = own_text(child)
            elif role in ("email", "itunes:email"):
                email = own_text(child)
            elif role in ("uri", "url", "homepage"):
                uri = self.resolved(child, own_text(child))
        if not (name or uri or email):
            name, email = _name_and_email(own_text(element))
        if name or uri or email:
            self.people.append(Person(name or None, uri or None, email or None))

    def read_published(self, element: Element) -> None:
        self.published = own_text(element)

    def read_updated(self, element: Element) -> None:
        self.updated = own_text(element)

    def read_category(self, element: Element) -> None:
        if not element.keys():
            if written := own_text(element):
                self.tags[written, None, None] = None
            return
        self.add_category(element, element.get("scheme") or element.get("domain"))

    def read_media_category(self, element: Element) -> None:
        self.add_category(element, element.get("scheme") or _MEDIA_CATEGORIES)

    def read_itunes_category(self, element: Element) -> None:
        for each in element.iter():
            if self.role(each) == "itunes:category":
                self.add_tag(each.get("text"), _ITUNES, None)

    def read_itunes_keywords(self, element: Element) -> None:
        self.add_tags(own_text(element), _ITUNES)

    def read_keywords(self, element: Element) -> None:
        self.add_tags(own_text(element), None)

    def read_language(self, element: Element) -> None:
        self.language = own_text(element)

    def read_rights(self, element: Element) -> None:
        self.rights = self.content(element)

    def read_comments(self, element: Element) -> None:
        if not element.keys():
            self.comments = self.resolved(element, own_text(element))

    def read_source(self, element: Element) -> None:
        title = next((self.content(child) for child in element if self.role(child) == "title"), "")
        self.origin = strip(element.get("url")) or own_text(element) or title

    # --- parts of elements -----------------------------------------------------------------------------------

    def role(self, element: Element) -> str:
        return self.context.names.role(element.tag)

    def content(self, element: Element, type: str = "text/plain") -> str:
        context = self.context
        return content_text(element, type, context.repair, in_atom_10=context.is_atom_10)

    def resolved(self, element: Element, reference: str) -> str:
        """Resolve a reference if an `xml:base` applies to it. Others are resolved when the channel's link is known."""
        reference = strip(reference)
        base = self.context.base
        if element.get(BASE):
            base = base_of(element, base or self.context.document_base)
        if base is None or not reference:
            return reference
        try:
            return urljoin(base, reference)
        except ValueError:
            return reference

    def add_category(self, element: Element, scheme: str | None) -> None:
        term, label, written = element.get("term"), element.get("label"), own_text(element)
        if written and term:
            self.add_tag(term, scheme, label)
            term = scheme = label = None
        self.add_tag(term or written, scheme, label)

    def add_tag(self, term: str | None, scheme: str | None, label: str | None) -> None:
        if term or scheme or label:
            self.tags[strip(term) or None, strip(scheme) or None, strip(label) or None] = None

    def add_tags(self, terms: str, scheme: str | None) -> None:
        for term in terms.split(","):
            if term := term.strip():
                self.add_tag(term, scheme, None)

    def categories(self) -> tuple[Category, ...]:
        return tuple(Category(term or label or "", scheme, label) for term, scheme, label in self.tags if term or label)

    def link(self) -> str | None:
        """Return the link to HTML, else the first other one, else an id that can be a link."""
        if self.html_link:
            return self.html_link
        for link in self.links:
            if link.rel == "alternate":
                return link.href
        return self.guid if self.guid and self.guid_is_link and can_be_link(self.guid) else None

    def other_links(self, own: str | None) -> tuple[Link, ...]:
        links = [link for link in self.links if link.href != own or link.rel != "alternate"]
        if self.comments:
            links.append(Link(self.comments, f"{RSS}comments"))
        if self.origin:
            links.append(Link(self.origin, f"{DC}source"))
        return tuple(links)


def strip(text: str | None) -> str:
    if not text:
        return ""
    return (text if text.isascii() else undo_double_encoding(text)).strip()


def _name_and_email(author: str) -> tuple[str, str | None]:
    """Split `ann@a.example (Ann)` and `Ann <ann@a.example>`, as feedparser does."""
    found = _EMAIL.search(author) if "@" in author and len(author) <= _MAX_AUTHOR_CHARACTERS else None
    if found is None:
        return author, None
    for part in (found[0], "()", "<>", "&lt;&gt;"):
        author = author.replace(part, "")
    return author.strip().removeprefix("(").removesuffix(")").strip(), found[0]


SHARED_ELEMENTS: dict[str, Callable[[ElementReader, Element], None]] = {
    **dict.fromkeys(("guid", "id"), ElementReader.read_guid),
    "link": ElementReader.read_link,
    "enclosure": ElementReader.read_enclosure,
    **dict.fromkeys(("cc:license", "license:license"), ElementReader.read_license),
    **dict.fromkeys(
        ("author", "managingeditor", "dc:creator", "dc:author", "itunes:author"), ElementReader.read_author
    ),
    **dict.fromkeys(("published", "pubdate", "issued", "dcterms:issued"), ElementReader.read_published),
    **dict.fromkeys(
        ("updated", "modified", "lastbuilddate", "dc:date", "dcterms:modified"), ElementReader.read_updated
    ),
    **dict.fromkeys(("category", "dc:subject", "keywords"), ElementReader.read_category),
    "media:category": ElementReader.read_media_category,
    "itunes:category": ElementReader.read_itunes_category,
    "itunes:keywords": ElementReader.read_itunes_keywords,
    **dict.fromkeys(("media:keywords", "tags"), ElementReader.read_keywords),
    **dict.fromkeys(("language", "dc:language"), ElementReader.read_language),
    **dict.fromkeys(("rights", "copyright", "dc:rights"), ElementReader.read_rights),
    "comments": ElementReader.read_comments,
    "source": ElementReader.read_source,
}
