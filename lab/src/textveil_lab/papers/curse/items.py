"""Items of the paper on the curse of dimensionality, and items beyond them.

The paper's settings stand beside each item; those not stated, or not available, are marked so.
"""

from collections.abc import Mapping
from types import MappingProxyType

from textveil_lab.papers.curse.facts import FIX_CONSTANT, GRIDS, SUBSET_NOTE, SUBSETS
from textveil_lab.papers.report import WORDS, Basis, Item, Paper

_SAMPLE = "5,000 random words a vocabulary"


_CLOSE = "the first 100 neighbors"


_UNKNOWN = "not at hand"


def _epsilons(field: str) -> dict[str, str]:
    ends = {name: getattr(grid, field) for name, grid in GRIDS.items()}
    return {
        f"epsilon, {name}": f"{grid[0]:g} to {grid[1]:g} by {grid[2]:g}"
        for name, grid in ends.items()
        if grid is not None
    }


PAPER_SETTINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "figure-1": {
            "noise": "Laplace, sensitivity 1",
            "close": "within a stated distance, not at hand",
            "epsilon": _UNKNOWN,
        },
        "figure-2": {
            WORDS: _SAMPLE,
            "vocabularies": "GloVe-Wiki 300d and fastText 300d",
            "close": _CLOSE,
            **_epsilons("noise"),
        },
        "figure-3": {"map": "the states without Alaska", "epsilon per km": f"one for both states; {_UNKNOWN}"},
        "figure-4": {"n": f"several; {_UNKNOWN}", "epsilon": _UNKNOWN},
        "figure-6": {"thresholds": "Table 2", "draws a point": "10,000", "epsilon": "1 to 50"},
        "figure-8": {
            WORDS: _SAMPLE,
            "vocabularies": "GloVe-Wiki 300d and word2vec 300d",
            "c": ", ".join(f"{name}: {constant:g}" for name, constant in FIX_CONSTANT.items()),
            "close": _CLOSE,
            **_epsilons("fix"),
        },
        "figure-9": {WORDS: _SAMPLE, "vocabularies": "those of figure 2", "close": _CLOSE, **_epsilons("exponential")},
        "table-2": {WORDS: _SAMPLE, "ranks": "1, 2 and 101"},
        "example": {
            "vectors": "GloVe",
            "epsilon": _UNKNOWN,
            "marks": "commas and periods left out",
            "second step": "a language model mends the grammar",
        },
        "theorem-8": {"probability of the bound": "0.99, both factors equal"},
    }
)
"""Settings by the name of the item; items without settings of their own are absent."""


_HERE = "textveil_lab.papers.curse"
_TABLES = ("table-1", "table-2", "theorem-8", "example", "paragraph")
"""Items drawn only if matplotlib is installed; they need no figure."""


def _item(name: str, title: str, basis: Basis, target: str, about: str) -> Item:
    return Item(
        name=name,
        title=title,
        basis=basis,
        about=about,
        target=f"{_HERE}.{target}",
        draws=name not in _TABLES,
        settings=PAPER_SETTINGS.get(name, {}),
    )


PAPER = Paper(
    name="curse",
    title="dX-Privacy for Text and the Curse of Dimensionality",
    citation=(
        "Asghar, Carpentier, Zhao and Kaafar, Proceedings on Privacy Enhancing Technologies 2026(1), 224-241, "
        "doi 10.56553/popets-2026-0012, arXiv 2411.13784"
    ),
    sources=(
        "Settings and numbers are the paper's; where it states no grid of epsilons, those of the authors' artifact "
        "(github.com/r-carpentier/dx-privacy-curse)."
    ),
    vocabularies=SUBSETS,
    notes=(SUBSET_NOTE,),
    items=(
        _item(
            "figure-1",
            "One dimension: Laplace noise on the positive integers",
            Basis.PAPER,
            "small_dimensions:figure_1",
            "Laplace noise on a positive integer, rounded to the nearest one: shares of outputs that are the "
            "original, close or distant, against epsilon. Computed, where the paper draws.",
        ),
        _item(
            "figure-2",
            "What noise turns a word into",
            Basis.PAPER,
            "profiles:figure_2",
            "Shares of outputs that are the original word, one of its nearest neighbors, or distant, against "
            "epsilon, for random words.",
        ),
        _item(
            "figure-3",
            "Two dimensions: noise around Hawaii and around Kansas, at one epsilon",
            Basis.PAPER,
            "two_states:figure_3",
            "The map of the states without Alaska. Noise around Hawaii falls into the ocean and comes back to "
            "Hawaii; the same noise around Kansas falls on its neighbors and beyond.",
        ),
        _item(
            "figure-4",
            "The length of the noise",
            Basis.PAPER,
            "noise_length:figure_4",
            "The density of the noise's length, Gamma(n, 1 / epsilon), for several numbers of dimensions n.",
        ),
        _item(
            "figure-5",
            "The geometry of the nearest word",
            Basis.PAPER,
            "nearest_geometry:figure_5",
            "Theorems 1 and 2 of the paper's section 4: the word stays nearest when the projection of the noise "
            "on the difference to its neighbor is below half its length (a); why, with the word at the origin "
            "(b); first against second neighbor (c).",
        ),
        _item(
            "figure-6",
            "Necessary conditions for the nearest word",
            Basis.PAPER,
            "dot_product:figure_6",
            "P(Z <= z) against epsilon, Z the noisy dot product and z the mean thresholds of Table 2: the "
            "original word against its first neighbor, and the first neighbor against the second. Exact, where "
            "the paper draws.",
        ),
        _item(
            "figure-7",
            "Why the rank of a neighbor is no metric",
            Basis.PAPER,
            "rank_no_metric:figure_7",
            "A small arrangement of points in which rank(a, b) = 1 but rank(b, a) = 2, and the triangle inequality "
            "fails.",
        ),
        _item(
            "figure-8",
            "The same as figure 2 with the paper's fix",
            Basis.PAPER,
            "fix_profiles:figure_8",
            "The nearest word to the noisy vector is replaced by its i-th neighbor with probability proportional "
            "to exp(-c epsilon i): at the c that the paper sets by hand, and at the c of a criterion.",
        ),
        _item(
            "figure-9",
            "The same as figure 2 with the exponential mechanism",
            Basis.PAPER,
            "profiles:figure_9",
            "P(y given x) proportional to exp(-epsilon d(x, y) / 2) (SanText, Yue et al. 2021), averaged over the "
            "words and not drawn from.",
        ),
        _item(
            "figure-10",
            "A uniform point of a disc",
            Basis.PAPER,
            "disc:figure_10",
            "Appendix B: a uniform point of a disc of radius R has a length of density 2r / R^2. Circles, and the "
            "thin ring at radius r.",
        ),
        _item(
            "table-1",
            "The vocabularies",
            Basis.PAPER,
            "rank_no_metric:table_1",
            "The paper's vocabularies with their dimensions and numbers of words, beside those of this run.",
        ),
        _item(
            "table-2",
            "How isolated words are",
            Basis.PAPER,
            "table_two:table_2",
            "Means of the right sides of equations 18 (half the distance to the first neighbor) and 19 (first "
            "neighbor against the second, and against the first one that is not close) over random words.",
        ),
        _item(
            "theorem-8",
            "A bound of the noisy dot product, computed",
            Basis.PAPER,
            "theorem_eight:theorem_8",
            "P(|Z| < a b) is at least the product of two probabilities, that the angle's part is below a and that the "
            "noise is shorter than b; here beside the exact distribution.",
        ),
        _item(
            "example",
            "A paragraph with identifiers, sanitized and then mended",
            Basis.PAPER,
            "example:example",
            "The example of section 2: a paragraph about a patient, sanitized word by word, then mended.",
        ),
        _item(
            "states",
            "The map of the states against epsilon",
            Basis.BEYOND,
            "small_dimensions:states",
            "Shares of the original state, close and distant ones, mean over all states; computed.",
        ),
        _item(
            "dot-product",
            "The distribution of the noisy dot product",
            Basis.BEYOND,
            "dot_product:dot_product",
            "Density of the product of the noise with a unit vector, in closed form.",
        ),
        _item(
            "tail-bounds",
            "Tails of the noisy dot product and bounds on them",
            Basis.BEYOND,
            "dot_product:tail_bounds",
            "The exact upper tail against upper bounds, and the factor between them.",
        ),
        _item(
            "neighbor-distances",
            "How far the k-th neighbor is",
            Basis.BEYOND,
            "table_two:neighbor_distances_by_rank",
            "Distance to the k-th neighbor against k, as a share of the distance to the first; medians and quartiles "
            "over words.",
        ),
        _item(
            "rank-constants",
            "The constant of the fix by a criterion",
            Basis.BEYOND,
            "profiles:rank_constants",
            "c chosen for each vocabulary by least squares on the logarithms of the rank probabilities, and the "
            "close share along multiples of it.",
        ),
        _item(
            "paragraph",
            "A paragraph through several mechanisms",
            Basis.BEYOND,
            "paragraph:paragraph",
            "An invented paragraph through noise, without and with the fix, and through the neighborhood mechanism.",
        ),
        _item(
            "equal-guarantee",
            "Every mechanism at the same guarantee",
            Basis.BEYOND,
            "equal_guarantee:equal_guarantee",
            "Shares as in figure 2 for every mechanism of the catalog at one epsilon for any two words: which of "
            "them gives neighbors at all. Refuted mechanisms are left out.",
        ),
        _item(
            "metrics",
            "Metrics made of ranks, beside the fix",
            Basis.BEYOND,
            "equal_guarantee:metrics",
            "The exponential mechanism on shared-neighbor distance, on the neighbor graph and on an ultrametric, "
            "at equal epsilon, beside the fix: the paper's open problem of a metric that flattens the first gap.",
        ),
    ),
)
