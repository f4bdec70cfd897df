"""The constant of the fix by a stated criterion, beside the two that the paper set by hand."""

from textveil.catalog import word_mechanism
from textveil.pages.tables import Cell, Table
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_constant import compare_with_exponential
from textveil_lab.papers.curse.facts import CLOSE
from textveil_lab.papers.curse.fix_constant import chosen_constant, printed_constant
from textveil_lab.papers.curse.grids import noise_grid
from textveil_lab.papers.curse.labels import difference_note, label
from textveil_lab.papers.curse.profiles import profiles_of
from textveil_lab.papers.setting import Comparison, ItemOutcome, StudySetting
from textveil_lab.plots import new_figure

SPREAD = (0.1, 0.3, 1.0, 3.0, 10.0)  # Multiples of the constant at which the fix is measured
_WORDS = 500
_QUICK_WORDS = 100  # Most words of one vocabulary: five mechanisms at five multiples are many draws


def rank_constants(setting: StudySetting) -> ItemOutcome:
    """The chosen constants, and the close share of the fix along multiples of them."""
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
