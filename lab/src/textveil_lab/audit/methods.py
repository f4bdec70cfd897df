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
"""Words that are tried where a program has no vocabulary: common ones, far apart in meaning."""


@dataclass(slots=True, kw_only=True, eq=False)
class Audit:
    """One audit while it runs: what was asked for, and the evidence so far."""

    mechanism: Any
    claim: Claim
    samples: int  # draws for each input of a pair; 0 samples only where no other method applies
    confidence: float
    rng: np.random.Generator
    attacks: bool
    progress: Progress | None
    findings: list[Finding] = field(default_factory=list)
    # the check of draws against what the mechanism states; None where nothing was checked
    draws: DrawsCheck | None = None
    per_distance: str | None = None  # what became of a promise per distance; None where there is none
    attacked: tuple[Mapping[str, Any], ...] = ()
    copy: Any = None  # the mechanism as it was before the first draw
    _source: RowSource | None = None

    @property
    def source(self) -> RowSource:
        """The rows of the mechanism, which must state some; the same object for all methods."""
        if self._source is None:
            self._source = source_of(self.mechanism, self.rng)
        return self._source

    @property
    def words(self) -> Sequence[str]:
        """Public words: those of the mechanism's vocabulary, where it has one."""
        vocabulary = getattr(self.mechanism, "vocabulary", None)
        return vocabulary.words if isinstance(vocabulary, Vocabulary) else WORDS

    @property
    def needs_samples(self) -> bool:
        """True if samples were asked for, or no method has made a finding yet."""
        return bool(self.samples) or not self.findings

    def tell_contradiction(self) -> None:
        """Add the finding that draws are not what the mechanism states, if they are not."""
        if self.draws is not None and self.draws.passed is False:
            self.findings.append(self.draws.finding(self.claim))


Applies: TypeAlias = Callable[[Any], bool]  # Whether a method reaches a mechanism


def always(subject: object) -> bool:
    """Of a method without a condition."""
    return True


class Method(NamedTuple):
    """One method of an audit."""

    run: Callable[[Audit], None]
    applies: Applies = always
    wanted: Callable[[Audit], bool] = always


def is_a(*kinds: Any) -> Applies:
    """Tell whether a mechanism is of each of these types, or unions of types."""
    return lambda mechanism: all(isinstance(mechanism, kind) for kind in kinds)


def walk(methods: Sequence[Method], audit: Audit) -> None:
    """Run every method that applies and is wanted, in this order."""
    for method in methods:
        if method.applies(audit.mechanism) and method.wanted(audit):
            method.run(audit)


def first_of(*methods: Method, wanted: Callable[[Audit], bool] = always) -> Method:
    """The first of these methods that applies."""

    def run(audit: Audit) -> None:
        next(method for method in methods if method.applies(audit.mechanism)).run(audit)

    return Method(run, lambda mechanism: any(method.applies(mechanism) for method in methods), wanted)
