"""What several releases about one corpus cost together: less than the sum of their epsilons, as their noises add up."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from textveil.aggregates.budget import PROOF, GaussianBudget
from textveil.aggregates.report import stated_guarantee
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_file
from textveil.privacy.accounting import GaussianTokens
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.privacy.proved import status_of

_ROUNDING: Final = 1e-12  # relative, above that of a square root and a sum


def joint_epsilon(budgets: Sequence[GaussianBudget], delta: float) -> float:
    """The epsilon that releases keep together, whose budgets were fixed before the first of them; rounded up.

    Args:
        budgets: at least one.
        delta: of all together, in (0, 1).

    Raises:
        ParameterError: there is no budget, or the selections of all take more than delta.

    Source: Dong, Roth and Su 2022, corollary 3.3; ``proofs/discrete_gaussian.md``.
    """
    need(bool(budgets), "budgets", "none", "at least one")
    rest = Fraction(delta) * (1 - Fraction(_ROUNDING)) - sum(
        budget.selections * Fraction(budget.delta) for budget in budgets
    )
    if rest <= 0:
        raise ParameterError(f"`delta` must be above what selections take of it together; got {delta:g}. Raise it.")
    noises = GaussianTokens(
        sigma=1.0, l2_sensitivity=math.sqrt(sum(each.squared_mu for each in budgets)) * (1 + _ROUNDING)
    )
    return noises.epsilon(float(rest) * (1 - _ROUNDING))


def joint_guarantee(reports: Sequence[Path], delta: float | None = None) -> ApproximateDP:
    """What the releases of these reports promise together for all that one person wrote.

    Args:
        reports: files that `count`, `learn`, `synthesize` and `topics` write for ``report``.
        delta: None is the sum of theirs.

    Raises:
        InputError: a file is no such report, textveil has no proof of its release, its draws were seeded, or the units
            of two differ.
        ParameterError: as ``joint_epsilon``.
    """
    need(bool(reports), "reports", "none", "at least one")
    stated, budgets = zip(*(_read(path, number) for number, path in enumerate(reports, 1)), strict=True)
    if len({guarantee.adjacency for guarantee in stated}) > 1:
        raise InputError("reports must be of one unit; got persons and records. Give those of one unit.")
    # Rounded up: the sum of all deltas as the releases state them.
    total = math.fsum(guarantee.delta for guarantee in stated) * (1 + 4 * _ROUNDING) if delta is None else delta
    need(0 < total < 1, "delta", total, "in (0, 1)")
    return ApproximateDP(
        epsilon=joint_epsilon(budgets, total),
        log_delta=math.nextafter(math.log(total), math.inf),
        status=status_of(__name__, PROOF),
        source=PROOF,
        adjacency=stated[0].adjacency,
    )


def _read(path: Path, number: int) -> tuple[ApproximateDP, GaussianBudget]:
    expected = "a report of `textveil count`, `textveil learn`, `textveil synthesize` or `textveil topics`"
    try:
        report = json_file(path)
        guarantee = stated_guarantee(report)
        budget = GaussianBudget(guarantee.epsilon, guarantee.delta, _share(report["selections"]))
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
