"""Sort the items of real feeds by the language that they are written in, which few feeds say. A classifier with its own
model answers (`languageOf`, by py3langid); it is called for items whose other conditions hold, once for each text."""

from collections import Counter
from pathlib import Path

from gtopss import Engine
from gtopss.reading.documents import read_document

FEEDS = Path(__file__).parent.parent / "data" / "feeds"
TEXT = "{ ?item rss:description ?text } UNION { ?item content:encoded ?text }"

engine = Engine()
engine.add(
    f"""SELECT ?title WHERE {{ ?item a rss:item ; rss:title ?title . {TEXT}
        FILTER words(?text, "web") FILTER(languageOf(?text, "fr")) }}""",
    id="the web in French",
)
engine.add(
    f"""SELECT ?language WHERE {{ ?item a rss:item . {TEXT}
        FILTER(languageOf(?text, ?language)) FILTER(?language != "en") }}""",
    id="not in English",
)

calls = 0
languages: Counter[str] = Counter()
for feed in sorted(FEEDS.iterdir()):
    for item in read_document(feed.read_bytes(), source=feed.name).publications:
        report = engine.match(item)
        calls += report.operator_usage.calls if report.operator_usage else 0
        for match in report:
            if match.subscription_id == "the web in French":
                print(match.subscription_id, match.bindings[0]["title"], sep=": ")
            else:
                languages[str(match.bindings[0]["language"])] += 1
print("not in English:", ", ".join(f"{count} in {language}" for language, count in languages.most_common()))
print(f"{calls} calls")
