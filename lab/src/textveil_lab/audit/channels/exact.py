"""Exact audits of finite channels: the pure loss, the privacy profile, the loss per distance, and a verdict.

Everything is computed from the table P(y | x) alone, block by block, or, if the mechanism states them, from its entries
above a base that all rows share. What the mechanism says of its privacy is not read. Integer-weight channels are
compared with e^epsilon in integers and 60-digit decimals.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import Channel, IntegerWeights
from textveil.numerics.integer_weights import log_ratio_up
from textveil.statistics import Bound, exactly
from textveil.types import Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.extremes import CLOSE, extremes_of
from textveil_lab.audit.channels.hockey_stick import Divergence as Divergence
from textveil_lab.audit.channels.hockey_stick import delta_at as delta_at
from textveil_lab.audit.channels.hockey_stick import delta_upper_bound as delta_upper_bound
from textveil_lab.audit.channels.hockey_stick import epsilon_at as epsilon_at
from textveil_lab.audit.channels.hockey_stick import pair_epsilon as pair_epsilon
from textveil_lab.audit.channels.hockey_stick import profile as profile
from textveil_lab.audit.channels.metric_loss import metric_epsilon as metric_epsilon
from textveil_lab.audit.channels.rows import COMPARED, IntegerRows, Rows, RowSource, blocks, source_of
from textveil_lab.audit.report.report import Claim, Finding, Verdict

TOLERANCE = 1e-12  # Relative error that rounding of a table of floats may put into its loss
_PROFILE_WORK = 2e8
"""Terms n^2 k up to which every point of the profile is the exact delta; beyond it, an O(n k) bound."""

_EXACT_WORK = 2e10  # Terms n^2 k up to which delta, and epsilon at a delta, are computed to the end, whatever the claim
_POINTS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class PureLoss:
    """Pure loss of a channel, with the two inputs and the output at which it is attained."""

    # max over y of ln(max_x P(y|x) / min_x P(y|x)), nats; upper is on the private side; ``inf`` if one input can
    # give an output that another cannot
    epsilon: Bound
    likely: int  # the row of the larger probability
    unlikely: int
    output: int
    probability: float  # P(output | likely)
    other_probability: float  # P(output | unlikely)
    ratio: Fraction | None = None  # the exact ratio of the two; None for a table of floats, or if it is infinite


def pure_epsilon(rows: Rows, *, progress: Progress | None = None) -> PureLoss:
    """Return the smallest epsilon for which the channel is epsilon-DP for any two inputs.

    Work is O(n k), one block at a time. A channel with integer weights is computed exactly; see
    ``pure_epsilon_integer``.

    Args:
        rows: a channel, a source, or a table of shape (n, k).

    Raises:
        ParameterError: the rows are not a channel.
    """
    source = source_of(rows)
    if isinstance(source, IntegerRows):
        return pure_epsilon_integer(source, progress=progress)
    k = source.shape[1]
    high, low = np.full(k, -1.0), np.full(k, np.inf)
    high_row, low_row = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
    for start, stop in blocks(source.shape):
        block = source.rows(start, stop)
        for best, best_row, index, better in (
            (high, high_row, block.argmax(axis=0), np.greater),
            (low, low_row, block.argmin(axis=0), np.less),
        ):
            value = block[index, np.arange(k)]
            new = better(value, best)
            best[new], best_row[new] = value[new], index[new] + start
        _tell(progress, stop, source)
    output = _widest(high, low)
    value = log_ratio(float(high[output]), float(low[output]))
    return PureLoss(
        epsilon=_rounded(value),
        likely=int(high_row[output]),
        unlikely=int(low_row[output]),
        output=output,
        probability=float(high[output]),
        other_probability=float(low[output]),
    )


def pure_epsilon_integer(source: IntegerRows, *, progress: Progress | None = None) -> PureLoss:
    """Return the pure loss from integer weights: the worst ratio as an exact fraction, its logarithm rounded up.

    Shares w / T that floats may not tell apart are compared by cross-multiplication.
    """
    high, low = extremes_of(source, progress)
    output = _widest(high.share, low.share)
    if low.weight[output] > 0:
        used = np.flatnonzero(low.weight > 0)
        spread = high.share[used] / low.share[used]
        near = used[spread >= CLOSE * spread.max()]
        # Many columns hold the same four integers; one of each kind is enough.
        kinds = np.stack([high.weight[near], high.total[near], low.weight[near], low.total[near]])
        firsts = np.unique(kinds, axis=1, return_index=True)[1]
        output = max(near[firsts].tolist(), key=lambda column: high.exact(column) / low.exact(column))
        ratio = high.exact(output) / low.exact(output)
        loss = log_ratio_up(ratio.numerator, ratio.denominator)
        epsilon = Bound(max(0.0, math.nextafter(loss, 0.0)), loss, loss, 1.0)
    else:
        ratio, epsilon = None, exactly(math.inf)
    return PureLoss(
        epsilon=epsilon,
        likely=high.row_of(output, source),
        unlikely=low.row_of(output, source),
        output=output,
        probability=float(high.share[output]),
        other_probability=float(low.share[output]),
        ratio=ratio,
    )


def audit_channel(
    channel: Rows,
    claim: Claim,
    vocabulary: Vocabulary | Sequence[str] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Finding:
    """Certify or refute ``claim`` for any two inputs, from the channel's table.

    The pure loss decides a pure claim; delta at its epsilon decides any other. Decisions on integer weights are exact
    for pure claims; a table of floats is given ``TOLERANCE`` for its own rounding, and no more.

    Args:
        channel: a channel, a source of rows, or a table of probabilities of shape (n, k).
        vocabulary: public words of the rows, for the witness. None: the channel's own, or else row numbers.
        outputs: public words of the columns, if they differ from those of the rows.

    Returns:
        A finding of method ``"exact channel"``, CERTIFIED or REFUTED. It is NOT_REFUTED only if the interval of delta
        contains the claimed delta; the interval's width covers rounding (about 1e-12 of delta at 2,000 words).

    Raises:
        ParameterError: the rows are not a channel, or the words do not fit them.
    """
    source = source_of(channel)
    words = _words(channel, vocabulary, source)
    loss = pure_epsilon(source, progress=progress)
    allowed = claim.epsilon if loss.ratio is not None else claim.epsilon * (1 + TOLERANCE) + 2.0**-50
    if loss.epsilon.estimate <= min(
        allowed, sys.float_info.max
    ):  # for integers the estimate is rounded up: this compares exactly
        delta, divergence = exactly(0.0), None
        verdict = Verdict.CERTIFIED
    else:
        work = float(source.shape[0]) ** 2 * source.shape[1]
        enough = None if work <= _EXACT_WORK else claim.delta
        divergence = delta_at(source, claim.epsilon, enough=enough, progress=progress)
        delta = divergence.delta
        verdict = _verdict(delta, claim)
    return Finding(
        verdict=verdict,
        claim=claim,
        epsilon=_epsilon(source, loss, claim, divergence),
        delta=delta,
        method="exact channel",
        witness=_witness(loss, divergence, claim, words, source, outputs),
        profile=_points(source, loss, claim),
        notes=_notes(source, loss, divergence),
    )


def _verdict(delta: Bound, claim: Claim) -> Verdict:
    if claim.log_delta == -math.inf or delta.lower > claim.delta:
        return Verdict.REFUTED
    return Verdict.CERTIFIED if delta.upper <= claim.delta * (1 + TOLERANCE) else Verdict.NOT_REFUTED


def _epsilon(source: RowSource, loss: PureLoss, claim: Claim, divergence: Divergence | None) -> Bound:
    """Return the smallest epsilon at the claimed delta; if that takes too long, an interval from the worst pair up."""
    if claim.delta <= 0 or loss.epsilon.estimate == 0:
        return loss.epsilon
    if float(source.shape[0]) ** 2 * source.shape[1] <= _PROFILE_WORK:
        epsilon, most = epsilon_at(source, claim.delta), loss.epsilon.upper
        return Bound(epsilon.lower, min(epsilon.estimate, most), min(epsilon.upper, most), 1.0)
    first, second = (loss.likely, loss.unlikely) if divergence is None else divergence.pair
    lower = pair_epsilon(source.rows(first, first + 1)[0], source.rows(second, second + 1)[0], claim.delta)
    held = divergence is not None and divergence.delta.upper <= claim.delta
    upper = min(loss.epsilon.upper, claim.epsilon) if held else loss.epsilon.upper
    return Bound(lower * (1 - 1e-9), min(lower, upper), upper, 1.0)


def _witness(
    loss: PureLoss,
    divergence: Divergence | None,
    claim: Claim,
    words: tuple[str, ...] | None,
    source: RowSource,
    outputs: Sequence[str] | None,
) -> Mapping[str, Any]:
    def named(row: int) -> str | int:
        return words[row] if words is not None else row

    if outputs is None and source.shape[0] == source.shape[1]:
        outputs = words
    witness: dict[str, Any] = {
        "input": named(loss.likely),
        "other_input": named(loss.unlikely),
        "output": outputs[loss.output] if outputs is not None else loss.output,
        "probability": loss.probability,
        "other_probability": loss.other_probability,
        "log_ratio": loss.epsilon.estimate,
    }
    if loss.ratio is not None:
        witness["ratio"] = f"{loss.ratio.numerator}/{loss.ratio.denominator}"
    if divergence is not None:
        first, second = divergence.pair
        row, other = source.rows(first, first + 1)[0], source.rows(second, second + 1)[0]
        live = row > math.exp(min(claim.epsilon, 700.0)) * other
        witness["delta_pair"] = {
            "input": named(first),
            "other_input": named(second),
            "event": "outputs y with P(y | input) > e^epsilon P(y | other_input)",
            "outputs": int(np.count_nonzero(live)),
            "probability": float(row[live].sum()),
            "other_probability": float(other[live].sum()),
            "delta": divergence.delta.estimate,
        }
    return witness


def _points(source: RowSource, loss: PureLoss, claim: Claim) -> tuple[tuple[float, float], ...]:
    """Return points of the profile from 0 to the pure loss (to twice the claim if it is infinite), and at the claim."""
    end = min(loss.epsilon.upper, max(claim.twice, 1.0)) if loss.ratio is None else loss.epsilon.upper
    epsilons = np.unique(np.append(np.linspace(0.0, end, _POINTS), claim.epsilon))
    if float(source.shape[0]) ** 2 * source.shape[1] <= _PROFILE_WORK:
        points = profile(source, epsilons)
    else:
        points = tuple((float(epsilon), _implied(loss.epsilon.upper, float(epsilon))) for epsilon in epsilons)
    return tuple((epsilon, 0.0 if epsilon >= loss.epsilon.upper else delta) for epsilon, delta in points)


def _implied(pure: float, epsilon: float) -> float:
    """Return the delta at ``epsilon`` that a pure loss implies for any mechanism: (e^p - e^epsilon) / (e^p + 1).

    Source: Kairouz, Oh and Viswanath 2015, theorem 3.4 with one release; attained by randomized response.
    """
    if math.isinf(pure):
        return 1.0
    return max(0.0, -math.expm1(min(0.0, epsilon - pure)) / (1.0 + math.exp(-pure)))


def _notes(source: RowSource, loss: PureLoss, divergence: Divergence | None) -> tuple[str, ...]:
    n, k = source.shape
    entries = isinstance(source, IntegerRows) and source.over_base is not None
    what = "base weights and every entry above them" if entries else "whole table"
    notes = [f"Computed from the {what} of {n} inputs and {k} outputs; every two inputs are covered."]
    if entries:
        notes.append(
            f"Entries are as the catalog's code states them; those of {min(n, COMPARED)} random inputs are its rows'."
        )
    if isinstance(source, IntegerRows):
        notes.append("The rows are integer weights; the pure loss is an exact ratio of integers.")
    else:
        notes.append("The rows are floats, taken as given; the mechanism's draws may differ from them.")
    if math.isinf(loss.epsilon.estimate):
        notes.append("One input can give an output that another cannot: no finite epsilon holds with delta 0.")
    if divergence is not None and not divergence.complete:
        notes.append("Delta is an interval: the search stopped when it had decided the claim.")
    if float(n) ** 2 * k > _PROFILE_WORK:
        notes.append("The profile's deltas are upper bounds: what the pure loss implies for any mechanism.")
    return tuple(notes)


def _words(channel: Rows, vocabulary: Vocabulary | Sequence[str] | None, source: RowSource) -> tuple[str, ...] | None:
    if vocabulary is None:
        return tuple(channel.vocabulary.words) if isinstance(channel, Channel | IntegerWeights) else None
    words = tuple(vocabulary.words) if isinstance(vocabulary, Vocabulary) else tuple(vocabulary)
    need(
        len(words) == source.shape[0],
        "vocabulary",
        f"{len(words)} words",
        f"one word for each of {source.shape[0]} rows",
    )
    return words


def log_ratio(high: float, low: float) -> float:
    """Return ln(high / low) for high >= low >= 0, accurate also near 1; 0 for 0 / 0."""
    if low <= 0:
        return 0.0 if high <= 0 else math.inf
    ratio = (high - low) / low
    return math.log1p(ratio) if ratio < math.inf else math.log(high) - math.log(low)


def _widest(high: Reals, low: Reals) -> int:
    impossible = (low <= 0) & (high > 0)
    if impossible.any():
        return int(np.argmax(np.where(impossible, high, -1.0)))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return int(np.argmax(np.nan_to_num(np.log(high) - np.log(low), nan=-1.0)))  # NaN: a column never used


def _rounded(value: float) -> Bound:
    slack = TOLERANCE * value + 2.0**-50
    return Bound(max(0.0, value - slack), value, value + slack, 1.0) if value < math.inf else exactly(value)


def _tell(progress: Progress | None, done: int, source: RowSource) -> None:
    if progress is not None:
        progress(done, source.shape[0])
