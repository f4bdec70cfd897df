"""Options of a sanitizer: one frozen value, checked when made."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from typing import Any

from textveil.errors import need
from textveil.mechanisms.channels.digits import DigitResponse
from textveil.mechanisms.kinds import Mechanism, TextMechanism
from textveil.sanitize.policy.policy import Policy
from textveil.surrogates.scopes import KEY_BYTES
from textveil.text.marks import Marks, checked_marks


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizerOptions:
    """Options as ``Sanitizer`` takes them. Picklable; no generator. None means unset.

    Attributes:
        key: see ``Sanitizer``; None where each job makes one of its own secret.

    Raises:
        ParameterError: ``mechanism`` is neither a mechanism nor a policy; an option is outside its domain, or is given
            although the mechanism or the policy decides it.
    """

    mechanism: Mechanism | Policy  # draws the words, or whole texts; or a policy, which says by kind what is done
    number_epsilon: float | None = None
    digit_keep_limit: float | None = None
    marks: Marks | None = None
    allow_refuted: bool = False
    key: bytes | None = field(default=None, repr=False)
    seed: int | None = None  # for experiments: releases are stamped "not for release"

    def __post_init__(self) -> None:
        policy = self.mechanism if isinstance(self.mechanism, Policy) else None
        need(
            policy is not None or hasattr(self.mechanism, "guarantee"),
            "mechanism",
            type(self.mechanism).__name__,
            "a mechanism or a policy",
            "Make one: tv.policy('identifiers').",
        )
        if policy is not None:
            self._need_unset("a policy, which says it")
        elif isinstance(self.mechanism, TextMechanism):
            self._need_unset("a mechanism of whole texts")
        epsilon = self.number_epsilon
        need(epsilon is None or 0 < epsilon < math.inf, "number_epsilon", epsilon, "finite and > 0")
        if self.digit_keep_limit is not None:
            DigitResponse(1.0, self.digit_keep_limit)  # which checks it
        if self.marks is not None:
            checked_marks(self.marks)
        if self.key is not None:
            hint = "It is for the pseudonyms of a policy."
            need(policy is not None, "key", "one", "left out for a mechanism", hint)
            need(policy is None or policy.keyed, "key", "one", "left out where the scope is no corpus")
            need(len(self.key) == KEY_BYTES, "key", "another length", f"{KEY_BYTES} bytes")

    def _need_unset(self, decider: str) -> None:
        values: dict[str, Any] = {
            "number_epsilon": self.number_epsilon,
            "digit_keep_limit": self.digit_keep_limit,
            "marks": self.marks,
        }
        for name, value in values.items():
            need(value is None, name, value, f"left out for {decider}")

    @property
    def private(self) -> list[str]:
        """Digests of the private options, so that no setting holds them; none if nothing is private."""
        words = self.mechanism.private_digest if isinstance(self.mechanism, Policy) else ""
        key = "" if self.key is None else hashlib.blake2b(self.key, person=b"pseudonyms").hexdigest()
        return [words, key] if words or key else []

    def of_job(self, secret: bytes) -> SanitizerOptions:
        """Return the options with the key of a job's pseudonyms, if its policy needs one and none is given.

        Args:
            secret: the job's. Every process that holds it gives a value of the corpus the same surrogate. With a seed
                the key follows from the seed alone, as all draws do.
        """
        if self.key is not None or not (isinstance(self.mechanism, Policy) and self.mechanism.keyed):
            return self
        source = secret if self.seed is None else str(self.seed).encode("ascii")
        return replace(self, key=hashlib.blake2b(source, digest_size=KEY_BYTES, person=b"pseudonyms").digest())
