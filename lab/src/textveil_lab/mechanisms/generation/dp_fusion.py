"""DP-Fusion: draws next tokens from distributions with and without the sensitive spans, within a bounded ratio."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Annotated, Any, ClassVar, Final, NamedTuple, TypeAlias, cast

import numpy as np

from textveil.detection.detectors import detector_of
from textveil.detection.spans import DetectedSpan, Detector, checked_spans
from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.declaration import proved
from textveil.privacy.composition import repeat
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.registry.options import DEFAULT_EPSILON, GUARANTEE, MODELS, POSITIVE, Domain, Option, named
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.adjacencies import ONE_GROUP
from textveil_lab.mechanisms.generation.dp_prompt import PROMPT
from textveil_lab.mechanisms.generation.fusion_weights import Blend, FusionWeights
from textveil_lab.mechanisms.generation.prompted import checked_prompt, fitted, need_room, write
from textveil_lab.mechanisms.parameters import Device, LongTexts, ModelFolder, Prompt, WrittenTokens, one_of
from textveil_lab.models.next_tokens import NextTokens, PromptReading, next_tokens

OPEN: Final = "[["
CLOSE: Final = "]]"  # around a span that the text itself marks
MARKED: Final = "marked"


class MarkedSpans:
    """Detector of the text between [[ and ]]; all of one kind."""

    name = "marked"
    kinds = (MARKED,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """Return the spans, marks included; see ``Detector``."""
        return [[DetectedSpan(start, end, MARKED, 1.0, self.name) for start, end in _marked(text)] for text in texts]


def _marked(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    while (start := text.find(OPEN, end)) >= 0 and (close := text.find(CLOSE, start + len(OPEN))) >= 0:
        end = close + len(CLOSE)
        yield start, end


class TaggedText(NamedTuple):
    """Readings of one text."""

    public: str  # every span replaced by the placeholder
    # for each group of spans in the order of their kinds, the text with these spans and no others
    private: tuple[str, ...]


def tagged(texts: Sequence[str], detector: Detector, placeholder: str, *, by_kind: bool) -> list[TaggedText]:
    """Return the readings of each text.

    Args:
        detector: of the spans.
        placeholder: text in place of a hidden span.
        by_kind: whether each kind of span is a group, or all spans are one.

    Raises:
        InputError: the detector's spans do not fit the texts.
    """
    spans_of_texts = checked_spans(detector, texts)
    readings = []
    for text, spans in zip(texts, spans_of_texts, strict=True):
        kinds = sorted({span.kind for span in spans})
        groups = [{kind} for kind in kinds] if by_kind else [set(kinds)] if kinds else []
        shown = [_shown(text, spans, placeholder, group) for group in groups]
        readings.append(TaggedText(_shown(text, spans, placeholder, set()), tuple(shown)))
    return readings


def _shown(text: str, spans: Sequence[DetectedSpan], placeholder: str, kinds: set[str]) -> str:
    pieces, end = [], 0
    for span in spans:
        value = text[span.start : span.end]
        inside = value.removeprefix(OPEN).removesuffix(CLOSE) if span.kind == MARKED else value
        pieces += [text[end : span.start], inside if span.kind in kinds else placeholder]
        end = span.end
    return "".join([*pieces, text[end:]])


PROOF: Final = "textveil_lab/proofs/fusion.md"

_DETECTABLE: Final = (
    ("Maria Gonzalez called.", "John Smith called."),
    ("Call 212-555-0142 now.", "Call 646-555-0187 now."),
)
"""Public texts in which detectors find the same spans."""

GroupEpsilon: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Privacy loss in nats of the tagged spans of one text, for any other values of any of them.",
        "E",
        GUARANTEE,
        unset=f"{DEFAULT_EPSILON:g}",
    ),
]
GroupEpsilonPerToken: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "In place of epsilon: privacy loss in nats of one token that is generated, for any values of the spans.",
        "E",
        GUARANTEE,
    ),
]


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class FusedWriting:
    """Write a text of at most ``tokens`` tokens, by the model's distributions with and without the tagged spans.

    Let b be the integer weights of the next token with hidden spans. A draw has weights between e^-beta b and e^beta b
    with the total of b, as near as possible to those of the model that reads the spans. So a token costs 2 beta, and a
    text ``tokens`` times that, for any values of the spans. All text outside them is public. Proof:
    textveil_lab/proofs/fusion.md.
    """

    name: ClassVar[str] = "dp-fusion"
    model: NextTokens = field(repr=False)  # gives the logits
    weights: FusionWeights  # of the next token
    detector: Detector  # finds the spans
    by_kind: bool  # whether each kind of spans is a group of its own
    placeholder: str  # text in place of a hidden span
    prompt: str  # the model's input, with ``{text}`` for the text
    tokens: int  # the most that an output has
    long_texts: str  # treatment of a text that the model has no room for: "refuse" or "cut"
    guarantee: PureDP  # of all spans of one text
    parameters: Mapping[str, Any]

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return one output for each text; see ``TextMechanism.privatize_texts``.

        Raises:
            InputError: a text is longer than the model takes, and ``long_texts`` is "refuse".
        """
        alone, generator = _Alone(self.model), resolve(rng)
        drawn = [
            write(alone, [contexts], self._rows, tokens=self.tokens, batch=1, rng=generator)[0]
            for contexts in self.contexts(texts)
        ]
        return [self.model.decoded(tokens) for tokens in drawn]

    def contexts(self, texts: Sequence[str]) -> list[tuple[tuple[int, ...], ...]]:
        """Return the model's inputs for each text: without the spans, then with each group of them."""
        documents = tagged(texts, self.detector, self.placeholder, by_kind=self.by_kind)
        return [self._contexts(document, number) for number, document in enumerate(documents, start=1)]

    def _contexts(self, document: TaggedText, number: int) -> tuple[tuple[int, ...], ...]:
        room, cut = self.model.room(self.tokens), self.long_texts == "cut"
        public = fitted(self.model, self.prompt, document.public, room, cut=cut, number=number)
        # Whether a text is refused must not depend on how long its spans are.
        private = [fitted(self.model, self.prompt, shown, room, cut=True, number=number) for shown in document.private]
        return tuple(tuple(tokens) for tokens in (public, *private))

    def adjacent_texts(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return texts equal outside the spans, with spans of the same kinds; see ``capabilities.AdjacentTexts``."""
        marked = [f"{words[0]} {OPEN}{word}{CLOSE} {words[-1]}" for word in (words[0], words[-1], " ".join(words[:3]))]
        tried = [*combinations(marked, 2), *_DETECTABLE]
        documents = tagged([text for pair in tried for text in pair], self.detector, self.placeholder, by_kind=True)
        same = [
            pair
            for pair, first, other in zip(tried, documents[::2], documents[1::2], strict=True)
            if first.private and first.public == other.public and len(first.private) == len(other.private)
        ]
        if not same:
            raise UnsupportedGuarantee(
                f"an audit needs texts in which {self.detector.name} finds the same spans; got none in those tried. "
                "Use spans='marked'."
            )
        return same

    def integer_weights_after(self, past: Ids, texts: Sequence[str]) -> Integers:
        """Return the integers of the draw after the tokens ``past`` for each text, int64, shape (texts, size)."""
        return np.concatenate([self._weights_after(past, contexts) for contexts in self.contexts(texts)])

    def _weights_after(self, past: Ids, contexts: tuple[tuple[int, ...], ...]) -> Integers:
        reading: PromptReading = _Alone(self.model).read([contexts])
        for token in np.asarray(past, dtype=np.int64).tolist():
            reading = reading.going_on(np.zeros(1, dtype=np.int64), np.array([token]))
        return self._rows(reading.logits)

    def _rows(self, logits: Reals) -> Integers:
        return np.array([self.weights.row(rows) for rows in logits])


@dataclass(frozen=True, slots=True)
class _Alone:
    """Model that reads one public context by itself: its numbers must not depend on the spans.

    In one batch with longer or more contexts the last bits of its numbers would change (proof, "Numbers").
    """

    model: NextTokens

    @property
    def size(self) -> int:
        return self.model.size

    @property
    def ends(self) -> frozenset[int]:
        return self.model.ends

    def read(self, prompts: Sequence[Any]) -> _Apart:
        [contexts] = prompts
        private = self.model.read(contexts[1:]) if len(contexts) > 1 else None
        return _Apart(self.model.read(contexts[:1]), private, len(contexts) - 1)


@dataclass(frozen=True, slots=True)
class _Apart:
    public: PromptReading
    private: PromptReading | None
    groups: int

    @property
    def logits(self) -> Any:
        """Logits of all contexts, the public one first, shape (1, contexts, size)."""
        parts = [self.public.logits] if self.private is None else [self.public.logits, self.private.logits]
        return np.concatenate(parts)[None]

    def going_on(self, rows: Integers, tokens: Ids) -> _Apart:
        public, private = self.public.going_on(rows, tokens), self.private
        if private is not None:
            private = private.going_on(np.arange(self.groups), np.repeat(tokens, self.groups))
        return _Apart(public, private, self.groups)


@proved(
    family="document",
    notion="pure DP",
    proof=PROOF,
    adjacency=ONE_GROUP,
    needs="a model on disk (extra transformers)",
    source="Thareja et al. 2025 (DP-Fusion, arXiv 2507.04531), with a bound on ratios in place of its own",
    summary="Paraphrases a text by a model that reads its tagged spans within a bounded ratio; all else is public.",
)
def dp_fusion(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: GroupEpsilon | None = None,
    epsilon_per_token: GroupEpsilonPerToken | None = None,
    tokens: WrittenTokens = 100,
    spans: Annotated[
        str,
        Option(
            named("detected", "marked"),
            "What is protected: what the embedded detector finds, or what stands between [[ and ]] in the text.",
            "NAME",
            MODELS,
        ),
    ] = "detected",
    groups: Annotated[
        str,
        Option(
            named("one", "kinds"),
            "Whether the model reads all spans at once, or those of each kind without the others.",
            "NAME",
            MODELS,
        ),
    ] = "one",
    blend: Annotated[
        str,
        Option(
            named("tokenwise", "mixture"),
            "How the distributions are blended: each token within the bound, or one share for all tokens.",
            "NAME",
            MODELS,
        ),
    ] = "tokenwise",
    placeholder: Annotated[
        str,
        Option(
            Domain(
                "a text that is not empty", lambda value: value.strip() != "", inside=("[hidden]",), outside=("", " ")
            ),
            "The text that hides a span.",
            "TEXT",
            MODELS,
        ),
    ] = "_",
    prompt: Prompt | None = None,
    long_texts: LongTexts = "refuse",
    device: Device = "cpu",
) -> FusedWriting:
    """DP-Fusion over any causal or encoder-decoder model on disk, with pure DP for any values of the tagged spans.

    The paper bounds a Renyi divergence of one order between each blend and the public distribution, from which no such
    guarantee follows for two values (textveil_lab/proofs/fusion.md); here each probability stays within e^beta of the
    public one, which costs 2 beta a token.

    Give exactly one of ``epsilon``, which the tokens share, and ``epsilon_per_token``, which is 2 beta. The vocabulary
    is not used: draws are the model's tokens.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: the folder has no such model.
        ParameterError: an option is outside its domain, or the model has no room for so many tokens.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token)
    read, read_prompt = next_tokens(model, device=device), checked_prompt(PROMPT if prompt is None else prompt)
    need_room(read, read_prompt, tokens)
    # epsilon / tokens in floating point may exceed the share by half an ulp; one step down pays it.
    share = value if name == "epsilon_per_token" or tokens == 1 else math.nextafter(value / tokens, 0.0)
    weights = FusionWeights(beta=share / 2, blend=cast(Blend, blend))
    cut = repeat(PureDP(epsilon=weights.epsilon), tokens).approximate().epsilon
    asked = value if name == "epsilon" else value * tokens
    spent = asked if asked * (1 - 1e-9) < cut <= asked else cut
    return FusedWriting(
        model=read,
        weights=weights,
        detector=MarkedSpans() if spans == MARKED else detector_of("embedded"),
        by_kind=groups == "kinds",
        placeholder=placeholder,
        prompt=read_prompt,
        tokens=tokens,
        long_texts=long_texts,
        guarantee=PureDP(epsilon=spent, status=status_of(__name__, PROOF), source=PROOF, adjacency=ONE_GROUP),
        parameters={
            name: value,
            "nats_per_token": weights.epsilon,
            "ratio_bound": weights.beta,
            "tokens": tokens,
            "spans": spans,
            "groups": groups,
            "blend": blend,
            "placeholder": placeholder,
            "prompt": read_prompt,
            "long_texts": long_texts,
            "model": read.name,
            "model_digest": read.digest,
            "device": device,
        },
    )
