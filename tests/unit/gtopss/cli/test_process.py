"""The command as a process: signals, closed pipes, and what is left behind. Each test runs the real command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT
from support.commands import Fifo, ended, expect_quiet, module_that_waits, run, started, wait_until_dead

from gtopss.cli.process import _Ending

pytestmark = pytest.mark.slow

DATA = ROOT / "data"
FEED = DATA / "feeds" / "nasa-liftoff.rss20.xml"
EVENT = DATA / "figure5" / "event.ttl"
SUBSCRIPTIONS = ("-s", DATA / "subscriptions")
NAIVE = ("--matcher", "naive")  # it needs no compiled code
FILTER = ("filter", FEED, *NAIVE, *SUBSCRIPTIONS)
FILTER_BROKEN = ("filter", str(ROOT / "tests" / "data" / "not-well-formed.rss"), *NAIVE, *SUBSCRIPTIONS)
SIGINT, SIGTERM, SIGHUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
COMMANDS = {
    "demo": ("demo", *NAIVE),
    "prefixes": ("prefixes",),
    "plan": ("plan", *SUBSCRIPTIONS),
    "match": ("match", EVENT, *NAIVE, "-s", "{matching}"),
    "explain": ("explain", EVENT, "all", "-s", "{matching}"),
    **{f"filter {output}": (*FILTER, "--output", output) for output in ("table", "jsonl", "rss")},
    "compare": ("compare",),
    "help": ("pipeline", "--help"),
}


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """The writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.fixture
def reached(tmp_path: Path) -> Fifo:
    """The pipe through which the command says that it is where a test wants it."""
    return Fifo(tmp_path / "reached")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_closed_pipe_is_a_clean_end(name: str, tmp_path: Path, closed_pipe: int) -> None:
    matching = tmp_path / "all.rq"
    matching.write_text("SELECT * { ?x ?p ?y }")
    arguments = (matching if each == "{matching}" else each for each in COMMANDS[name])
    code, _, error = run(*arguments, folder=tmp_path, stdout=closed_pipe)
    assert code == 0, error
    expect_quiet(error)


def test_messages_that_nobody_reads_stop_nothing(tmp_path: Path, closed_pipe: int) -> None:
    code, out, _ = run(*FILTER, folder=tmp_path, stderr=closed_pipe)
    assert code == 0
    assert "Star City" in out


def test_a_long_name_of_the_temporary_folder_is_no_obstacle(tmp_path: Path) -> None:
    """The path of a socket may have 107 bytes, and the workers are started through a socket."""
    folder = tmp_path / ("d" * 200)
    folder.mkdir()
    code, out, error = run(*FILTER, folder=folder)
    assert (code, "Star City" in out) == (0, True), error
    assert os.listdir(folder / "tmp") == []


def test_a_full_disk_is_an_error_in_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        code, _, error = run("prefixes", folder=tmp_path, stdout=full)
    assert (code, error) == (1, "gtopss: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize(
    ("module", "number", "code"), [("typer", SIGINT, 130), ("rdflib", SIGINT, 130), ("re2", SIGTERM, 143)]
)
def test_a_signal_during_imports_ends_quietly(
    module: str, number: signal.Signals, code: int, tmp_path: Path, reached: Fifo
) -> None:
    modules = module_that_waits(tmp_path / "modules", module, reached.path)
    with started(*FILTER, folder=tmp_path, modules=modules) as process:
        reached.read()
        os.killpg(process.pid, number)
        assert ended(process) == (code, "", "")


def import_of_the_real(module: str, folder: Path) -> str:
    """Return the code by which a module in a folder replaces itself by the installed one."""
    return f"""
import sys
sys.path.remove({str(folder)!r})
del sys.modules[{module!r}]
import {module}
"""


def hanging_parser(folder: Path, reached: Fifo) -> Path:
    """Make the folder of a feedparser whose `parse` waits for ever."""
    modules = folder / "modules"
    more = import_of_the_real("feedparser", modules) + "feedparser.parse = lambda *given, **options: wait()\n"
    return module_that_waits(modules, "feedparser", reached.path, at_import=0, more=more)


@pytest.mark.parametrize(
    ("number", "code", "whole_group"),
    [(SIGINT, 130, True), (SIGTERM, 143, False), (SIGTERM, 143, True), (SIGHUP, 129, False)],
)
def test_a_signal_during_an_isolated_read_leaves_nothing(
    number: signal.Signals, code: int, whole_group: bool, tmp_path: Path, reached: Fifo
) -> None:
    modules = hanging_parser(tmp_path, reached)
    with started(*FILTER_BROKEN, folder=tmp_path, modules=modules) as process:
        worker = int(reached.read())
        (os.killpg if whole_group else os.kill)(process.pid, number)
        ending, out, error = ended(process)
    assert (ending, out) == (code, "")
    expect_quiet(error)
    wait_until_dead(worker)
    assert os.listdir(tmp_path / "tmp") == []


@pytest.mark.parametrize(("number", "code"), [(SIGINT, 130), (SIGTERM, 143)])
def test_a_signal_while_the_worker_starts_ends_quietly(
    number: signal.Signals, code: int, tmp_path: Path, reached: Fifo
) -> None:
    modules = tmp_path / "modules"
    more = import_of_the_real("re2", modules)
    module_that_waits(modules, "re2", reached.path, at_import=2, more=more)  # first the command, then the worker
    with started(*FILTER_BROKEN, folder=tmp_path, modules=modules) as process:
        starting = int(reached.read())
        os.killpg(process.pid, number)
        ending, _, error = ended(process)
    assert ending == code
    expect_quiet(error)
    wait_until_dead(starting)
    assert os.listdir(tmp_path / "tmp") == []


def test_the_worker_dies_with_a_killed_parent_and_nothing_is_left(tmp_path: Path, reached: Fifo) -> None:
    with started(*FILTER_BROKEN, folder=tmp_path, modules=hanging_parser(tmp_path, reached)) as process:
        worker = int(reached.read())
        os.kill(process.pid, signal.SIGKILL)
        wait_until_dead(worker)
    assert os.listdir(tmp_path / "tmp") == []


def test_two_signals_at_once_are_one_request(tmp_path: Path, reached: Fifo) -> None:
    with started(*FILTER_BROKEN, folder=tmp_path, modules=hanging_parser(tmp_path, reached)) as process:
        reached.read()
        os.kill(process.pid, SIGTERM)
        os.killpg(process.pid, SIGTERM)
        ending, _, error = ended(process)
    assert ending == 143
    expect_quiet(error)
    assert os.listdir(tmp_path / "tmp") == []


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path, reached: Fifo) -> None:
    modules = hanging_parser(tmp_path, reached)
    with started(
        *FILTER_BROKEN,
        folder=tmp_path,
        modules=modules,
        preexec_fn=lambda: signal.signal(SIGINT, signal.SIG_IGN),
    ) as process:
        reached.read()
        os.kill(process.pid, SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
        os.kill(process.pid, SIGTERM)
        assert ended(process)[0] == 143


def test_a_name_that_is_not_utf_8_is_written_as_json(tmp_path: Path) -> None:
    document = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ttl")
    Path(document).write_bytes(EVENT.read_bytes())
    (tmp_path / "all.rq").write_text("SELECT * { ?x ?p ?y }")
    code, out, error = run("match", document, *NAIVE, "-s", tmp_path / "all.rq", folder=tmp_path)
    assert code == 0, error
    assert json.loads(out)["publication"].endswith(".ttl")


@pytest.mark.spark
@pytest.mark.parametrize(("number", "code"), [(SIGINT, 130), (SIGTERM, 143)])
def test_a_signal_while_spark_starts_leaves_nothing(
    number: signal.Signals, code: int, tmp_path: Path, reached: Fifo
) -> None:
    operators = tmp_path / "operators.py"  # executed before Spark is started
    operators.write_text(f"with open({str(reached.path)!r}, 'w') as file:\n    file.write('here')\n")
    arguments = ("pipeline", FEED, *SUBSCRIPTIONS, "--out", tmp_path / "out", "--operators", operators)
    with started(*arguments, folder=tmp_path) as process:
        reached.read()
        os.kill(process.pid, number)
        ending, _, error = ended(process)  # stderr ends with the JVM
    assert ending == code, error
    expect_quiet(error)
    assert os.listdir(tmp_path / "tmp") == []


def test_a_signal_after_the_end_of_the_command_changes_nothing(tmp_path: Path, reached: Fifo) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "sitecustomize.py").write_text(
        f"""\
import signal, sys
class AtTheEnd:
    def __del__(self, open=open, raise_signal=signal.raise_signal):
        raise_signal({int(SIGINT)})
        raise_signal({int(SIGTERM)})
        with open({str(reached.path)!r}, "w") as file:
            file.write("here")
sys.modules["at the end"] = AtTheEnd()
"""
    )
    code, out, error = run("prefixes", folder=tmp_path, modules=modules)
    assert (code, error) == (0, "")
    assert "PREFIX rdf:" in out
    assert reached.read() == "here"


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
def test_a_signal_where_nothing_can_be_raised_ends_the_command_quietly(number: signal.Signals) -> None:
    """As in a callback of the compiler: Python ignores what is raised in `__del__`."""
    program = f"""
import os
from gtopss.cli.process import run_command

class Ignoring:
    def __del__(self):
        os.kill(os.getpid(), {int(number)})
        sum(range(1000))

def command():
    Ignoring()
    while True:
        sum(range(1000))

run_command(command)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a background job of a script ignores SIGINT
    )
    assert (ended.returncode, ended.stderr) == (128 + number, "")


def test_a_signal_is_not_lost_if_it_arrives_before_the_hook_has_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine, where the thread that repeats the signal may run before the main thread goes on."""
    ending, repeated = _Ending(), list[object]()

    def repeat_at_once(function: object, arguments: tuple[signal.Signals]) -> None:
        repeated.append(arguments)
        if len(repeated) == 1:
            ending.on_signal(arguments[0], None)

    monkeypatch.setattr("gtopss.cli.process._thread.start_new_thread", repeat_at_once)
    with pytest.raises(KeyboardInterrupt):
        ending.on_signal(SIGINT, None)
    ending.on_unraisable(SimpleNamespace(exc_type=KeyboardInterrupt))
    assert repeated == [(SIGINT,), (SIGINT,)]
    with pytest.raises(KeyboardInterrupt):
        ending.on_signal(SIGINT, None)
