"""Progress on stderr: a bar with a rate and an estimate, on a terminal, for work of more than two seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY = 2.0  # seconds before anything is shown
_ESTIMATED_FROM = 900.0  # seconds of past progress that the estimate rests on: steps of studies and audits take minutes


class Bar:
    """Counts units of work; draws itself once the work has lasted ``DELAY`` seconds, whatever is done by then.

    Nothing is drawn if one of ``inputs`` is a standard input (``-``) that a person types.
    """

    def __init__(self, title: str, unit: str, inputs: Sequence[str] = ()) -> None:
        self._visible = sys.stderr.isatty() and not ("-" in inputs and sys.stdin.isatty())
        self._note = ""
        self._lock = threading.RLock()
        self._begin(title, unit)

    def __call__(self, done: int, total: int | None) -> None:
        """Update for work that counts its units."""
        self.update(done, total, done)

    def note(self, text: str) -> None:
        """Show ``text`` in place of the rate."""
        self._note = text

    def update(self, done: float, total: float | None, counted: int) -> None:
        """Show ``done`` of ``total`` (None: unknown), and the rate of units counted so far."""
        seconds = time.monotonic() - self._start
        if self._drawn is None or seconds < DELAY:
            return
        rate = self._note or f"{counted / seconds:,.0f} {self._unit}/s"
        self._drawn.update(self._drawn.task_ids[0], completed=done, total=total, rate=rate)

    def turn_to(self, title: str, unit: str) -> None:
        """Count other work from now on, with a clock of its own; do nothing if it is that already."""
        with self._lock:
            if self._visible and title != self._title:
                self.close()
                self._visible = True
                self._begin(title, unit)

    def close(self) -> None:
        """Take the bar off the screen."""
        with self._lock:
            self._timer.cancel()
            self._visible = False
            if self._drawn is not None:
                self._drawn.stop()

    def _begin(self, title: str, unit: str) -> None:
        self._title, self._unit = title, unit
        self._start = time.monotonic()
        self._drawn: Progress | None = None
        self._timer = threading.Timer(DELAY, self._draw)
        if self._visible:
            self._timer.daemon = True
            self._timer.start()

    def _draw(self) -> None:
        with self._lock:
            if self._visible and self._drawn is None:
                drawn = self._made()
                drawn.add_task(self._title, total=None, rate="")
                drawn.start()
                self._drawn = drawn

    def _made(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            speed_estimate_period=_ESTIMATED_FROM,
            redirect_stdout=sys.stdout.isatty(),  # what goes to a file must not go to the terminal
            console=Console(stderr=True),
            transient=True,
        )


def tell(line: str) -> None:
    """Write a message on standard error."""
    sys.stderr.write(f"textveil: {line}\n")


@contextlib.contextmanager
def counting(title: str, unit: str = "rows", inputs: Sequence[str] = ()) -> Iterator[Bar]:
    """Yield a callback ``(done, total)``, which takes notes too, that draws a bar while the block runs."""
    bar = Bar(title, unit, inputs)
    try:
        yield bar
    finally:
        bar.close()
