"""Signals on the command line: Ctrl-C exits with 130, SIGTERM with 143, from the first import on.

``python -m rangemoves`` imports the package, which takes longer than all else at the start, before
a line of the command line runs; so the package begins with this. In a program of somebody else's it
changes nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

__all__ = ["exit_code", "exit_on_signals", "raise_on_signals"]

_taken: list[signal.Signals] = []
_last = signal.SIGINT


def _take_signals() -> None:
    if not _is_command_line() or threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        # A signal that was ignored from the start, as under nohup, stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            _taken.append(number)
    exit_on_signals()


def exit_on_signals() -> None:
    """Exit at once: there is nothing to save."""
    for number in _taken:
        signal.signal(number, _exit)


def raise_on_signals() -> None:
    """Raise KeyboardInterrupt on either signal: there may be something to save."""
    for number in _taken:
        signal.signal(number, _raise)


def exit_code() -> int:
    """Return what to exit with after a KeyboardInterrupt."""
    return 128 + _last


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    global _last
    _last = signal.Signals(number)
    raise KeyboardInterrupt


def _is_command_line() -> bool:
    # Under python -m, sys.argv[0] is "-m" until the package has been imported.
    as_module = sys.argv[:1] == ["-m"] and "rangemoves" in sys.orig_argv
    as_script = os.path.splitext(os.path.basename("".join(sys.argv[:1])))[0] == "rangemoves"  # noqa: PTH119, PTH122
    return as_module or as_script


_take_signals()
