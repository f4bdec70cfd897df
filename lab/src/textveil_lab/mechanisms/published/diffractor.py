"""1-Diffractor with its package's default seed: public noise, for audits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon, checked_bounds, checked_ids
from textveil.privacy.guarantees import Guarantee, Status
from textveil.randomness import seeded_generator
from textveil.registry.options import Option, at_least
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.diffractor import (
    GEOMETRIC,
    GROUP,
    LIST_SEED,
    LISTS,
    Diffractor,
    GeometricDraws,
    diffractor,
)
from textveil_lab.mechanisms.parameters import EpsilonPerDistance
from textveil_lab.mechanisms.published.claims import ComputedTable, PublishedClaim, TrialSetting, line

REFUTATION: Final = "textveil_lab/proofs/diffractor_published.md"
_SEED = Option(at_least(0), "Seed of the noise.", "N", GROUP)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class PublishedDiffractor:
    """Geometric form of ``Diffractor`` with steps from one public seed, anew for every document.

    The step at a position of a document is then a constant that anybody can compute, and the output a function of the
    word. The package uses NumPy's stream, this class another; any one known stream refutes the claim. Source: package
    `diffractor` 0.2.1, `DiffractorConfig`; refutation: textveil_lab/proofs/diffractor_published.md.
    """

    name: ClassVar[str] = "diffractor-published"
    valid: Diffractor  # the mechanism with fresh noise
    guarantee: Guarantee
    noise_seed: int  # of the noise
    _draws: GeometricDraws = field(repr=False)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.valid.vocabulary

    @property
    def parameters(self) -> Mapping[str, Any]:
        left_out = ("method", "gamma")
        kept = {key: value for key, value in self.valid.parameters.items() if key not in left_out}
        return {**kept, "noise_seed": self.noise_seed}

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: np.random.Generator | None = None) -> Ids:
        """Return the same output for the same documents, whatever ``rng`` is; see ``SequenceMechanism``."""
        words = checked_ids(ids, len(self.vocabulary))
        edges = checked_bounds(bounds, len(words))
        lengths = np.diff(edges)
        place = np.arange(len(words)) - np.repeat(edges[:-1], lengths)
        which, steps = self._stream(int(lengths.max(initial=0)))
        return self._moved(words, which[place], steps[place])

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        """Return 1 for the one possible output, else 0; see ``capabilities.SequenceWeights``."""
        words = checked_ids(ids, len(self.vocabulary))
        which, steps = self._stream(len(past) + 1)
        out = np.zeros((len(words), len(self.vocabulary)), dtype=np.int64)
        out[np.arange(len(words)), self._moved(words, which[-1], steps[-1])] = 1
        return out

    def _stream(self, length: int) -> tuple[Integers, Integers]:
        """Return list and step at the first positions of every document; long documents begin like short ones."""
        which = seeded_generator(self.noise_seed).integers(0, len(self._draws.lists), size=length)
        return which, self._draws.steps.drawn(length, seeded_generator(self.noise_seed + 1))

    def _moved(self, words: Ids, which: Any, steps: Any) -> Ids:
        draws = self._draws
        out: Ids = draws.lists[which, draws.steps.moved(draws.places[which, words], steps)]
        return out


@refuted(
    family="sequence",
    notion="pure or metric DP",
    proof=REFUTATION,
    source="package diffractor 0.2.1 (Meisenbacher, Chevli and Matthes 2024)",
    summary="1-Diffractor with the default seed of its package: noise that everybody knows.",
    instead="diffractor",
    shown_at={"epsilon": 8.0},  # at epsilon 1 a step is longer than the list of a small vocabulary
)
def diffractor_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    lists: Annotated[int, LISTS] = 5,
    list_seed: Annotated[int, LIST_SEED] = 0,
    noise_seed: Annotated[int, _SEED] = 42,
    progress: Progress | None = None,
) -> PublishedDiffractor:
    """The geometric form of ``diffractor`` with noise of a public seed.

    Use ``diffractor`` for a guarantee that holds.
    """
    valid = diffractor(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        method=GEOMETRIC,
        lists=lists,
        list_seed=list_seed,
        progress=progress,
    )
    claim = replace(valid.guarantee, status=Status.REFUTED, source=REFUTATION)
    draws = valid.draws
    assert isinstance(draws, GeometricDraws)
    return PublishedDiffractor(valid, claim, noise_seed, draws)


def _with_seed(setting: TrialSetting) -> ComputedTable:
    n = len(setting.points)
    rng = np.random.default_rng(np.random.SeedSequence(42).spawn(1)[0])
    stay = -math.expm1(-setting.epsilon)
    noise = int(rng.geometric(stay)) - int(rng.geometric(stay))
    rows = np.zeros((n, n))
    rows[np.arange(n), np.clip(np.arange(n) + noise, 0, n - 1)] = 1.0
    return _list_table(setting, rows, seed=42, noise=noise)


def _geometric_list(setting: TrialSetting) -> ComputedTable:
    n, q = len(setting.points), math.exp(-setting.epsilon)
    away = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
    rows = (1 - q) / (1 + q) * q**away
    # All that would leave the list on one side stops at its end.
    for end in (0, n - 1):
        rows[:, end] = q ** away[:, end] / (1 + q)
    return _list_table(setting, rows)


def _list_table(setting: TrialSetting, rows: Reals, **facts: int) -> ComputedTable:
    return ComputedTable(
        rows=rows,
        claims=setting.epsilon * np.abs(np.arange(len(rows))[:, None] - np.arange(len(rows))[None, :]),
        inputs=setting.words,
        outputs=setting.words,
        facts={"epsilon per place": setting.epsilon, **facts},
    )


CLAIMS: Final = (
    PublishedClaim(
        name="diffractor-seed",
        work="1-Diffractor",
        part="default options",
        claim="epsilon times the distance in the list, for any two words",
        source="github.com/sjmeis/Diffractor, src/diffractor/core.py (seed: int = 42); arXiv 2405.01678",
        why="The seed is a public constant, so the noise of every position is known and can be taken off.",
        repair="seed from the operating system",
        instead="diffractor",
        form="diffractor-published",
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0, 4.0),
        published=_with_seed,
        repaired=_geometric_list,
    ),
    PublishedClaim(
        name="diffractor-list",
        work="1-Diffractor",
        part="two-sided geometric noise on one list, any seed that is secret",
        claim="epsilon times the distance in the list, for any two words",
        source="github.com/sjmeis/Diffractor, src/diffractor/core.py; Meisenbacher et al., arXiv 2405.01678",
        why="Geometric noise on a place, clamped to the list, loses epsilon for each step.",
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0, 4.0),
        published=_geometric_list,
    ),
)
