"""Hygiene checks: a clean mechanism passes all, and each check catches its mutant, at alpha = 1e-6 a check."""

import multiprocessing
from functools import partial

import numpy as np
import pytest

from textveil.errors import InputError, ParameterError
from textveil.randomness import resolve
from textveil_lab.audit.foreign.callables import in_process
from textveil_lab.audit.foreign.hygiene import (
    HygieneFinding,
    check_batch,
    check_casing,
    check_input_word,
    check_length,
    check_out_of_vocabulary,
    check_pickling,
    check_workers,
    run_hygiene,
)
from textveil_lab.audit.report.report import Claim

WORDS = ("anna", "berlin", "cat", "dog", "echo", "fox", "goat", "house")
KEEP = 0.4
"""Probability with which ``clean`` keeps a word; else any of the eight: e^epsilon = 1 + 8 * 0.4 / 0.6."""

CLAIM = Claim(epsilon=float(np.log(1 + len(WORDS) * KEEP / (1 - KEEP))))


def index(word: str) -> int:
    """The public map of any word to the vocabulary."""
    folded = word.casefold()
    return WORDS.index(folded) if folded in WORDS else 0


def response(words: list[str], rng: np.random.Generator) -> list[str]:
    return [WORDS[index(word) if rng.random() < KEEP else int(rng.integers(len(WORDS)))] for word in words]


def clean(words: list[str]) -> list[str]:
    """Randomized response with the operating system's randomness."""
    return response(words, resolve(None))


def keeps_unknown(words: list[str]) -> list[str]:
    return [drawn if word.casefold() in WORDS else word for word, drawn in zip(words, clean(words), strict=True)]


def keeps_unknown_in_brackets(words: list[str]) -> list[str]:
    return [f"<{word.upper()}>" if word not in WORDS else word for word in words]


def masks(words: list[str]) -> list[str]:
    return [drawn if word in WORDS else "*" * len(word) for word, drawn in zip(words, clean(words), strict=True)]


def drops(words: list[str]) -> list[str]:
    return clean(words)[:5]


def keeps_case(words: list[str]) -> list[str]:
    return [drawn.upper() if word.isupper() else drawn for word, drawn in zip(words, clean(words), strict=True)]


def keeps_capital(words: list[str]) -> list[str]:
    return [drawn.title() if word[:1].isupper() else drawn for word, drawn in zip(words, clean(words), strict=True)]


def one_noise_a_batch(words: list[str]) -> list[str]:
    rng = resolve(None)
    kept, other = rng.random() < KEEP, int(rng.integers(len(WORDS)))
    return [WORDS[index(word) if kept else other] for word in words]


def remembers(words: list[str]) -> list[str]:
    drawn = {word: clean([word])[0] for word in set(words)}
    return [drawn[word] for word in words]


def avoids_the_true_word(words: list[str]) -> list[str]:
    """Noise, and then a second choice where the result is the input."""
    drawn = clean(words)
    return [clean([out])[0] if out == word.casefold() else out for word, out in zip(words, drawn, strict=True)]


def never_the_true_word(words: list[str]) -> list[str]:
    rng = resolve(None)
    return [WORDS[(index(word) + int(rng.integers(1, len(WORDS)))) % len(WORDS)] for word in words]


def nearest_on_a_line(words: list[str]) -> list[str]:
    """Words at 0, 1, 2, ... and Laplace noise; the nearest word."""
    return [ranked[0] for ranked in _ranked(words)]


def second_if_nearest_is_the_input(words: list[str]) -> list[str]:
    """The same noise, but the second nearest where the nearest is the true word."""
    return [ranked[ranked[0] == word] for word, ranked in zip(words, _ranked(words), strict=True)]


def _ranked(words: list[str]) -> list[list[str]]:
    noisy = np.array([index(word) for word in words]) + resolve(None).laplace(scale=0.8, size=len(words))
    return [[WORDS[i] for i in np.argsort(np.abs(np.arange(len(WORDS)) - point))] for point in noisy]


def falls_back_to_the_input(words: list[str]) -> list[str]:
    """A "truncation": every second draw is thrown away for the input."""
    rng = resolve(None)
    return [word if rng.random() < 0.7 else out for word, out in zip(words, clean(words), strict=True)]


def always_cat(words: list[str]) -> list[str]:
    return ["cat"] * len(words)


def identity(words: list[str]) -> list[str]:
    return list(words)


class Seeded:
    """State that travels with the object: pickled and forked copies repeat it."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def __call__(self, words: list[str]) -> list[str]:
        return response(words, self.rng)


def seeded_in_each_process(state: dict[str, object], words: list[str]) -> list[str]:
    """A module that seeds itself on first use: every spawned worker begins with the same draws."""
    rng = state.setdefault("rng", np.random.default_rng(42))
    assert isinstance(rng, np.random.Generator)
    return response(words, rng)


def refuses(words: list[str]) -> list[str]:
    if not set(words) <= set(WORDS):
        raise KeyError("unknown")
    return clean(words)


def needs(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")


def failed(finding: HygieneFinding) -> bool:
    assert bool(finding.witness) is (finding.passed is False)
    assert finding.detail
    return finding.passed is False


def test_a_clean_mechanism_passes_every_check() -> None:
    findings = run_hygiene(clean, WORDS, draws=120, claim=CLAIM)
    assert [one.check for one in findings if not one.passed] == []
    assert [one.check for one in findings] == [
        *("unknown words", "length", "casing", "batch", "input word", "pickling"),
        *(f"{method}ed workers" for method in ("fork", "spawn") if method in multiprocessing.get_all_start_methods()),
    ]


@pytest.mark.parametrize("mutant", [keeps_unknown, keeps_unknown_in_brackets, identity])
def test_unknown_words_that_come_back_are_caught(mutant) -> None:
    assert failed(check_out_of_vocabulary(in_process(mutant)))


@pytest.mark.parametrize("mutant", [masks, keeps_unknown, drops])
def test_a_length_that_leaks_is_caught(mutant) -> None:
    assert failed(check_length(in_process(mutant), WORDS))


@pytest.mark.parametrize("mutant", [keeps_case, keeps_capital, identity])
def test_casing_that_leaks_is_caught(mutant) -> None:
    assert failed(check_casing(in_process(mutant), WORDS))


@pytest.mark.parametrize("mutant", [one_noise_a_batch, remembers])
def test_noise_shared_in_a_batch_is_caught(mutant) -> None:
    assert failed(check_batch(in_process(mutant), WORDS))


@pytest.mark.parametrize("mutant", [never_the_true_word, second_if_nearest_is_the_input, identity])
def test_a_choice_that_looks_at_the_true_word_is_caught(mutant) -> None:
    assert failed(check_input_word(in_process(mutant), WORDS))


def test_what_the_check_of_the_input_word_cannot_see() -> None:
    # It leaves the true word the likeliest: documented as unseen.
    assert not failed(check_input_word(in_process(avoids_the_true_word), WORDS))


def test_noise_that_does_not_look_at_the_true_word_passes() -> None:
    assert not failed(check_input_word(in_process(nearest_on_a_line), WORDS))


def test_a_fallback_to_the_input_needs_the_claim_to_be_caught() -> None:
    assert not failed(check_input_word(in_process(falls_back_to_the_input), WORDS, 500))
    assert failed(check_input_word(in_process(falls_back_to_the_input), WORDS, 500, CLAIM))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_forked_workers_that_repeat_are_caught() -> None:
    assert failed(check_workers(Seeded(), WORDS, method="fork"))
    assert not failed(check_workers(clean, WORDS, method="fork"))


@pytest.mark.parametrize("mutant", [Seeded(), partial(seeded_in_each_process, {})])
def test_spawned_workers_that_repeat_are_caught(mutant) -> None:
    assert failed(check_workers(mutant, WORDS, method="spawn"))


def test_a_pickled_copy_that_repeats_is_caught() -> None:
    assert failed(check_pickling(Seeded(), WORDS))
    assert not failed(check_pickling(clean, WORDS))
    found = check_pickling(lambda words: clean(words), WORDS)
    assert found.passed
    assert "cannot be pickled" in found.detail


def test_refusing_unknown_words_is_not_returning_them() -> None:
    watched = in_process(refuses)
    for found in (check_out_of_vocabulary(watched), check_length(watched, WORDS)):
        assert found.passed
        assert "fails on" in found.detail
    found = check_casing(watched, WORDS)
    assert found.passed is None
    assert "fails on" in found.detail


def test_a_check_that_can_see_nothing_says_so() -> None:
    constant = in_process(lambda words: ["cat"] * len(words))
    found = check_batch(constant, WORDS)
    assert (found.passed, found.result, found.witness) == (None, "no verdict", "")
    assert "no power" in found.detail
    found = check_casing(in_process(clean), ["7", "8"])
    assert (found.passed, found.result) == (None, "no verdict")
    assert found.detail.startswith("no power")
    assert check_pickling(always_cat, WORDS).result == "no verdict"
    found = check_input_word(in_process(clean), WORDS, 60, Claim(epsilon=9.0))
    assert found.passed
    assert "no power against the claim" in found.detail
    assert "no power" not in check_input_word(in_process(clean), WORDS, 120, CLAIM).detail


def test_a_worker_that_fails_or_hangs_is_an_input_error() -> None:
    method = multiprocessing.get_all_start_methods()[0]
    with pytest.raises(InputError, match="failed in a worker: KeyError"):
        check_workers(refuses, ["unheard-of"], method=method)


def test_a_failure_on_the_way_keeps_the_other_findings() -> None:
    calls = []

    def tires(words: list[str]) -> list[str]:
        calls.append(1)
        if len(calls) > 100:
            raise RuntimeError
        return clean(words)

    found = {one.check: one for one in run_hygiene(tires, WORDS, draws=50)}
    assert found["unknown words"].passed
    assert found["batch"].witness.startswith("not finished: the callable raised RuntimeError (call ")
    assert not found["batch"].passed
    with pytest.raises(InputError, match=r"call 1, 0 words"):
        run_hygiene(lambda words: words[:1], WORDS)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="words"):
        run_hygiene(clean, ["cat", "cat"])
    with pytest.raises(ParameterError, match="draws"):
        run_hygiene(clean, WORDS, draws=3)
