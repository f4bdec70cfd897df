"""What attacks on a release came to, as data: measured, never a guarantee."""

from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from textveil.risk.linkage import CONFIDENCE, LEAST_RECORDS, Linkage, strongest
from textveil.risk.others import Joined, Others
from textveil.risk.riskiest import Riskiest
from textveil.risk.unique import Unique
from textveil.version import VERSION

ABOUT: Final = (
    "An attack, never a guarantee: another attacker may know more. A setting chosen by these numbers on private text "
    "tells of that text; choose it on a public sample."
)


class Kept(NamedTuple):
    """What stands in the release as it stood in the originals, by document, whatever its place.

    Attributes:
        words: share of the originals' words.
        content_words: share of those that are no function words.
    """

    words: float
    content_words: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """One release of the originals, attacked.

    Attributes:
        name: "release"; of the ends of the curve "originals" and "blank"; else the policy's name.
        kept: what stands in it.
        linkage: one for each attacker and background.
    """

    name: str
    kept: Kept
    linkage: tuple[Linkage, ...]

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "name": self.name,
            "kept": self.kept._asdict(),
            "linkage": [attack.to_data() for attack in self.linkage],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskReport:
    """What attackers can do with a release.

    Attributes:
        records: of the release.
        attacked: of these; chosen at random where they are fewer.
        release: what was given.
        compared: releases of the same originals: the originals themselves, each policy's, and blanks for all words;
            empty if no policy was named.
        warnings: lines about the inputs, without any text of them.
        encoder: of the sentence vectors, with the first digits of its files' SHA-256; None if there was none.
        unique: quasi-identifiers that are left, and the share of records that they make unique.
        others: names of other persons that are left.
        joined: equal surrogates that join documents.
        riskiest: the riskiest records with what gives them away; private: in no ``to_data``.
    """

    records: int
    attacked: int
    release: Release
    compared: tuple[Release, ...] = ()
    warnings: tuple[str, ...] = ()
    encoder: str | None = None
    unique: Unique | None = None
    others: Others | None = None
    joined: Joined | None = None
    riskiest: tuple[Riskiest, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """JSON data, without any text of release or originals."""
        attacks = self.release.linkage
        backgrounds = dict.fromkeys(attack.against for attack in attacks)
        by_background = [[attack for attack in attacks if attack.against == known] for known in backgrounds]
        return {
            "version": VERSION,
            "about": ABOUT,
            "for_release": False,
            "records": self.records,
            "attacked": self.attacked,
            "confidence": CONFIDENCE if self.attacked >= LEAST_RECORDS else None,
            "encoder": self.encoder,
            "linkage": [attack.to_data() for attack in attacks],
            "strongest": [strongest(own).to_data() for own in by_background],
            "kept": self.release.kept._asdict(),
            "unique": None if self.unique is None else self.unique.to_data(),
            "others": None if self.others is None else asdict(self.others),
            "joined": None if self.joined is None else asdict(self.joined),
            "curve": [release.to_data() for release in self.compared],
            "warnings": list(self.warnings),
        }
