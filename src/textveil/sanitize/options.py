"""What a sanitizer is made of, in a form that can go to another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from textveil.mechanisms.base import Mechanism
from textveil.mechanisms.channels.digits import KEEP_LIMIT
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.marks import Marks


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizerOptions:
    """Picklable; holds no generator. Every process makes its own sanitizer of it once.

    Attributes:
        mechanism: draws the words.
        seed: for experiments: releases are stamped "not for release".
        number_epsilon: see ``Sanitizer``.
        digit_keep_limit: see ``Sanitizer``.
        marks: see ``Sanitizer``.
        allow_refuted: see ``Sanitizer``.
    """

    mechanism: Mechanism
    seed: int | None = None
    number_epsilon: float | None = None
    digit_keep_limit: float = KEEP_LIMIT
    marks: Marks = "normalize"
    allow_refuted: bool = False

    def sanitizer(self) -> Sanitizer:
        """A sanitizer with these options; a seeded one where there is a seed.

        Raises:
            RefutedGuarantee: as ``Sanitizer``.
            ParameterError: as ``Sanitizer``.
        """
        rng = None if self.seed is None else seeded_generator(self.seed)
        return Sanitizer(
            self.mechanism,
            number_epsilon=self.number_epsilon,
            digit_keep_limit=self.digit_keep_limit,
            marks=self.marks,
            rng=rng,
            allow_refuted=self.allow_refuted,
        )
