"""Compares draws with what a mechanism states of them: rows of a channel, a profile of noise, the noise itself.

An exact audit is about the statement; only draws can tell whether the outputs follow it. Every test here wrongly
accuses a mechanism with probability at most ``ALPHA``, whatever the statement, without approximation.

Rows: a few draws of every word come first. For each word they give the Bayes factor of one output with a larger share
than in the stated row p: the mean over outputs (half of it on the word itself) and over three shares. A backdoor gives
such an output. The words with the largest factors, and random ones, are drawn again, and only the new draws count. They
give that factor again and the Bayes factor of Dirichlet(kappa p) against p, the mean over five kappa; likewise the
product over all words, and the factor of a share of draws that come out unchanged. The mean of each under p is 1, so by
Markov it exceeds 1 / alpha with probability at most alpha. Earlier draws choose the words, which changes nothing.

Power: an honest word's factor is above t with probability at most 1 / t, so fewer than half of ``WORDS`` are, except
with probability n / (t WORDS / 2). A word with a larger factor is then drawn again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, gammaln

from textveil.catalog import from_catalog
from textveil.errors import InputError
from textveil.statistics import Bound
from textveil.types import Ids, Integers, Reals
from textveil_lab.audit.channels.groups import rows_of
from textveil_lab.audit.channels.rows import RowSource
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.audit.sampled.bounds import Draw, Score, audit_sampled, can_refute
from textveil_lab.mechanisms.capabilities import NearestWord
from textveil_lab.noise.capabilities import PrivacyProfile

ALPHA: Final = 1e-6  # Probability, at most, that one audit accuses a mechanism that draws as it states
WORDS: Final = 64
"""Number of words whose rows are tested, by ``DRAWS`` draws in all: half the most suspicious, half random."""

DRAWS: Final = 4096
FIRST: Final = 16  # Draws of every word that come before
SPREAD: Final = 512
"""Random words drawn in place of every word, for a larger vocabulary under a mechanism of the catalog."""

POWER: Final = 0.99  # At which a check of rows states the smallest deviation of one word that it sees
RARE: Final = 0.01  # Stated share of an output, at most, of which a deviation is stated
PAIR_DRAWS: Final = 2000  # Draws for each of two inputs whose profile is stated
_KAPPAS: Final = (1.0, 10.0, 100.0, 1e3, 1e4)
_SHARES: Final = (0.5, 0.125, 1 / 32)
_PLANTED: Final = (15 / 16, 0.5, 0.125)
_EPSILONS: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
_BLOCK: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawsCheck:
    """Result of comparing draws with a statement."""

    method: str
    draws: int
    passed: bool | None  # False if they contradict it; None if they could not have
    detail: str
    witness: Mapping[str, Any] = field(default_factory=dict)
    subject: Subject = Subject.WORD_CHANNEL
    # the smallest share of one output of one drawn word, of which ``RARE`` is stated at most, that the check sees with
    # probability ``POWER``; None if none is known
    seen: float | None = None
    words: int = 0  # number of drawn words; 0 if the check does not draw words

    def to_data(self) -> dict[str, Any]:
        power = {} if self.seen is None else {"share": self.seen, "stated": RARE, "power": POWER, "words": self.words}
        return {
            "sees": power or None,
            "method": self.method,
            "passed": self.passed,
            "draws": self.draws,
            "alpha": ALPHA,
            "witness": dict(self.witness),
            "detail": self.detail,
        }

    def finding(self, claim: Claim) -> Finding:
        """Return the finding of the contradiction, which leaves a claim without support."""
        return Finding(
            verdict=Verdict.CONTRADICTED,
            subject=self.subject,
            claim=claim,
            epsilon=Bound(0.0, 0.0, math.inf, 1 - ALPHA),
            delta=Bound(0.0, 0.0, 1.0, 1 - ALPHA),
            method=self.method,
            witness=self.witness,
            samples=self.draws,
            notes=(self.detail,),
        )


def together(checks: Sequence[DrawsCheck]) -> DrawsCheck:
    """Return checks of one mechanism, each at its share of ``ALPHA``, as one: the contradiction, if there is any."""
    worst = min(checks, key=lambda check: (check.passed is not False, check.passed is None))
    return DrawsCheck(
        method=worst.method,
        draws=sum(check.draws for check in checks),
        passed=worst.passed,
        detail=" ".join(dict.fromkeys(check.detail for check in checks)) if worst.passed is not False else worst.detail,
        witness=worst.witness,
        subject=worst.subject,
    )


def draws_every_word(mechanism: Any) -> bool:
    """Tell whether ``check_rows`` draws every word: always, except for the catalog's code on a large vocabulary."""
    return len(mechanism.vocabulary) <= 2 * SPREAD or not from_catalog(mechanism)


def check_rows(
    draw: Callable[[Ids], Ids],
    source: RowSource,
    words: Sequence[str],
    rng: np.random.Generator,
    *,
    every: bool = True,
    subject: Subject = Subject.WORD_CHANNEL,
) -> DrawsCheck:
    """Check whether draws follow the stated rows.

    Args:
        draw: function that draws one output for each id.
        source: the stated rows, one for each word, over the same words.
        words: public words of the rows.
        every: whether every word is drawn; else ``SPREAD`` random ones.

    Raises:
        InputError: the draws are not one integer for each id.
    """
    spread = rng.permutation(len(words))[: None if every else SPREAD]
    first = _counted(draw, source, spread, FIRST)
    suspicion = first.planted(len(words))
    limit = math.log((len(spread) + 2 * WORDS + 2) / ALPHA)
    order = np.argsort(-suspicion, kind="stable")
    half = WORDS // 2
    few = spread[np.concatenate([order[:half], half + rng.permutation(len(order) - half)[:half]])]
    again = _counted(draw, source, few, DRAWS // len(few))
    logs = again.log_factors()
    alone = np.maximum(_mean(logs), again.planted(len(words)))
    unchanged = _unchanged(
        np.concatenate([first.hits, again.hits]),
        np.concatenate([first.own, again.own]),
        np.concatenate([first.of, again.of]),
    )
    worst_first, worst_again = int(suspicion.argmax()), int(alone.argmax())
    evidence = [
        (float(suspicion[worst_first]), partial(first.witness, words, worst_first)),
        (float(alone[worst_again]), partial(again.witness, words, worst_again)),
        (float(_mean(logs.sum(axis=0))), partial(again.witness, words, worst_again)),
        (unchanged, partial(_unchanged_witness, first, again)),
    ]
    worst, witness = max(evidence, key=lambda each: each[0])
    kept = worst < limit
    draws = FIRST * len(spread) + DRAWS // len(few) * len(few)
    which = "all" if len(spread) == len(words) else f"{len(spread)} random"
    seen = _seen(len(spread), len(words), DRAWS // len(few), limit)
    power = (
        ""
        if seen is None
        else f" A word that gives one output, stated for {RARE:g} at most, in a share of {seen:g} "
        f"or more would have been seen with power {POWER:g}."
    )
    told = f"{draws} draws of {which} words were compared with the stated rows, at alpha {ALPHA:g}"
    return DrawsCheck(
        method="draws against rows",
        draws=draws,
        passed=kept,
        detail=f"{told}; {'nothing speaks' if kept else 'they speak'} against them.{power if kept else ''}",
        witness={} if kept else witness(),
        subject=subject,
        seen=seen if kept else None,
        words=len(spread),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Draws of words: the count of each output, entry by entry, and its stated probability."""

    ids: Ids  # of the words
    each: int  # draws of one word
    places: Ids  # of entries, which word each belongs to; rising
    outputs: Ids
    counts: Integers  # of entries, > 0
    stated: Reals  # of entries, P(output | word)
    own: Reals  # of words, P(word | word)
    hits: Integers  # of words, how often a word itself came

    @property
    def of(self) -> Integers:
        return np.full(len(self.ids), self.each)

    def planted(self, outputs: int) -> Reals:
        """Return, for each word, ln of the Bayes factor of one output with a larger share than stated."""
        weights = 0.5 / outputs + 0.5 * (self.outputs == self.ids[self.places])
        logs = np.full(len(self.ids), -math.inf)
        for part in _planted(self.counts, self.each, self.stated):
            np.logaddexp.at(logs, self.places, np.log(weights) + part)
        return logs

    def log_factors(self) -> Reals:
        ends = np.flatnonzero(np.diff(self.places)) + 1
        rows = zip(np.split(self.counts, ends), np.split(self.stated, ends), strict=True)
        return np.array([_log_factors(counts, stated) for counts, stated in rows])

    def witness(self, words: Sequence[str], place: int) -> Mapping[str, Any]:
        here = self.places == place
        return _witness(words, int(self.ids[place]), self.outputs[here], self.counts[here], self.stated[here])


def _counted(draw: Callable[[Ids], Ids], source: RowSource, ids: Ids, each: int) -> _Counts:
    drawn = _drawn(draw, np.repeat(ids, each)).reshape(len(ids), each)
    counted = [np.unique(row, return_counts=True) for row in drawn]
    places = np.repeat(np.arange(len(ids)), [len(outputs) for outputs, _ in counted])
    outputs = np.concatenate([outputs for outputs, _ in counted])
    known = _stated(source, np.concatenate([ids, ids[places]]), np.concatenate([ids, outputs]))
    counts = np.concatenate([counts for _, counts in counted])
    hits = (drawn == ids[:, None]).sum(axis=1)
    return _Counts(ids, each, places, outputs, counts, known[len(ids) :], known[: len(ids)], hits)


def _planted(counts: Integers, each: int, stated: Reals) -> list[Reals]:
    with np.errstate(divide="ignore"):
        return [
            counts * np.log(1 - share + share / stated)
            + (each - counts) * math.log(1 - share)
            - math.log(len(_PLANTED))
            for share in _PLANTED
        ]


def _seen(spread: int, outputs: int, again: int, limit: float) -> float | None:
    shares = np.arange(1, 65) / 64

    def reaching(each: int, log_factor: float) -> Reals:
        """Return, for every share, the probability that this many draws have such a factor."""
        counts = np.arange(each + 1)
        logs = np.logaddexp.reduce(_planted(counts, each, np.full(each + 1, RARE)), axis=0) + math.log(0.5 / outputs)
        least = np.flatnonzero(logs >= log_factor)
        return bdtrc(least[0] - 1, each, shares) if len(least) else np.zeros(len(shares))

    at_once, later = reaching(FIRST, limit), reaching(again, limit)
    half = WORDS // 2
    if spread <= half:
        chosen = np.ones(len(shares))
    else:
        chosen = np.max([reaching(FIRST, t) - spread / half * math.exp(-t) for t in range(2, 30)], axis=0)
    power = np.maximum(at_once, chosen + later - 1)
    enough = np.flatnonzero(power >= POWER)
    return float(shares[enough[0]]) if len(enough) else None


def _unchanged_witness(first: _Counts, again: _Counts) -> Mapping[str, Any]:
    hits, draws = int(first.hits.sum() + again.hits.sum()), int(first.of.sum() + again.of.sum())
    share = float((first.own @ first.of + again.own @ again.of) / draws)
    return {"event": "the word itself", "hits": hits, "trials": draws, "probability": share}


def _witness(words: Sequence[str], word: int, outputs: Ids, counts: Integers, stated: Reals) -> Mapping[str, Any]:
    trials = int(counts.sum())
    most = int((counts * np.log(counts / trials / np.maximum(stated, 1e-300))).argmax())
    shown = int(outputs[most])
    return {
        "input": words[word],
        "output": words[shown] if 0 <= shown < len(words) else "no word",
        "hits": int(counts[most]),
        "trials": trials,
        "probability": float(stated[most]),
    }


def _drawn(draw: Callable[[Ids], Ids], ids: Ids) -> Ids:
    outputs = np.asarray(draw(ids))
    if outputs.shape != ids.shape or outputs.dtype.kind not in "iu":
        raise InputError(f"a draw must give one integer for each word; got {outputs.dtype} of shape {outputs.shape}.")
    return outputs.astype(np.int64, copy=False)


def _stated(source: RowSource, inputs: Ids, outputs: Ids) -> Reals:
    probabilities = np.zeros(len(inputs))
    words, which = np.unique(inputs, return_inverse=True)
    for start in range(0, len(words), _BLOCK):
        here = np.flatnonzero((which >= start) & (which < start + _BLOCK))
        part = rows_of(source, words[start : start + _BLOCK])
        rows = part.source.rows(0, len(part.words))
        columns = np.minimum(np.searchsorted(part.outputs, outputs[here]), len(part.outputs) - 1)
        known = part.outputs[columns] == outputs[here]
        probabilities[here] = np.where(known, rows[which[here] - start, columns], 0.0)
    return probabilities


def _log_factors(counts: Integers, stated: Reals) -> Reals:
    """Return ln of the Bayes factors against a stated row, one for each kappa; infinite if it excludes an output.

    Args:
        counts: of the drawn outputs, > 0.
        stated: their probabilities.
    """
    if (stated <= 0).any():
        return np.full(len(_KAPPAS), math.inf)
    kappas = np.array(_KAPPAS)[:, None]
    within = gammaln(kappas * stated + counts) - gammaln(kappas * stated) - counts * np.log(stated)
    return np.asarray(gammaln(kappas[:, 0]) - gammaln(kappas[:, 0] + counts.sum()) + within.sum(axis=1))


def _mean(logs: Reals) -> Reals:
    return np.asarray(np.logaddexp.reduce(logs, axis=-1) - math.log(logs.shape[-1]))


def _unchanged(hits: Integers, shares: Reals, draws: Integers) -> float:
    gain = np.divide(1.0, shares, out=np.zeros(len(hits)), where=shares > 0)
    return float(
        _mean(
            np.array(
                [
                    (hits * np.log(1 - share + share * gain) + (draws - hits) * math.log(1 - share)).sum()
                    for share in _SHARES
                ]
            )
        )
    )


class StatedPair(NamedTuple):
    """Two inputs and the stated profile of their outputs."""

    first: Any
    second: Any
    profile: PrivacyProfile


def check_profile(
    draw: Draw,
    pairs: Sequence[StatedPair],
    name: Callable[[Any], str],
    *,
    subject: Subject,
    draws: int = PAIR_DRAWS,
    alpha: float = ALPHA,
    score: Score | None = None,
) -> DrawsCheck:
    """Check whether outputs of two inputs are no farther apart than their stated profile, at several epsilons.

    Args:
        name: function that shows an input or an output in public words.
        subject: of the profile.
        draws: for each input of a pair.
        score: log-likelihood ratios of outputs, if they are known.
    """
    share = alpha / max(1, len(pairs) * len(_EPSILONS))
    drawn, contradicted = 0, None
    for first, second, profile in pairs:
        claims = [Claim(epsilon=tested, log_delta=min(0.0, profile.log_delta(tested).upper)) for tested in _EPSILONS]
        sharp = [tested for tested in claims if can_refute(draws // 2, share / 8, tested)]
        if not sharp or contradicted:
            continue
        outputs = [draw(word, draws) for word in (first, second)]
        drawn += 2 * draws
        for tested in sharp:
            finding = audit_sampled(
                lambda place, _: outputs[place],  # noqa: B023 - used up within the turn
                [(0, 1)],
                tested,
                samples=draws,
                confidence=1 - share,
                score=_of_places(score, (first, second)),
            )
            if finding.verdict is Verdict.REFUTED:
                contradicted = {**finding.witness, "pair": [name(first), name(second)], "epsilon": tested.epsilon}
                contradicted |= {"stated_delta": tested.delta, "delta_at_least": finding.delta.lower}
                contradicted["event"] = {"size": finding.witness["event"].get("size", 0)}
    if not drawn:
        detail = f"No power: {draws} draws of an input could not contradict a profile that allows so much."
    else:
        speaks = "they speak" if contradicted else "nothing speaks"
        detail = f"{drawn} draws were compared with the stated profile, at alpha {alpha:g}; {speaks} against it."
    return DrawsCheck(
        method="draws against profile",
        draws=drawn,
        passed=None if not drawn else contradicted is None,
        detail=detail,
        witness=contradicted or {},
        subject=subject,
    )


def _of_places(score: Score | None, inputs: tuple[Any, Any]) -> Score | None:
    if score is None:
        return None
    return lambda first, second, outputs: score(inputs[first], inputs[second], outputs)


def check_noise(mechanism: NearestWord, rng: np.random.Generator, *, alpha: float = ALPHA) -> DrawsCheck:
    """Check whether outputs lie as far from their words as those of the stated noise, drawn and searched for here.

    Each random word gets one output of either; each is the nearer one with the same probability. So the signs are fair
    coins, and their count is tested exactly.
    """
    points = mechanism.points.astype(np.float64)
    ids = rng.integers(0, len(points), 2 * SPREAD)
    drawn = _drawn(lambda words: mechanism.privatize(words, rng), ids)
    noisy = points[ids] + mechanism.distribution.sample(len(ids), rng, np.float64)
    here = (np.einsum("nd,nd->n", points, points) / 2 - noisy @ points.T).argmin(axis=1)
    far, expected = (np.linalg.norm(points[ids] - points[outputs], axis=1) for outputs in (drawn, here))
    nearer, farther = int((far < expected).sum()), int((far > expected).sum())
    chance = min(1.0, 2 * float(bdtr(min(nearer, farther), nearer + farther, 0.5)))
    kept = chance > alpha
    told = f"{len(ids)} draws of random words were compared with draws of the stated noise, at alpha {alpha:g}"
    witness = {"event": "nearer to the word than by the stated noise", "hits": nearer, "trials": nearer + farther}
    return DrawsCheck(
        method="draws against noise",
        draws=len(ids),
        passed=kept,
        detail=f"{told}; {'nothing speaks' if kept else 'they speak'} against it.",
        witness={} if kept else {**witness, "probability": 0.5},
    )


def pairs_of_points(
    points: NDArray[Any], pairs: Sequence[tuple[int, int]], profile: Callable[[Reals], PrivacyProfile]
) -> list[StatedPair]:
    """Return pairs of words whose points differ, with the profile of noise on them."""
    shifts = [(a, b, points[a].astype(np.float64) - points[b].astype(np.float64)) for a, b in pairs]
    return [StatedPair(a, b, profile(shift)) for a, b, shift in shifts if shift.any()]
