"""The papers' experiments, run again: `gtopss compare NAME`.

    Experiment (table.py) ──run.py──> JSON, point by point ──> plot, checks against the paper's sentences, docs page

To add a paper's experiment: one file that makes an `Experiment`, one line in `table.py`. It says what the paper says
and how to measure the curves at one x; going on after an interruption, plots, checks and the page come by themselves.
"""
