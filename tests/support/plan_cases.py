"""What the plans by shape are compared on: a department, the shipped feeds, and whatever hypothesis thinks of."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random

from conftest import ROOT
from hypothesis import HealthCheck, Phase, given, seed, settings

from gtopss import Engine
from gtopss.engine.subscription_files import read_subscriptions
from gtopss.errors import NeverMatches
from gtopss.model import Publication, Subscription
from gtopss.rdf.parse import read_triples
from ontology import Taxonomy
from ontology.loading import load
from support.spark_answers import Answer, answers_by, read_without_spark
from support.strategies import Case as Generated
from support.strategies import cases
from support.text_cases import text_case

MATCHING, TEXTS_MATCHING, SILENT = 18, 30, 4  # generated subscriptions
DEPARTMENT = "http://www.Department0.University0.edu"
_UB = "PREFIX ub: <http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#>\n"
QUERIES = {
    "q1": f"?x a ub:GraduateStudent ; ub:takesCourse <{DEPARTMENT}/GraduateCourse0>",
    "q2": "?x ub:memberOf ?z ; ub:undergraduateDegreeFrom ?y . ?z ub:subOrganizationOf ?y . "
    "FILTER (isA(?x, ub:Student) && isA(?z, ub:Organization))",
    "q3": f"?x a ub:Publication ; ub:publicationAuthor <{DEPARTMENT}/AssistantProfessor0>",
    "q4": f"?x ub:worksFor <{DEPARTMENT}> ; ub:name ?name ; ub:emailAddress ?mail FILTER instanceOf(?x, ub:Professor)",
    "q5": f"?x ub:memberOf <{DEPARTMENT}> FILTER isA(?x, ub:Person)",
    "q6": "?x a ?class FILTER (isA(?class, ub:Course) && ?class != ub:Course)",
    "q7": f"?x ub:takesCourse ?y . <{DEPARTMENT}/AssociateProfessor0> ub:teacherOf ?y FILTER isA(?x, ub:Student)",
    "q8": "?x ub:memberOf ?y . ?y ub:subOrganizationOf <http://www.University0.edu> . ?x ub:emailAddress ?mail "
    'FILTER STRSTARTS(?mail, "GraduateStudent1")',
    "q9": "?x ub:advisor ?y ; ub:takesCourse ?z . ?y ub:teacherOf ?z FILTER instanceOf(?y, ub:Faculty)",
    "q11": f"?x a ub:ResearchGroup ; ub:subOrganizationOf <{DEPARTMENT}>",
    "q12": "?x ub:headOf ?y . ?y ub:subOrganizationOf <http://www.University0.edu> "
    "FILTER directlyA(?x, ub:FullProfessor)",
    "q13": "?x ?how <http://www.University84.edu> FILTER isA(?x, ub:Person)",
    "q14": "?x a ub:UndergraduateStudent ; ub:name ?name FILTER (?name >= 'UndergraduateStudent9')",
}
"""After LUBM's, of which 10 repeats 1 with is-a; its transitive property and inverse are not ours."""


@dataclass(frozen=True)
class Case:
    engine: Engine
    publications: tuple[Publication, ...]

    @cached_property
    def expected(self) -> set[Answer]:
        """The engine's answers, computed once for all plans."""
        return answers_by(self.engine, self.publications)


@lru_cache
def department() -> Case:
    """The department as one publication, and some of its subjects each as one."""
    path = ROOT / "data" / "lubm" / "University0_0.owl"
    whole = Publication("department", read_triples(path.read_bytes(), "xml", base=path.absolute().as_uri()))
    return Case(lubm_engine(*QUERIES), (whole, *subjects(whole)[:50]))


def subjects(whole: Publication) -> list[Publication]:
    """One publication for each subject, as a stream would bring them."""
    about = defaultdict(list)
    for triple in whole.triples:
        about[triple[0]].append(triple)
    return [Publication.trusted(f"about {subject[1:-1]}", triples) for subject, triples in about.items()]


def lubm_engine(*queries: str) -> Engine:
    """Return an engine with some of the QUERIES."""
    engine = Engine(taxonomy=load(ROOT / "data" / "ontologies" / "univ-bench.owl"))
    for name in queries:
        engine.add(f"{_UB} SELECT * WHERE {{ {QUERIES[name]} }}", id=name)
    return engine


@lru_cache
def feeds() -> Case:
    read = [each for each in read_subscriptions(ROOT / "data" / "subscriptions") if isinstance(each, Subscription)]
    engine = _engine(load(ROOT / "data" / "ontologies" / "iptc-mediatopics-en-GB.ttl"), read)
    news = read_without_spark(ROOT / "data" / "news" / "news.nq")
    return Case(engine, (*read_without_spark(ROOT / "data" / "feeds"), *news[::3]))


@lru_cache
def generated() -> Case:
    """Some of hypothesis' cases: the first subscriptions that match some publication, and the first that do not."""
    made: list[Generated] = []

    @seed(3)
    @settings(max_examples=40, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(cases())
    def gather(case: Generated) -> None:
        made.append(case)

    gather()
    taxonomy = max((case.taxonomy for case in made), key=lambda each: len(each.classes))
    return _joined(taxonomy, made, MATCHING, SILENT)


@lru_cache
def texts() -> Case:
    """Text constraints on texts of many scripts, as naive answers them too."""
    case = _joined(Taxonomy(), [text_case(Random(number)) for number in range(40)], TEXTS_MATCHING, SILENT)
    naive = _engine(Taxonomy(), case.engine.subscriptions(), matcher="naive")
    assert Case(naive, case.publications).expected == case.expected
    return case


def _joined(taxonomy: Taxonomy, made: list[Generated], matching: int, silent: int) -> Case:
    """Join cases: their publications, and the first subscriptions that match one, and that do not."""
    publications = tuple(Publication(f"p{number}", case.publication.triples) for number, case in enumerate(made))
    all_of_them = [
        Subscription(f"{number} {each.id}", branches=each.branches, distinct=each.distinct)
        for number, case in enumerate(made)
        for each in case.subscriptions
    ]
    matched = {answer[1] for answer in Case(_engine(taxonomy, all_of_them), publications).expected}
    some = [each for each in all_of_them if each.id in matched][:matching]
    others = [each for each in all_of_them if each.id not in matched][:silent]
    return Case(_engine(taxonomy, [*some, *others]), publications)


def _engine(taxonomy: Taxonomy, subscriptions: Iterable[Subscription], matcher: str = "gm") -> Engine:
    engine = Engine(matcher=matcher, taxonomy=taxonomy, allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeverMatches)
        for each in subscriptions:
            engine.add(each)
    return engine
