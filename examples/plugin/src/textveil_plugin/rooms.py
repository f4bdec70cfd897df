"""Rooms of a hospital: a detector that finds them, and a surrogate that puts another room in their place.

Both are one line of ``pyproject.toml`` each. A policy names them like textveil's own: ``detectors = ["rooms"]`` and
``surrogate = "room"`` (see ``ward.toml``).
"""

import re
from collections.abc import Sequence
from typing import Annotated, Final, final

import numpy as np

from textveil.detection.spans import DetectedSpan
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_VALUE
from textveil.registry.options import Domain, Option
from textveil.surrogates.drawn import Drawn
from textveil.surrogates.making import declared
from textveil.surrogates.scopes import Scope

PROOF: Final = "textveil_plugin/proofs/rooms.md"

_ROOM: Final = re.compile(r"\b(?:room|ward|bed)\s{1,3}(?P<value>[0-9]{1,4}[A-Z]?)\b", re.IGNORECASE)

ROOMS_A_FLOOR: Final = 100


@final
class RoomDetector:
    """Finds "room 12B", "Ward 7", "bed 3": the number is the span, the word before it stays.

    A function of the text alone, in time linear in it; what it returns is checked by textveil before it is used.
    """

    name = "rooms"
    kinds = ("room",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``textveil.detection.spans.Detector``."""
        return [
            [DetectedSpan(*one.span("value"), "room", 1.0, self.name) for one in _ROOM.finditer(text)] for text in texts
        ]


@declared(summary="A room out of a public list of floors and rooms.", kinds=("room",), proof=PROOF)
def room(
    *,
    floors: Annotated[
        int, Option(domain=Domain("between 1 and 99", lambda value: 1 <= value <= 99), help="Floors.", metavar="N")
    ] = 9,
) -> Drawn:
    """A pseudonym: each room of the list is as probable as any other, whatever room stood there."""
    entries = floors * ROOMS_A_FLOOR

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        # The label names the list: two lists of one scope share no places.
        return str(ROOMS_A_FLOOR + scope.place(f"rooms {floors}", value, entries, rng))

    return Drawn(
        name="room",
        parameters={"floors": floors},
        guarantee=PureDP(epsilon=0.0, status=Status.PROVED, source=PROOF, adjacency=ONE_VALUE),
        public=(),
        equality="which mentions of a room are equal",
        entries=entries,
        surrogate_of=surrogate_of,
    )
