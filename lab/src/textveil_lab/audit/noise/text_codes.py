"""Closed-form audits of noise on the codes of whole texts: by two public texts far apart, and a bound for all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import UnsupportedGuarantee
from textveil_lab.audit.methods import Audit, Method
from textveil_lab.audit.noise.closed_form import WorstPair, checked_distribution, worst_finding
from textveil_lab.audit.report.report import Claim, Finding, Subject
from textveil_lab.audit.sampled.stated import DrawsCheck, StatedPair, check_profile
from textveil_lab.mechanisms.capabilities import NoisyTextCodes
from textveil_lab.mechanisms.document.noisy_codes import far_texts
from textveil_lab.noise.distribution import ProfiledNoise

_CODE_NOTE = (
    "The profile is that of the noisy code; the released text is written of it, so the claim holds for the text where "
    "it holds for the code, and a refutation is of the claim for the code. The noise is that of the proof, in real "
    "numbers; rounding in its sampler is not part of it."
)


_TEXTS: Final = 120  # Draws of each text


def audit_codes(mechanism: NoisyTextCodes, claim: Claim, *, words: Sequence[str]) -> Finding:
    """Test a claim about any two documents at the noisy code.

    Args:
        mechanism: its noise offers its profile.
        words: public words of the texts whose codes are compared.

    Returns:
        ``PROVED``: an upper bound for any two codes is within the claim. ``REFUTED``: two texts exceed it.
        ``NOT_REFUTED``: the claim lies between the two.

    Raises:
        ParameterError: the noise offers no profile.
        UnsupportedGuarantee: all tried texts have one code.
    """
    noise = checked_distribution(mechanism.distribution)
    far = far_texts(mechanism.codes, mechanism.takes, norm=noise.norm, words=words)
    if far is None:
        raise UnsupportedGuarantee(
            f"an audit of {mechanism.name} needs two texts of different codes; got one code for all texts that were "
            "tried. Give a model that tells texts apart."
        )
    pair = WorstPair(
        first=0,
        second=1,
        shift=far.shift,
        norm=noise.norm,
        distance=float(np.linalg.norm(far.shift, ord=noise.norm)),
        reach=mechanism.bound.reach(len(far.shift), noise.norm),
        widest=mechanism.bound.widest,
    )
    notes = (_CODE_NOTE, f"No two codes are farther apart than {pair.reach:.6g} in the L{noise.norm} norm.")
    finding = worst_finding(noise, pair, claim, {"pair": list(far.texts)}, notes)
    return replace(finding, subject=Subject.NOISY_CODE, inputs="any two documents")


def check_codes(
    mechanism: NoisyTextCodes, noise: ProfiledNoise, *, words: Sequence[str], rng: np.random.Generator
) -> DrawsCheck:
    """Check by few draws, since texts take long, that two texts' codes are no farther apart than their noisy codes."""
    far = far_texts(mechanism.codes, mechanism.takes, norm=noise.norm, words=words)
    pairs = [] if far is None else [StatedPair(*far.texts, noise.privacy_profile(far.shift))]

    def draw(text: Any, count: int) -> NDArray[Any]:
        return np.array(mechanism.privatize_texts([str(text)] * count, rng))

    return check_profile(draw, pairs, str, subject=Subject.NOISY_CODE, draws=_TEXTS)


def _run(audit: Audit) -> None:
    audit.findings.append(audit_codes(audit.mechanism, audit.claim, words=audit.words))
    audit.draws = check_codes(audit.mechanism, audit.mechanism.distribution, words=audit.words, rng=audit.rng)
    audit.tell_contradiction()


def _applies(mechanism: Any) -> bool:
    return isinstance(mechanism, NoisyTextCodes) and isinstance(mechanism.distribution, ProfiledNoise)


NOISY_CODES: Final = Method(_run, _applies)  # In closed form, if a text is written of a noisy code
