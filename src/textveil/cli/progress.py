"""Progress on stderr: a bar with a rate, on a terminal, for work of more than two seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY = 2.0
"""Seconds before anything is shown."""


@final
class Bar:
    """Counts units of work; draws itself once the work has lasted ``DELAY`` seconds."""

    def __init__(self, title: str, unit: str, *, visible: bool | None = None) -> None:
        self._title, self._unit = title, unit
        self._visible = sys.stderr.isatty() if visible is None else visible
        self._start = time.monotonic()
        self._drawn: Progress | None = None
        self._note = ""

    def __call__(self, done: int, total: int | None) -> None:
        """``update`` for work that counts its units."""
        self.update(done, total, done)

    def note(self, text: str) -> None:
        """Show ``text`` in place of the rate."""
        self._note = text

    def update(self, done: float, total: float | None, counted: int) -> None:
        """Say how far it is: ``done`` of ``total`` (None where unknown), and units counted so far."""
        if not self._visible or time.monotonic() - self._start < DELAY:
            return
        if self._drawn is None:
            self._drawn = self._made()
            self._drawn.add_task(self._title, total=total, rate="")
            self._drawn.start()
        rate = counted / max(time.monotonic() - self._start, 1e-9)
        task = self._drawn.task_ids[0]
        self._drawn.update(task, completed=done, total=total, rate=self._note or f"{rate:,.0f} {self._unit}/s")

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._drawn is not None:
            self._drawn.stop()

    def _made(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )


def tell(line: str) -> None:
    """Write a message on standard error."""
    sys.stderr.write(f"textveil: {line}\n")


@contextlib.contextmanager
def counting(title: str, unit: str = "rows") -> Iterator[Bar]:
    """A callback ``(done, total)``, which takes notes too, that draws a bar while the block runs."""
    bar = Bar(title, unit)
    try:
        yield bar
    finally:
        bar.close()
