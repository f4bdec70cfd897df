"""Draws put beside what a mechanism states of them: rows of a channel, a profile of noise, the noise itself.

An exact audit speaks of what is stated. Whether that is what comes out, only draws can tell. Every test here accuses a
mechanism that draws as it states with probability ``ALPHA`` at most, whatever the statement, without approximation.

Rows: the draws of a word are counted, and the Bayes factor of Dirichlet(kappa p) against the stated row p is taken, the
mean over five kappa; likewise the product over all words, and the factor of a share of draws that come out unchanged.
The mean of each under p is 1, so by Markov it exceeds 1 / alpha with probability alpha at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln

from textveil.audit.channels.groups import rows_of
from textveil.audit.channels.rows import RowSource
from textveil.audit.report.verdict import Claim, Finding, Subject, Verdict
from textveil.audit.sampled.bounds import Draw, Score, audit_sampled, can_refute
from textveil.errors import InputError
from textveil.mechanisms.capabilities import NearestWord
from textveil.noise.capabilities import PrivacyProfile
from textveil.statistics import Bound
from textveil.types import Flags, Ids, Integers, Reals

ALPHA: Final = 1e-6
"""Probability, at most, that one audit accuses a mechanism that draws as it states."""

WORDS: Final = 64
"""Random words whose rows are tested, by ``DRAWS`` draws in all."""

DRAWS: Final = 4096

SPREAD: Final = 256
"""Random words of which one draw each is looked at."""

PAIR_DRAWS: Final = 2000
"""Draws for each of two inputs whose profile is stated."""

_KAPPAS: Final = (1.0, 10.0, 100.0, 1e3, 1e4)
_SHARES: Final = (0.5, 0.125, 1 / 32)
_EPSILONS: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
_BLOCK: Final = 64


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DrawsCheck:
    """What draws say of a statement.

    Attributes:
        passed: False where they contradict it; None where they could not have.
    """

    method: str
    draws: int
    passed: bool | None
    detail: str
    witness: Mapping[str, Any] = field(default_factory=dict)
    subject: Subject = Subject.WORD_CHANNEL

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "method": self.method,
            "passed": self.passed,
            "draws": self.draws,
            "alpha": ALPHA,
            "witness": dict(self.witness),
            "detail": self.detail,
        }

    def finding(self, claim: Claim) -> Finding:
        """The contradiction, which leaves a claim without support."""
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
    """Several checks of one mechanism, each at its share of ``ALPHA``, as one: the contradiction, if there is any."""
    worst = min(checks, key=lambda check: (check.passed is not False, check.passed is None))
    return DrawsCheck(
        method=worst.method,
        draws=sum(check.draws for check in checks),
        passed=worst.passed,
        detail=" ".join(dict.fromkeys(check.detail for check in checks)) if worst.passed is not False else worst.detail,
        witness=worst.witness,
        subject=worst.subject,
    )


def check_rows(
    draw: Callable[[Ids], Ids],
    source: RowSource,
    words: Sequence[str],
    rng: np.random.Generator,
    *,
    subject: Subject = Subject.WORD_CHANNEL,
) -> DrawsCheck:
    """Whether draws follow the stated rows of some random words.

    Args:
        draw: one output for each id.
        source: the stated rows, one for each word, over the same words.
        words: public.

    Raises:
        InputError: the draws are not one integer for each id.
    """
    spread = rng.permutation(len(words))[:SPREAD]
    few = spread[:WORDS]
    each = DRAWS // len(few)
    limit = math.log((len(few) + 2) / ALPHA)
    drawn = _drawn(draw, np.concatenate([spread, np.repeat(few, each)]))
    counted = [np.unique(outputs, return_counts=True) for outputs in drawn[len(spread) :].reshape(len(few), each)]
    inputs = [spread, spread, *(np.full(len(y), x) for x, (y, _) in zip(few, counted, strict=True))]
    outputs = [spread, drawn[: len(spread)], *(y for y, _ in counted)]
    known = _stated(source, np.concatenate(inputs), np.concatenate(outputs))
    own, once, *stated = np.split(known, np.cumsum([len(ids) for ids in inputs])[:-1])
    logs = np.array([_log_factors(counts, p) for p, (_, counts) in zip(stated, counted, strict=True)])
    alone = _mean(logs)
    most = int(alone.argmax())
    evidence = [(float(alone[most]), most), (float(_mean(logs.sum(axis=0))), most)]
    hits = np.concatenate([drawn[: len(spread)] == spread, drawn[len(spread) :] == np.repeat(few, each)])
    shares = np.concatenate([own, np.repeat(own[: len(few)], each)])
    evidence.append((_unchanged(hits, shares), -1))
    if (once <= 0).any():
        evidence.append((math.inf, most))
    worst, place = max(evidence)
    kept = worst < limit
    if kept:
        witness: Mapping[str, Any] = {}
    elif place < 0:
        witness = {"event": "the word itself", "hits": int(hits.sum()), "trials": len(hits)}
        witness = {**witness, "probability": float(shares.mean())}
    else:
        witness = _witness(words, int(few[place]), *counted[place], stated[place])
    told = f"{len(drawn)} draws of {len(spread)} random words were compared with the stated rows"
    return DrawsCheck(
        method="draws against rows",
        draws=len(drawn),
        passed=kept,
        detail=f"{told}, at alpha {ALPHA:g}; {'nothing speaks' if kept else 'they speak'} against them.",
        witness=witness,
        subject=subject,
    )


def _witness(words: Sequence[str], word: int, outputs: Ids, counts: Integers, stated: Reals) -> Mapping[str, Any]:
    """The output of a word that is farthest from what is stated."""
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
    """P(output | input) of each two, shape (batch,); 0 for what is no output."""
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
    """Logarithms of the Bayes factors against a stated row, one for each kappa; infinite where it gives no such output.

    Args:
        counts: of the outputs that came, > 0.
        stated: their probabilities.
    """
    if (stated <= 0).any():
        return np.full(len(_KAPPAS), math.inf)
    kappas = np.array(_KAPPAS)[:, None]
    within = gammaln(kappas * stated + counts) - gammaln(kappas * stated) - counts * np.log(stated)
    return np.asarray(gammaln(kappas[:, 0]) - gammaln(kappas[:, 0] + counts.sum()) + within.sum(axis=1))


def _mean(logs: Reals) -> Reals:
    """The logarithm of the mean over the last axis."""
    return np.asarray(np.logaddexp.reduce(logs, axis=-1) - math.log(logs.shape[-1]))


def _unchanged(hits: Flags, shares: Reals) -> float:
    """The evidence for draws that come out as they are beyond the shares that are stated."""
    gain = np.divide(hits, shares, out=np.zeros(len(hits)), where=shares > 0)
    return float(_mean(np.array([np.log(1 - share + share * gain).sum() for share in _SHARES])))


class StatedPair(NamedTuple):
    """Two inputs and the profile that is stated of their outputs."""

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
    """Whether outputs of two inputs are no farther apart than their stated profile, at several epsilons.

    Args:
        name: shows an input or an output, in public words.
        subject: of the profile.
        draws: for each input of a pair.
        score: log-likelihood ratios of outputs, where they are known.
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
    """Whether outputs lie as far from their words as those of the stated noise, drawn and searched for here.

    Of each random word one output of either is taken; whichever is nearer to the word, either is with the same
    probability. So the signs are fair coins, and their count is tested exactly.
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
    """Pairs of words whose points differ, with the profile of noise on them."""
    shifts = [(a, b, points[a].astype(np.float64) - points[b].astype(np.float64)) for a, b in pairs]
    return [StatedPair(a, b, profile(shift)) for a, b, shift in shifts if shift.any()]
