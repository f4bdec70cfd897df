"""Optimal channel: the base weights of largest mean utility, with a bound that no epsilon-DP channel exceeds."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, Prior, checked_ids, checked_word_id
from textveil.mechanisms.neighborhood import WeightedNeighborhood, weighted_neighborhood
from textveil.numerics.base_weights import BaseWeights
from textveil.privacy.guarantees import PureDP
from textveil.registry.options import NEIGHBORHOODS, Option, file_or_named, named
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.facts import given_frequencies
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.product_columns import WeightedColumns
from textveil_lab.mechanisms.sampling.optimal_weights import (
    NAMES,
    OptimumSetting,
    optimum_of,
    optimum_table,
    utility_of,
)
from textveil_lab.mechanisms.sampling.output_columns import Columns

PROOF = "textveil_lab/proofs/optimal.md"

_MOST_EPSILON = 40.0
"""Above it every word stays, except for one draw in 10^12, so there is nothing to search for."""

FAR = 0.05  # relative gap between value and bound above which a user is warned
_LEAST_EPSILON = 2.0**-20  # below it integers cannot tell raised weights from others well enough


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Optimal:
    """P(y | x) between q(y) and e^epsilon q(y), raised in the order of utility, with the q of largest mean utility.

    It is a weighted neighborhood with its guarantee; a solver finds the base weights. Proof:
    textveil_lab/proofs/optimal.md.

    Attributes:
        channel: the weighted neighborhood that draws.
        value: mean utility of the sampled integers, under the prior.
        bound: upper bound on the mean utility of every epsilon-DP channel.
    """

    name: ClassVar[str] = "optimal"
    channel: WeightedNeighborhood
    parameters: Mapping[str, Any]
    value: float
    bound: float
    _optimum: PublicTable = field(repr=False)
    _columns: WeightedColumns = field(repr=False)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.channel.vocabulary

    @property
    def weights(self) -> BaseWeights:
        """Integers that are sampled."""
        return self.channel.weights

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for any two words."""
        return self.channel.guarantee

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        return (self._optimum, *self.channel.tables)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self.channel.privatize(ids, rng)

    def integer_weights(self, ids: Ids) -> Integers:
        return self.channel.integer_weights(checked_ids(ids, len(self.vocabulary)))

    def columns(self, outputs: Ids) -> Columns:
        return self._columns.columns(outputs)

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | word_id), shape (n,)."""
        return self.channel.probabilities(checked_word_id(word_id, len(self.vocabulary)))


_UTILITY = Option(
    file_or_named(f"one of {', '.join(NAMES)}, or a .npy file", *NAMES),
    "Utility of an output: its cosine (content: each word weighed by its information; centered: without "
    "the mean vector), the rank of the neighbor, or a file with a row and a column for every word.",
    "NAME|FILE",
    NEIGHBORHOODS,
)
_NAMES = Option(
    named("rare", "free"),
    "Whether words that name people and places keep a low base weight, or what is best without that.",
    "NAME",
    NEIGHBORHOODS,
)


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source=f"{PROOF}; extremal shape: Kairouz, Oh and Viswanath 2014",
    summary="The base weights of highest mean utility for a public prior, with an upper bound for every channel.",
)
def optimal(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    prior: Prior | NDArray[Any] | None = None,
    utility: Annotated[str, _UTILITY] | NDArray[Any] | Callable[[Ids], NDArray[Any]] = "cosine",
    names: Annotated[str, _NAMES] = "rare",
    progress: Progress | None = None,
) -> Optimal:
    """The optimal channel at ``epsilon`` nats for any two words, to within ``(bound - value) / value``.

    The search takes minutes at 10,000 words. Its result is public: it is kept in the user's cache folder, under the
    digest of all inputs, and reused; an interrupted search continues.

    ``prior`` may also be numbers > 0, one for each word. ``utility`` is an argument of ``utility_of``; rare ``names``
    weigh at most half of their flat weights.

    Warns:
        UserWarning: the bound is more than 5 % above the value, so a better channel may exist.

    Raises:
        ParameterError: the prior or the utility does not fit, or no channel beats a uniform word at this epsilon.
        InputError: a file cannot be read.
    """
    _refuse_unless(epsilon >= _LEAST_EPSILON, epsilon)
    need(
        epsilon <= _MOST_EPSILON, "epsilon", f"{epsilon:g}", f"at most {_MOST_EPSILON:g} here", "All words stay there."
    )
    gains, frequencies = utility_of(vocabulary, utility), given_frequencies(vocabulary, prior)
    setting = OptimumSetting(
        vocabulary=vocabulary.digest,
        utility=gains,
        frequencies=frequencies,
        epsilon=float(epsilon),
        rare_names=names == "rare",
    )
    table = optimum_table(setting)
    optimum = optimum_of(setting, table.opened() or table.build(progress).table)
    _refuse_unless(optimum.value > optimum.uniform + 1e-9 * abs(optimum.uniform), epsilon)
    gap = optimum.bound - optimum.value
    if gap > FAR * abs(optimum.value):
        warnings.warn(
            f"optimal: its mean utility is {optimum.value:.4g}, and only at {optimum.bound:.4g} could none be better; "
            "a better channel may exist. Compare other mechanisms, or give a utility with fewer ties.",
            stacklevel=3,
        )
    parameters = {
        "prior": frequencies.source,
        "utility": gains.name,
        "names": names,
        "value": optimum.value,
        "bound": optimum.bound,
        "weights_digest": optimum.weights.digest[:16],
    }
    channel = weighted_neighborhood(
        vocabulary, optimum.weights, epsilon=epsilon, parameters={}, order=gains.order, proof=PROOF
    )
    public = {"epsilon": channel.guarantee.epsilon, **parameters}
    return Optimal(channel, public, optimum.value, optimum.bound, table, WeightedColumns(channel))


def _refuse_unless(holds: bool, epsilon: float) -> None:
    got = f"{epsilon:g}, at which no channel is worth more than a uniform word"
    need(holds, "epsilon", got, "large enough for this utility", "Take a larger one.")
