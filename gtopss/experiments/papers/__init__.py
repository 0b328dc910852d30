"""The papers' experiments, repeated: `gtopss compare NAME`.

    Experiment (experiment_table.py) ──run_experiment.py──> JSON, saved after each x ──> plot, checks, docs page

To add an experiment of a paper: one file that defines an `Experiment`, one line in `experiment_table.py`. The file
quotes the paper and measures the curves at one x. Resuming, plots, checks and the docs page need no further code.
"""
