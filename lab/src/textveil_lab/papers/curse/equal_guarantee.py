"""Beyond the paper: every mechanism at the same guarantee for one word, instead of the same parameter."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from textveil.catalog import entries, entry, word_mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import WordMechanism
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.laws.rank_profile import RankProfile
from textveil_lab.papers.curse.facts import CLOSE
from textveil_lab.papers.curse.profiles import PARTS, chosen_constant, profiles_of
from textveil_lab.papers.curse.rank_no_metric import label, percent
from textveil_lab.papers.setting import Comparison, ItemOutcome, StudySetting
from textveil_lab.plots import new_figure
from textveil_lab.tables import Cell, Table

EPSILONS = (2.0, 5.0, 8.0, 10.0)  # Nats of one word, for any two words
DELTA = 1e-5  # Delta of the mechanisms that need one
WORDS = 10_000
CLIP = 1.0  # Vectors are shortened to this norm: distances of directions
FIX = "spherical-laplace + fix"

EXPECTED = {
    "neighborhood": (0.83, ""),
    "gaussian": (0.04, "there with delta 8e-4, here 1e-5"),
    "exponential": (0.04, "there on cosines, here on distances"),
}
"""Earlier results on 10,000 GloVe words at epsilon 8: share of outputs among the 100 nearest, the word included."""


def equal_guarantee(setting: StudySetting) -> ItemOutcome:
    """Measure rank profiles of every catalog mechanism of single words, at equal epsilon."""
    vocabulary = base_vocabulary(setting)
    known = {name: one for name, one in entries().items() if one.words_alone and one.status is not Status.REFUTED}
    whole = {name: one for name, one in known.items() if one.adjacency == ONE_TOKEN and not one.needs}
    names = [name for name, one in whole.items() if all(one.takes(epsilon) for epsilon in EPSILONS)]
    makers = [(name, _maker(name, vocabulary)) for name in names]
    makers.append((FIX, _maker("spherical-laplace", vocabulary, rank_constant=chosen_constant(vocabulary, CLIP))))
    found = measured(setting, vocabulary, makers, EPSILONS)
    reported = _reported(setting, vocabulary, found, "equal epsilon of one word, any two words")
    left_out = [name for name, _ in makers if all(one != name for one, _ in found)]
    if not left_out:
        return reported
    told = f"Left out, for in this vocabulary they have none so small: {', '.join(left_out)}."
    return replace(reported, findings=(*reported.findings, told))


def metrics(setting: StudySetting) -> ItemOutcome:
    """Measure the exponential mechanism on metrics of ranks, beside the paper's fix and the neighborhood mechanism."""
    vocabulary = base_vocabulary(setting)
    if "metric-exponential" not in entries():
        raise ParameterError("item metrics needs the mechanism metric-exponential; the catalog has none.")
    makers = [
        (f"metric: {metric}", _maker("metric-exponential", vocabulary, metric=metric))
        for metric in ("shared-neighbors", "neighbor-graph", "ultrametric")
    ]
    makers += [
        ("exponential", _maker("exponential", vocabulary)),
        (FIX, _maker("spherical-laplace", vocabulary, rank_constant=chosen_constant(vocabulary, CLIP))),
        ("neighborhood", _maker("neighborhood", vocabulary, base_weights="flat")),
    ]
    found = measured(setting, vocabulary, makers, EPSILONS)
    return _reported(setting, vocabulary, found, "equal epsilon of one word, rank metrics beside the fix")


def base_vocabulary(setting: StudySetting) -> Vocabulary:
    """Return the first 10,000 words (500 if quick) of the embedded vocabulary, or of the largest named one."""
    whole = max(setting.vocabularies, key=len) if setting.named else load_vocabulary()
    return first_words(whole, 500 if setting.quick else WORDS)


def measured(
    setting: StudySetting,
    vocabulary: Vocabulary,
    makers: list[tuple[str, Callable[[float], WordMechanism]]],
    epsilons: tuple[float, ...],
) -> dict[tuple[str, float], RankProfile]:
    """Return rank profiles on the vectors' directions, by mechanism and epsilon, for mechanisms that allow these."""
    kept = epsilons if not setting.quick else (2.0, 8.0)
    words = setting.words_of(setting.generator(4), vocabulary)
    found: dict[tuple[str, float], RankProfile] = {}
    for index, (name, made) in enumerate(makers):
        mechanisms = [one for one in (_at(epsilon, made) for epsilon in kept) if one is not None]
        if len(mechanisms) == len(kept):  # one that cannot have all of these epsilons is told in the findings
            profiles = profiles_of(setting, mechanisms, words, 2000 + index, lambda share: None, clip=CLIP)
            found |= {(name, epsilon): profile for epsilon, profile in zip(kept, profiles, strict=True)}
        setting.progress((index + 1) / len(makers))
    return found


def _at(epsilon: float, made: Callable[[float], WordMechanism]) -> WordMechanism | None:
    try:
        return made(epsilon)
    except ParameterError as error:
        if error.parameter != "epsilon":
            raise
        return None


def _maker(name: str, vocabulary: Vocabulary, **options: Any) -> Callable[[float], WordMechanism]:
    known = entry(name).options()
    given: dict[str, Any] = {key: value for key, value in (("clip", CLIP), ("delta", DELTA)) if key in known}
    return lambda epsilon: word_mechanism(name, vocabulary, epsilon=epsilon, **given, **options)


def _words_of(vocabulary: Vocabulary) -> str:
    whole, cut, count = vocabulary.name.removesuffix(".txt").rpartition(", first ")
    return f"the first {count} words of {whole.removesuffix('.txt')}" if cut else label(vocabulary)


def _reported(
    setting: StudySetting, vocabulary: Vocabulary, found: dict[tuple[str, float], RankProfile], title: str
) -> ItemOutcome:
    epsilons = sorted({epsilon for _, epsilon in found})
    names = list(dict.fromkeys(name for name, _ in found))
    chart = new_figure(
        [f"epsilon = {epsilon:g}\n{_words_of(vocabulary)}" for epsilon in epsilons],
        x="share of outputs",
        y="",
        x_range=(0, 1),
        columns=2,
        panel_size=(6.2, 1.1 + 0.36 * len(names)),
    )
    for panel, epsilon in zip(chart.panels, epsilons, strict=True):
        parts = {name: [getattr(found[one, epsilon], field).estimate for one in names] for field, name in PARTS}
        panel.stacked(names, parts)
    chart.legend()
    rows: list[tuple[Cell, ...]] = []
    for (name, epsilon), profile in found.items():
        cells: list[Cell] = [name, epsilon]
        for field, _ in PARTS:
            bound = getattr(profile, field)
            cells += [bound.estimate, bound.lower, bound.upper]
        rows.append((*cells, profile.words))
    columns = ["mechanism", "epsilon"]
    for _, part in PARTS:
        columns += [part, f"{part}, lower", f"{part}, upper"]
    facts = {"vocabulary": vocabulary.name, "words": len(vocabulary), "delta": DELTA, "clip": CLIP, "close": CLOSE}
    best = max(names, key=lambda name: found[name, 8.0].near.estimate)
    findings = [f"At {title}, {best} gives the most close neighbors: {percent(found[best, 8.0].near)} at epsilon 8."]
    findings += [
        f"{name} at epsilon 8: {percent(found[name, 8.0].near)} close, {percent(found[name, 8.0].original)} unchanged."
        for name in names
    ]
    comparisons = []
    for name, (expected, note) in EXPECTED.items():
        if (name, 8.0) in found and len(vocabulary) == WORDS:
            one = found[name, 8.0]
            comparisons.append(
                Comparison(
                    what=f"{name}, epsilon 8, outputs among the {CLOSE} nearest, the word among them",
                    paper=f"beyond the paper; an earlier run on unit vectors gave {100 * expected:.0f} %",
                    ours=f"{100 * (one.near.estimate + one.original.estimate):.1f} %",
                    note=note,
                )
            )
    return ItemOutcome(
        tables={"": Table(columns=(*columns, "sampled"), rows=tuple(rows), facts={**facts, "seed": setting.seed})},
        charts={"": chart},
        findings=tuple(findings),
        comparisons=tuple(comparisons),
        settings={
            "vocabulary": _words_of(vocabulary),
            "norm of the vectors at most": CLIP,
            "close": f"ranks 1 to {CLOSE}",
            "epsilon": tuple(epsilons),
            "delta, where one is needed": DELTA,
        },
    )
