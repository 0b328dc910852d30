"""Every example runs as a user would run it, is short, and says something."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT
from support.notebooks import run_notebook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = {
    "34_feed_reader.ipynb": "items in a feed of",
    "31_rdf_developer.ipynb": "delivered: http://example.org/kitchen",
    "32_researcher.ipynb": "['gtopss-9g-quick.json', 'gtopss-9g-quick.svg']",
}
SPARK_NOTEBOOK = "29_spark_dataframes.ipynb"  # run by tests/unit/gtopss/spark/test_api.py, in its session
SAYS = {
    "01_paper_figure5": "?y = http://example.org/bib#ArnosPaper17",
    "02_is_a_schema_org": "https://schema.org/CreativeWork matches Graphs, at last",
    "03_plain_python": "desk lamp: a bargain\nfloor lamp: no\nchair: no",
    "04_owl_reasoner": "asserted: nothing\ninferred: American, Margherita, Rosa",
    "06_text_subscription": "subscription 'impossible' never matches: (?year > 2000) and (?year < 1990)",
    "08_feeds": "minor alerts: Winter Weather Advisory, 2012-11-07T16:00:00-05:00",
    "09_filter_feeds": "atom10  la-grange.atom: 1 of 34 items",
    "10_attributes": "the event breaks R2: attribute 'category' is mandatory and missing",
    "11_operators": "adaptive: 49 calls that cost 133, 14 matches",
    "13_spark": "refused: broken.rss\nearthquakes-above-2: 3\nmartin-on-tfs: 2\nxml-tools: 1",
    "14_bytes": "1,274 documents\nrefused: publication 'publication-1275', line 1, column 17",
    "21_broker": "  Eve 2: expiring\n  Eve 3: expired\nEve: no active subscription has this id and ticket",
    "27_pdf": "paper0.pdf: Fast Filtering of Metadata by Ann\npaper1.pdf: no match",
    "22_webhook": "match: A vaccine is tested\nthe target is active and has got notification 1",
    "23_http": "event: A vaccine is tested",
    "25_papers_scenario": "Carol: expired\nBob has renewed, and has had 2 notifications",
    "26_client": "refused at line 2\nwith asyncio: Football",
    "18_short_form": "the ontology has no topic that is called 'helth': did you mean",
    "20_batch": "document 2 matches floods\ndocument 1 was refused: MalformedPublication",
    "19_labelled": '"Impfstoff" is the label of medtop:20000477 → medtop:20000464 → medtop:07000000',
    "17_check": "subscription 'property': no item has the property rss:titel: did you mean rss:title?",
    "15_kept_feed": "3 items, 1 new, 1 matched; the file has 2",
    "16_words": "open source: News from the Open-Source world\nprefix: News from the Open-Source world",
    "12_live_and_saved": "after a restart: animals, author8, long",
    "07_explain": "shop:bike is not a shop:Furniture; it is shop:Bicycle",
    "24_whole_queries": "  then NOT EXISTS fails, because of <urn:p2> <urn:retracted>",
    "28_lenient_literals": "sparql: []\nlenient: ['urn:lamp']",
    "35_shares": "3 publications, 2 tasks instead of 6\nwheat: Wheat rises\ntennis: A tennis match",
    "30_websub": "agreed to: subscribe\npushed: A vaccine is tested",
    "37_use_cases": "shows a person: name astronaut.jpg, type jpeg, faces 1\n12 publications",
    "33_languages": "the web in French: Un serveur HTTP en python pour tester\nnot in English: 34 in fr, 15 in zh",
    "36_spark_kafka": 'storms: {"publication_id":"urn:alert:1","source":"alerts.nq","subscription_id":"storms"',
    "05_rdfs_entailment": "entailment=None: []\nentailment=rdfs: [{'who'",
}


SPARK_EXAMPLES = [ROOT / "examples" / name for name in ("13_spark.py", "36_spark_kafka.py")]


@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if each not in SPARK_EXAMPLES], ids=lambda path: path.stem
)
def test_the_example_runs_and_prints_what_it_promises(example: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert SAYS[example.stem] in done.stdout


@pytest.mark.parametrize("example", SPARK_EXAMPLES, ids=lambda path: path.stem)
def test_the_spark_example_prints_what_it_promises(
    spark: SparkSession, example: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs in the session of the tests, because another JVM takes longer to start than the example to run."""
    monkeypatch.setattr(type(spark), "stop", lambda session: None)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example))
    assert SAYS[example.stem] in capsys.readouterr().out


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_notebook_runs_from_top_to_bottom(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_notebook(name, monkeypatch)
    assert NOTEBOOKS[name] in capsys.readouterr().out


@pytest.mark.parametrize(("name", "printed"), [*NOTEBOOKS.items(), (SPARK_NOTEBOOK, "the stream found the same")])
def test_a_notebook_is_stored_with_what_it_prints(name: str, printed: str) -> None:
    text = (ROOT / "examples" / name).read_text()
    outputs = [output for cell in json.loads(text)["cells"] for output in cell.get("outputs", ())]
    assert printed in "".join("".join(output.get("text", ())) for output in outputs)
    assert {output.get("name", "stdout") for output in outputs} == {"stdout"}
    assert "site-packages" not in text  # a local path


def test_every_notebook_is_run_and_in_the_readme() -> None:
    names = {path.name for path in (ROOT / "examples").glob("*.ipynb")}
    assert names == {*NOTEBOOKS, SPARK_NOTEBOOK}
    assert all(name in (ROOT / "README.md").read_text() for name in names)


def test_every_example_is_short_has_an_expectation_and_is_in_the_readme() -> None:
    assert {path.stem for path in EXAMPLES} == set(SAYS)
    for example in EXAMPLES:
        assert len(example.read_text().splitlines()) < 60
        assert example.name in (ROOT / "README.md").read_text()
