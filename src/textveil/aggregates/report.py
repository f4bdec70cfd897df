"""What a release about a corpus says of itself: guarantee, what is public, what was bounded, what is not covered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from textveil.json_text import json_text
from textveil.privacy import proved
from textveil.privacy.guarantees import TRUSTED, ApproximateDP, Guarantee, Status
from textveil.privacy.proved import registered, status_of
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE
from textveil.version import VERSION

_NOT_COVERED: Final = (
    "Facts about many persons: the release says what is common among them.",
    "What one person's records tell about another person.",
    "Running time, and whether the run ended.",
)

_PROOFS: Final = Path(proved.__file__).parent / "proofs"

_ADJACENCIES: Final = {each.unit.value: each for each in (ONE_PERSON_MORE, ONE_RECORD_MORE)}


@dataclass(frozen=True, kw_only=True)
class AggregateReport:
    """Facts of a release. Every number that depends on the data has noise.

    Attributes:
        release: kind: "counts", "classifier", "synthetic text", "topics".
        guarantee: of all that comes out, with unit and adjacency.
        selections: part of delta that selections may spend, as ``GaussianBudget`` has it.
        public: what was known before the corpus was read, by name: vocabulary, labels, weights.
        bounded: how far one person's records count, by name.
        noise: each noise, by what it was added to: its standard deviation in units of the values.
        facts: numbers of the release that are noisy, or made of noisy ones.
        not_covered: sentences that the kind adds to those of every release.
        secure: whether the operating system's randomness was used.
    """

    release: str
    guarantee: Guarantee
    selections: Fraction = Fraction(0)
    public: Mapping[str, Any]
    bounded: Mapping[str, Any]
    noise: Mapping[str, float]
    facts: Mapping[str, Any]
    not_covered: Sequence[str] = ()
    secure: bool = True

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "textveil": VERSION,
            "release": self.release,
            "guarantee": self.guarantee.to_data(),
            "selections": str(self.selections),
            "public": dict(self.public),
            "bounded": dict(self.bounded),
            "noise": dict(self.noise),
            "facts": dict(self.facts),
            "not_covered": [*_NOT_COVERED, *self.not_covered],
            "randomness": "operating system" if self.secure else "seeded: not for release",
        }

    def to_json(self) -> str:
        """The report as indented JSON text."""
        return json_text(self.to_data(), indent=1)


def stated_guarantee(report: Mapping[str, Any]) -> ApproximateDP:
    """The guarantee that a report states as JSON data.

    Anybody can write "proved" into a file. It counts only under a proof that textveil's code for that kind of release
    is registered under; else the guarantee is claimed. That the numbers are a release's is the writer's word.

    Raises:
        KeyError, TypeError, ValueError: it states none.
    """
    stated = report["guarantee"]
    status, source = Status(stated["status"]), str(stated["source"])
    if status in TRUSTED:
        status = status_of(_maker(report.get("release"), source), source)
    return ApproximateDP(
        epsilon=float(stated["epsilon"]),
        log_delta=float(stated["log_delta"]),
        status=status,
        source=source,
        adjacency=_ADJACENCIES[stated["unit"]],
    )


def _maker(release: object, source: str) -> str:
    """Return the module that makes releases of this kind under a proof, as its ``RELEASE`` says; empty if none."""
    if not isinstance(release, str):
        return ""
    modules = registered(_PROOFS).get(source.rpartition("/")[2], {})
    own = (module for module in modules if module.startswith(f"{__package__}."))
    return next((module for module in own if getattr(import_module(module), "RELEASE", None) == release), "")
