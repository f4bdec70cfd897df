"""Claims about words that no form of the catalog covers, and the sound channels for comparison."""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np

from textveil.types import Reals
from textveil_lab.mechanisms.published.claims import (
    METRIC,
    MLDP,
    ComputedTable,
    Making,
    PublishedClaim,
    TrialSetting,
    line,
    metric_table,
    softmax,
    two_inputs,
    word_table,
)


def exponential(setting: TrialSetting) -> ComputedTable:
    """Return P(y | x) proportional to exp(-epsilon d / 2)."""
    return metric_table(setting, softmax(-setting.epsilon * setting.distances / 2))


def nearest_word(setting: TrialSetting) -> ComputedTable:
    """Return a table: Laplace noise of scale 1 / epsilon, then the nearest word, by its distribution at midpoints."""
    points = setting.points
    middles = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    reach = setting.epsilon * (middles[None, :] - points[:, None])
    # ln P(noise > t) from whichever side is small, so that no difference cancels.
    upper = np.where(reach > 0, np.exp(-np.abs(reach)) / 2, 1 - np.exp(-np.abs(reach)) / 2)
    lower = np.where(reach > 0, 1 - np.exp(-np.abs(reach)) / 2, np.exp(-np.abs(reach)) / 2)
    rows = np.where(reach[:, :-1] > 0, upper[:, :-1] - upper[:, 1:], lower[:, 1:] - lower[:, :-1])
    return metric_table(setting, rows)


def _two_stages(share: float) -> Making:
    def law(setting: TrialSetting) -> ComputedTable:
        points, epsilon = setting.points, setting.epsilon * share
        clusters = np.arange(len(points)) // 2
        centers = np.array([points[clusters == cluster].mean() for cluster in np.unique(clusters)])
        between = np.abs(centers[:, None] - centers[None, :])
        chosen = softmax(-epsilon / 2 * between / between.max())[clusters]
        rows = np.zeros((len(points), len(points)))
        for cluster in range(len(centers)):
            inside = clusters == cluster
            width = float(np.ptp(points[inside]))
            words = softmax(-epsilon / 2 * setting.distances[:, inside] / width)
            rows[:, inside] = chosen[:, [cluster]] * words
        return word_table(setting, rows)

    return law


def _documents(setting: TrialSetting, joint: Callable[[Reals, Reals], Reals]) -> ComputedTable:
    """Return a table of documents of two words under the exponential mechanism.

    ``joint`` makes the law of both outputs from two rows. Adjacent documents differ in one word: the marginals may be
    right and the pair still reveals the words.
    """
    rows = softmax(-setting.epsilon * setting.distances / 2)
    n = len(rows)
    pairs = list(product(range(n), repeat=2))
    claims = np.full((n * n, n * n), np.inf)
    for i, (a, b) in enumerate(pairs):
        for j, (c, d) in enumerate(pairs):
            if (a == c) != (b == d):  # adjacent: one of the two words differs
                claims[i, j] = setting.epsilon * (setting.distances[a, c] + setting.distances[b, d])
    names = tuple(f"{setting.words[a]}, {setting.words[b]}" for a, b in pairs)
    return ComputedTable(
        rows=np.stack([joint(rows[a], rows[b]).reshape(-1) for a, b in pairs]),
        claims=claims,
        inputs=names,
        outputs=names,
        facts={"epsilon per distance": setting.epsilon},
    )


def one_stream(first: Reals, second: Reals) -> Reals:
    """Return the law of two words drawn by inversion from one uniform number, as in forked workers; shape (n, n)."""
    ends, others = np.cumsum(first), np.cumsum(second)
    starts, before = np.append(0.0, ends[:-1]), np.append(0.0, others[:-1])
    common = np.minimum(ends[:, None], others[None, :]) - np.maximum(starts[:, None], before[None, :])
    common[common < 1e-15] = 0.0  # ends that are one number up to rounding
    return np.maximum(common, 0.0)


_WITHOUT: Final = ("a text without triples", "another one")
_SYNONYMS: Final = {"couch": ("couch", "sofa"), "doctor": ("doctor", "physician")}
_OUTPUTS: Final = tuple(word for words in _SYNONYMS.values() for word in words)
_OWN: Final = np.array([[float(word in words) for word in _OUTPUTS] for words in _SYNONYMS.values()])
"""1 for a word's own synonyms, else 0."""


def _synonyms(setting: TrialSetting, rows: Reals) -> ComputedTable:
    return ComputedTable(rows=rows, claims=setting.epsilon, inputs=tuple(_SYNONYMS), outputs=_OUTPUTS)


CLAIMS: Final = (
    PublishedClaim(
        name="mldp-multivariate",
        work="MLDP",
        part="multivariate calibrated",
        claim=METRIC,
        source=f"{MLDP}, class MultivariateCalibrated; Feyisetan et al., arXiv 1910.08902",
        why="The nearest word is a function of the noisy vector alone, and the search is exact.",
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0),
        published=nearest_word,
    ),
    PublishedClaim(
        name="clusant-standard",
        work="CluSanT",
        part="dp_type standard",
        claim="epsilon, the one privacy parameter of the code, for any two words of the clusters",
        source="public copy of clusant.py; Awon et al., NAACL 2025",
        why="The cluster and the word in it are drawn by mechanisms of epsilon each: two are spent.",
        repair="half of epsilon for each of the two draws",
        instead="exponential",
        reading="The code takes one epsilon for dp_type standard and does not say for which of the two draws. Read as "
        "the epsilon of each draw, the claim holds at their sum.",
        # Many clusters near each other and one far away: its words tell whether the input was one of them.
        setting=line(1.0, *range(8), 100.0, 101.0),
        published=_two_stages(1.0),
        repaired=_two_stages(0.5),
    ),
    PublishedClaim(
        name="santext",
        work="SanText",
        part="SanText, one process",
        claim=METRIC,
        source="github.com/xiangyue9607/SanText, SanText.py; Yue et al., arXiv 2106.01221",
        why="The exponential mechanism on Euclidean distances, over one vocabulary for inputs and outputs.",
        setting=line(3.0, 0.0, 1.0, 2.0, 3.0),
        published=exponential,
    ),
    PublishedClaim(
        name="santext-workers",
        work="SanText",
        part="run_SanText.py, several workers",
        claim="epsilon times the distance, for two texts that differ in one word",
        source="github.com/xiangyue9607/SanText, run_SanText.py (seed 42, then a Pool) and SanText.py",
        why="Forked workers start from one state of NumPy's generator: two documents share their random numbers.",
        repair="a stream of its own for every worker, from the operating system",
        instead="santext",
        setting=line(3.0, 0.0, 1.0, 2.0),
        published=lambda setting: _documents(setting, one_stream),
        repaired=lambda setting: _documents(setting, lambda first, second: first[:, None] * second[None, :]),
    ),
    PublishedClaim(
        name="dp-st-unchanged",
        work="DP-ST",
        part="texts in which no triple is found",
        claim="epsilon, for two texts",
        source="github.com/sjmeis/DPST, src/dpst/core.py, DPST.privatize; EMNLP 2025",
        why="Such a text is returned as it is.",
        repair="one public text for all of them",
        published=two_inputs(np.eye(2), _WITHOUT, _WITHOUT),
        repaired=two_inputs(np.ones((2, 1)), _WITHOUT, ("a public text",)),
    ),
    PublishedClaim(
        name="mldp-syntf",
        work="MLDP",
        part="SynTF",
        claim="epsilon, for any two words",
        source="mldp-text 0.1.2 (github.com/sjmeis/MLDP), class SynTF; Weggenmann and Kerschbaum 2018",
        why="Outputs are the synonyms of the word itself, so they tell which word it was.",
        repair="score all outputs, not the word's own synonyms alone",
        instead="exponential",
        published=lambda setting: _synonyms(setting, _OWN / 2),
        repaired=lambda setting: _synonyms(setting, softmax(setting.epsilon / 2 * _OWN)),
    ),
)
