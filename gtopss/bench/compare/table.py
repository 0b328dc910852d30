"""Every experiment, in the order in which `gtopss compare all` runs them. To add some: a file, a line here."""

from __future__ import annotations

from gtopss.bench.compare.experiment import Experiment
from gtopss.bench.compare.gryphon import GRYPHON
from gtopss.bench.compare.gtopss_figure9 import FIGURE_9
from gtopss.bench.compare.gtopss_labels import LABELS
from gtopss.bench.compare.gtopss_stars import STARS
from gtopss.bench.compare.le_subscribe import LE_SUBSCRIBE
from gtopss.bench.compare.operators import OPERATORS
from gtopss.bench.compare.topss import TOPSS

_ALL = (*FIGURE_9, LABELS, STARS, *OPERATORS, *LE_SUBSCRIBE, *GRYPHON, *TOPSS)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in _ALL}
