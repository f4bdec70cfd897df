"""Installed packages, run unchanged over a few public words: their draws are tested."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from textveil.errors import InputError
from textveil_lab.audit.field.rows import FieldRow
from textveil_lab.audit.foreign.mldp import Places, distance, mldp_mechanism
from textveil_lab.audit.report.report import Claim, Finding
from textveil_lab.audit.sampled.bounds import audit_sampled
from textveil_lab.audit.sampled.draws import callable_draw
from textveil_lab.mechanisms.published.claims import ClaimBasis, PublishedClaim

_BATCH = 100  # Words a call: the package draws for each word anew, in a loop of ours


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Peer:
    """Mechanism of an installed package, with the pair of words that its claim is tested on."""

    name: str
    mechanism: str
    places: Places
    pair: tuple[str, str]
    epsilon: float  # nats per unit of distance
    samples: int  # draws for each of the two
    why: str
    case: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def claim(self) -> Claim:
        return Claim(epsilon=self.epsilon * distance(self.places, *self.pair))

    def audited(self) -> Finding:
        """Return the verdict on the package's own draws for the pair.

        Raises:
            MissingExtra: the package is not installed.
        """
        drawn = mldp_mechanism(self.mechanism, self.places, self.epsilon, **self.options)
        draw = callable_draw(drawn, batch=_BATCH)
        return audit_sampled(draw, [self.pair], self.claim, samples=self.samples, confidence=0.999)


_LINE: Places = MappingProxyType({"north": (0.0,), "east": (1.0,), "south": (2.0,), "west": (3.0,)})
_TRIANGLE: Places = MappingProxyType({"north": (0.0, 0.0), "east": (1.0, 0.0), "south": (0.5, 0.88)})
_SIDES = [distance(_TRIANGLE, *pair) for pair in itertools.combinations(_TRIANGLE, 2)]
_ANGLES = [math.radians(-25 + 50 * i / 59) for i in range(60)]
_ARC: Places = MappingProxyType(
    {
        "left": (-0.002, 0.0),
        "center": (0.0, 0.0),
        "up": (-0.002, 0.002),
        "down": (-0.002, -0.002),
        "lone": (0.0, -1.0),
        **{f"far{i}": (0.0992 * math.cos(a), 0.0992 * math.sin(a)) for i, a in enumerate(_ANGLES)},
    }
)
"""Sixty words just within the radius of "center" (0.1 at epsilon 149) and just beyond that of "left"."""

PEERS: tuple[Peer, ...] = (
    Peer(
        name="installed-mldp-multivariate",
        mechanism="multivariate_calibrated",
        places=_LINE,
        pair=("north", "east"),
        epsilon=1.0,
        samples=8_000,
        why="The nearest word is a function of the noisy vector alone.",
        case="mldp-multivariate",
    ),
    Peer(
        name="installed-mldp-vickrey",
        mechanism="vickrey",
        places=_LINE,
        pair=("north", "east"),
        epsilon=1.0,
        samples=16_000,
        why="Where the nearest word is the input it is dropped: the choice consults the true word.",
        case="mldp-vickrey",
    ),
    Peer(
        name="installed-mldp-tem",
        mechanism="tem",
        places=_ARC,
        pair=("center", "left"),
        epsilon=149.0,
        samples=60_000,
        why="The words beyond the radius are scored together by ln(words / words within).",
        case="mldp-tem",
    ),
    Peer(
        name="installed-mldp-truncated-gumbel",
        mechanism="truncated_gumbel",
        places=_TRIANGLE,
        pair=("south", "north"),
        epsilon=7.4,
        samples=36_000,
        why="Fewer words than there are take part, so the word farthest from the input never comes out.",
        case="mldp-truncated-gumbel",
        options=MappingProxyType({"max_inter_dist": max(_SIDES), "min_inter_dist": min(_SIDES)}),
    ),
)
"""Mechanisms of mldp-text, each on the words that show most."""


def peer_row(peer: Peer) -> FieldRow:
    """Return the row of an installed package: its draws, tested."""
    about = PublishedClaim(
        name=peer.name,
        work="MLDP",
        part=f"{peer.mechanism} of mldp-text as installed",
        claim="epsilon times the distance of two words, for any two words",
        source="mldp-text 0.1.2 from the registry, exact search",
        basis=ClaimBasis.INSTALLED,
        why=peer.why,
    )
    try:
        return FieldRow(about=about, finding=peer.audited())
    except InputError as error:
        return FieldRow(about=about, finding=None, note=str(error))


def frequencies(peer: Peer, word: str, count: int) -> np.ndarray:
    """Return how often each of the peer's words comes out for ``word``, in ``count`` draws."""
    drawn = mldp_mechanism(peer.mechanism, peer.places, peer.epsilon, **peer.options)([word] * count)
    return np.array([drawn.count(place) for place in peer.places])
