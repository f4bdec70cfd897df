"""Reports of releases about a corpus, and the cost of several of them together by their reports."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from textveil.aggregates.budget import PROOF, GaussianBudget
from textveil.aggregates.payment import Paid
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_file, json_text
from textveil.privacy import proved
from textveil.privacy.composition import gaussian_epsilon
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

    Raises RuntimeError: nobody paid for the guarantee, or what is released was not drawn from the paid randomness.
    """

    release: str  # kind: "counts", "classifier", "synthetic text", "topics"
    paid: Paid = field(repr=False, compare=False)  # what was paid before it was drawn
    guarantee: Guarantee  # of all that comes out, with unit and adjacency
    selections: Fraction = Fraction(0)  # part of delta that selections may spend, as ``GaussianBudget`` has it
    public: Mapping[str, Any]  # what was known before the corpus was read, by name: vocabulary, labels, weights
    bounded: Mapping[str, Any]  # how far one person's records count, by name
    noise: Mapping[str, float]  # each noise, by what it was added to: its standard deviation in units of the values
    facts: Mapping[str, Any]  # numbers of the release that are noisy, or made of noisy ones
    not_covered: Sequence[str] = ()  # sentences that the kind adds to those of every release

    def __post_init__(self) -> None:
        if not self.paid.covers(self.guarantee):
            raise RuntimeError(f"the release of {self.release} must be paid for with its guarantee before it is drawn")

    def to_data(self) -> dict[str, Any]:
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
            "randomness": "operating system" if self.paid.secure else "seeded: not for release",
        }

    def _repr_html_(self) -> str:
        from textveil.pages.rendering import notebook

        data = self.to_data()
        facts = {**data["facts"], **{f"noise of {name}": value for name, value in data["noise"].items()}}
        single = {
            name.replace("_", " "): value for name, value in facts.items() if isinstance(value, int | float | str)
        }
        notes = [f"{self.guarantee}, {self.guarantee.adjacency}", f"Randomness: {data['randomness']}."]
        covered = [f"Not covered: {line}" for line in data["not_covered"]]
        return notebook(f"Release of {self.release}", [*notes, *covered], ("fact", "value"), single.items())

    def to_json(self) -> str:
        return json_text(self.to_data(), indent=1)


_PARTS: Final = {
    "facts": "Numbers of the release",
    "noise": "Standard deviation of the noise",
    "bounded": "How far one person's records count",
    "public": "What was known before the corpus was read",
}


def report_page(data: Mapping[str, Any]) -> str:
    """Return a report, as JSON data, as a page."""
    from textveil.pages.rendering import bullets, facts, heading, results_page, text

    stated = data["guarantee"]
    parts = [
        text(f"{stated['text']} for each {stated['unit']}, {stated['status']}.", "Guarantee."),
        text(f"It compares {stated['adjacency']}. Proof: {stated['source']}. Randomness: {data['randomness']}."),
        heading("What is not covered"),
        bullets(data["not_covered"]),
    ]
    for part, title in _PARTS.items():
        if data[part]:
            rows = {name.replace("_", " "): _shown(value) for name, value in data[part].items()}
            none = {"bounded": "no limit"}.get(part, "none")
            parts += [heading(title), facts((name, value or none) for name, value in rows.items())]
    return str(results_page(f"Release of {data['release']}", parts))


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_shown(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def stated_guarantee(report: Mapping[str, Any]) -> ApproximateDP:
    """The guarantee that a report states as JSON data.

    Anybody can write "proved" into a file. It counts only under a proof that textveil's code for that kind of release
    is registered under; else the guarantee is claimed. That the numbers are a release's is the writer's word. Raises
    KeyError, TypeError, ValueError: it states none.
    """
    stated = report["guarantee"]
    status, source = Status(stated["status"]), str(stated["source"])
    if status in TRUSTED:
        status = status_of(_maker(report.get("release"), source), source)
    return ApproximateDP(
        epsilon=float(stated["epsilon"]),
        log_delta=-math.inf if stated["notion"] == "pure DP" else float(stated["log_delta"]),
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


_ROUNDING: Final = 1e-12  # relative, above that of a square root and a sum


def joint_epsilon(budgets: Sequence[GaussianBudget], delta: float) -> float:
    """The epsilon that releases keep together, whose budgets were fixed before the first of them; rounded up.

    ``delta``: of all together, in (0, 1). Raises ParameterError: there is no budget, or the selections of all take more
    than delta. Source: Dong, Roth and Su 2022, corollary 3.3; ``proofs/discrete_gaussian.md``.
    """
    need(bool(budgets), "budgets", "none", "at least one")
    rest = Fraction(delta) * (1 - Fraction(_ROUNDING)) - sum(
        budget.selections * Fraction(budget.delta) for budget in budgets
    )
    if rest <= 0:
        raise ParameterError(f"`delta` must be above what selections take of it together; got {delta:g}. Raise it.")
    mu = math.sqrt(sum(each.squared_mu for each in budgets)) * (1 + _ROUNDING)
    return gaussian_epsilon(float(rest) * (1 - _ROUNDING), sigma=1.0, l2_sensitivity=mu)


def joint_guarantee(reports: Sequence[Path], delta: float | None = None) -> ApproximateDP:
    """Return the joint guarantee of these reports' releases, for all that one person wrote.

    ``reports``: files that `count`, `learn`, `synthesize` and `topics` write for ``report``; ``delta``: None is the sum
    of theirs. Raises InputError: a file is no such report, textveil has no proof of its release, its draws were seeded,
    or the units of two differ; ParameterError: as ``joint_epsilon``.
    """
    need(bool(reports), "reports", "none", "at least one")
    stated, shared = zip(*(_read(path, number) for number, path in enumerate(reports, 1)), strict=True)
    if len({guarantee.adjacency for guarantee in stated}) > 1:
        raise InputError("reports must be of one unit; got persons and records. Give those of one unit.")
    budgets = [budget for budget in shared if budget is not None]
    # Rounded up: the sum of all deltas as the releases state them.
    least = math.fsum(guarantee.delta for guarantee in stated) * (1 + 4 * _ROUNDING)
    total = least if delta is None or not budgets else delta
    need(0 < total < 1 or not budgets, "delta", total, "in (0, 1)")
    pure = math.fsum(guarantee.epsilon for guarantee in stated if guarantee.log_delta == -math.inf)
    epsilon = pure + (joint_epsilon(budgets, total) if budgets else 0.0)
    return ApproximateDP(
        epsilon=epsilon * (1 + 4 * _ROUNDING),
        log_delta=math.nextafter(math.log(total), math.inf) if budgets else -math.inf,
        status=status_of(__name__, PROOF),
        source=PROOF,
        adjacency=stated[0].adjacency,
    )


def _read(path: Path, number: int) -> tuple[ApproximateDP, GaussianBudget | None]:
    expected = "a report of `textveil count`, `textveil learn`, `textveil synthesize` or `textveil topics`"
    try:
        report = json_file(path)
        guarantee = stated_guarantee(report)
        selections = _share(report["selections"])
        is_pure = guarantee.log_delta == -math.inf
        budget = None if is_pure else GaussianBudget(guarantee.epsilon, guarantee.delta, selections)
    except OSError as error:
        raise InputError(f"report {number} must be {expected}; got {error.strerror or type(error).__name__}.") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise InputError(f"report {number} must be {expected}; got another file.") from None
    if report.get("randomness") != "operating system":
        raise InputError(f"report {number} must be of a release with the operating system's randomness; got a seed.")
    if guarantee.status is not Status.PROVED:
        raise InputError(
            f"report {number} must be of a release that textveil proves; got one {guarantee.status.shown}. "
            "Its kind and proof must be those of `textveil count`, `learn`, `synthesize` or `topics`."
        )
    return guarantee, budget


def _share(stated: str) -> Fraction:
    """The fraction that a report states, in plain digits: ``Fraction`` would compute 1e999999999, for hours."""
    if not re.fullmatch(r"[0-9]{1,9}(/[0-9]{1,9})?", stated):
        raise ValueError
    return Fraction(stated)
