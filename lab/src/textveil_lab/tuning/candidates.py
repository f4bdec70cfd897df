"""What is compared: policies and mechanisms by name, each at every epsilon that it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textveil.catalog import entries, mechanism
from textveil.errors import need
from textveil.mechanisms.kinds import Mechanism
from textveil.sanitize.policy.choice import is_path, policy
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One way to release the sample."""

    policy: str
    # nats of one word; None where it draws no words, so that the policy says what each kind costs
    epsilon: float | None
    sanitizer: Sanitizer


def candidates(
    names: Sequence[str],
    epsilons: Sequence[float],
    vocabulary: Vocabulary,
    rng: np.random.Generator | None,
    progress: Progress | None = None,
) -> list[Candidate]:
    """Every policy at every epsilon; policies that draw no words once.

    Args:
        names: of policies, their files, or mechanisms of the catalog, each once.
        epsilons: nats of one word, each once.

    Raises:
        UnknownNameError: a name is none of them.
        ParameterError: a name or an epsilon stands there twice, or none does; or one does not fit.
    """
    for what, given in (("policies", names), ("epsilons", epsilons)):
        need(0 < len(set(given)) == len(given), what, f"{len(given)} of them", "one or more, each once")
    all_candidates = []
    for number, name in enumerate(names):
        all_candidates += _of(name, epsilons, vocabulary, rng)
        if progress is not None:
            progress(number + 1, len(names))
    return all_candidates


def _of(
    name: str, epsilons: Sequence[float], vocabulary: Vocabulary, rng: np.random.Generator | None
) -> list[Candidate]:
    made_of: list[tuple[float | None, Mechanism | Policy]]
    if name in entries():
        made_of = [(epsilon, mechanism(name, vocabulary, epsilon=epsilon)) for epsilon in epsilons]
    elif policy(name, vocabulary).epsilon_kinds:
        made_of = [(epsilon, policy(name, vocabulary, epsilon=epsilon)) for epsilon in epsilons]
    else:
        made_of = [(None, policy(name, vocabulary))]
    return [Candidate(_shown(name), epsilon, Sanitizer(mechanism, rng=rng)) for epsilon, mechanism in made_of]


def _shown(name: str) -> str:
    """A policy's name in tables: of a file its name alone."""
    return Path(name).stem if is_path(name) else name
