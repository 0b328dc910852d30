"""Every experiment, in the order in which `gtopss compare all` runs them. To add some: a file, a line here."""

from __future__ import annotations

from gtopss.experiments.papers.experiment import Experiment
from gtopss.experiments.papers.gryphon import GRYPHON
from gtopss.experiments.papers.gtopss_figure9 import FIGURE_9
from gtopss.experiments.papers.gtopss_labels import LABELS
from gtopss.experiments.papers.gtopss_stars import STARS
from gtopss.experiments.papers.le_subscribe import LE_SUBSCRIBE
from gtopss.experiments.papers.operators import OPERATORS
from gtopss.experiments.papers.topss import TOPSS

_ALL = (*FIGURE_9, LABELS, STARS, *OPERATORS, *LE_SUBSCRIBE, *GRYPHON, *TOPSS)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in _ALL}
