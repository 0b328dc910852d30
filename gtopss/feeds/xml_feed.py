"""Read well-formed RSS 0.9x to 2.0 and Atom from their element tree.

This is 10 to 30 times as fast as feedparser, which reads what is not well-formed, and gives the same items. Where
feedparser lets elements of an item set properties of another item or of the channel, each element counts where it
stands. The elements are in tables: `_ITEM_ELEMENTS` and `_CHANNEL_ELEMENTS` name the method that reads each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

from gtopss.feeds.inline_markup import content_type, own_text
from gtopss.feeds.items import Channel, Item
from gtopss.feeds.modules import is_module_tag
from gtopss.feeds.namespaces import ATOM
from gtopss.feeds.text import Repair, undo_double_encoding
from gtopss.feeds.xml_elements import (
    BASE,
    HTML_TYPES,
    RESOURCE,
    SHARED_ELEMENTS,
    ElementContext,
    ElementNames,
    ElementReader,
    base_of,
    language_of,
    names_of,
    strip,
)
from gtopss.model.terms import RDF

_ABOUT = f"{{{RDF}}}about"


def read_xml_feed(
    root: Element, base: str | None, repair: Repair = undo_double_encoding
) -> tuple[Channel, list[Item]] | None:
    """Return the channel and the items of a feed's element tree; None if it has no items that can be told."""
    names = names_of(root)
    kind = names.role(root.tag)
    tags = {element.tag for element in root.iter()}
    item_tags = [tag for tag in tags if names.role(tag) in ("item", "entry")]
    channel_tags = [tag for tag in tags if names.role(tag) == "channel"] if kind != "feed" else []
    items = _elements(root, item_tags)
    channel = root if kind == "feed" else next(iter(_elements(root, channel_tags)), None)
    if not items or (kind not in ("rss", "feed") and channel is None):
        return None
    own_base = base_of(root, base) if root.get(BASE) else None
    context = ElementContext(
        names, kind == "feed", root.tag == f"{{{ATOM}}}feed", repair, base, own_base, language_of(root)
    )
    whole = _ChannelReader(context, root if channel is None else channel)
    whole.read((root,) if channel is None or channel is root else (root, channel))
    return whole.channel(), [_ItemReader(whole.context, item).item() for item in items]


def _elements(root: Element, tags: Sequence[str]) -> list[Element]:
    """Return the elements with these tags in document order."""
    if len(tags) < 2:
        return [element for tag in tags for element in root.iter(tag)]
    return [element for element in root.iter() if element.tag in tags]


class _ItemReader(ElementReader):
    """Reads one item."""

    created: str | None = None
    title_language: str | None = None
    has_media_title = False
    summary: str | None = None
    summary_depth = 0
    has_content = False

    def item(self) -> Item:
        self.contents: list[str] = []
        if about := self.element.get(_ABOUT):
            self.guid = strip(about)
        self.read(self.element)
        link = self.link()
        is_atom = self.context.is_atom
        return Item(
            guid=self.guid,
            link=link,
            title=self.title,
            description=None if self.summary in self.contents else self.summary or None,
            contents=tuple(self.contents),
            people=tuple(self.people),
            published=self.published or None,
            updated=self.updated or self.created or None,
            modified=(self.updated or None) if is_atom else None,
            categories=self.categories() if self.tags else (),
            links=self.other_links(link),
            language=self.language or (self.title_language if is_atom else None),
            rights=self.rights or None,
            module_lines=self.modules("m"),
        )

    def read(self, element: Element) -> None:
        names = self.context.names
        readers = names.readers
        for child in element:
            reader = readers.get(child.tag) or _reader_of(names, child.tag)
            reader(self, child)

    def ignore(self, element: Element) -> None:
        pass

    def read_module(self, element: Element) -> None:
        self.module_elements.append(element)

    def read_title(self, element: Element) -> None:
        own = (language_of(element) if element.keys() else None) or self.context.language
        self.title_language = own.replace("_", "-") if own else None
        if self.title is None or self.has_media_title:
            self.title, self.has_media_title = self.content(element) or None, False

    def read_media_title(self, element: Element) -> None:
        if self.title is None:
            self.title, self.has_media_title = self.content(element) or None, True

    def read_created(self, element: Element) -> None:
        self.created = own_text(element)

    def read_description(self, element: Element) -> None:
        self.add_summary(element, "text/html")

    def read_abstract(self, element: Element) -> None:
        self.add_summary(element, "text/plain")

    def add_summary(self, element: Element, type: str, depth: int = 0) -> None:
        """Keep the first summary, and a second one as content. Where there is content already, the last one counts."""
        if self.summary is not None and not self.has_content:
            self.read_content(element)
        elif self.summary is None or depth <= self.summary_depth:
            self.summary, self.summary_depth = self.content(element, type), depth

    def read_content(self, element: Element) -> None:
        self.add_content(element, "text/plain")

    def read_encoded(self, element: Element) -> None:
        self.add_content(element, "text/html")

    def read_body(self, element: Element) -> None:
        self.add_content(element, "application/xhtml+xml")

    def add_content(self, element: Element, type: str) -> None:
        self.has_content = True
        if (text := self.content(element, type)) and text not in self.contents:  # a set would hash whole articles
            self.contents.append(text)
        if self.summary is None and content_type(element.get("type") or type) in HTML_TYPES | {"text/plain"}:
            self.summary = text

    def read_media(self, element: Element, depth: int = 1) -> None:
        """Read what is said of a media object, or a group of them, that the item does not say itself."""
        for child in element:
            role = self.role(child)
            if role == "media:description":
                self.add_summary(child, "text/html", depth)
            elif role in ("media:group", "media:content"):
                self.read_media(child, depth + 1)
            elif role.startswith("media:") and (method := _ITEM_ELEMENTS.get(role)):
                method(self, child)


class _ChannelReader(ElementReader):
    """Reads the channel."""

    subtitle: str | None = None
    image: str | None = None
    logo: str | None = None
    icon: str | None = None
    generator: str | None = None

    def read(self, elements: Sequence[Element]) -> None:
        """Read the elements directly inside these, of which the first is the root."""
        root = elements[0]
        self.language = (language_of(root) or "").replace("_", "-") or None
        for element in elements:
            for child in element:
                method = _CHANNEL_ELEMENTS.get(self.role(child))
                if method is not None:
                    method(self, child)
                if element is self.element and is_module_tag(child.tag):
                    self.module_elements.append(child)

    def channel(self) -> Channel:
        link = self.link()
        return Channel(
            id=self.guid,
            link=link,
            title=self.title,
            description=self.subtitle or None,
            people=tuple(self.people),
            updated=self.updated or self.published or None,
            categories=self.categories(),
            links=self.other_links(link),
            language=self.language or None,
            rights=self.rights or None,
            image=self.image or self.logo or self.icon or None,
            generator=self.generator or None,
            module_lines=self.modules("n"),
        )

    def read_subtitle(self, element: Element) -> None:
        self.subtitle = self.content(element)

    def read_description(self, element: Element) -> None:
        self.subtitle = self.content(element, "text/html")

    def read_image(self, element: Element) -> None:
        for child in element:
            if self.role(child) in ("url", "href"):
                self.image = self.resolved(child, own_text(child))

    def read_itunes_image(self, element: Element) -> None:
        self.image = strip(element.get("href") or element.get("url")) or self.image

    def read_logo(self, element: Element) -> None:
        self.logo = self.resolved(element, own_text(element))

    def read_icon(self, element: Element) -> None:
        self.icon = self.resolved(element, own_text(element))

    def read_generator(self, element: Element) -> None:
        self.generator = own_text(element)

    def read_generator_agent(self, element: Element) -> None:
        self.generator = strip(element.get(RESOURCE))


def _reader_of(names: ElementNames, tag: str) -> Callable[[_ItemReader, Element], None]:
    """Return the function that reads an element of an item, and remember it."""
    method = _ITEM_ELEMENTS.get(names.role(tag))
    if is_module_tag(tag):
        reader = _ItemReader.read_module if method is None else _with_module(method)
    else:
        reader = _ItemReader.ignore if method is None else method
    names.readers[tag] = reader
    return reader


def _with_module(method: Callable[[_ItemReader, Element], None]) -> Callable[[_ItemReader, Element], None]:
    """Return a function that reads an element and keeps it as a module element."""

    def read(reader: _ItemReader, element: Element) -> None:
        method(reader, element)
        reader.module_elements.append(element)

    return read


_ITEM_ELEMENTS: dict[str, Callable[[_ItemReader, Element], None]] = {
    **SHARED_ELEMENTS,
    **dict.fromkeys(("title", "dc:title"), _ItemReader.read_title),
    "media:title": _ItemReader.read_media_title,
    **dict.fromkeys(("created", "dcterms:created"), _ItemReader.read_created),
    **dict.fromkeys(("description", "dc:description", "media:description"), _ItemReader.read_description),
    **dict.fromkeys(("summary", "itunes:summary", "abstract"), _ItemReader.read_abstract),
    "content": _ItemReader.read_content,
    **dict.fromkeys(("content:encoded", "fullitem"), _ItemReader.read_encoded),
    **dict.fromkeys(("body", "xhtml:body"), _ItemReader.read_body),
    **dict.fromkeys(("media:group", "media:content"), _ItemReader.read_media),
}
_CHANNEL_ELEMENTS: dict[str, Callable[[_ChannelReader, Element], None]] = {
    **SHARED_ELEMENTS,
    **dict.fromkeys(("title", "dc:title"), ElementReader.read_title),
    **dict.fromkeys(("subtitle", "tagline", "itunes:subtitle"), _ChannelReader.read_subtitle),
    **dict.fromkeys(("description", "dc:description"), _ChannelReader.read_description),
    "image": _ChannelReader.read_image,
    "itunes:image": _ChannelReader.read_itunes_image,
    "logo": _ChannelReader.read_logo,
    "icon": _ChannelReader.read_icon,
    "generator": _ChannelReader.read_generator,
    "admin:generatoragent": _ChannelReader.read_generator_agent,
}
