"""Utility limits: compare a reported share of unchanged words with what the claim allows anybody to reach.

Nothing is run: a table in a paper, or a text before and after, is enough. The bound depends on who made the text:

- a word-by-word mechanism sees one word: at most e^epsilon max prior + delta, or the uniform limit over n words;
- a decoder that also sees the other released words may use them: the prior is then a word's probability
  given the other words, and the bound is e^epsilon times its expected maximum + delta. It needs a stated
  estimate of that predictability (a masked language model's accuracy, say);
- a decoder that sees the clean previous words (teacher forcing) is under no bound.

Source: the limits of ``privacy.limits``.
"""

import math
from collections.abc import Sequence
from enum import Enum

from textveil.errors import InputError, need
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.text.tokens import Kind, classify, split
from textveil_lab.audit.report.report import Claim, Finding, Verdict
from textveil_lab.numerics.guarantee_limits import unchanged_limit, unchanged_limit_with_prior


class Decoder(Enum):
    """Who turned noise into words."""

    WORD_BY_WORD = "word by word"
    CONTEXT = "context of released words"
    TEACHER_FORCED = "clean previous words"


def unchanged_share(before: Sequence[str], after: Sequence[str], confidence: float = 0.999) -> Bound:
    """Return the share of words that came out unchanged, over texts before and after.

    Words are compared position by position, ignoring case. The interval treats positions as independent draws.

    Args:
        before: private texts.
        after: released texts, in the same order, with as many words each.

    Raises:
        InputError: the numbers of texts or of words differ (named by number), or there is no word.
    """
    if len(before) != len(after):
        raise InputError(f"there must be as many texts after as before; got {len(after)} and {len(before)}.")
    same = total = 0
    for number, (text_before, text_after) in enumerate(zip(before, after, strict=True), start=1):
        words = [surface.lower() for surface in split(text_before) if classify(surface) == Kind.WORD]
        outputs = [surface.lower() for surface in split(text_after) if classify(surface) == Kind.WORD]
        if len(words) != len(outputs):
            raise InputError(f"text {number} must keep its {len(words)} words; got {len(outputs)}. Align them first.")
        same += sum(word == output for word, output in zip(words, outputs, strict=True))
        total += len(words)
    if total == 0:
        raise InputError("the texts must hold at least one word; got none.")
    return clopper_pearson(same, total, confidence)


def check_unchanged(
    share: Bound | float,
    claim: Claim,
    *,
    decoder: Decoder = Decoder.WORD_BY_WORD,
    words: int | None = None,
    max_prior: float | None = None,
    predictability: float | None = None,
) -> Finding:
    """Check whether a claim allows this share of unchanged words.

    Args:
        share: measured, or reported (a float is exact).
        words: size of the vocabulary, for the uniform limit of a word-by-word mechanism; only if the share is a uniform
            mean over the vocabulary.
        max_prior: the most frequent word's share of the text, for the limit under a prior, which is tighter. One of
            ``words`` and ``max_prior`` is needed word by word.
        predictability: E[max_w P(w | the other words)], in (0, 1]; needed for a decoder with context.

    Returns:
        REFUTED if even the lower end of the share is above the limit. ``delta`` is the smallest delta that would allow
        the share.
    """
    measured = share if isinstance(share, Bound) else exactly(float(share))
    need(0 <= measured.lower <= measured.upper <= 1, "share", measured, "in [0, 1]")
    if decoder is Decoder.TEACHER_FORCED:
        note = "The decoder sees the clean previous words: no bound on unchanged words reaches it."
        return _finding(Verdict.NOT_REFUTED, claim, measured, 1.0, 0.0, note)
    if decoder is Decoder.CONTEXT:
        need(predictability is not None, "predictability", "none", "given for a decoder with context")
        prior = float(predictability or 0)
        name = f"predictability {prior:g} of a word from the others"
    elif max_prior is not None:
        prior, name = max_prior, f"most frequent word {max_prior:g}"
    else:
        need(words is not None, "words or max_prior", "neither", "given word by word")
        limit = unchanged_limit(int(words or 0), claim.epsilon, claim.delta)
        pure = unchanged_limit(int(words or 0), claim.epsilon, 0.0)
        return _judged(claim, measured, limit, pure, f"{words} equally likely words")
    need(0 < prior <= 1, "max_prior or predictability", prior, "in (0, 1]")
    limit, pure = (unchanged_limit_with_prior(prior, claim.epsilon, delta) for delta in (claim.delta, 0.0))
    return _judged(claim, measured, limit, pure, name)


def _judged(claim: Claim, share: Bound, limit: float, pure: float, name: str) -> Finding:
    """Return the finding; ``limit`` is that of the claim, ``pure`` that of its epsilon at delta 0."""
    verdict = Verdict.REFUTED if share.lower > limit else Verdict.NOT_REFUTED
    least_delta = max(0.0, share.lower - pure)
    note = (
        f"Unchanged words: {share.estimate:.4g}; the claim allows at most {min(1.0, limit):.4g} ({name}). "
        f"A delta of {least_delta:.4g} at least would be needed."
    )
    return _finding(verdict, claim, share, limit, least_delta, note)


def _finding(verdict: Verdict, claim: Claim, share: Bound, limit: float, least_delta: float, note: str) -> Finding:
    return Finding(
        verdict=verdict,
        claim=claim,
        epsilon=Bound(0.0, claim.epsilon, math.inf, share.confidence),
        delta=Bound(least_delta, least_delta, 1.0, share.confidence),
        method="limit",
        witness={"unchanged": share.estimate, "limit": min(1.0, limit)},
        notes=(note,),
    )
