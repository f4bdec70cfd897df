"""Documents rewritten by a language model that is prompted with them: n tokens, each drawn from clipped logits."""

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from textveil.errors import InputError, ModelError, need
from textveil.privacy.guarantees import Guarantee
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil_lab.mechanisms.capabilities import CostlyOutput
from textveil_lab.models.next_tokens import NextTokens, PromptReading

Law = Callable[[Any], Integers]  # from the logits of a reading to the integer weights of their draws
_DRAWS = 1024  # outputs that are drawn side by side


class Source(Protocol):
    """Source of draws: a language model, or several readings of one side by side."""

    @property
    def size(self) -> int:
        """Number of tokens to choose from."""

    @property
    def ends(self) -> frozenset[int]:
        """Tokens that end an output."""

    def read(self, prompts: Sequence[Any]) -> PromptReading:
        """Return the reading of prompts before any generated token."""


def write(
    model: Source, prompts: Sequence[Sequence[Any]], law: Law, *, tokens: int, batch: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return one output for each prompt: ``tokens`` draws, or fewer if an end token comes.

    Equal prompts are read once, and so are equal beginnings of their outputs; every draw is fresh. Tokens after an end
    token would be ignored, so stopping there releases no more than ``tokens`` draws do.

    Args:
        model: of the next token.
        prompts: each of at least one token.
        law: weights of a draw, from the model's numbers alone.
        tokens: largest number of tokens of an output, >= 1; public.
        batch: number of different prompts read together, >= 1.
        rng: of the draws.
    """
    written: list[list[int]] = [[] for _ in prompts]
    distinct: dict[tuple[Any, ...], int] = {}
    kinds = np.array([distinct.setdefault(tuple(prompt), len(distinct)) for prompt in prompts], dtype=np.int64)
    order = np.argsort(kinds, kind="stable")
    start = 0
    while start < len(order):
        stop = min(start + _DRAWS, int(np.searchsorted(kinds[order], kinds[order[start]] + batch)))
        outputs = order[start:stop]
        names, rows = np.unique(kinds[outputs], return_inverse=True)
        reading = model.read([list(prompts[outputs[int(np.argmax(rows == row))]]) for row in range(len(names))])
        _continue(model, reading, outputs, rows.reshape(-1), law, tokens, rng, written)
        start = stop
    return written


def _continue(
    model: Source,
    reading: PromptReading,
    outputs: Integers,
    rows: Integers,
    law: Law,
    tokens: int,
    rng: np.random.Generator,
    written: list[list[int]],
) -> None:
    for step in range(tokens):
        drawn = _drawn(law(reading.logits), rows, rng)
        for output, token in zip(outputs.tolist(), drawn.tolist(), strict=True):
            written[output].append(token)
        going = np.array([token not in model.ends for token in drawn.tolist()], dtype=bool)
        outputs, rows, drawn = outputs[going], rows[going], drawn[going]
        if step == tokens - 1 or not len(outputs):
            return
        pairs, places = np.unique(rows * model.size + drawn, return_inverse=True)
        reading = reading.going_on(pairs // model.size, pairs % model.size)
        rows = places.reshape(-1)


def _drawn(weights: Integers, rows: Integers, rng: np.random.Generator) -> Integers:
    sums = weights.cumsum(axis=1)
    uniform = rng.integers(0, sums[rows, -1], dtype=np.int64)
    drawn = np.empty(len(rows), dtype=np.int64)
    for row in np.unique(rows).tolist():
        here = np.flatnonzero(rows == row)
        drawn[here] = np.searchsorted(sums[row], uniform[here], side="right")
    return drawn


PLACE: Final = "{text}"  # placeholder of the document in a prompt

PUBLIC_SENTENCES: Final = (
    "The train to the coast leaves at nine and stops twice.",
    "I liked the film, although the end came too soon.",
    "Please send the report to the office before Friday.",
    "The doctor said that rest and water would be enough.",
    "Our team won the match in the last minute.",
    "Prices rose again this month, and so did wages.",
    "She bought two books and left her umbrella in the shop.",
    "The new phone is fast, but its battery is weak.",
)
"""Texts that measure the range of a model's logits if it is not given."""

_STEPS: Final = 8
_DEVIATIONS: Final = 4.0


class LogitWeights(Protocol):
    """Weights of a draw, by the model's logits."""

    def rows(self, logits: Reals) -> Integers:
        """Return the integers that are drawn, int64, shape (rows, size)."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class PromptedWriting:
    """Write a text of at most ``tokens`` tokens for a document, drawn after a prompt that contains it.

    By ``TokenWeights``, token y of n has weight max(floor, floor(top exp((clip(l_y) - max_logit) / T))), with l the
    model's logits after the prompt and the tokens drawn before. The logits are not changed otherwise: no top-k, no
    penalty. So each draw costs at most 2 ln(top / floor), and a document ``tokens`` times that, for any two documents
    that the model has room for. Proof: textveil_lab/proofs/clipped_sampling.md.
    """

    name: str
    model: NextTokens = field(repr=False)  # gives the logits
    weights: LogitWeights  # of the next token
    prompt: str  # the model's input, with ``{text}`` for the document
    tokens: int  # the most that an output has
    long_texts: str  # treatment of a document that the model has no room for: "refuse" or "cut"
    guarantee: Guarantee
    parameters: Mapping[str, Any]
    batch: int = 16  # documents that are read together

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return one output for each text; see ``TextMechanism.privatize_texts``.

        Raises:
            InputError: a document is longer than the model takes, and ``long_texts`` is "refuse".
        """
        prompts = self.prompts(texts)
        drawn = write(self.model, prompts, self.weights.rows, tokens=self.tokens, batch=self.batch, rng=resolve(rng))
        return [self.model.decoded(tokens) for tokens in drawn]

    def prompts(self, texts: Sequence[str]) -> list[list[int]]:
        room = self.model.room(self.tokens)
        return [
            fitted(self.model, self.prompt, text, room, cut=self.long_texts == "cut", number=number)
            for number, text in enumerate(texts, start=1)
        ]

    def integer_weights_after(self, past: Ids, texts: Sequence[str]) -> Integers:
        """Return the integers of the draw after the tokens ``past`` for each text, int64, shape (texts, size)."""
        reading = self.model.read(self.prompts(texts))
        for token in np.asarray(past, dtype=np.int64).tolist():
            rows = np.arange(len(texts))
            reading = reading.going_on(rows, np.full(len(texts), token))
        return self.weights.rows(reading.logits)

    def costliest_output(self, pairs: Sequence[tuple[str, str]], enough: float = math.inf) -> CostlyOutput:
        """Return the costliest output that a greedy search finds; see ``capabilities.KnownOutputs``.

        The search takes the token of largest ratio at each step.
        """
        best = CostlyOutput(*pairs[0], (), "", 0.0)
        for first, second in pairs:
            reading, loss = self.model.read(self.prompts([first, second])), 0.0
            output: list[int] = []
            for _ in range(self.tokens):
                rows = self.weights.rows(reading.logits)
                logs = np.log(rows / rows.sum(axis=1, keepdims=True))
                token = int(np.argmax(np.abs(logs[0] - logs[1]) if not output else np.sign(loss) * (logs[0] - logs[1])))
                loss += float(logs[0, token] - logs[1, token])
                output.append(token)
                if abs(loss) > best.loss:
                    pair = (first, second) if loss > 0 else (second, first)
                    best = CostlyOutput(*pair, tuple(output), self.model.decoded(output), abs(loss))
                if abs(loss) > enough:
                    return best
                if token in self.model.ends:
                    break
                reading = reading.going_on(np.arange(2), np.full(2, token))
        return best


def fitted(model: NextTokens, prompt: str, text: str, room: int, *, cut: bool, number: int) -> list[int]:
    """Return the tokens of a prompt with a document in it.

    Raises:
        InputError: the document is no str, or is too long and must not be cut.
    """
    if not isinstance(text, str):
        raise InputError(f"document {number} must be a str; got {type(text).__name__}.")

    def length(characters: int) -> int:
        return len(model.encoded(prompt.replace(PLACE, text[:characters])))

    whole = model.encoded(prompt.replace(PLACE, text))
    if len(whole) <= room:
        return whole
    if not cut:
        raise InputError(
            f"document {number} must have between 0 and {room - length(0)} tokens, what {model.name} has room for "
            "beside the prompt and the output; got a longer one. Split it, or use `long_texts='cut'`."
        )
    fits = bisect.bisect_right(range(len(text)), room, key=length) - 1
    while length(fits) > room:  # tokens of a beginning can be more than those of a longer one
        fits -= 1
    return model.encoded(prompt.replace(PLACE, text[:fits]))


def checked_prompt(prompt: str) -> str:
    """Return a prompt with one placeholder for the document; refuse any other."""
    need(prompt.count(PLACE) == 1, "prompt", f"{prompt.count(PLACE)} of them", f"a text with one {PLACE} in it")
    return prompt


def need_room(model: NextTokens, prompt: str, tokens: int) -> None:
    """Check that the model has room for the prompt, a token of a document and the output.

    Raises:
        ParameterError: it has not; the message says how many tokens it can write.
    """
    spare = 1 + len(model.encoded(prompt.replace(PLACE, "")))
    most = bisect.bisect_left(range(1, 1 << 20), True, key=lambda count: model.room(count) < spare)
    need(model.room(tokens) >= spare, "tokens", tokens, f"between 1 and {most}, what {model.name} has room for")


def public_range(model: NextTokens, prompt: str) -> tuple[float, float]:
    """Return a range of logits from public sentences alone: their mean, and four standard deviations above it.

    Source: this package; the guarantee holds for any public range.

    Raises:
        ModelError: the model returns numbers that are not finite.
    """
    prompts = [model.encoded(prompt.replace(PLACE, sentence)) for sentence in PUBLIC_SENTENCES]
    forced = [model.encoded(sentence) for sentence in PUBLIC_SENTENCES]
    reading = model.read(prompts)
    logits = [reading.logits]
    rows = np.arange(len(prompts))
    for step in range(_STEPS - 1):
        reading = reading.going_on(rows, np.array([tokens[step % len(tokens)] for tokens in forced]))
        logits.append(reading.logits)
    numbers = np.concatenate(logits)
    mean, deviation = float(numbers.mean()), float(numbers.std())
    if not (math.isfinite(mean) and deviation > 0):
        raise ModelError(f"the language model {model.name} must give finite numbers; got others. Check its weights.")
    # Six digits, so that two machines agree.
    return float(f"{mean:.6g}"), float(f"{mean + _DEVIATIONS * deviation:.6g}")
