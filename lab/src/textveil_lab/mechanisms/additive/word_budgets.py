"""Spherical Laplace noise whose rate depends on the class of the word in a public table: less budget for some words."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from textveil.errors import InputError, need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import MetricDP
from textveil.privacy.units import within_groups
from textveil.randomness import resolve
from textveil.registry.options import FRACTION, Option, file_or_named
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, ProjectionName, one_of

PROOF: Final = "textveil_lab/proofs/word_budgets.md"
RARE, NAMES = "rare", "names"
"""Sensitive words, if no file names them: the rarer half, or those that name people and places."""

_GROUP: Final = "Budgets of words"
_BUDGETS = Option(
    file_or_named(f"{RARE}, {NAMES} or a file of words and shares", RARE, NAMES),
    "Words with less budget: the rarer half, those that name people and places, "
    "or a file with a word and its share of epsilon, in (0, 1], on each line.",
    "NAME|FILE",
    _GROUP,
)
_SHARE = Option(FRACTION, "Share of epsilon that they have, but for a file.", "S", _GROUP)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class WordBudgets:
    """Release the word nearest to v(x) + noise of density exp(-rate_c ||z||), c the public class of x.

    Two words of one class at distance d have noise of one law, and lose at most rate_c d. The class itself is not
    hidden: words of two classes have noise of two sizes, whose densities have no bounded ratio. Source: Tang et al.
    2020; proof: textveil_lab/proofs/word_budgets.md.
    """

    name: ClassVar[str] = "word-budgets"
    vocabulary: Vocabulary
    shares: Reals  # of each class, of the largest rate; rising, shape (classes,)
    groups: Integers  # the class of every word, int64, shape (n,)
    guarantee: MetricDP  # metric DP within classes, at the largest rate
    budgets: str  # source of the classes
    sensitive_share: float
    _parts: tuple[PerturbProject, ...] = field(repr=False)

    @property
    def parameters(self) -> Mapping[str, Any]:
        largest = self._parts[-1].parameters
        return {
            **{
                key: largest[key] for key in ("epsilon", "epsilon_per_distance", "clip", "projection") if key in largest
            },
            "budgets": self.budgets,
            "sensitive_share": self.sensitive_share,
            "class_shares": self.shares.tolist(),
            "class_words": np.bincount(self.groups).tolist(),
            "budgets_digest": hashlib.sha256(self.shares[self.groups].tobytes()).hexdigest()[:16],
        }

    def word_distances(self, ids: Ids) -> Reals:
        return self._parts[-1].word_distances(ids)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words = checked_ids(ids, len(self.vocabulary))
        generator = resolve(rng)
        out = np.empty(len(words), dtype=np.int64)
        for number, part in enumerate(self._parts):
            here = self.groups[words] == number
            out[here] = part.privatize(words[here], generator)
        return out


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    adjacency=within_groups("class of words"),
    source="after Tang et al. 2020, whose text was not available; textveil_lab/proofs/word_budgets.md",
    summary="Spherical Laplace noise, more of it on the words of public classes; protects within a class.",
)
def word_budgets(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    budgets: Annotated[str, _BUDGETS] = RARE,
    sensitive_share: Annotated[float, _SHARE] = 0.5,
    clip: Clip | None = 1.0,
    projection: ProjectionName | None = None,
) -> WordBudgets:
    """Spherical Laplace noise with a rate for each public class of words, calibrated by exactly one parameter.

    ``epsilon`` is the loss of the class with the largest budget; a class of share s has s epsilon. ``budgets``: "rare"
    by public counts; "names" if they are known; words missing from a file have share 1.

    Raises:
        ParameterError: an option is outside its domain, or no word of the vocabulary is known as a name, or every class
            has one word, so nothing is protected.
        InputError: the file has an invalid line.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    of_words = _shares(vocabulary, budgets, sensitive_share)
    shares, groups = np.unique(of_words, return_inverse=True)
    classes = np.bincount(groups)
    got, wanted = f"{len(classes)} classes of one word each", "a table with two words of one class at least"
    hint = "A word that is alone in its class is not protected: give fewer different shares."
    need(int(classes.max()) > 1, "budgets", got, wanted, hint)
    # A product that was rounded up would spend more than the share.
    rates = [value if share == 1 else math.nextafter(value * share, 0) for share in shares.tolist()]
    parts = tuple(
        spherical_laplace(
            vocabulary,
            epsilon=rate if name == "epsilon" else None,
            epsilon_per_distance=None if name == "epsilon" else rate,
            clip=clip,
            projection=projection,
        )
        for rate in rates
    )
    largest = parts[-1].guarantee
    assert isinstance(largest, MetricDP)
    promise = replace(largest, source=PROOF, adjacency=within_groups("class of words"))
    said = budgets if budgets in (RARE, NAMES) else Path(budgets).name
    return WordBudgets(vocabulary, shares, groups.astype(np.int64), promise, said, sensitive_share, parts)


def _shares(vocabulary: Vocabulary, budgets: str, share: float) -> Reals:
    """Return the share of every word, in (0, 1], shape (n,)."""
    out = np.ones(len(vocabulary))
    if budgets == RARE:
        counts = word_frequencies(vocabulary).counts
        out[np.argsort(-counts, kind="stable")[len(vocabulary) // 2 :]] = share
    elif budgets == NAMES:
        names = word_frequencies(vocabulary).names
        need(bool(names.any()), "budgets", NAMES, f"{RARE} or a file for a vocabulary whose names are not known")
        out[names] = share
    else:
        _read(vocabulary, Path(budgets), out)
    return out


def _read(vocabulary: Vocabulary, path: Path, out: Reals) -> None:
    """Write the shares of a file into ``out``; skip words outside the vocabulary."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"`budgets` must be a readable UTF-8 file; got {type(error).__name__}.") from None
    for number, line in enumerate(lines, start=1):
        parts = line.split()
        if not parts:
            continue
        try:
            word, share = parts[0], float(parts[1])
            fits = len(parts) == 2 and 0 < share <= 1
        except (IndexError, ValueError):
            fits = False
        if not fits:
            raise InputError(
                f"`budgets` must have a word and a share in (0, 1] in each line; line {number} has others."
            )
        word_id = vocabulary.id_of(word)
        if word_id is not None:
            out[word_id] = share
