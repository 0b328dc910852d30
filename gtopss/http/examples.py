"""The examples of a new service: shipped feeds that are published into an empty store, and templates to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gtopss.broker.broker import Broker
from gtopss.broker.publishing import Document
from gtopss.broker.store import publication_rows
from gtopss.http.models.operations import TemplateModel

_BUILT_IN: Sequence[tuple[str, str, str, str, str, str]] = (
    (
        "topic",
        "topic",
        "A topic",
        "Items about a topic, or anything below it.",
        "short",
        "topic:health",
    ),
    ("words", "words", "Words", "Items with all of these words, in any case.", "short", '"open source" linux'),
    ("any-words", "words", "One of several words", "Items with at least one of them.", "short", "flood OR drought"),
    ("without", "words", "Words, without others", "Items without an unwanted word.", "short", "space -sponsored"),
    ("author", "author", "An author", "Items by an author, or from a publisher.", "short", "author:Reuters"),
    (
        "place",
        "place",
        "A region",
        "Items with a position (georss:point) within a range of latitudes.",
        "sparql",
        "PREFIX georss: <http://www.georss.org/georss>\n"
        "SELECT ?item ?title ?point WHERE {\n"
        "    ?item rss:title ?title ; georss:point ?point .\n"
        '    FILTER (xsd:decimal(STRBEFORE(?point, " ")) > 50)\n'
        "}",
    ),
    (
        "class",
        "class",
        "A class of the ontology",
        "Items whose subject is a class, or anything below it.",
        "sparql",
        "PREFIX medtop: <http://cv.iptc.org/newscodes/mediatopic/>\n"
        "SELECT ?item ?title ?topic WHERE {\n"
        "    ?item rss:title ?title ; dcterms:subject ?topic .\n"
        "    FILTER (isA(?topic, medtop:07000000))\n"
        "}",
    ),
)


def templates(examples: Path | None) -> list[TemplateModel]:
    """Return subscriptions to start from: some for each purpose, and those in the folder of examples."""
    made = [
        TemplateModel(id=id, group=group, title=title, description=description, form=form, query=query)
        for id, group, title, description, form, query in _BUILT_IN
    ]
    folder = None if examples is None else examples / "subscriptions"
    for path in sorted(folder.glob("*.rq")) if folder is not None else ():
        text = path.read_text(encoding="utf-8")
        first = text.partition("\n")[0].removeprefix("#").strip()
        title = path.stem.replace("-", " ").capitalize()
        made.append(
            TemplateModel(id=path.stem, group="example", title=title, description=first, form="sparql", query=text)
        )
    return made


def publish_examples(broker: Broker, folder: Path, progress: Callable[[str], None]) -> int:
    """Publish the feeds of a folder, if the store has no publications. Return how many items were published."""
    if broker.store.read(lambda connection: publication_rows.newest_first(connection, 1)):
        return 0
    paths = [*sorted((folder / "news").glob("*.nq")), *sorted((folder / "feeds").iterdir())]  # the feeds are newest
    documents = [Document(path.read_bytes(), source=path.absolute().as_uri()) for path in paths if path.is_file()]
    progress(f"publishing the {len(documents)} example feeds of {folder}")
    return sum(len(each.publications) for each in broker.publish_as_operator(documents))
