from __future__ import annotations

import warnings
from pathlib import Path

from gtopss.experiments.workloads.vocabulary_corpus import (
    CLASSES_PER_VOCABULARY,
    PROPERTIES_PER_VOCABULARY,
    write_corpus,
)
from ontology import load


def test_the_corpus_has_the_classes_and_properties_that_it_announces(tmp_path: Path) -> None:
    path = tmp_path / "corpus.nt"
    assert write_corpus(path, 3) == len(path.read_text().splitlines())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        taxonomy = load(path)
    assert len(taxonomy.classes) == 3 * CLASSES_PER_VOCABULARY
    assert len(taxonomy.properties) == 3 * PROPERTIES_PER_VOCABULARY
    base = "http://vocabulary1.example.org/terms#"
    assert taxonomy.is_a(f"{base}Class7", f"{base}Class0")
    assert taxonomy.domains(f"{base}property0")
    write_corpus(tmp_path / "again.nt", 3)
    assert (tmp_path / "again.nt").read_text() == path.read_text()
