"""Claims about words: published channels and noises over a few words on a line, computed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import lambertw
from scipy.stats import poisson

from textveil.audit.field.cases import Case, ClaimBasis, ClaimText, TrialSetting, line
from textveil.audit.field.channels import (
    exponential,
    metric_table,
    nearest_word,
    pure_table,
    radius_of,
    range_rule,
    softmax,
    truncated_exponential,
)
from textveil.audit.field.lines import ABSOLUTE, breaks_of, integral, laplace
from textveil.audit.field.subjects import ComputedTable
from textveil.types import Flags, Reals

_METRIC = "epsilon times the distance of two words, for any two words"
_PURE = "epsilon, for any two words"
_SHARING = "epsilon, for any two words that share an output"


def _mldp_tem(setting: TrialSetting) -> ComputedTable:
    """The rest is scored -radius + 2 ln(words / words within) / epsilon; the radius is rounded to one decimal."""
    radius, n = round(radius_of(setting), 1), len(setting.points)
    rows = np.zeros((n, n))
    for x, apart in enumerate(setting.distances):
        within = apart <= radius
        rest = -radius + 2 * math.log(n / within.sum()) / setting.epsilon
        shares = softmax(setting.epsilon / 2 * np.append(-apart[within], rest))
        rows[x, within] = shares[:-1]
        rows[x, ~within] = shares[-1] / (~within).sum()
    return metric_table(setting, rows, radius=radius)


def _pantera_tem(setting: TrialSetting) -> ComputedTable:
    """The rest is scored as in the paper, but where it is drawn the input itself comes out."""
    radius, n = radius_of(setting), len(setting.points)
    rows = np.zeros((n, n))
    for x, apart in enumerate(setting.distances):
        within = apart <= radius
        beyond = int((~within).sum())
        rest = -math.inf if beyond == 0 else -radius + 2 * math.log(beyond) / setting.epsilon
        shares = softmax(setting.epsilon / 2 * np.append(-apart[within], rest))
        rows[x, within] = shares[:-1]
        rows[x, x] += shares[-1]
    return metric_table(setting, rows, radius=radius)


def two_nearest(setting: TrialSetting, *, skips: bool) -> ComputedTable:
    """Laplace noise, then the nearest (weight exp(-distance)) or the second (1); ``skips`` leaves the input out."""
    points, scale = setting.points, 1 / setting.epsilon

    def row(x: int) -> Reals:
        def values(at: Reals) -> Reals:
            apart = np.abs(at[:, None] - points[None, :])
            order = np.argsort(apart, axis=1, kind="stable")
            first = np.where(skips & (order[:, 0] == x), 1, 0)
            places = np.arange(len(at))
            nearest, second = order[places, first], order[places, first + 1]
            weight = np.exp(-apart[places, nearest])
            found = np.zeros((len(at), len(points)))
            found[places, nearest] = weight / (1 + weight)
            found[places, second] += 1 / (1 + weight)
            return found * laplace(at, points[x], scale)[:, None]

        return integral(values, breaks_of(points), scale)

    return metric_table(setting, np.stack([row(x) for x in range(len(points))]), ABSOLUTE)


def _truncated_gumbel(setting: TrialSetting) -> ComputedTable:
    """Noise on the distances of the k nearest words; k is Poisson below the number of words, 0 keeps the word."""
    n, apart = len(setting.points), setting.distances
    least, most = float(apart[apart > 0].min()), float(apart.max())
    a = (setting.epsilon - 2 * (1 + math.log(n)) / least) / 3
    b = 2 * most / min(float(lambertw(2 * a * most).real), math.log(a * least))
    numbers = poisson.pmf(np.arange(n), math.log(n - 1))
    numbers /= numbers.sum()
    outside = math.exp(-math.exp(most / b)) + -math.expm1(-math.exp(-most / b))
    rows = np.zeros((n, n))
    for x in range(n):
        order = np.argsort(apart[x], kind="stable")
        rows[x, x] += numbers[0]
        for k in range(1, n):
            rows[x, order[:k]] += numbers[k] * _least_of(apart[x, order[:k]], b, most, 1 - outside)
    return metric_table(setting, rows, 1e-9, scale=b)


def _least_of(centers: Reals, scale: float, most: float, mass: float) -> Reals:
    """P(center i plus its truncated Gumbel noise is the least), shape (k,)."""

    def values(at: Reals) -> Reals:
        t = (at[:, None] - centers[None, :]) / scale
        inside = np.abs(at[:, None] - centers[None, :]) <= most
        with np.errstate(over="ignore"):
            density = np.where(inside, np.exp(-t - np.exp(-t)), 0.0) / (scale * mass)
            below = np.clip(
                np.exp(-np.exp(-np.clip(t, -most / scale, most / scale))) - math.exp(-math.exp(most / scale)), 0, mass
            )
        above = 1 - below / mass
        found = np.empty_like(density)
        for i in range(len(centers)):
            found[:, i] = density[:, i] * np.delete(above, i, axis=1).prod(axis=1)
        return found

    return integral(values, [*(centers - most).tolist(), *(centers + most).tolist()], scale / 8)


def _own_nearest(setting: TrialSetting, size: int = 2) -> ComputedTable:
    """Every word has the ``size`` words nearest to it as its own outputs."""
    n = len(setting.points)
    allowed = np.zeros((n, n), dtype=bool)
    np.put_along_axis(allowed, np.argsort(setting.distances, axis=1, kind="stable")[:, :size], True, axis=1)
    meeting = (allowed[:, None, :] & allowed[None, :, :]).any(axis=2)
    return pure_table(setting, _customized(setting, allowed), np.where(meeting, setting.epsilon, np.inf))


def _clustered(setting: TrialSetting, size: int = 2) -> ComputedTable:
    """Words next to each other share one cluster of outputs; only words of one cluster are compared."""
    groups = np.arange(len(setting.points)) // size
    same: Flags = groups[:, None] == groups[None, :]
    claims = np.where(same, setting.epsilon, np.inf)
    return pure_table(setting, _customized(setting, same), claims)


def _customized(setting: TrialSetting, allowed: Flags) -> Reals:
    """P proportional to exp(epsilon u / 2) on the allowed outputs, u in [0, 1] scaled for each word alone."""
    apart = np.where(allowed, setting.distances, np.nan)
    low, high = np.nanmin(apart, axis=1, keepdims=True), np.nanmax(apart, axis=1, keepdims=True)
    worth = np.where(allowed, -(setting.distances - low) / (high - low), -np.inf)
    return softmax(setting.epsilon / 2 * worth)


def _random_radius(setting: TrialSetting) -> ComputedTable:
    """Outputs within a random radius alone, weighted by exp(epsilon (radius - d) / (2 radius)).

    In one dimension the radius is the length of Laplace noise of scale (range of the words) / f(epsilon).
    """
    points, epsilon = setting.points, setting.epsilon
    inner = epsilon * 19.064721649556482 - 38.1294334077209
    factor = epsilon if epsilon < 2 else 0.01658160142016071 * math.log(inner) + 9.311083811697406
    scale = float(points[-1] - points[0]) / factor

    def row(x: int) -> Reals:
        apart = setting.distances[x]

        def values(radius: Reals) -> Reals:
            within = (apart[None, :] < radius[:, None]) & (radius[:, None] > 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores = np.where(within, epsilon / 2 * (1 - apart[None, :] / radius[:, None]), -np.inf)
            weights = np.where(within, np.exp(scores), 0.0)
            total = weights.sum(axis=1, keepdims=True)
            density = np.where(radius > 0, np.exp(-np.abs(radius) / scale) / scale, 0.0)
            return weights / np.where(total > 0, total, 1.0) * density[:, None]

        return integral(values, [0.0, *apart.tolist()], scale)

    return pure_table(setting, np.stack([row(x) for x in range(len(points))]), absolute=1e-9)


def _two_stages(share: float) -> Callable[[TrialSetting], ComputedTable]:
    """A cluster by the exponential mechanism, then a word in it; each stage gets ``share`` of epsilon."""

    def made(setting: TrialSetting) -> ComputedTable:
        points, epsilon = setting.points, setting.epsilon * share
        groups = np.arange(len(points)) // 2
        centers = np.array([points[groups == one].mean() for one in np.unique(groups)])
        between = np.abs(centers[:, None] - centers[None, :])
        chosen = softmax(-epsilon / 2 * between / between.max())[groups]
        rows = np.zeros((len(points), len(points)))
        for one in range(len(centers)):
            inside = groups == one
            width = float(np.ptp(points[inside]))
            words = softmax(-epsilon / 2 * setting.distances[:, inside] / width)
            rows[:, inside] = chosen[:, [one]] * words
        return pure_table(setting, rows)

    return made


_MLDP = "mldp-text 0.1.2 (github.com/sjmeis/MLDP), mechanisms.py"
_PANTERA = "github.com/Kekkodf/pypantera, pypantera/src"

CASES: tuple[Case, ...] = (
    Case(
        about=ClaimText(
            name="mldp-tem",
            work="MLDP",
            part="TEM",
            claim=_METRIC,
            source=f"{_MLDP}, class TEM; Carvalho et al., arXiv 2107.07928",
            basis=ClaimBasis.CODE,
            why="The words beyond the radius are scored by ln(words / words within) where their own number is meant.",
            repair="score the rest by its own number: weights exp(-epsilon min(d, radius) / 2)",
            instead="tem",
            form="tem-published",
        ),
        # Three words lie within the radius of the one word and just beyond it for the other.
        setting=line(5.0, -3.37, -3.36, -3.35, 0.0, 0.08, 100.0),
        published=_mldp_tem,
        repaired=truncated_exponential,
    ),
    Case(
        about=ClaimText(
            name="mldp-vickrey",
            work="MLDP",
            part="Vickrey",
            claim=_METRIC,
            source=f"{_MLDP}, class VickreyMechanism; Xu et al., arXiv 2104.11838",
            basis=ClaimBasis.CODE,
            why="Where the nearest word is the input it is dropped: the choice consults the true word.",
            repair="choose among the nearest words of the noisy vector, the input among them",
            instead="vickrey",
            form="vickrey-published",
        ),
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0),
        published=lambda setting: two_nearest(setting, skips=True),
        repaired=lambda setting: two_nearest(setting, skips=False),
    ),
    Case(
        about=ClaimText(
            name="mldp-truncated-gumbel",
            work="MLDP",
            part="truncated Gumbel",
            claim=_METRIC,
            source=f"{_MLDP}, class TruncatedGumbel; Xu et al., FLAIRS 2021",
            basis=ClaimBasis.CODE,
            why="Fewer words than there are take part, so the word farthest from the input never comes out.",
            repair="the exponential mechanism on the same distances",
            instead="exponential",
            form="tgm-published",
        ),
        setting=line(9.0, 0.0, 1.0, 2.0, 4.0),
        published=_truncated_gumbel,
        repaired=exponential,
    ),
    Case(
        about=ClaimText(
            name="mldp-multivariate",
            work="MLDP",
            part="multivariate calibrated",
            claim=_METRIC,
            source=f"{_MLDP}, class MultivariateCalibrated; Feyisetan et al., arXiv 1910.08902",
            basis=ClaimBasis.CODE,
            why="The nearest word is a function of the noisy vector alone, and the search is exact.",
        ),
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0),
        published=nearest_word,
    ),
    Case(
        about=ClaimText(
            name="pypantera-tem",
            work="pyPANTERA",
            part="TEM",
            claim=_METRIC,
            source=f"{_PANTERA}/SamplingPerturbationMechanism/tem.py",
            basis=ClaimBasis.CODE,
            why="Drawing a word beyond the radius raises, and what catches it returns the input: none ever comes out.",
            repair="draw a word beyond the radius uniformly",
            instead="tem",
        ),
        setting=line(5.0, 0.0, 1.0, 3.0, 5.0),
        published=_pantera_tem,
        repaired=truncated_exponential,
    ),
    Case(
        about=ClaimText(
            name="pypantera-custext",
            work="pyPANTERA",
            part="CusText",
            claim=_SHARING,
            source=f"{_PANTERA}/SamplingPerturbationMechanism/custext.py",
            basis=ClaimBasis.CODE,
            why="Every word has the k words nearest to it as its own outputs, so outputs tell inputs apart.",
            repair="clusters of k words that share their outputs; nothing is promised across clusters",
            instead="custext",
            form="custext-published",
        ),
        setting=line(2.0, 0.0, 1.0, 1.9, 2.9),
        published=_own_nearest,
        repaired=_clustered,
    ),
    Case(
        about=ClaimText(
            name="custext-aggressive",
            work="CusText",
            part="mapping aggressive",
            claim=_SHARING,
            source="github.com/sai4july/CusText, CusText/sst2/utils.py; Chen et al., arXiv 2207.01193",
            basis=ClaimBasis.CODE,
            why="Every word has the k words nearest to it as its own outputs, so outputs tell inputs apart.",
            repair="the mapping conservative; nothing is promised across clusters",
            instead="custext",
            form="custext-published",
        ),
        setting=line(2.0, 0.0, 1.0, 1.9, 2.9),
        published=_own_nearest,
        repaired=_clustered,
    ),
    Case(
        about=ClaimText(
            name="custext-conservative",
            work="CusText",
            part="mapping conservative",
            claim="epsilon, for any two words of one cluster",
            source="github.com/sai4july/CusText, CusText/sst2/utils.py; Chen et al., arXiv 2207.01193",
            basis=ClaimBasis.CODE,
            why="Words of one cluster share their outputs, and scores span one unit for each word.",
        ),
        setting=line(2.0, 0.0, 1.0, 3.0, 4.0),
        published=_clustered,
    ),
    Case(
        about=ClaimText(
            name="rantext",
            work="InferDPT",
            part="RANTEXT",
            claim=_PURE,
            source="github.com/mengtong0110/InferDPT, func.py; Tong et al., arXiv 2310.12214",
            basis=ClaimBasis.CODE,
            why="Outputs lie within a random radius of the input, and the radius is rarely as large as the vocabulary.",
            repair="the exponential mechanism over all words, epsilon for the whole range of distances",
            instead="exponential",
            form="rantext-published",
        ),
        setting=line(3.0, 0.0, 1.0, 2.0, 3.0),
        published=_random_radius,
        repaired=range_rule,
    ),
    Case(
        about=ClaimText(
            name="clusant-standard",
            work="CluSanT",
            part="dp_type standard",
            claim="epsilon, the one privacy parameter of the code, for any two words of the clusters",
            source="public copy of clusant.py; Awon et al., NAACL 2025",
            basis=ClaimBasis.CODE,
            why="The cluster and the word in it are drawn by mechanisms of epsilon each: two are spent.",
            repair="half of epsilon for each of the two draws",
            instead="exponential",
            reading=(
                "The code takes one epsilon for dp_type standard and does not say for which of the two draws. Read as "
                "the epsilon of each draw, the claim holds at their sum."
            ),
        ),
        # Many clusters near each other and one far away: its words tell whether the input was one of them.
        setting=line(1.0, *range(8), 100.0, 101.0),
        published=_two_stages(1.0),
        repaired=_two_stages(0.5),
    ),
    Case(
        about=ClaimText(
            name="santext",
            work="SanText",
            part="SanText, one process",
            claim=_METRIC,
            source="github.com/xiangyue9607/SanText, SanText.py; Yue et al., arXiv 2106.01221",
            basis=ClaimBasis.CODE,
            why="The exponential mechanism on Euclidean distances, over one vocabulary for inputs and outputs.",
        ),
        setting=line(3.0, 0.0, 1.0, 2.0, 3.0),
        published=exponential,
    ),
)
"""Claims about single words."""
