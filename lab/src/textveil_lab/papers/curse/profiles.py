"""Figures 2 and 9, and what figure 8 shares with them: what comes out, original, close or distant, against epsilon."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.pages.tables import Cell, Table
from textveil.statistics import Bound
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import RankProfile, rank_profiles
from textveil_lab.papers.curse.exponential_distribution import exponential_profiles
from textveil_lab.papers.curse.facts import CLOSE, paper_name
from textveil_lab.papers.curse.grids import exponential_grid, noise_grid
from textveil_lab.papers.curse.labels import difference_note, label, percent
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import Chart, new_figure

PARTS = (
    ("original", "original word"),
    ("near", f"close: ranks 1 to {CLOSE}"),
    ("distant", "distant"),
)
"""Fields of a rank profile and what figures call them, in the order of their looks."""

NOISE_PANELS = ("GloVe-Wiki 300d", "fastText 300d")  # The vocabularies of the paper's figures 2 and 9
RARE = 0.15  # Close neighbors are rarely chosen where no epsilon gives them a larger share of the outputs than this
_TOGETHER = 40  # Mechanisms that are measured in one pass over the words


class Curve(NamedTuple):
    """Rank profiles of one vocabulary along a grid of epsilons; ``note`` goes into the panel's title."""

    vocabulary: Vocabulary
    epsilons: tuple[float, ...]
    profiles: list[RankProfile]
    note: str = ""

    @property
    def best(self) -> int:
        """The place of the epsilon at which close neighbors have their largest share."""
        return max(range(len(self.profiles)), key=lambda index: self.profiles[index].near.estimate)


class FigureClaim(NamedTuple):
    """What the paper's figure shows."""

    words: str  # in a few words
    panels: tuple[str, ...]  # the vocabularies that it shows it for
    holds: Callable[[Curve], bool]  # whether a curve shows it


def close_lead(curve: Curve) -> bool:
    """Whether close neighbors have the largest of the three shares at some epsilon."""
    return any(one.near.estimate > max(one.original.estimate, one.distant.estimate) for one in curve.profiles)


def close_are_rare(curve: Curve) -> bool:
    """Whether close neighbors never lead, and have less than ``RARE`` of the outputs at every epsilon."""
    return not close_lead(curve) and curve.profiles[curve.best].near.estimate < RARE


def figure_2(setting: StudySetting) -> ItemOutcome:
    """Spherical Laplace noise, then the nearest word."""
    curves = []
    for index, vocabulary in enumerate(setting.vocabularies):

        def made(epsilon: float, own: Vocabulary = vocabulary) -> WordMechanism:
            return word_mechanism("spherical-laplace", own, epsilon_per_distance=epsilon, clip=None)

        curves.append(curve_of(setting, vocabulary, index, made, noise_grid(vocabulary)))
        setting.progress((index + 1) / len(setting.vocabularies))
    return outcome_of(setting, curves, FigureClaim("close neighbors are rarely chosen", NOISE_PANELS, close_are_rare))


def figure_9(setting: StudySetting) -> ItemOutcome:
    """The exponential mechanism on distances, exp(-epsilon d / 2) over the whole vocabulary; computed, not drawn."""
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
    """Profiles of one vocabulary along a grid of epsilons; the same stream draws the same words and noise."""
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
            cells: list[Cell] = [_name(curve), epsilon]
            for field, _ in PARTS:
                bound: Bound = getattr(profile, field)
                cells += [bound.estimate, bound.lower, bound.upper]
            rows.append((*cells, profile.words))
    draws = curves[0].profiles[0].draws_per_word
    facts = {"seed": setting.seed, "draws per word": draws, "confidence": 0.99 if draws else 1, "close": CLOSE}
    return Table(columns=(*columns, "words"), rows=tuple(rows), facts=facts)


def outcome_of(setting: StudySetting, curves: Sequence[Curve], claim: FigureClaim) -> ItemOutcome:
    """Figure, numbers, and the largest share of close neighbors beside the paper's claim."""
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
    """Whether the paper's claim holds for its own panels, and whether these were measured whole."""
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
