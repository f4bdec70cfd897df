"""Results of a frontier as data: points with guarantee and scores, and the limits beside them.

Contenders are mechanisms of the catalog by name, with fixed options; only some can be compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from textveil.catalog import CatalogEntry, entry, unknown_option
from textveil.errors import ParameterError, need
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN
from textveil.registry.options import Option
from textveil.statistics import Bound
from textveil_lab.frontiers.cells import Values
from textveil_lab.frontiers.limits import LimitLine
from textveil_lab.frontiers.measures import APART, MEASURES, VULNERABILITY
from textveil_lab.frontiers.study import shown_epsilon
from textveil_lab.tables import Cell, Table

_VARIED: Final = ("epsilon", "epsilon_per_distance")  # Options that the frontier sets itself


_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True, slots=True)
class FrontierContender:
    """Mechanism with fixed options; made by ``contender_of``."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    weaker: str = ""  # the words that its guarantee compares, if fewer than any two; else empty

    def __reduce__(self) -> tuple[Any, ...]:
        return contender_of, (self.label,)

    @property
    def comparable(self) -> bool:
        return not self.weaker

    @property
    def metric(self) -> bool:
        return "epsilon_per_distance" in entry(self.name).options()

    @property
    def takes_delta(self) -> bool:
        """Whether it has a delta that is not fixed."""
        return "delta" in entry(self.name).options() and "delta" not in self.options


def contenders_of(labels: Sequence[str]) -> tuple[FrontierContender, ...]:
    """Return the contenders of these labels, each once.

    Raises:
        ParameterError: a label is missing, repeated, or cannot be compared; see ``contender_of``.
    """
    need(not isinstance(labels, str), "names", "one str", "a list of names", "Put it into a list.")
    need(0 < len(set(labels)) == len(labels), "names", f"{len(labels)} of them", "one or more, each once")
    return tuple(contender_of(label) for label in labels)


def contender_of(label: str) -> FrontierContender:
    """Return a contender by its label: ``name``, or ``name:option=value:option=value``.

    Raises:
        UnknownNameError: no such mechanism.
        ParameterError: it has no guarantee of a token to calibrate, its claim is refuted, or an option does not fit.
    """
    name, *given = label.split(":")
    known = entry(name)
    _need_comparable(known)
    options = dict(_option(known, written) for written in given)
    weaker = "" if known.adjacency == ONE_TOKEN else known.adjacency.text
    return FrontierContender(label, name, MappingProxyType(options), weaker)


def _need_comparable(known: CatalogEntry) -> None:
    name = "names"
    if known.status is Status.REFUTED:
        hint = f"Take {known.instead}." if known.instead else "Audit it instead."
        got = f"{known.name}, whose claim is refuted"
        need(False, name, got, "mechanisms whose guarantee holds", hint)
    hint = "Compare those of words."
    got = f"{known.name}, of family {known.family}"
    need(known.words_alone, name, got, "mechanisms that draw for each word alone", hint)
    need("epsilon" in known.options(), name, f"{known.name}, which has no epsilon", "mechanisms with an epsilon", hint)


def _option(known: CatalogEntry, text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    options = known.options()
    need(bool(sign), "names", f"{known.name} with a part without =", "written as name:option=value")
    if key not in options:
        raise unknown_option(known.name, key, options)
    need(key not in _VARIED, "names", f"{known.name} with {key}", "without epsilon, which is varied", "Leave it out.")
    return key, options[key].checked(_typed(options[key], value))


def _typed(option: Option, value: str) -> Any:
    if option.optional and value == "none":
        return None
    try:
        if option.kind is bool:
            need(value in (*_TRUE, *_FALSE), option.name, "something else", "true or false")
            return value in _TRUE
        return value if option.kind in (str, None) else option.kind(value)
    except ValueError:
        if isinstance(option.kind, type):
            wanted = option.wanted
            raise ParameterError(
                f"{option.name} must be {wanted}; got another text. Write name:option=value."
            ) from None
        raise


GUARANTEE: Final = "guarantee"
VULNERABILITY_WAY: Final = "vulnerability"

COLUMNS: Final = (
    "mechanism",
    "compared at equal",
    "epsilon",
    "measure",
    "low",
    "estimate",
    "high",
    "confidence",
    "epsilon given",
    "verified epsilon",
    "verified delta",
    "verified",
    "guarantee",
    "compares",
    "vocabulary",
)

OF_VOCABULARY: Final = (
    "vocabulary",
    "vocabulary name",
    "words",
    "prior",
    "texts",
    "classes",
    "best guess without a release",
)
"""Facts that differ from one vocabulary to another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierPoint:
    """One mechanism at one epsilon."""

    contender: FrontierContender
    way: str  # equal at one epsilon: "guarantee", or "vulnerability" for metric mechanisms beside the reference
    epsilon: float  # of the axis, nats for any two words: the target, or the reference's
    given: float | None  # argument of the constructor; None if it could not be made
    verified_epsilon: float  # of any two words; inf if nothing is verified
    verified_delta: float
    verified: str  # how, see ``calibrated.Calibrated``; empty if nothing is verified for any two words
    guarantee: str
    scores: Mapping[str, Bound]
    missing: str = ""
    vocabulary: str = ""


def point_of(
    contender: FrontierContender, way: str, epsilon: float, values: Values, vocabulary: str = ""
) -> FrontierPoint:
    """Return a point from the values of its cell."""
    return FrontierPoint(
        contender=contender,
        way=way,
        epsilon=epsilon,
        given=values["given"],
        verified_epsilon=math.inf if values["verified_epsilon"] is None else values["verified_epsilon"],
        verified_delta=values["verified_delta"],
        verified=values["verified"],
        guarantee=values["guarantee"],
        scores={key: Bound(*bound) for key, bound in values["scores"].items()},
        missing=values["missing"],
        vocabulary=vocabulary,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierPart:
    """Results of a frontier over one vocabulary."""

    vocabulary: str
    points: tuple[FrontierPoint, ...]  # by contender, way and epsilon, in this order
    limits: tuple[LimitLine, ...]  # of every epsilon, pure and with the delta that contenders took
    # horizontal lines that do not depend on epsilon, such as the accuracy without any release
    baselines: Mapping[str, Bound]
    facts: Mapping[str, Any]  # vocabulary, prior, sizes, seed; JSON values

    @property
    def measured(self) -> tuple[str, ...]:
        return _measured(self.points)

    def levels(self, key: str) -> list[tuple[float, str]]:
        """Return values of a measure that do not depend on epsilon, with their names."""
        lines = [(0.5, "a coin")] if key in APART else []
        if key == VULNERABILITY:
            lines.append((float(self.facts["best guess without a release"]), "without any release"))
        if key in self.baselines:
            lines += [(self.baselines[key].estimate, "texts as they are"), (1 / self.facts["classes"], "guessing")]
        return lines


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frontier:
    """Mechanisms at one verified guarantee, over one vocabulary or several; made by ``run.frontier``."""

    parts: tuple[FrontierPart, ...]  # one a vocabulary, in the order in which they were given

    @property
    def points(self) -> tuple[FrontierPoint, ...]:
        return tuple(point for part in self.parts for point in part.points)

    @property
    def limits(self) -> tuple[LimitLine, ...]:
        return tuple(limit for part in self.parts for limit in part.limits)

    @property
    def several(self) -> bool:
        return len(self.parts) > 1

    @property
    def measured(self) -> tuple[str, ...]:
        return _measured(self.points)

    @property
    def facts(self) -> dict[str, Any]:
        """Sizes, epsilons, seed, and facts of each vocabulary under "vocabularies"; JSON values.

        Those of a single vocabulary stand among the others too.
        """
        known = self.parts[0].facts
        shared = {key: known[key] for key in known if not (self.several and key in OF_VOCABULARY)}
        each = [{"label": part.vocabulary, **{key: part.facts[key] for key in OF_VOCABULARY}} for part in self.parts]
        return {**shared, "vocabularies": each}

    @property
    def baselines(self) -> Mapping[str, Bound]:
        """Baselines of the only vocabulary, see ``FrontierPart``.

        Raises:
            ParameterError: there are several vocabularies.
        """
        return self._only.baselines

    def levels(self, key: str) -> list[tuple[float, str]]:
        """Return levels of the only vocabulary, see ``FrontierPart``.

        Raises:
            ParameterError: there are several vocabularies.
        """
        return self._only.levels(key)

    @property
    def _only(self) -> FrontierPart:
        need(not self.several, "parts", f"{len(self.parts)} vocabularies", "a single one", "Ask one of `parts`.")
        return self.parts[0]

    def table(self) -> Table:
        """Return a row for each point and measure; a point that could not be made has one row with the reason."""
        rows: list[tuple[Cell, ...]] = []
        for point in self.points:
            compares = point.contender.weaker or "any two words"
            for key in self.measured:
                if key in point.scores:
                    bound = point.scores[key]
                    rows.append((*_place(point), key, bound.lower, bound.estimate, bound.upper, bound.confidence,
                                 *_promise(point), compares, point.vocabulary))  # fmt: skip
            if point.missing:
                told = (*_place(point), point.missing, *[None] * 4, *_promise(point), compares, point.vocabulary)
                rows.append(told)
        return Table(columns=COLUMNS, rows=tuple(rows), facts=self.facts)

    def limit_table(self) -> Table:
        return Table(columns=LimitLine._fields, rows=tuple(tuple(limit) for limit in self.limits), facts=self.facts)

    def shown_losses(self) -> Table:
        columns = ("mechanism", "compared at equal", "epsilon", "verified epsilon", *APART, "vocabulary")
        rows = [
            (point.contender.label, point.way, point.epsilon, _finite(point.verified_epsilon),
             *(shown_epsilon(point.scores[key]) if key in point.scores else None for key in APART),
             point.vocabulary)
            for point in self.points
            if point.scores
        ]  # fmt: skip
        return Table(columns=columns, rows=tuple(rows), facts=self.facts)


def lines_of(points: Sequence[FrontierPoint], key: str) -> dict[tuple[str, str], list[FrontierPoint]]:
    """Return the points that have a measure, by label and way."""
    lines: dict[tuple[str, str], list[FrontierPoint]] = {}
    for point in points:
        if key in point.scores:
            lines.setdefault((point.contender.label, point.way), []).append(point)
    return lines


def _measured(points: Sequence[FrontierPoint]) -> tuple[str, ...]:
    return tuple(key for key in MEASURES if any(key in point.scores for point in points))


def _place(point: FrontierPoint) -> tuple[Cell, ...]:
    return point.contender.label, point.way, point.epsilon


def _promise(point: FrontierPoint) -> tuple[Cell, ...]:
    return point.given, _finite(point.verified_epsilon), point.verified_delta, point.verified, point.guarantee


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
