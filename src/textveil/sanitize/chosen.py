"""Options of a sanitizer, and the way that it goes by them: by a mechanism or by a policy."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.catalog import DEFAULT, promised
from textveil.errors import need
from textveil.mechanisms import kinds
from textveil.mechanisms.randomized_response import CommonWordResponse, DigitResponse
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import one_value
from textveil.randomness import seeded_generator
from textveil.sanitize.by_policy import BEFORE, ByPolicy
from textveil.sanitize.policy.making import number_options, parts_of, passing_of, words_of
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.setting import PolicyFacts, facts_of
from textveil.sanitize.token_draws import DrawsWords, LeftOut
from textveil.sanitize.ways import ByTexts, ByTokens, DrawnOutside, Outside, Verbatim, Way
from textveil.surrogates.making import SURROGATE_ENTRIES
from textveil.surrogates.scopes import KEY_BYTES, MemoryScope
from textveil.surrogates.surrogate import Mention, Surrogate
from textveil.text.marks import Marks, checked_marks
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary


class Chosen(NamedTuple):
    """Way that a sanitizer draws."""

    way: Way  # of texts to releases
    mechanism: kinds.DrawsText | None  # draws the words, or the texts; None if words are kept
    policy: PolicyFacts | None = None  # public facts of a policy that says more than a mechanism
    unchanged_kinds: tuple[str, ...] = ()  # kinds of spans of which most values come out as they are


def chosen_way(options: SanitizerOptions, rng: np.random.Generator | None) -> Chosen:
    """Choose the way of a sanitizer's mechanism or policy.

    ``options``: of the sanitizer; ``rng``: makes a corpus's key if draws are seeded.

    Raises RefutedGuarantee: the mechanism's claim is refuted, and that is not allowed; ParameterError: a number's
    budget is missing, or what the policy names cannot be made; UnsupportedGuarantee: the guarantee is of another unit
    than the draws, or the mechanism releases no text.
    """
    mechanism = options.mechanism
    if not isinstance(mechanism, Policy):
        return _of_mechanism(mechanism, options)
    return _of_spans(mechanism, options, rng) if mechanism.finds_spans else _of_tokens(mechanism, options)


def _of_mechanism(mechanism: kinds.Mechanism, options: SanitizerOptions) -> Chosen:
    mechanism = kinds.drawing_text(mechanism, "a sanitizer")
    promise = promised(mechanism, allow_refuted=options.allow_refuted)
    if isinstance(mechanism, kinds.TextMechanism):
        return Chosen(ByTexts(mechanism, promise), mechanism)
    way = ByTokens(mechanism, promise, options.number_epsilon, options.digit_keep_limit, options.marks)
    return Chosen(way, mechanism)


def _of_spans(policy: Policy, options: SanitizerOptions, rng: np.random.Generator | None) -> Chosen:
    parts = parts_of(policy)
    key = None
    if policy.keyed:
        key = options.key or (secrets.token_bytes(KEY_BYTES) if rng is None else rng.bytes(KEY_BYTES))
    if parts.words is None:
        outside: Outside = Verbatim(policy.marks, shown=BEFORE)
    else:
        outside = DrawnOutside(parts.words, _promised(parts.words, options), policy.marks, passing_of(policy))
    way = ByPolicy(parts, outside, policy.scope, key)
    facts = facts_of(policy, one_value(tokens=parts.words is not None))
    others = [
        rule.kind for rule in policy.rules if rule.action is Action.SURROGATE and rule.name not in SURROGATE_ENTRIES
    ]
    hidden = [part.kind for part in way.protected if part.kind not in others and hides_most(part.guarantee)]
    tried = {kind: surrogate for kind, surrogate in parts.surrogates.items() if kind not in hidden}
    return Chosen(way, _mechanism(parts.words), facts, unchanged_kinds(tried))


def _of_tokens(policy: Policy, options: SanitizerOptions) -> Chosen:
    """Choose the way of a policy that looks for no spans: its mechanism's own, unless public words are a kind apart."""
    words, passing = words_of(policy), passing_of(policy)
    assert words is not None  # a policy without one finds spans
    mechanism = _mechanism(words)
    numbers = number_options(policy)
    if passing is None:
        assert mechanism is not None
        return _of_mechanism(mechanism, replace(options, mechanism=mechanism, marks=policy.marks, **numbers))
    drawn = numbers.get("number_epsilon"), numbers.get("digit_keep_limit")
    way = ByTokens(words, _promised(words, options), *drawn, policy.marks, passing)
    return Chosen(way, mechanism, facts_of(policy, way.protected[0].guarantee.adjacency))


def _mechanism(words: DrawsWords | None) -> kinds.WordMechanism | kinds.SequenceMechanism | None:
    return None if isinstance(words, LeftOut | CommonWordResponse) else words


def _promised(words: DrawsWords, options: SanitizerOptions) -> Guarantee:
    mechanism = _mechanism(words)
    return words.guarantee if mechanism is None else promised(mechanism, allow_refuted=options.allow_refuted)


_ALONE: Final = ("context", "neighborhood_size")  # options that say, or imply, what base weights follow


def options_for_note(mechanism: str, options: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the options to add if one document is released by itself, such as a note or a prompt.

    The default mechanism then draws by what the note has released so far: better text at the same guarantee, slower.
    Corpora keep weights that are the same everywhere. It depends on how a run was asked for, never on the text.

    ``mechanism``: name in the catalog; ``vocabulary``: public words; only the embedded one has a language model with
    it.

    Returns:
        ``{"context": "released"}``, or nothing if another mechanism, vocabulary or weighting was asked for.
    """
    chosen = any(name in options for name in _ALONE) or options.get("base_weights") == "flat"
    if mechanism != DEFAULT or chosen or vocabulary.digest != load_vocabulary().digest:
        return {}
    return {"context": "released"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizerOptions:
    """Options as ``Sanitizer`` takes them. Picklable; no generator. None means unset.

    ``key``: see ``Sanitizer``; None if each job makes one of its own secret. Raises ParameterError: ``mechanism`` is
    neither a mechanism nor a policy; an option is outside its domain, or is given although the mechanism or the policy
    decides it.
    """

    mechanism: kinds.Mechanism | Policy  # draws the words, or whole texts; or a policy, which says by kind what is done
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
        elif isinstance(self.mechanism, kinds.TextMechanism):
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

        ``secret``: the job's. Every process that holds it gives a value of the corpus the same surrogate. With a seed
        the key follows from the seed alone, as all draws do.
        """
        if self.key is not None or not (isinstance(self.mechanism, Policy) and self.mechanism.keyed):
            return self
        source = secret if self.seed is None else str(self.seed).encode("ascii")
        return replace(self, key=hashlib.blake2b(source, digest_size=KEY_BYTES, person=b"pseudonyms").digest())


MOST: Final = 0.9  # share of words above which that is said
_HIDES: Final = math.log(MOST / (1 - MOST)) - 1e-9
_WORDS: Final = 16  # words that stand for the vocabulary: evenly spaced in its order
_DRAWS: Final = 4  # draws for each of them
_EXAMPLES: Final = {"age": "37", "time": "10:30", "date": "June 5, 2012", "number": "4812", "money": "$120.50"}
_OTHER: Final = "Maria Gonzalez 4812"  # public values that stand for all of a kind
_SENTENCES: Final = ("The house by the river was sold in spring.", "She asked the doctor about the results.")
"""Public texts for mechanisms of whole texts."""
_CHANCE: Final = 1e-6  # draws that a stated table gives less often than this are no draws of it


def mostly_unchanged(mechanism: kinds.DrawsText) -> bool:
    """Estimate whether more than ``MOST`` of equally likely words come out unchanged.

    Estimated by drawing, whatever the mechanism promises and whatever table it states: from a few draws of public data
    with a seed of their own. Those are evenly spaced words, for mechanisms of sequences in documents, and sentences for
    mechanisms of whole texts. If a table is stated and half of the draws are unchanged, its exact share decides,
    unless the draws contradict it.

    ``mechanism``: draws the words, or the texts.
    """
    if isinstance(mechanism, kinds.TextMechanism):
        drawn_texts = mechanism.privatize_texts(list(_SENTENCES), seeded_generator(0))
        return [_words(str(text)) for text in drawn_texts] == [_words(text) for text in _SENTENCES]
    size = len(mechanism.vocabulary)
    ids = np.unique(np.linspace(0, size - 1, min(_WORDS, size)).astype(np.int64))
    repeated = np.tile(ids, _DRAWS)
    if isinstance(mechanism, kinds.SequenceMechanism):
        bounds = np.arange(0, len(repeated) + 1, len(ids))
        drawn = mechanism.privatize_documents(repeated, bounds, seeded_generator(0))
    else:
        drawn = np.asarray(mechanism.privatize(repeated, seeded_generator(0)))
    same = int(np.count_nonzero(drawn == repeated)) if drawn.shape == repeated.shape else 0
    most = same > MOST * len(repeated)
    if not isinstance(mechanism, kinds.Channel) or 2 * same < len(repeated):
        return most
    stated = float(np.mean([mechanism.probabilities(int(word_id))[word_id] for word_id in ids]))
    chance = math.comb(len(repeated), same) * stated**same  # at least that of so many or more
    return stated > MOST or (most and chance < _CHANCE)


def _words(text: str) -> list[str]:
    """Return the words of a text, without the case and the marks that a mechanism may drop."""
    return re.findall(r"\w+", text.casefold())


def hides_most(guarantee: Guarantee) -> bool:
    """Tell whether a proved guarantee rules out that more than ``MOST`` of values come out unchanged.

    If a draw is epsilon-DP for any two values, and returns x for x with probability a and y for y with b, then
    a <= e^epsilon (1 - b) and b <= e^epsilon (1 - a). So a + b <= 2 / (1 + e^-epsilon), and so is twice the mean over
    all values of a public form.
    """
    return isinstance(guarantee, PureDP) and guarantee.status is Status.PROVED and guarantee.epsilon <= _HIDES


def unchanged_kinds(surrogates: Mapping[str, Surrogate]) -> tuple[str, ...]:
    """Return the kinds of spans for which more than ``MOST`` of the draws for a public example are the example.

    Estimated from a few draws with a seed of their own, whatever the surrogates promise.
    """
    return tuple(kind for kind, surrogate in surrogates.items() if _stays(surrogate, _EXAMPLES.get(kind, _OTHER)))


def _stays(surrogate: Surrogate, example: str) -> bool:
    rng, mention = seeded_generator(0), [Mention(example)]
    draws = _WORDS * _DRAWS
    others = 0
    for _ in range(draws):
        others += surrogate.draw(mention, MemoryScope(), rng) != [example]
        if draws - others <= MOST * draws:  # whatever the other draws give
            return False
    return True
