"""Mechanisms that kill the process they run in; in a file of their own, from which new processes can import them."""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.mechanisms.kinds import Mechanism
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import Guarantee
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
FATAL = WORDS[8]
"""The word over which processes die; not one of those that are drawn to see whether words stay."""

SECRET = "Xylophonia"


def made_vocabulary() -> Vocabulary:
    return Vocabulary(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 4)), "made")


@dataclass(frozen=True)
class Deadly:
    """Randomized response, but for one word: dies ``lives`` times over it, or raises an error with text."""

    inner: Mechanism
    folder: str
    deaths: int

    @property
    def name(self) -> str:
        return "deadly"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    @property
    def vocabulary(self) -> Vocabulary:
        return self.inner.vocabulary

    @property
    def guarantee(self) -> Guarantee:
        return self.inner.guarantee

    def privatize(self, ids: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        if WORDS.index(FATAL) in ids:
            if self.deaths < 0:
                raise RuntimeError(SECRET)
            died = len(list(Path(self.folder).iterdir()))
            if died < self.deaths:
                (Path(self.folder) / str(died)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return self.inner.privatize(ids, rng)


def deadly(folder: Path, deaths: int) -> Deadly:
    folder.mkdir()
    return Deadly(randomized_response(made_vocabulary(), epsilon=0.1), str(folder), deaths)


SLOW = "a text that a search never ends with"


def make_searches_slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes that are started from now on, one search takes years for a text that holds ``SLOW``.

    Args:
        folder: an empty one.
    """
    (folder / "sitecustomize.py").write_text(
        f"""
import re
from textveil.sanitize.policy.finding import SpanFinder
found_in = SpanFinder.found_in
def slow(self, readings, first=1, values=None):
    if any({SLOW!r} in reading.source for reading in readings):
        re.match("(a+)+$", "a" * 100 + "b")
    return found_in(self, readings, first, values)
SpanFinder.found_in = slow
"""
    )
    monkeypatch.syspath_prepend(str(folder))
