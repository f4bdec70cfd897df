"""Checks whether the draws of one program start depend on each other: then they say nothing of one draw.

A program that remembers its draws gives the same output again in one process, and another output in another process.
Its draws in one process are no sample of the law, however many they are. Outputs are compared two by two: in turn, at
random positions of the same start, and across starts. If all draws are independent, all three agree equally often.
"""

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import comb
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError
from textveil.randomness import seeded_generator
from textveil.statistics import Bound
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.audit.sampled.bounds import Draw

Start: TypeAlias = Callable[[], AbstractContextManager[Draw]]
"""Function that starts the program anew, without memory of earlier draws."""

ALPHA: Final = 1e-6  # Probability, at most, that independent draws are called dependent
STARTS: Final = 4
INPUTS: Final = 3
_PAIRS: Final = 20  # Of outputs, of each of the three kinds, for one input and one start

NOTE: Final = (
    "Outputs of one process depend on each other: they agree more often, or less, than those of different starts or "
    "times. Draws of one process are then no sample of what one draw does, so they neither refute nor support a claim."
)


def depends(start: Start, inputs: Sequence[Any]) -> bool:
    """Tell whether draws depend on earlier draws of the same start.

    Args:
        inputs: public inputs, of which ``INPUTS`` are tried.
    """
    tried = list(inputs)[:INPUTS]
    outputs: list[list[NDArray[Any]]] = []
    try:
        for _ in range(STARTS):
            with start() as draw:
                outputs.append([np.asarray(draw(word, 6 * _PAIRS)) for word in tried])
    except InputError:
        return False  # the audit itself meets it, and says so
    return any(_dependent([drawn[place] for drawn in outputs], ALPHA / (4 * len(tried))) for place in range(len(tried)))


def _dependent(outputs: Sequence[NDArray[Any]], level: float) -> bool:
    first, rest = np.split(np.arange(6 * _PAIRS), [2 * _PAIRS])
    rest = seeded_generator(0).permutation(rest).reshape(4, _PAIRS)
    others = [*outputs[1:], outputs[0]]
    in_turn = sum(_equal(drawn[first[::2]], drawn[first[1::2]]) for drawn in outputs)
    apart = sum(_equal(drawn[rest[0]], drawn[rest[1]]) for drawn in outputs)
    across = sum(_equal(drawn[rest[2]], other[rest[3]]) for drawn, other in zip(outputs, others, strict=True))
    trials = _PAIRS * len(outputs)
    return _differ(in_turn, apart, trials, level) or _differ(apart, across, trials, level)


def _equal(first: NDArray[Any], second: NDArray[Any]) -> int:
    same = first == second
    return int(same.reshape(len(same), -1).all(axis=1).sum())


def _differ(first: int, second: int, trials: int, level: float) -> bool:
    both = first + second
    hits = range(max(first, second), min(trials, both) + 1)
    ways = sum(comb(trials, hits_of_first) * comb(trials, both - hits_of_first) for hits_of_first in hits)
    return ways / comb(2 * trials, both) <= level


def no_verdict(claim: Claim, subject: Subject, samples: int = 0) -> Finding:
    """Return the finding on a program whose draws depend on each other."""
    return Finding(
        verdict=Verdict.NO_VERDICT,
        subject=subject,
        claim=claim,
        epsilon=Bound(0.0, 0.0, float("inf"), 1.0),
        delta=Bound(0.0, 0.0, 1.0, 1.0),
        method="sampled",
        samples=samples,
        notes=(NOTE,),
    )


def copied(program: Any, shared: Sequence[object] = ()) -> Any:
    """Return ``program`` with a memory of its own, or ``program`` itself if it cannot be copied.

    Args:
        shared: objects that copies may share, since they are public and never change.
    """
    try:
        return copy.deepcopy(program, {id(public): public for public in shared})
    except Exception:  # whatever a stranger's object raises
        return program
