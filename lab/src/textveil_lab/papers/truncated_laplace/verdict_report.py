"""The item verdicts: every setting of the paper with its claim, its true delta and the verdict."""

import math
from collections.abc import Sequence

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import PairSummary
from textveil_lab.audit.report.report import Finding, Verdict
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import EPSILONS, LOW_EPSILONS
from textveil_lab.papers.truncated_laplace.public_code import PUBLIC_CODE
from textveil_lab.papers.truncated_laplace.verdicts import (
    PADDED_GAUSSIAN,
    PAIRS,
    VALID_DELTA,
    WORDS,
    PaperSetting,
    ShiftVerdict,
    clips_that_matter,
    delta_of_words,
    padded_gaussian_settings,
    paper_settings,
    released_word,
    shift_verdict,
    truncated_delta_at,
    valid_settings,
)
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table

RELEASED_WORDS = 1000
RELEASED_SAMPLES = 100_000
"""Sampled audit of released words: number of words of the vocabulary, and of draws for each of two words."""

_DISTANCES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
Judged = tuple[PaperSetting, ShiftVerdict]


def verdicts(setting: StudySetting) -> ItemOutcome:
    """Compute claims and true deltas of the paper's settings, of its public code, and of the valid form."""
    vocabulary = max(setting.vocabularies, key=len)
    settings = (*paper_settings(), *padded_gaussian_settings(), *valid_settings())
    judged = [(one, shift_verdict(one)) for one in settings]
    setting.progress(0.2)
    words = _words(setting, first_words(vocabulary, WORDS))
    setting.progress(0.5)
    released = _released(setting, first_words(vocabulary, 200 if setting.quick else RELEASED_WORDS))
    return ItemOutcome(
        tables={
            "": _settings_table(judged),
            "words": _words_table(words),
            "released-word": _released_table(released),
            "public-code": _code_table(),
        },
        charts={"": _chart(judged, words)},
        findings=_findings(judged, words, released),
        settings={
            "clipping norm C": "any: no delta here depends on it, but for the words",
            "vocabulary of the pairs of words": vocabulary.name,
            "pairs of words": _pairs(setting),
            "draws for a released word": _samples(setting),
        },
    )


def _pairs(setting: StudySetting) -> int:
    return PAIRS // 20 if setting.quick else PAIRS


def _samples(setting: StudySetting) -> int:
    return RELEASED_SAMPLES // 5 if setting.quick else RELEASED_SAMPLES


Words = dict[tuple[float, float], PairSummary]  # Epsilon and clip to the deltas of pairs of words


def _words(setting: StudySetting, vocabulary: Vocabulary) -> Words:
    clips = clips_that_matter(vocabulary)
    epsilons = setting.thinned(EPSILONS)
    return {
        (epsilon, clip): delta_of_words(vocabulary, epsilon, clip, _pairs(setting))
        for epsilon in epsilons
        for clip in clips
    }


def _released(setting: StudySetting, vocabulary: Vocabulary) -> dict[float, Finding]:
    epsilons = LOW_EPSILONS[::3] if setting.quick else (*LOW_EPSILONS, 1.0)
    found = {}
    for index, epsilon in enumerate(epsilons):
        found[epsilon] = released_word(vocabulary, epsilon, _samples(setting), setting.generator(31, index))
        setting.progress(0.5 + 0.5 * (index + 1) / len(epsilons))
    return found


def _settings_table(judged: Sequence[Judged]) -> Table:
    columns = (
        "mechanism",
        "epsilon",
        "d in the formulas",
        "claimed log10 delta",
        "verdict",
        "true delta, difference in all coordinates",
        "true log10 delta, the same",
        "true delta, difference in one coordinate",
        "length of the noise / C",
    )
    rows: list[tuple[Cell, ...]] = []
    for one, found in judged:
        spread, single = (_delta(bound.estimate) for bound in (found.spread, found.one_coordinate))
        rows.append(
            (
                one.mechanism,
                one.claim.epsilon,
                one.noise_dim,
                _log10(one.claim.log_delta),
                found.verdict.value,
                spread,
                _log10(found.spread.estimate),
                single,
                one.length,
            )
        )
    return Table(columns=columns, rows=tuple(rows), facts={"valid delta": VALID_DELTA})


def _words_table(words: Words) -> Table:
    columns = ("epsilon", "clip C", "words", "pairs", "least delta", "median delta", "largest delta")
    rows = tuple(
        (epsilon, clip, found.words, found.pairs, found.least, found.median, found.largest)
        for (epsilon, clip), found in words.items()
    )
    return Table(columns=columns, rows=rows)


def _released_table(released: dict[float, Finding]) -> Table:
    columns = ("epsilon claimed", "verdict", "epsilon at least", "epsilon, estimate", "delta at least", "confidence")
    rows = tuple(
        (epsilon, one.verdict.value, one.epsilon.lower, one.epsilon.estimate, one.delta.lower, one.epsilon.confidence)
        for epsilon, one in released.items()
    )
    return Table(columns=columns, rows=rows)


def _code_table() -> Table:
    rows = tuple((one.name, one.code, one.does, one.status) for one in PUBLIC_CODE.values())
    return Table(columns=("mechanism", "name in the code", "what the code does", "what is true of it"), rows=rows)


def _chart(judged: Sequence[Judged], words: Words) -> Chart:
    chart = new_figure(
        ["True delta of the published noise", "The same for vectors close together"],
        x=["claimed epsilon", "distance of two vectors, in units of C"],
        y=["delta of the noisy vector", ""],
        x_scale="log",
        panel_size=(6.2, 4.6),
        y_range=(-0.03, 1.03),
    )
    left, right = chart.panels
    own = [(one, found) for one, found in judged if one.mechanism == "truncated-laplace"]
    left.line(EPSILONS, [_delta(found.spread.estimate) for _, found in own], "opposite, all coordinates", style=0)
    clips = sorted({clip for _, clip in words})
    for style, (clip, label) in enumerate(zip(clips, ("all shortened", "none shortened"), strict=True), start=1):
        at = [epsilon for epsilon, one in words if one == clip]
        found = [words[epsilon, clip] for epsilon in at]
        left.line(at, [one.median for one in found], f"words, {label}", style=style,
                  low=[one.least for one in found], high=[one.largest for one in found])  # fmt: skip
    left.line(
        EPSILONS, [_delta(found.one_coordinate.estimate) for _, found in own], "opposite, one coordinate", style=3
    )
    left.line(EPSILONS, [0.0] * len(EPSILONS), "claimed, below 1e-180", style=6, marked=False)
    left.ticks(EPSILONS)
    left.legend("below", columns=2)
    for style, epsilon in enumerate((0.05, 1.0, 5.0, 10.0, 20.0)):
        right.line(
            _DISTANCES, [truncated_delta_at(epsilon, one) for one in _DISTANCES], f"epsilon {epsilon:g}", style=style
        )
    right.ticks(_DISTANCES)
    right.legend("upper left")
    return chart


def _findings(judged: Sequence[Judged], words: Words, released: dict[float, Finding]) -> tuple[str, ...]:
    by_name = {name: [one for one in judged if one[0].mechanism == name] for name in _names(judged)}
    own = by_name["truncated-laplace"]
    refuted = [found for _, found in own if found.verdict is Verdict.REFUTED]
    deltas = [_delta(found.spread.estimate) for _, found in own]
    gaussian = by_name["gaussian"]
    held = [one.claim.epsilon for one, found in gaussian if found.verdict is Verdict.PROVED]
    failed = [(one, found) for one, found in gaussian if found.verdict is Verdict.REFUTED]
    laplace = sum(found.verdict is Verdict.PROVED for _, found in by_name["laplace"])
    first = words[min(words)]
    broken = [epsilon for epsilon, one in released.items() if one.verdict is Verdict.REFUTED]
    least = min(one.epsilon.lower for one in released.values())
    valid = by_name["truncated-laplace, valid"]
    sentences = [
        f"Truncated Laplace, as the text says: {len(refuted)} of {len(own)} claims are refuted. Where delta 4^-d is "
        f"claimed, the true delta is {deltas[0]:.3f} at epsilon {EPSILONS[0]:g} and {deltas[-1]:.3f} at "
        f"{EPSILONS[-1]:g} with its dummy dimensions; no larger epsilon makes it smaller, because that share of the "
        "noisy vectors cannot come from the other word at all.",
        f"Real words: at epsilon {min(words)[0]:g}, all vectors shortened to one length, the median delta of two words "
        f"is {first.median:.2f}, and no pair of {first.pairs:,} is below {first.least:.2f}.",
        f"Laplace: {laplace} of {len(by_name['laplace'])} claims are proved, with delta 0.",
        f"Gaussian: proved at epsilon {', '.join(f'{one:g}' for one in held)}"
        + "".join(
            f"; refuted at {one.claim.epsilon:g}, where the true delta is "
            f"{math.exp(found.spread.estimate - one.claim.log_delta):.1f} times the claimed one"
            for one, found in failed
        )
        + ". The formula is stated for epsilon up to 1; so small a delta leaves it room above. "
        + "With the delta of the dummy dimensions of truncated Laplace noise it is "
        + " and ".join(
            f"{found.verdict.value} at {one.claim.epsilon:g} (4^-{one.noise_dim})"
            for one, found in by_name[PADDED_GAUSSIAN]
        )
        + "; the paper does not say which delta it means.",
        f"The valid bound at delta {VALID_DELTA:g}: proved at all {len(valid)} epsilons, with noise "
        f"{valid[0][0].length / own[0][0].length:,.0f} times as long at epsilon {EPSILONS[0]:g} and "
        f"{valid[4][0].length / own[4][0].length:.0f} times at 1.",
    ]
    if broken:
        sentences.append(
            f"The released word: the claim is refuted at epsilon {', '.join(f'{one:g}' for one in broken)} by draws "
            f"alone. Whatever epsilon was claimed, the word's own is {least:.2f} or more at the claimed delta (a far "
            "pair of words, 99.9 % confidence). Above that the word may be better protected than the vector."
        )
    sentences.append(
        "The public code clips nothing and gives all tokens of a batch one noise vector, so two texts are told apart "
        "for sure: delta 1 at every epsilon, whatever the noise."
    )
    return tuple(sentences)


def _names(judged: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(one.mechanism for one, _ in judged))


def _delta(log_delta: float) -> float:
    return math.exp(log_delta)


def _log10(log_delta: float) -> float | None:
    return None if math.isinf(log_delta) else log_delta / math.log(10)
