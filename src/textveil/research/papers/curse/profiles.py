"""Figures 2, 8 and 9: what comes out, original, close or distant, against epsilon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textveil.catalog import word_mechanism
from textveil.mechanisms.base import WordMechanism
from textveil.research.evaluation.plots import Chart, new_figure
from textveil.research.evaluation.tables import Cell, Table
from textveil.research.laws.rank_profile import RankProfile, rank_profiles
from textveil.research.papers.curse.exponential_distribution import exponential_profiles
from textveil.research.papers.curse.facts import CLOSE, paper_name
from textveil.research.papers.curse.fix_constant import chosen_constant, printed_constant
from textveil.research.papers.curse.grids import exponential_grid, noise_grid
from textveil.research.papers.curse.labels import difference_note, label, percent
from textveil.research.papers.setting import Comparison, ItemOutcome, StudySetting
from textveil.statistics import Bound
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary

PARTS = (
    ("original", "original word"),
    ("near", f"close: ranks 1 to {CLOSE}"),
    ("distant", "distant"),
)
"""Fields of a rank profile and what figures call them, in the order of their looks."""

_TOGETHER = 40
"""Mechanisms that are measured in one pass over the words."""


class Curve(NamedTuple):
    """Rank profiles of one vocabulary along a grid of epsilons; ``note`` goes into the panel's title."""

    vocabulary: Vocabulary
    epsilons: tuple[float, ...]
    profiles: list[RankProfile]
    note: str = ""


def figure_2(setting: StudySetting) -> ItemOutcome:
    """Spherical Laplace noise, then the nearest word."""

    def made(vocabulary: Vocabulary, epsilon: float) -> WordMechanism:
        return word_mechanism("spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None)

    curves = _curves(setting, made, noise_grid)
    return _outcome(setting, curves, "close neighbors are rarely chosen")


def figure_8(setting: StudySetting) -> ItemOutcome:
    """The same noise with the paper's fix: the nearest word is replaced by one of its neighbors."""
    constants = {one.name: _constant(one) for one in setting.vocabularies}

    def made(vocabulary: Vocabulary, epsilon: float) -> WordMechanism:
        constant = constants[vocabulary.name][0]
        return word_mechanism(
            "spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None, rank_constant=constant
        )

    curves = _curves(setting, made, lambda one: noise_grid(one, fixed=True))
    named = [curve._replace(note="c = {:.3g}, {}".format(*constants[curve.vocabulary.name])) for curve in curves]
    return _outcome(setting, named, "close neighbors are chosen: the fix removes the issue")


def figure_9(setting: StudySetting) -> ItemOutcome:
    """The exponential mechanism on distances, exp(-epsilon d / 2) over the whole vocabulary; computed, not drawn."""
    curves = []
    for index, vocabulary in enumerate(setting.vocabularies):
        epsilons = setting.thinned(exponential_grid(vocabulary))
        words = setting.words(vocabulary, index)

        def report(share: float, done: int = index) -> None:
            setting.progress((done + share) / len(setting.vocabularies))

        curves.append(Curve(vocabulary, epsilons, exponential_profiles(vocabulary, words, epsilons, report)))
    return _outcome(setting, curves, "the exponential mechanism does not solve the problem")


def profiles_of(
    setting: StudySetting,
    mechanisms: Sequence[WordMechanism],
    words: Ids,
    stream: int,
    report: Callable[[float], None],
    clip: float | None = None,
) -> list[RankProfile]:
    """Rank profiles by one draw a word, a few mechanisms in each pass; ranks on vectors shortened to ``clip``."""
    found: list[RankProfile] = []
    for start in range(0, len(mechanisms), _TOGETHER):
        part = mechanisms[start : start + _TOGETHER]
        rng = setting.generator(1, stream, start)
        found += rank_profiles(part, words, close=CLOSE, clip=clip, rng=rng)
        report(len(found) / len(mechanisms))
    return found


def drawn(curves: Sequence[Curve]) -> Chart:
    """One panel a vocabulary: the three shares against epsilon, with intervals."""
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
    """Every share with its interval, one row a vocabulary and epsilon."""
    columns = ["vocabulary", "epsilon per distance"]
    for _, name in PARTS:
        columns += [name, f"{name}, lower", f"{name}, upper"]
    rows: list[tuple[Cell, ...]] = []
    for curve in curves:
        for epsilon, profile in zip(curve.epsilons, curve.profiles, strict=True):
            cells: list[Cell] = [label(curve.vocabulary), epsilon]
            for field, _ in PARTS:
                bound: Bound = getattr(profile, field)
                cells += [bound.estimate, bound.lower, bound.upper]
            rows.append((*cells, profile.words))
    draws = curves[0].profiles[0].draws_per_word
    facts = {"seed": setting.seed, "draws per word": draws, "confidence": 0.99 if draws else 1, "close": CLOSE}
    return Table(columns=(*columns, "words"), rows=tuple(rows), facts=facts)


def _curves(
    setting: StudySetting,
    made: Callable[[Vocabulary, float], WordMechanism],
    grid: Callable[[Vocabulary], tuple[float, ...]],
) -> list[Curve]:
    """Profiles of every vocabulary along its grid."""
    curves = []
    count = len(setting.vocabularies)
    for index, vocabulary in enumerate(setting.vocabularies):
        epsilons = setting.thinned(grid(vocabulary))
        words = setting.words(vocabulary, index)
        mechanisms = [made(vocabulary, epsilon) for epsilon in epsilons]

        def report(share: float, done: int = index) -> None:
            setting.progress((done + share) / count)

        curves.append(Curve(vocabulary, epsilons, profiles_of(setting, mechanisms, words, index, report)))
    return curves


def _outcome(setting: StudySetting, curves: Sequence[Curve], claim: str) -> ItemOutcome:
    """Figure, numbers, and the largest share of close neighbors beside the paper's claim."""
    findings, comparisons = [], []
    for curve in curves:
        best = max(range(len(curve.profiles)), key=lambda index: curve.profiles[index].near.estimate)
        profile, epsilon = curve.profiles[best], curve.epsilons[best]
        findings.append(
            f"{label(curve.vocabulary)}: close neighbors have their largest share, {percent(profile.near)}, at epsilon "
            f"{epsilon:g} per unit of distance; there {percent(profile.original)} are the original word and "
            f"{percent(profile.distant)} distant."
        )
        if paper_name(curve.vocabulary.name, curve.vocabulary.dim) is not None:
            comparisons.append(
                Comparison(
                    what=f"{label(curve.vocabulary)}, largest share of close neighbors",
                    paper=f"claim: {claim} (the plot prints no numbers)",
                    ours=percent(profile.near),
                    note=difference_note(curve.vocabulary),
                )
            )
    return ItemOutcome(
        tables={"": table_of(setting, curves)},
        charts={"": drawn(curves)},
        findings=tuple(findings),
        comparisons=tuple(comparisons),
    )


def _constant(vocabulary: Vocabulary) -> tuple[float, str]:
    """The constant c of the fix and where it is from: the paper's own, else by our criterion."""
    printed = printed_constant(vocabulary)
    if printed is not None:
        return printed, "the paper's, by hand"
    return chosen_constant(vocabulary), "by our criterion"
