"""Figures 2 and 9, and parts shared with figure 8: shares of original, close and distant outputs against epsilon.

Exact rank profiles of the exponential mechanism take one pass over the distances for many epsilons.

The constant c of the fix is the paper's if it prints one, else it follows a stated criterion.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.statistics import Bound, exactly
from textveil.types import Ids, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_constant import calibrate_rank_constant, compare_with_exponential
from textveil_lab.laws.rank_profile import RankProfile, rank_edges, rank_profiles
from textveil_lab.papers.curse.facts import CLOSE, FIX_CONSTANT, exponential_grid, noise_grid, paper_name
from textveil_lab.papers.curse.rank_no_metric import difference_note, label, percent
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table
from textveil_lab.vocabulary.grid_distances import distances_on

_KNOWN: WeakKeyDictionary[Vocabulary, dict[float | None, float]] = WeakKeyDictionary()


def chosen_constant(vocabulary: Vocabulary, clip: float | None = None) -> float:
    """Return the constant c of the fix by our criterion: least squares on the logarithms of the rank probabilities."""
    known = _KNOWN.setdefault(vocabulary, {})
    if clip not in known:
        known[clip] = calibrate_rank_constant(vocabulary, clip=clip).value
    return known[clip]


def printed_constant(vocabulary: Vocabulary) -> float | None:
    """Return the constant that the paper set by hand for this vocabulary; None if it has none."""
    return FIX_CONSTANT.get(paper_name(vocabulary.name, vocabulary.dim) or "")


_SCORES = 1 << 21  # Distances that are held at once: 17 MB


def exponential_profiles(
    vocabulary: Vocabulary, words: Ids, epsilons: Sequence[float], report: Callable[[float], None]
) -> list[RankProfile]:
    """Return rank profiles at each epsilon, averaged over the words, correct to the rounding of float64 sums.

    Args:
        vocabulary: public words and vectors, not clipped.
        words: shape (batch,), one or more.
        epsilons: nats per unit of distance, each > 0.
        report: called with the finished share.
    """
    grid, edges = integer_grid(vocabulary), rank_edges(len(vocabulary), CLOSE)
    totals = np.zeros((len(epsilons), len(edges) - 1))
    block = max(1, _SCORES // len(vocabulary))
    for start in range(0, len(words), block):
        rows = np.sort(distances_on(grid, words[start : start + block]), axis=1)  # the word itself first, at 0
        for index, epsilon in enumerate(epsilons):
            with np.errstate(under="ignore"):
                weights = np.exp(rows * (-epsilon / 2))
            binned = np.add.reduceat(weights, edges[:-1], axis=1)
            totals[index] += (binned / binned.sum(axis=1, keepdims=True)).sum(axis=0)
        report(min(1.0, (start + block) / len(words)))
    return [_profile(row / len(words), len(words), edges) for row in totals]


def _profile(shares: Reals, words: int, edges: np.ndarray[tuple[int], np.dtype[np.int64]]) -> RankProfile:
    split = int(np.searchsorted(edges, CLOSE + 1))
    parts = (shares[0], shares[1:split].sum(), shares[split:].sum())
    original, near, distant = (exactly(float(part)) for part in parts)
    return RankProfile(
        mechanism="exponential",
        words=words,
        draws_per_word=None,
        close=CLOSE,
        original=original,
        near=near,
        distant=distant,
        edges=edges.copy(),
        shares=shares,
    )


PARTS = (("original", "original word"), ("near", f"close: ranks 1 to {CLOSE}"), ("distant", "distant"))
"""Fields of a rank profile and their names in figures, in the order of their line styles."""

NOISE_PANELS = ("GloVe-Wiki 300d", "fastText 300d")  # The vocabularies of the paper's figures 2 and 9
RARE = 0.15  # Close neighbors are rarely chosen if no epsilon gives them a larger share of the outputs than this
_TOGETHER = 40  # Mechanisms that are measured in one pass over the words


class Curve(NamedTuple):
    """Rank profiles of one vocabulary along a grid of epsilons; ``note`` goes into the panel's title."""

    vocabulary: Vocabulary
    epsilons: tuple[float, ...]
    profiles: list[RankProfile]
    note: str = ""

    @property
    def best(self) -> int:
        return max(range(len(self.profiles)), key=lambda index: self.profiles[index].near.estimate)


class FigureClaim(NamedTuple):
    """Statement of the paper's figure."""

    words: str  # in a few words
    panels: tuple[str, ...]  # the vocabularies that it shows it for
    holds: Callable[[Curve], bool]  # whether a curve shows it


def close_lead(curve: Curve) -> bool:
    """Tell whether close neighbors have the largest of the three shares at some epsilon."""
    return any(one.near.estimate > max(one.original.estimate, one.distant.estimate) for one in curve.profiles)


def close_are_rare(curve: Curve) -> bool:
    """Tell whether close neighbors never lead, and have less than ``RARE`` of the outputs at every epsilon."""
    return not close_lead(curve) and curve.profiles[curve.best].near.estimate < RARE


def figure_2(setting: StudySetting) -> ItemOutcome:
    """Measure spherical Laplace noise followed by the nearest word."""
    curves = []
    for index, vocabulary in enumerate(setting.vocabularies):

        def made(epsilon: float, own: Vocabulary = vocabulary) -> WordMechanism:
            return word_mechanism("spherical-laplace", own, epsilon_per_distance=epsilon, clip=None)

        curves.append(curve_of(setting, vocabulary, index, made, noise_grid(vocabulary)))
        setting.progress((index + 1) / len(setting.vocabularies))
    return outcome_of(setting, curves, FigureClaim("close neighbors are rarely chosen", NOISE_PANELS, close_are_rare))


def figure_9(setting: StudySetting) -> ItemOutcome:
    """Compute the exponential mechanism on distances, exp(-epsilon d / 2) over the whole vocabulary."""
    curves = []
    for index, vocabulary in enumerate(setting.vocabularies):
        epsilons = setting.thinned(exponential_grid(vocabulary))
        words = setting.words(vocabulary, index)

        def report(share: float, done: int = index) -> None:
            setting.progress((done + share) / len(setting.vocabularies))

        curves.append(Curve(vocabulary, epsilons, exponential_profiles(vocabulary, words, epsilons, report)))
    claim = FigureClaim("the exponential mechanism does not solve the problem", NOISE_PANELS, close_are_rare)
    return outcome_of(setting, curves, claim)


def curve_of(
    setting: StudySetting,
    vocabulary: Vocabulary,
    stream: int,
    made: Callable[[float], WordMechanism],
    grid: Sequence[float],
) -> Curve:
    """Return profiles of one vocabulary along a grid of epsilons; the same stream draws the same words and noise."""
    epsilons = setting.thinned(grid)
    words = setting.words(vocabulary, stream)
    mechanisms = [made(epsilon) for epsilon in epsilons]
    return Curve(vocabulary, epsilons, profiles_of(setting, mechanisms, words, stream, lambda share: None))


def profiles_of(
    setting: StudySetting,
    mechanisms: Sequence[WordMechanism],
    words: Ids,
    stream: int,
    report: Callable[[float], None],
    clip: float | None = None,
) -> list[RankProfile]:
    """Return rank profiles by one draw a word, a few mechanisms in each pass; ranks on vectors clipped to ``clip``."""
    found: list[RankProfile] = []
    for start in range(0, len(mechanisms), _TOGETHER):
        part = mechanisms[start : start + _TOGETHER]
        rng = setting.generator(1, stream, start)
        found += rank_profiles(part, words, close=CLOSE, clip=clip, rng=rng)
        report(len(found) / len(mechanisms))
    return found


def drawn(curves: Sequence[Curve]) -> Chart:
    """Return a chart with a panel for each vocabulary: the three shares against epsilon, with intervals."""
    titles = [label(curve.vocabulary) + (f"\n{curve.note}" if curve.note else "") for curve in curves]
    chart = new_figure(
        titles,
        x="epsilon (nats per unit of distance)",
        y="share of outputs",
        y_range=(-0.03, 1.03),
        columns=2,
        panel_size=(5.6, 3.7),
    )
    for panel, curve in zip(chart.panels, curves, strict=True):
        for style, (field, name) in enumerate(PARTS):
            bounds: list[Bound] = [getattr(profile, field) for profile in curve.profiles]
            low, middle, high = zip(*((one.lower, one.estimate, one.upper) for one in bounds), strict=True)
            panel.line(curve.epsilons, middle, name, style=style, low=low, high=high)
    chart.legend()
    return chart


def table_of(setting: StudySetting, curves: Sequence[Curve]) -> Table:
    """Return every share with its interval, a row for each vocabulary and epsilon."""
    columns = ["vocabulary", "epsilon per distance"]
    for _, name in PARTS:
        columns += [name, f"{name}, lower", f"{name}, upper"]
    rows: list[tuple[Cell, ...]] = []
    for curve in curves:
        for epsilon, profile in zip(curve.epsilons, curve.profiles, strict=True):
            cells: list[Cell] = [_name(curve), epsilon]
            for field, _ in PARTS:
                bound: Bound = getattr(profile, field)
                cells += [bound.estimate, bound.lower, bound.upper]
            rows.append((*cells, profile.words))
    draws = curves[0].profiles[0].draws_per_word
    facts = {"seed": setting.seed, "draws per word": draws, "confidence": 0.99 if draws else 1, "close": CLOSE}
    return Table(columns=(*columns, "words"), rows=tuple(rows), facts=facts)


def outcome_of(setting: StudySetting, curves: Sequence[Curve], claim: FigureClaim) -> ItemOutcome:
    """Return figure, numbers, and the largest share of close neighbors beside the paper's claim."""
    findings, comparisons = [], []
    for curve in curves:
        profile, epsilon, name = curve.profiles[curve.best], curve.epsilons[curve.best], _name(curve)
        findings.append(
            f"{name}: close neighbors have their largest share, {percent(profile.near)}, at epsilon "
            f"{epsilon:g} per unit of distance; there {percent(profile.original)} are the original word and "
            f"{percent(profile.distant)} distant."
        )
        if paper_name(curve.vocabulary.name, curve.vocabulary.dim) in claim.panels:
            comparisons.append(
                Comparison(
                    what=f"{name}, largest share of close neighbors",
                    paper=f"claim: {claim.words} (the plot prints no numbers)",
                    ours=percent(profile.near),
                    note=difference_note(curve.vocabulary),
                )
            )
    draws = curves[0].profiles[0].draws_per_word
    return ItemOutcome(
        tables={"": table_of(setting, curves)},
        charts={"": drawn(curves)},
        findings=tuple(findings),
        comparisons=tuple(comparisons),
        settings={
            "draws a word": draws if draws else "none: the probabilities are computed",
            "close": f"ranks 1 to {CLOSE}",
            "vocabularies": ", ".join(dict.fromkeys(label(curve.vocabulary) for curve in curves)),
            **{f"epsilon, {_known_name(curve.vocabulary)}": curve.epsilons for curve in curves},
            "bands": "99 % intervals" if draws else "none",
        },
        judgment=judged(curves, claim),
    )


def judged(curves: Sequence[Curve], claim: FigureClaim) -> Judgment:
    """Judge whether the paper's claim holds for its own panels, and whether these were measured whole."""
    held: list[str] = []
    failed: list[str] = []
    parts, at_hand = 0, set()
    for curve in curves:
        known = paper_name(curve.vocabulary.name, curve.vocabulary.dim)
        if known not in claim.panels:
            continue
        at_hand.add(known)
        near = curve.profiles[curve.best].near.estimate
        said = f"{_name(curve)} ({100 * near:.0f} % at most)"
        (held if claim.holds(curve) else failed).append(said)
        parts += bool(difference_note(curve.vocabulary))
    absent = [name for name in claim.panels if name not in at_hand]
    sentences = [f"The paper shows: {claim.words}."]
    if held:
        sentences.append(f"So it comes out for {'; '.join(held)}.")
    if failed:
        sentences.append(f"It does not for {'; '.join(failed)}.")
    if parts:
        sentences.append("A part of a vocabulary stands for the whole, so the epsilons and shares are not the paper's.")
    if absent:
        sentences.append(f"Not at hand: {', '.join(absent)}.")
    kind = Reproduced.NO if not held else Reproduced.PARTLY if failed or parts or absent else Reproduced.YES
    return Judgment(reproduced=kind, why=" ".join(sentences))


def _known_name(vocabulary: Vocabulary) -> str:
    return paper_name(vocabulary.name, vocabulary.dim) or vocabulary.name


def _name(curve: Curve) -> str:
    return label(curve.vocabulary) + (f", {curve.note}" if curve.note else "")


SPREAD = (0.1, 0.3, 1.0, 3.0, 10.0)  # Multiples of the constant at which the fix is measured


_WORDS = 500


_QUICK_WORDS = 100  # Most words of one vocabulary: five mechanisms at five multiples are many draws


def rank_constants(setting: StudySetting) -> ItemOutcome:
    """Measure the chosen constants, and the close share of the fix along multiples of them."""
    labels = [label(one) for one in setting.vocabularies]
    chart = new_figure(
        [f"Share of close neighbors (ranks 1 to {CLOSE}), largest over epsilon"],
        x="c of the fix, divided by the c of the criterion",
        y="share of outputs",
        x_scale="log",
        y_range=(-0.03, 1.03),
        panel_size=(7.2, 4.2),
    )
    rows: list[tuple[Cell, ...]] = []
    findings, comparisons = [], []
    factors = SPREAD if not setting.quick else SPREAD[1:4]
    for index, vocabulary in enumerate(setting.vocabularies):
        chosen = chosen_constant(vocabulary)
        printed = printed_constant(vocabulary)
        best, low, high = [], [], []
        for number, factor in enumerate(factors):
            share, epsilon = _best_share(setting, vocabulary, chosen * factor, 10 * index + number)
            rows.append((labels[index], chosen * factor, factor, epsilon, share[1], share[0], share[2]))
            low.append(share[0])
            best.append(share[1])
            high.append(share[2])
            setting.progress((index + (number + 1) / len(factors)) / len(setting.vocabularies))
        chart.panels[0].line(factors, best, labels[index], style=index, low=low, high=high)
        findings.append(f"{labels[index]}: the criterion chooses c = {chosen:.3g}.")
        if printed is not None:
            distributions = compare_with_exponential(vocabulary, rank_constant=printed, epsilon_per_distance=10.0)
            findings.append(
                f"{labels[index]}: around the noisy nearest word, the fix with the paper's c at epsilon 10 stays with "
                f"probability {distributions.resampling_shares.original:.2f} and the exponential mechanism with "
                f"{distributions.exponential_shares.original:.2f} (total variation "
                f"{distributions.total_variation:.2f})."
            )
            comparisons.append(
                Comparison(
                    what=f"{labels[index]}, constant c of the fix",
                    paper=f"{printed:g} (by hand)",
                    ours=f"{chosen:.3g} (least squares on log rank probabilities)",
                    note=difference_note(vocabulary),
                )
            )
    chart.panels[0].ticks(factors)
    chart.panels[0].legend("lower left")
    columns = ("vocabulary", "c", "c / criterion's c", "epsilon of the largest share", "close share", "lower", "upper")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows), facts={"seed": setting.seed, "confidence": 0.99})},
        charts={"": chart},
        findings=tuple(findings),
        comparisons=tuple(comparisons),
    )


def _best_share(
    setting: StudySetting, vocabulary: Vocabulary, constant: float, stream: int
) -> tuple[tuple[float, float, float], float]:
    whole = noise_grid(vocabulary)
    epsilons = [whole[len(whole) * part // 8] for part in (range(2, 7) if not setting.quick else (2, 4, 6))]
    words = setting.words(vocabulary, stream, most=_WORDS if not setting.quick else _QUICK_WORDS)
    made = [
        word_mechanism("spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None, rank_constant=constant)
        for epsilon in epsilons
    ]
    profiles = profiles_of(setting, made, words, 1000 + stream, lambda share: None)
    best = max(range(len(profiles)), key=lambda index: profiles[index].near.estimate)
    near = profiles[best].near
    return (near.lower, near.estimate, near.upper), epsilons[best]
