"""Ctrl-C while labels could be lost: noted at once, and answered where they are safe."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

__all__ = ["Interruption"]

T = TypeVar("T")

# The handlers of both may raise KeyboardInterrupt.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Keeps the KeyboardInterrupt of a signal handler from being raised just anywhere.

    As a context: whoever handles a signal is still called at once, but a KeyboardInterrupt that
    comes of it is only noted, and all else it raises goes on. Outside the main thread, where Python
    runs no handlers, it changes nothing.

    Parameters
    ----------
    asked : callable, optional
        Somebody else who can ask for the end, such as a run of which this is a part.
    """

    def __init__(self, asked: Callable[[], bool] | None = None) -> None:
        self._asked = asked
        self._noted = False
        self._exposed = False
        self._given_back: list[Callable[[], None]] = []

    @property
    def arrived(self) -> bool:
        """Whether a KeyboardInterrupt was noted, or somebody asked for the end."""
        return self._noted or (self._asked is not None and self._asked())

    @arrived.setter
    def arrived(self, noted: bool) -> None:
        self._noted = noted

    def __enter__(self) -> Interruption:
        try:
            for number in SIGNALS:
                self._take_over(number)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        while self._given_back:
            self._given_back.pop()()

    def expose(self, work: Callable[[], T]) -> T:
        """Run code that may be broken off: in it KeyboardInterrupt is raised at once.

        Parameters
        ----------
        work : callable
            What to do.

        Returns
        -------
        object
            What it returned.
        """
        try:
            self._exposed = True
            if self.arrived:
                raise KeyboardInterrupt
            return work()
        finally:
            self._exposed = False

    def _take_over(self, number: int) -> None:
        theirs = signal.getsignal(number)
        if not callable(theirs):
            return  # ignored, default, or not set by Python

        def ours(number: int, frame: FrameType | None) -> None:
            exposed = self._exposed
            try:
                theirs(number, frame)
            except KeyboardInterrupt:
                if exposed:
                    # Raised once: the code that handles it must not be interrupted again.
                    self._exposed = False
                    raise
                self._noted = True

        def give_back() -> None:
            # Unless somebody has installed another handler since.
            if signal.getsignal(number) is ours:
                signal.signal(number, theirs)

        self._given_back.append(give_back)
        try:
            signal.signal(number, ours)
        except ValueError:
            self._given_back.pop()  # not the main thread
