"""The command line: one module for each command. Data goes to stdout, messages go to stderr.

Exit codes: 0 success, 1 input was refused (the message says where and why), 2 wrong usage; 130 after SIGINT (Ctrl-C),
143 after SIGTERM. If the reader of stdout closes it, as `head` does, the command ends with 0.
"""

from __future__ import annotations

from gtopss.cli.process import exit_at_once_on_signals, run_command


def main() -> None:
    """Run the console script."""
    exit_at_once_on_signals()  # during the imports below, which take about a second
    from gtopss.cli.commands import app

    run_command(app)
