"""Attack a release whose originals are at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from textveil.errors import InputError
from textveil.risk.linkage import Attacker, Linkage, TfIdf, linkage
from textveil.risk.report import Kept, Release, RiskReport
from textveil.risk.words import words_of
from textveil.text.function_words import FUNCTION_WORDS


def risk(released: Sequence[str], originals: Sequence[str], background: Sequence[str] | None = None) -> RiskReport:
    """Attack a release.

    Args:
        released: records, in the order of their originals.
        originals: as many.
        background: public texts, at least as many: the n-th is about the person of the n-th record; those behind them
            are about other persons. None attacks with the originals alone.

    Raises:
        InputError: there are no records, fewer originals or background texts than records.
    """
    if not released or len(released) != len(originals):
        raise InputError(
            f"a release must have one record for each original, at least one; got {len(released)} records and "
            f"{len(originals)} originals. Give both whole and in the same order."
        )
    if background is not None and len(background) < len(released):
        raise InputError(
            f"the background must have a text for each of {len(released)} records, in their order, and may have more "
            f"behind them; got {len(background)}. Leave it out to attack with the originals alone."
        )
    texts = {"originals": originals} if background is None else {"originals": originals, "background": background}
    truth = np.arange(len(released))
    attackers: list[Attacker] = [TfIdf()]
    attacks: list[Linkage] = [
        linkage(attacker.scores(released, known), truth, attacker=attacker.name, against=against)
        for against, known in texts.items()
        for attacker in attackers
    ]
    release = Release(name="release", kept=kept(released, originals), linkage=tuple(attacks))
    return RiskReport(records=len(released), attacked=len(released), release=release)


def kept(released: Sequence[str], originals: Sequence[str]) -> Kept:
    """The share of the originals' words that stand in the release, by document; 0 where there are no words."""
    held, total = np.zeros(2), np.zeros(2)
    for after, before in zip(released, originals, strict=True):
        was, now = Counter(words_of(before)), Counter(words_of(after))
        for counts, both in ((total, was), (held, was & now)):
            counts += both.total(), sum(number for word, number in both.items() if word not in FUNCTION_WORDS)
    words, content_words = (held / np.maximum(total, 1)).tolist()
    return Kept(words, content_words)
