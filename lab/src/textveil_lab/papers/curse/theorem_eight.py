"""Theorem 8 of section 5: the paper's example of the bound, computed, beside the exact distribution."""

import math

from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.tail_bounds import equal_factors, exact_radius
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.tables import Cell, Table

PROBABILITY = 0.99  # Probability in the paper's example of the bound, with equal factors
DIMENSIONS = (25, 50, 100, 200, 300)  # Of the paper's vocabularies
_WIDTHS = (10, 12, 14, 14, 14, 14, 10)


def theorem_8(setting: StudySetting) -> ItemOutcome:
    """Compute the example's a and b in each dimension, and the exact reach of |Z|."""
    del setting  # nothing is drawn, and no vocabulary is read
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for dim in DIMENSIONS:
        bound, exact = equal_factors(PROBABILITY, dim, 1.0), exact_radius(PROBABILITY, dim, 1.0)
        outside = 2 * float(NoisyDotProduct(dim, 1.0).survival(bound.product))
        holds = holds and outside <= 1 - PROBABILITY
        rows.append((dim, bound.cosine, bound.length, bound.product, exact, bound.product / exact, outside))
    columns = (
        "dimensions",
        "a (cosine)",
        "b (length x epsilon)",
        "a b (x epsilon)",
        "exact z (x epsilon)",
        "a b / exact z",
        "exact P(|Z| >= a b)",
    )
    table = Table(columns=columns, rows=tuple(rows), facts={"probability": PROBABILITY, "exact": True})
    last, cosine, length, product, reach, ratio, outside = (float(str(cell)) for cell in rows[-1])
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("Theorem 8's example at 0.99, lengths in units of 1 / epsilon", table, _WIDTHS),
        findings=(
            f"In {last:.0f} dimensions: the cosine is below a = {cosine:.4f} and the noise shorter than "
            f"b = {length:.1f} / epsilon, each with probability {math.sqrt(PROBABILITY):.5f} or more, so |Z| is below "
            f"{product:.1f} / epsilon with probability {PROBABILITY:g} or more.",
            f"The exact distribution reaches that probability at {reach:.1f} / epsilon already: the bound is "
            f"{ratio:.2f} times as wide, and |Z| leaves it once in {1 / outside:,.0f} draws instead of once in "
            f"{1 / (1 - PROBABILITY):,.0f}. Two tails that are each unlikely are asked for separately, and the angle's "
            "sub-Gaussian tail is loose.",
        ),
        settings={"probability of the bound": PROBABILITY, "dimensions": tuple(map(float, DIMENSIONS))},
        judgment=Judgment(
            reproduced=Reproduced.YES if holds else Reproduced.NO,
            why=f"The bound is computed as the paper states it, and it {'holds' if holds else 'does not hold'}; the "
            "closed form of the distribution shows how much it gives away.",
        ),
    )
