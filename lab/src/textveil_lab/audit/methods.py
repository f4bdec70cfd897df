"""Methods of an audit: which mechanisms each applies to, and how it runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.rows import RowSource, source_of
from textveil_lab.audit.report.report import Claim, Finding
from textveil_lab.audit.sampled.stated import DrawsCheck

WORDS = ("time", "people", "water", "doctor", "monday", "paris")
"""Words to try if a program has no vocabulary: common, and far apart in meaning."""


@dataclass(slots=True, kw_only=True, eq=False)
class Audit:
    """One running audit: its request and the evidence so far."""

    mechanism: Any
    claim: Claim
    samples: int  # draws for each input of a pair; 0 samples only if no other method applies
    confidence: float
    rng: np.random.Generator
    attacks: bool
    progress: Progress | None
    findings: list[Finding] = field(default_factory=list)
    # the check of draws against what the mechanism states; None if nothing was checked
    draws: DrawsCheck | None = None
    per_distance: str | None = None  # outcome for a promise per distance; None if there is none
    attacked: tuple[Mapping[str, Any], ...] = ()
    copy: Any = None  # the mechanism as it was before the first draw
    _source: RowSource | None = None

    @property
    def source(self) -> RowSource:
        """Rows of the mechanism, which must state some; one object for all methods."""
        if self._source is None:
            self._source = source_of(self.mechanism, self.rng)
        return self._source

    @property
    def words(self) -> Sequence[str]:
        """Public words: of the mechanism's vocabulary, if it has one."""
        vocabulary = getattr(self.mechanism, "vocabulary", None)
        return vocabulary.words if isinstance(vocabulary, Vocabulary) else WORDS

    @property
    def needs_samples(self) -> bool:
        """Whether samples were asked for, or no method has made a finding yet."""
        return bool(self.samples) or not self.findings

    def tell_contradiction(self) -> None:
        """Add the finding that draws contradict what the mechanism states, if they do."""
        if self.draws is not None and self.draws.passed is False:
            self.findings.append(self.draws.finding(self.claim))


Applies: TypeAlias = Callable[[Any], bool]  # Whether a method reaches a mechanism


def always(subject: object) -> bool:
    """Apply to every mechanism: the condition of a method without one."""
    return True


class Method(NamedTuple):
    """One method of an audit."""

    run: Callable[[Audit], None]
    applies: Applies = always
    wanted: Callable[[Audit], bool] = always


def is_a(*kinds: Any) -> Applies:
    """Return a condition: a mechanism is of one of these types, or unions of types."""
    return lambda mechanism: all(isinstance(mechanism, kind) for kind in kinds)


def walk(methods: Sequence[Method], audit: Audit) -> None:
    """Run every applicable and wanted method, in this order."""
    for method in methods:
        if method.applies(audit.mechanism) and method.wanted(audit):
            method.run(audit)


def first_of(*methods: Method, wanted: Callable[[Audit], bool] = always) -> Method:
    """Return a method that runs the first applicable one of these."""

    def run(audit: Audit) -> None:
        next(method for method in methods if method.applies(audit.mechanism)).run(audit)

    return Method(run, lambda mechanism: any(method.applies(mechanism) for method in methods), wanted)
