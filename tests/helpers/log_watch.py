"""What is logged, and what processes of tests write to standard error, in the whole suite: searched for texts.

Texts go to standard output and into files; logs and messages never hold any. What is heard of a text here leaked.
"""

import contextlib
import json
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, final

import pytest
from tests.helpers.canaries import PRIVATE

try:
    from textveil.server.monitoring import LogLines
except ImportError:  # without the extra there is no server whose lines could be made
    LogLines = logging.Formatter

TEXTS: Final = ("CANARY", "QZXCanary", "Gonzalez", "617-555-0133", "Zyxwell", *PRIVATE)
"""Parts of texts, names and numbers that tests send, and that stand nowhere else."""

_KEY: Final = rb"tv_[0-9a-f]{16}_[A-Za-z0-9_-]{20}"
_WRITTEN: Final = {form for text in TEXTS for form in (text, json.dumps(text)[1:-1])}
_LEAK: Final = re.compile(b"|".join([_KEY, *(re.escape(one.encode()) for one in sorted(_WRITTEN))]))

_HEARD_IN: Final = "TESTS_HEARD_IN"
_SITE: Final = Path(__file__).parent / "heard"
_FACTS: Final = frozenset(vars(logging.makeLogRecord({}))) - {"msg", "args"}


def heard(name: str, log: Path) -> None:
    """What a program that is not Python's wrote to a log of its own is searched too, under this name."""
    folder = os.environ.get(_HEARD_IN)
    if folder is not None and log.exists():
        with (Path(folder) / f"{name}.log").open("ab") as file:
            file.write(log.read_bytes())


@final
class LogWatch(logging.Handler):
    """Hears every log record of this process and of those that it forks, and all Python processes that it starts.

    Of textveil's own loggers a record is kept with everything that was put into it, written to the log or not; of
    others' as the server would write it.

    Args:
        folder: for a file of each process.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._lines = LogLines()
        self._file = os.open(folder / "records.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        line = self._lines.format(record)
        if record.name.split(".")[0] == "textveil":
            put_in = {name: value for name, value in vars(record).items() if name not in _FACTS}
            line += f" {put_in!r}"
        os.write(self._file, f"{line}\n".encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what is logged, and what processes that begin meanwhile write."""
        own, level = logging.getLogger("textveil"), logging.getLogger("textveil").level
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(_HEARD_IN, str(self._folder))
            patch.setenv("PYTHONPATH", str(_SITE), prepend=os.pathsep)
            own.setLevel(logging.INFO)  # as a server's
            logging.getLogger().addHandler(self)
            try:
                yield
            finally:
                logging.getLogger().removeHandler(self)
                own.setLevel(level)

    def leaks(self) -> list[str]:
        """Lines with a part of a text or an API key in them, each with the process that wrote it."""
        lines = [
            (path.name, line) for path in sorted(self._folder.iterdir()) for line in path.read_bytes().splitlines()
        ]
        return [f"{name}: {line[:1000]!r}" for name, line in lines if _LEAK.search(line)]

    def processes(self) -> int:
        """How many processes were heard, beside this one."""
        return sum(path.suffix == ".stderr" for path in self._folder.iterdir())
