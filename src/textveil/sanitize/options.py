"""What a sanitizer is made of, in a form that can go to another process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import final

from textveil.mechanisms.base import Mechanism
from textveil.mechanisms.channels.digits import KEEP_LIMIT
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.scopes import KEY_BYTES
from textveil.text.marks import Marks


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizerOptions:
    """Picklable; holds no generator. Every process makes its own sanitizer of it once.

    Attributes:
        mechanism: draws the words; or a policy, which says by kind what is done.
        seed: for experiments: releases are stamped "not for release".
        number_epsilon: see ``Sanitizer``.
        digit_keep_limit: see ``Sanitizer``.
        marks: see ``Sanitizer``.
        allow_refuted: see ``Sanitizer``.
        key: see ``Sanitizer``; None where each job makes one of its own secret.
    """

    mechanism: Mechanism | Policy
    seed: int | None = None
    number_epsilon: float | None = None
    digit_keep_limit: float = KEEP_LIMIT
    marks: Marks = "normalize"
    allow_refuted: bool = False
    key: bytes | None = field(default=None, repr=False)

    def sanitizer(self, secret: bytes | None = None) -> Sanitizer:
        """A sanitizer with these options; a seeded one where there is a seed.

        Args:
            secret: a job's: where one value has one surrogate in a corpus, every process that holds it gives the same.

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
            key=self._key(secret),
        )

    @property
    def private(self) -> list[str]:
        """Digests of what is private of the options, so that no setting holds it; none where nothing is."""
        words = self.mechanism.private_digest if isinstance(self.mechanism, Policy) else ""
        key = "" if self.key is None else hashlib.blake2b(self.key, person=b"pseudonyms").hexdigest()
        return [words, key] if words or key else []

    def _key(self, secret: bytes | None) -> bytes | None:
        """The secret of pseudonyms over a corpus; of a seed alone where there is one, as all draws then are."""
        if self.key is not None or secret is None or not (isinstance(self.mechanism, Policy) and self.mechanism.keyed):
            return self.key
        source = secret if self.seed is None else str(self.seed).encode("ascii")
        return hashlib.blake2b(source, digest_size=KEY_BYTES, person=b"pseudonyms").digest()
