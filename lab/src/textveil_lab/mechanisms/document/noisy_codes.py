"""Perturb and write: adds noise to the bounded code of a whole text; a decoder writes a text from it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.privacy.guarantees import ApproximateDP, Guarantee, Status
from textveil.privacy.proved import status_under
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import resolve
from textveil.types import Flags, Reals
from textveil_lab.mechanisms.parameters import CodeBound
from textveil_lab.models.coder import TextCoder
from textveil_lab.noise.distribution import ProfiledNoise
from textveil_lab.noise.gaussian import Gaussian

_BLOCK_NUMBERS = 1 << 22  # coordinates of the codes that are made at once: 32 MB
_PROBES = 24  # public words of which texts are made to look for two whose codes are far apart


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class NoisyCodes:
    """text = write(bound(encode(text)) + noise), with fresh noise for every text.

    The guarantee is that of the noisy code, for any two texts: codes of all texts have a public number of coordinates
    and a public bound, and the decoder sees only the noisy code. So the text's length is hidden too. Noisy codes stay
    in this class.

    A text longer than the tokens or words of a code is cut, or refused, which tells that it is long.
    """

    name: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee
    coder: TextCoder = field(repr=False)  # encoder and decoder
    bound: CodeBound  # bound of codes before the noise
    distribution: ProfiledNoise  # of the noise, of the coder's dimension
    long_texts: str  # treatment of a text longer than its code: "refuse" or "cut"

    def __post_init__(self) -> None:
        if self.long_texts == "refuse":
            marks = int(self.coder.sizes([""])[0])
            need(self.coder.length > marks, "length", self.coder.length, f"above {marks}, the marks around each text")

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return one draw for each text; see ``TextMechanism.privatize_texts``.

        Raises:
            InputError: a document is no str, or is too long and must not be cut. Nothing is drawn then.
        """
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                raise InputError(f"document {number} must be a str; got {type(text).__name__}.")
        for place in np.flatnonzero(~self.takes(texts)).tolist():
            raise InputError(
                f"document {place + 1} must have between 0 and {self.coder.length} {self.coder.pieces}, what "
                f"{self.name} reads of one; got a longer one. Split it, or use `long_texts='cut'`."
            )
        generator = resolve(rng)
        self.distribution.sample(0, generator)  # refuses noise that would not fit the decoder's float32
        written: list[str] = []
        block = max(1, _BLOCK_NUMBERS // self.distribution.dim)
        for start in range(0, len(texts), block):
            codes = self.codes(texts[start : start + block])
            codes += self.distribution.sample(len(codes), generator, np.float64)
            written += self.coder.write(codes)
        return written

    def takes(self, texts: Sequence[str]) -> Flags:
        """Return which texts are not refused for their length, shape (texts,)."""
        return taken(self.coder, self.long_texts, texts)

    def codes(self, texts: Sequence[str]) -> Reals:
        """Return the bounded codes of texts, shape (texts, dim). They are private: noise must be added."""
        return self.bound(self.coder.encode(texts))


def taken(coder: TextCoder, long_texts: str, texts: Sequence[str]) -> Flags:
    """Return which texts are not refused for their length, shape (texts,)."""
    if long_texts == "cut":
        return np.ones(len(texts), dtype=np.bool_)
    return np.asarray(coder.sizes(texts) <= coder.length, dtype=np.bool_)


def gaussian_codes(
    name: str,
    coder: TextCoder,
    bound: CodeBound,
    sigma: float,
    *,
    epsilon: float,
    delta: float,
    proof: str,
    long_texts: str,
    parameters: Mapping[str, Any],
) -> NoisyCodes:
    """Return a mechanism with Gaussian noise on every coordinate of a bounded code; the caller must prove sigma.

    Args:
        coder: encoder and decoder.
        bound: of codes.
        sigma: standard deviation of one coordinate.
        epsilon: nats of a document.
        delta: of a document.
        proof: page that proves it.
        long_texts: "refuse" or "cut".
        parameters: public parameters for reports, beside those of every such mechanism.
    """
    stated = {"epsilon": epsilon, "delta": delta, "sigma": sigma}
    promise = ApproximateDP(
        epsilon=epsilon, log_delta=math.log(delta), status=status_under(proof), source=proof, adjacency=ANY_DOCUMENT
    )
    return NoisyCodes(
        name=name,
        parameters={**stated, **parameters, "coordinates": coder.dim, "long_texts": long_texts, **coder.facts},
        guarantee=promise,
        coder=coder,
        bound=bound,
        distribution=Gaussian(dim=coder.dim, sigma=sigma),
        long_texts=long_texts,
    )


class FarTexts(NamedTuple):
    """Two public texts whose codes are far apart."""

    texts: tuple[str, str]  # the two
    shift: Reals  # the difference of their bounded codes, shape (dim,)


def far_texts(
    codes_of: Callable[[Sequence[str]], Reals],
    takes: Callable[[Sequence[str]], Flags],
    *,
    norm: int,
    words: Sequence[str],
) -> FarTexts | None:
    """Return the two of some public texts whose bounded codes are farthest apart; None if all codes are equal.

    Args:
        codes_of: function that returns bounded codes.
        takes: function that tells which texts are not refused.
        norm: 1 or 2, the norm of the comparison.
        words: at least one public word.
    """
    places = np.unique(np.linspace(0, len(words) - 1, min(len(words), _PROBES)).astype(np.int64))
    some = [words[place] for place in places.tolist()]
    texts = ["", *some, *(" ".join([word] * 8) for word in some[: _PROBES // 2]), " ".join(some), " ".join(some[::-1])]
    texts = list(dict.fromkeys(texts))
    texts = [text for text, fits in zip(texts, takes(texts).tolist(), strict=True) if fits]
    codes = codes_of(texts)
    best, farthest = 0.0, None
    for row, code in enumerate(codes[:-1]):
        lengths = np.linalg.norm(codes[row + 1 :] - code, ord=norm, axis=1)
        other = int(np.argmax(lengths))
        if lengths[other] > best:
            best, farthest = float(lengths[other]), (row, row + 1 + other)
    if farthest is None:
        return None
    first, second = farthest
    return FarTexts((texts[first], texts[second]), codes[first] - codes[second])


class JudgedClaim(NamedTuple):
    """Judgement of a claim about noisy codes."""

    # ``PROVED`` if an upper bound for any two codes is within the claim, ``REFUTED`` if two texts exceed it, else
    # ``CLAIMED``
    status: Status
    worst: float  # logarithm of a delta that holds for any two codes within the bound, at the claimed epsilon
    witness: float  # ln of a lower bound on delta of the two texts at the claimed epsilon
    texts: tuple[str, ...]  # the two; none if all codes are equal

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters for reports: the noise's guarantee in place of the claim."""
        shown = {"true_log_delta": self.worst, "witness_log_delta": self.witness}
        return {
            **{name: None if math.isinf(number) else number for name, number in shown.items()},
            "witness": list(self.texts),
        }


def judged_claim(
    coder: TextCoder,
    bound: CodeBound,
    distribution: ProfiledNoise,
    *,
    epsilon: float,
    log_delta: float,
    words: Sequence[str],
    long_texts: str,
    proof: str,
) -> JudgedClaim:
    """Compute whether a claim holds for noisy codes of this model, by texts of public words.

    Args:
        coder: encoder.
        bound: of codes.
        epsilon: claimed, in nats.
        log_delta: ln of the claimed delta.
        words: public words.
        long_texts: "refuse" or "cut".
        proof: page of the refutation.
    """
    norm = distribution.norm
    worst = distribution.worst_log_delta(epsilon, bound.reach(coder.dim, norm), bound.widest)
    far = far_texts(
        lambda texts: bound(coder.encode(texts)), lambda texts: taken(coder, long_texts, texts), norm=norm, words=words
    )
    witness = -math.inf if far is None else distribution.privacy_profile(far.shift).log_delta(epsilon).lower
    status = status_under(proof) if worst <= log_delta else Status.REFUTED if witness > log_delta else Status.CLAIMED
    return JudgedClaim(status, worst, witness, () if far is None else far.texts)
