"""Checks of a callable for common ways in which guarantees break, each with its witness.

A failed check has shown a fault, with a false alarm of probability at most ``ALPHA``. A passed check saw none within
its draws. If it could not have seen any, there is no verdict, and ``detail`` says why. Use public words only: findings
hold them and their outputs.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import pickle
import string
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

from textveil.errors import InputError, need
from textveil.randomness import secure_generator
from textveil.statistics import clopper_pearson
from textveil_lab.audit.foreign.callables import TIME_LIMIT, ForeignCallable, WordCallable, in_process
from textveil_lab.audit.report.report import Claim

ALPHA = 1e-6  # Largest probability that a check accuses a correct callable
DRAWS = 200  # Calls for each side of a comparison
_MADE_UP = 5
_LONG = 24
_SHORT = 5


@dataclass(frozen=True, slots=True)
class HygieneFinding:
    """Result of one check."""

    check: str
    # False if it saw a fault; None if it could not have seen any, which is no verdict
    passed: bool | None
    witness: str  # for a reviewer to repeat; empty unless it failed
    detail: str  # the comparison, and its limits

    @property
    def result(self) -> str:
        """``"passed"``, ``"failed"`` or ``"no verdict"``."""
        return "no verdict" if self.passed is None else "passed" if self.passed else "failed"


@dataclass(frozen=True, slots=True)
class _Rate:
    hits: int
    trials: int

    def above(self, other: _Rate, tests: int = 1) -> bool:
        """Tell if this probability is larger, by disjoint Clopper-Pearson intervals; alpha is shared by ``tests``."""
        return _lower(self, tests) > _upper(other, tests)

    def __str__(self) -> str:
        return f"{self.hits} of {self.trials}"


def run_hygiene(
    function: WordCallable,
    words: Sequence[str],
    *,
    draws: int = DRAWS,
    claim: Claim | None = None,
    time_limit: float = TIME_LIMIT,
) -> tuple[HygieneFinding, ...]:
    """Run all checks, in a fixed order.

    Args:
        function: the bare callable, not a watched one: it is forked, pickled and sent to workers.
        words: at least two different public words that it knows.
        draws: calls for each side of a comparison, >= 50.
        claim: sharpens the check for the input word; None leaves that part out.
        time_limit: seconds that one call, or one worker, may take.

    Raises:
        ParameterError: fewer than two different words, or too few draws.
        InputError: the callable fails on the known words from the start. A later failure is a finding that did not
            pass; the others are kept.
    """
    known = list(dict.fromkeys(words))
    need(len(known) >= 2, "words", f"{len(known)} different ones", "at least two")
    need(draws >= 50, "draws", draws, ">= 50", "Fewer show nothing.")
    watched = in_process(function, time_limit=time_limit)
    checks: dict[str, Callable[[], HygieneFinding]] = {
        "unknown words": lambda: check_out_of_vocabulary(watched),
        "length": lambda: check_length(watched, known),
        "casing": lambda: check_casing(watched, known, draws),
        "batch": lambda: check_batch(watched, known, draws),
        "input word": lambda: check_input_word(watched, known, draws, claim),
        "pickling": lambda: check_pickling(function, known, draws, time_limit),
    }
    for method in ("fork", "spawn"):
        if method in multiprocessing.get_all_start_methods():
            checks[f"{method}ed workers"] = partial(check_workers, function, known, draws, method, time_limit)
    try:
        watched(known)
        return tuple(_finished(name, check) for name, check in checks.items())
    finally:
        watched.close()


def _finished(name: str, check: Callable[[], HygieneFinding]) -> HygieneFinding:
    try:
        return check()
    except InputError as error:
        return HygieneFinding(name, False, f"not finished: {error}", "the callable failed on known words")


def check_out_of_vocabulary(function: ForeignCallable) -> HygieneFinding:
    """Check that made-up words of random letters do not come back, in any casing, nor inside another word.

    One such output is proof: no vocabulary holds 24 random letters. A callable that refuses unknown words passes.
    """
    tokens = [_made_up(_LONG) for _ in range(_MADE_UP)]
    detail = f"{_MADE_UP} made-up words of {_LONG} random letters, one a call"
    for token in tokens:
        try:
            answer = function([token])[0]
        except InputError:
            return HygieneFinding("unknown words", True, "", f"{detail}; it fails on them, which returns nothing")
        if token in answer.casefold():
            return HygieneFinding("unknown words", False, f"{token!r} came back", detail)
    return HygieneFinding("unknown words", True, "", detail)


def check_length(function: ForeignCallable, words: Sequence[str]) -> HygieneFinding:
    """Check that as many words come out as go in, and that no mask is as long as an unknown word.

    The number of words is stated as public; the length of a word is not. The check sees a length that is copied
    exactly, not a weaker dependence.
    """
    detail = f"lists of 0, 1, 2 and 7 words; unknown words of {_SHORT} and of {_LONG} letters, {_MADE_UP} each"
    for count in (0, 1, 2, 7):
        try:
            function([words[i % len(words)] for i in range(count)])
        except InputError as error:
            return HygieneFinding("length", False, f"{count} words: {error}", detail)
    try:
        kept = [[len(function([_made_up(size)])[0]) == size for _ in range(_MADE_UP)] for size in (_SHORT, _LONG)]
    except InputError:
        return HygieneFinding("length", True, "", f"{detail}; it fails on unknown words")
    if all(map(all, kept)):
        return HygieneFinding("length", False, f"words of {_SHORT} and {_LONG} letters keep their length", detail)
    return HygieneFinding("length", True, "", detail)


def check_casing(function: ForeignCallable, words: Sequence[str], draws: int = DRAWS) -> HygieneFinding:
    """Check that the casing of the output does not follow the casing of the input.

    Compares how often outputs are in capitals, and how often they begin with one, for words given in lower case, in
    capitals and with a capital. It sees a difference of those two frequencies only.
    """
    spellings: dict[str, Callable[[str], str]] = {"lower": str.lower, "CAPITALS": str.upper, "Title": str.title}
    usable = [word for word in words if len({change(word) for change in spellings.values()}) == len(spellings)]
    detail = f"{draws} calls with words in each of three casings"
    if not usable:
        return HygieneFinding("casing", None, "", "no power: no word has three casings")
    tests: dict[str, Callable[[str], bool]] = {
        "in capitals": str.isupper,
        "with a capital": lambda word: word != "" and word[0].isupper(),
    }
    function(usable)
    try:
        outputs = {
            name: [function([change(usable[i % len(usable)])])[0] for i in range(draws)]
            for name, change in spellings.items()
        }
    except InputError:
        return HygieneFinding("casing", None, "", f"{detail}; it fails on one of the casings, so nothing was compared")
    for pattern, test in tests.items():
        rates = {name: _Rate(sum(map(test, given)), draws) for name, given in outputs.items()}
        for casing, mine in rates.items():
            for other, theirs in rates.items():
                if mine.above(theirs, 12):
                    witness = f"outputs {pattern}: {mine} for {casing} input, {theirs} for {other} input"
                    return HygieneFinding("casing", False, witness, detail)
    return HygieneFinding("casing", True, "", detail)


def check_batch(function: ForeignCallable, words: Sequence[str], draws: int = DRAWS) -> HygieneFinding:
    """Check that two equal words in one call come out equal no more often than in two calls.

    The check sees noise and outputs that are shared within a call. It sees nothing if the callable returns almost
    always the same word for each input.
    """
    word = words[0]
    together, apart = 0, 0
    for _ in range(draws):
        first, second = function([word, word])
        together += first == second
        apart += function([word])[0] == function([word])[0]
    shared, alone = _Rate(together, draws), _Rate(apart, draws)
    detail = f"{word!r} twice: equal outputs {shared} in one call, {alone} in two calls"
    if shared.above(alone):
        return HygieneFinding("batch", False, detail, "one call must draw for each word anew")
    return _seen_nothing("batch", detail, alone)


def check_input_word(
    function: ForeignCallable, words: Sequence[str], draws: int = DRAWS, claim: Claim | None = None
) -> HygieneFinding:
    """Check whether the input word itself comes out too rarely, or too often; ``words[:4]`` only.

    Too rarely: over these words, significantly less often from itself than from each other on average. A selection that
    avoids the true word does that; so does a rule that avoids the nearest word without looking at the true one (a
    Vickrey auction that always takes the second): the finding is a reason to read the code, the sampled audit gives the
    verdict. A selection that makes the true word less likely but leaves it the likeliest is not seen. Too often: every
    single draw of every word returned the input; or, given a claim, more often than e^epsilon times its frequency from
    another word plus delta. A fallback to the input within the claim cannot be told from a large epsilon.
    """
    tried = list(words[:4])
    counts = {x: [function([x])[0] for _ in range(draws)] for x in tried}
    detail = f"{draws} draws of each of {len(tried)} words"
    check = "input word"
    kept = _Rate(sum(counts[x].count(x) for x in tried), draws * len(tried))
    if kept.hits == kept.trials:
        return HygieneFinding(check, False, f"{kept} draws return the input", detail)
    others = _Rate(sum(out in tried and out != x for x in tried for out in counts[x]), draws * len(tried))
    if _lower(others, 1) / (len(tried) - 1) > _upper(kept, 1):
        witness = f"{kept} draws return their input, {others} one of the {len(tried) - 1} other words looked at"
        return HygieneFinding(check, False, witness, detail)
    if claim is not None:
        tests = len(tried) * (len(tried) - 1)
        factor = math.exp(min(claim.epsilon, 700.0))
        for x, other in itertools.permutations(tried, 2):
            own, came = (_Rate(counts[source].count(x), draws) for source in (x, other))
            if _lower(own, tests) > factor * _upper(came, tests) + claim.delta:
                witness = f"{x!r} came out {own} times from itself, {came} from {other!r}: above the claim"
                return HygieneFinding(check, False, witness, detail)
        if _lower(_Rate(draws, draws), tests) <= factor * _upper(_Rate(0, draws), tests) + claim.delta:
            detail += f"; no power against the claim: {draws} draws cannot exceed it"
    return HygieneFinding(check, True, "", detail)


def check_pickling(
    function: WordCallable, words: Sequence[str], draws: int = DRAWS, time_limit: float = TIME_LIMIT
) -> HygieneFinding:
    """Check that a pickled copy does not repeat the draws of the original.

    A callable that refuses to be pickled passes.
    """
    try:
        # The object under audit is pickled and read back here: nothing from outside is.
        copy = pickle.loads(pickle.dumps(function))
    except Exception as error:
        return HygieneFinding("pickling", True, "", f"cannot be pickled ({type(error).__name__})")
    sides = [in_process(program, time_limit=time_limit) for program in (copy, function)]
    try:
        runs = [_sequence(side, words, draws) for side in sides]
        return _repeats("pickling", runs, [_sequence(sides[1], words, draws) for _ in runs], "a copy and its original")
    finally:
        for side in sides:
            side.close()


def check_workers(
    function: WordCallable,
    words: Sequence[str],
    draws: int = DRAWS,
    method: str = "fork",
    time_limit: float = TIME_LIMIT,
) -> HygieneFinding:
    """Check that two workers, started one after the other, do not make the same draws.

    Args:
        function: the bare callable; sent by pickle to a spawned worker, inherited by a forked one.
        draws: calls in each worker.
        method: ``"fork"`` or ``"spawn"``.
        time_limit: seconds for each worker.

    Raises:
        InputError: a worker failed or took too long.
    """
    check = f"{method}ed workers"
    context = multiprocessing.get_context(method)
    if method != "fork":
        try:
            pickle.dumps(function)
        except Exception as error:
            return HygieneFinding(check, True, "", f"cannot be sent to a worker ({type(error).__name__})")
    started = []
    for _ in range(2):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(function, list(words), draws, theirs), daemon=True)  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: ours only wait
            process.start()
        theirs.close()
        started.append((ours, process))
    try:
        runs = [_received(ours, time_limit, check) for ours, _ in started]
    finally:
        for _, process in started:
            process.kill()
            process.join()
    watched = in_process(function, time_limit=time_limit)
    try:
        return _repeats(check, runs, [_sequence(watched, words, draws) for _ in runs], "two workers")
    finally:
        watched.close()


def _work(function: WordCallable, words: list[str], draws: int, pipe: Connection) -> None:
    try:
        pipe.send([str(function([words[i % len(words)]])[0]) for i in range(draws)])
    except Exception as error:
        pipe.send(type(error).__name__)


def _received(pipe: Connection, limit: float, check: str) -> list[str]:
    try:
        answer = pipe.recv() if pipe.poll(limit) else f"no answer within {limit:g} s"
    except EOFError:
        answer = "its process ended"
    if isinstance(answer, str):
        raise InputError(f"{check}: the callable failed in a worker: {answer}. Run it alone in a worker to see why.")
    return list(answer)


def _sequence(function: ForeignCallable, words: Sequence[str], draws: int) -> list[str]:
    return [function([words[i % len(words)]])[0] for i in range(draws)]


def _repeats(check: str, runs: Sequence[list[str]], control: Sequence[list[str]], who: str) -> HygieneFinding:
    draws = len(runs[0])
    same = _Rate(sum(a == b for a, b in zip(*runs, strict=True)), draws)
    usual = _Rate(sum(a == b for a, b in zip(*control, strict=True)), draws)
    detail = f"{who} agree in {same} draws, two stretches of one run in {usual}"
    if same.above(usual):
        return HygieneFinding(check, False, detail, "workers and copies must take fresh randomness")
    return _seen_nothing(check, detail, usual)


def _seen_nothing(check: str, detail: str, usual: _Rate) -> HygieneFinding:
    """Return a passed finding, or no verdict if even complete agreement would have shown nothing."""
    if _Rate(usual.trials, usual.trials).above(usual):
        return HygieneFinding(check, True, "", detail)
    return HygieneFinding(check, None, "", f"{detail}; no power: outputs are equal too often anyway")


def _lower(rate: _Rate, tests: int) -> float:
    return clopper_pearson(rate.hits, rate.trials, 1 - ALPHA / tests).lower


def _upper(rate: _Rate, tests: int) -> float:
    return clopper_pearson(rate.hits, rate.trials, 1 - ALPHA / tests).upper


def _made_up(size: int) -> str:
    letters = [letter for letter in string.ascii_lowercase if letter not in "aeiouy"]
    return "".join(letters[i] for i in secure_generator().integers(0, len(letters), size))
