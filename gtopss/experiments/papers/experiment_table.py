"""Every experiment by name, in the order in which `gtopss compare all` runs them. To add one: one file, one line
here."""

from __future__ import annotations

from gtopss.experiments.papers.experiment import Experiment
from gtopss.experiments.papers.gryphon import GRYPHON
from gtopss.experiments.papers.gryphon_analysis import GRYPHON_ANALYSIS
from gtopss.experiments.papers.gtopss_departures import DEPARTURES
from gtopss.experiments.papers.gtopss_figure9 import FIGURE_9
from gtopss.experiments.papers.gtopss_labels import LABELS
from gtopss.experiments.papers.gtopss_polls import POLLS
from gtopss.experiments.papers.gtopss_shared_joins import SHARED_JOINS
from gtopss.experiments.papers.gtopss_stars import STARS
from gtopss.experiments.papers.le_subscribe import LE_SUBSCRIBE
from gtopss.experiments.papers.le_subscribe_processes import LE_SUBSCRIBE_PROCESSES
from gtopss.experiments.papers.operator_bookkeeping import OPERATOR_BOOKKEEPING
from gtopss.experiments.papers.operator_calls import OPERATOR_CALLS
from gtopss.experiments.papers.operator_costs import OPERATOR_COSTS
from gtopss.experiments.papers.operator_pairs import OPERATOR_PAIRS
from gtopss.experiments.papers.topss_associations import TOPSS_ASSOCIATIONS
from gtopss.experiments.papers.topss_databases import TOPSS_DATABASES
from gtopss.experiments.papers.topss_predicates import TOPSS_PREDICATES

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        *FIGURE_9,
        LABELS,
        STARS,
        *DEPARTURES,
        SHARED_JOINS,
        POLLS,
        *OPERATOR_CALLS,
        OPERATOR_PAIRS,
        OPERATOR_COSTS,
        OPERATOR_BOOKKEEPING,
        *LE_SUBSCRIBE,
        *LE_SUBSCRIBE_PROCESSES,
        *GRYPHON,
        *GRYPHON_ANALYSIS,
        *TOPSS_PREDICATES,
        *TOPSS_ASSOCIATIONS,
        *TOPSS_DATABASES,
    )
}
