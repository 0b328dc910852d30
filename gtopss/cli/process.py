"""Run a command as a Unix process should: signals and a closed pipe end it quietly, and nothing is left behind.

This module imports only what Python has loaded already or loads in a millisecond: before `exit_at_once_on_signals` is
called, Ctrl-C prints a traceback. Python itself starts for about 20 ms before it runs any code of this package, and no
package can change what it prints in that time.
"""

from __future__ import annotations

import _thread
import atexit
import io
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as in `typing`, whose import takes time
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLEANUP_SECONDS = 1.0
"""A further signal within this time is taken for the same request: `timeout` sends two. A later one ends at once."""

INTERRUPT_SECONDS = 0.01
"""Time after which a signal whose exception was lost is raised again."""


def exit_at_once_on_signals() -> None:
    """Exit without a message on a signal. For the time in which there is nothing to clean up."""
    _handle_signals(lambda number, frame: os._exit(128 + number))


def run_command(command: Callable[[], object]) -> NoReturn:
    """Run a command and exit with its code. A GtopssError is printed as one message, without a traceback."""
    from gtopss.errors import GtopssError

    ending = _Ending()
    code: Any = 0
    try:
        try:
            _handle_signals(ending.on_signal)
            sys.unraisablehook = ending.on_unraisable
            sys.stderr = _guarded(sys.stderr, lambda error: None)
            sys.stdout = _guarded(sys.stdout, _end_without_reader)
            command()
        finally:
            ending.start()
    except GtopssError as error:
        from gtopss.cli.option_names import with_options

        print(f"gtopss: {with_options(str(error))}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except SystemExit as exit:
        code = exit.code
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except SystemExit as exit:
            code = exit.code
    # Python ends by restoring the default handlers, by which a late signal would change the exit code.
    atexit.register(_handle_signals, signal.SIG_IGN)
    sys.exit(code if ending.signal is None else 128 + ending.signal)


class _Ending:
    """The end of this process: which signal asked for it, and when it began."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._started_at: float | None = None
        self._is_in_hook = False

    def start(self) -> None:
        """From now on no signal raises an exception."""
        if self._started_at is None:
            self._started_at = time.monotonic()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Leave the command through its `finally` blocks, which stop workers and delete temporary files."""
        if self._is_in_hook:  # an exception would be lost again
            _thread.start_new_thread(_interrupt_soon, (signal.Signals(number),))
        elif self._started_at is None:
            self.signal = signal.Signals(number)
            self.start()
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)
        elif time.monotonic() > self._started_at + CLEANUP_SECONDS:
            os._exit(128 + number)

    def on_unraisable(self, unraisable: Any) -> None:
        """Raise again what `on_signal` raised where nothing can be raised, such as in a callback of the compiler."""
        if self.signal is not None and unraisable.exc_type in (KeyboardInterrupt, SystemExit):
            self._is_in_hook = True  # on a busy machine, the signal may arrive before the hook has returned
            self._started_at = None
            _thread.start_new_thread(_interrupt_soon, (self.signal,))
            self._is_in_hook = False
        else:
            sys.__unraisablehook__(unraisable)


def _interrupt_soon(number: signal.Signals) -> None:
    time.sleep(INTERRUPT_SECONDS)
    _thread.interrupt_main(number)


def _handle_signals(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for each in SIGNALS:
        if signal.getsignal(each) is not signal.SIG_IGN:  # `nohup`, or a background job of a script
            signal.signal(each, handler)


def _end_without_reader(error: OSError) -> None:
    """End the command: the reader of its output has seen enough, or the disk is full."""
    if isinstance(error, BrokenPipeError):
        raise SystemExit(0)
    print(f"gtopss: the output cannot be written: {error.strerror}", file=sys.stderr)
    raise SystemExit(1)


def _guarded(stream: Any, on_error: Callable[[OSError], None]) -> Any:
    """Return a stream to the same descriptor that calls `on_error` once, and then drops what is written."""
    if stream is None:  # it was closed before this process started
        return None
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(stream.fileno(), on_error)),
        encoding=stream.encoding,
        errors="backslashreplace",  # a file's name need not be UTF-8; in JSON, this is how such a name is written
        line_buffering=stream.line_buffering,
    )


class _Output(io.FileIO):
    """A descriptor that leads to /dev/null after its first error, so that no later flush fails too."""

    def __init__(self, descriptor: int, on_error: Callable[[OSError], None]) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._on_error = on_error

    def write(self, data: Any) -> int:
        """Write the data. After an error, report it and drop the data."""
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            self._on_error(error)
            return len(data)
