"""The catalog: names of mechanisms, their constructors, and what is true of their claims.

Third parties add mechanisms by an entry point in the group ``textveil.mechanisms`` whose object is a
``CatalogEntry``; a name that is taken raises.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

from textveil.errors import ParameterError, UnknownNameError, need
from textveil.privacy.guarantees import Status

if TYPE_CHECKING:
    from textveil.mechanisms.base import Mechanism
    from textveil.vocabulary.vocabulary import Vocabulary

DEFAULT = "neighborhood"
DEFAULT_EPSILON = 8.0

ENTRY_POINT_GROUP = "textveil.mechanisms"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One mechanism of the catalog.

    Attributes:
        name: what users write.
        target: ``module:function``; the function takes a vocabulary and keyword options.
        family: ``"channel"`` or ``"perturb and project"``.
        notion: the guarantee's notion, ``"pure DP"``, ``"approximate DP"`` or ``"metric DP"``.
        status: how far its guarantee can be trusted.
        proof: the proof, or the page that refutes the claim, below the package.
        source: the publication, with its section.
        summary: one line.
        instead: for a refuted mechanism, the name of the valid one.
    """

    name: str
    target: str
    family: str
    notion: str
    status: Status
    proof: str
    source: str
    summary: str
    instead: str = ""

    def constructor(self) -> Callable[..., Mechanism]:
        """Import and return the constructor."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)

    def options(self) -> dict[str, inspect.Parameter]:
        """The constructor's keyword options, by name."""
        parameters = inspect.signature(self.constructor()).parameters
        return {name: value for name, value in parameters.items() if value.kind is value.KEYWORD_ONLY}


def _entry(name: str, module: str, **facts: Any) -> tuple[str, CatalogEntry]:
    function = name.replace("-", "_")
    target = f"textveil.mechanisms.{module}:{function}"
    return name, CatalogEntry(name=name, target=target, **facts)


MECHANISMS: Mapping[str, CatalogEntry] = MappingProxyType(
    dict(
        (
            _entry(
                "neighborhood",
                "channels.neighborhood",
                family="channel",
                notion="pure DP",
                status=Status.PROVED,
                proof="privacy/proofs/neighborhood.md",
                source="privacy/proofs/neighborhood.md; extremal shape: Kairouz, Oh and Viswanath 2014",
                summary="The m nearest words get weight e^epsilon, all others weight 1.",
            ),
            _entry(
                "randomized-response",
                "channels.randomized_response",
                family="channel",
                notion="pure DP",
                status=Status.PROVED,
                proof="privacy/proofs/randomized_response.md",
                source="Warner 1965; Kairouz, Oh and Viswanath 2014, section 2",
                summary="Keeps the word with weight e^epsilon, else any other with weight 1.",
            ),
            _entry(
                "exponential",
                "channels.exponential",
                family="channel",
                notion="pure or metric DP",
                status=Status.PROVED,
                proof="privacy/proofs/exponential.md",
                source="McSherry and Talwar 2007, section 3; Yue et al. 2021 (SanText), section 4",
                summary="Weight exp(-epsilon d / 2) on the distance to each word.",
            ),
            _entry(
                "metric-exponential",
                "channels.metric_exponential",
                family="channel",
                notion="pure or metric DP",
                status=Status.PROVED,
                proof="privacy/proofs/metric_exponential.md",
                source="McSherry and Talwar 2007, section 3; privacy/proofs/metric_exponential.md",
                summary="Weights that fall with a metric of ranks or counts.",
            ),
            _entry(
                "spherical-laplace",
                "additive.spherical_laplace",
                family="perturb and project",
                notion="metric DP",
                status=Status.PROVED,
                proof="privacy/proofs/spherical_laplace.md",
                source="Feyisetan et al. 2020, section 2.6",
                summary="Noise of density exp(-rate ||z||) on the vector, then the nearest word.",
            ),
            _entry(
                "gaussian",
                "additive.gaussian",
                family="perturb and project",
                notion="approximate DP",
                status=Status.PROVED,
                proof="privacy/proofs/gaussian.md",
                source="Balle and Wang 2018, theorem 8",
                summary="Gaussian noise, analytically calibrated, then the nearest word.",
            ),
            _entry(
                "laplace",
                "additive.laplace",
                family="perturb and project",
                notion="pure DP",
                status=Status.PROVED,
                proof="privacy/proofs/coordinate_laplace.md",
                source="Dwork, McSherry, Nissim and Smith 2006",
                summary="Laplace noise on every coordinate, then the nearest word.",
            ),
            _entry(
                "truncated-laplace",
                "additive.truncated_laplace",
                family="perturb and project",
                notion="approximate DP",
                status=Status.PROVED,
                proof="privacy/proofs/truncated_laplace.md",
                source="privacy/proofs/truncated_laplace.md; one dimension: Geng et al. 2020",
                summary="Truncated Laplace noise, valid in any dimension, then the nearest word.",
            ),
            _entry(
                "truncated-laplace-published",
                "published.truncated_laplace",
                family="perturb and project",
                notion="approximate DP",
                status=Status.REFUTED,
                proof="privacy/proofs/truncated_laplace_published.md",
                source="Huang et al. 2024 (EMNLP), theorem 3",
                summary="Truncated Laplace noise as printed; its claim is false above one dimension.",
                instead="truncated-laplace",
            ),
        )
    )
)


def entries() -> dict[str, CatalogEntry]:
    """Every mechanism that is installed, by name; textveil's own first.

    Raises:
        ParameterError: two packages give one name.
    """
    found = dict(MECHANISMS)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        added = point.load()
        need(
            isinstance(added, CatalogEntry),
            f"entry point {point.name}",
            type(added).__name__,
            "a textveil.catalog.CatalogEntry",
        )
        need(added.name not in found, "mechanism name", added.name, "new to the catalog", "Rename it.")
        found[added.name] = added
    return found


def entry(name: str) -> CatalogEntry:
    """The entry of that name.

    Raises:
        UnknownNameError: no such mechanism; the nearest name is suggested.
    """
    if name in MECHANISMS:
        return MECHANISMS[name]
    known = entries()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
        raise UnknownNameError(
            f"mechanism must be one of the catalog; got {name[:60]!r}. Did you mean {close[0]!r}? "
            "See: textveil mechanisms"
        )
    return known[name]


def mechanism(name: str = DEFAULT, vocabulary: Vocabulary | None = None, **options: Any) -> Mechanism:
    """Make a mechanism of the catalog.

    Args:
        name: a name from ``textveil mechanisms``.
        vocabulary: public words and vectors; None is the embedded vocabulary.
        **options: the constructor's own, ``epsilon`` first of all: the privacy loss in nats of one token for
            any two words. Options that are None count as not given. With neither ``epsilon`` nor
            ``epsilon_per_distance``, epsilon is 8.

    Raises:
        UnknownNameError: no such mechanism.
        ParameterError: an option is unknown or outside its domain.
    """
    from textveil.vocabulary.embedded import load_vocabulary
    from textveil.vocabulary.vocabulary import Vocabulary

    chosen = entry(name)
    known = chosen.options()
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f" Did you mean {_spelled(close)}?" if close else ""
            raise ParameterError(f"{name} takes the options {_spelled(known)}; got {_spelled([key])}.{hint}")
    if "epsilon" not in given and "epsilon_per_distance" not in given:
        given["epsilon"] = DEFAULT_EPSILON
    # None is meaningful for clip: no clipping.
    if "clip" in options and "clip" in known:
        given["clip"] = options["clip"]
    words = load_vocabulary() if vocabulary is None else vocabulary
    need(isinstance(words, Vocabulary), "vocabulary", type(words).__name__, "a Vocabulary", "Use load_vocabulary(...).")
    return chosen.constructor()(words, **given)


def _spelled(options: Iterable[str]) -> str:
    """Options by the names that the command line and keyword arguments share, but for the marks."""
    return ", ".join(f"{name} (--{name.replace('_', '-')})" for name in options)
