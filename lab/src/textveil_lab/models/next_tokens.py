"""Next tokens by a Hugging Face model on disk: causal, or an encoder with a decoder.

A prompt is read once; its cached states serve every token that follows. Rows of a reading may be used several times and
in any order, so equal beginnings of many outputs are computed once.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from textveil.errors import ModelError, WrongModel
from textveil.models.foreign_files import ForeignModel, files_digest, is_encoder_decoder, load_libraries, read_model
from textveil.types import Ids, Integers, Reals

Tokens = Sequence[int]  # Numbers of tokens, each below the model's ``size``


class PromptReading(Protocol):
    """Prompts with the tokens generated for each so far."""

    @property
    def logits(self) -> Reals:
        """Model's numbers for every next token, float64, shape (rows, size)."""

    def going_on(self, rows: Integers, tokens: Ids) -> PromptReading:
        """Return the reading after one more token for some rows, with repetitions; do not use this reading again.

        Args:
            rows: of this reading, shape (more,).
            tokens: next token of each, shape (more,).
        """


@runtime_checkable
class NextTokens(Protocol):
    """Model of the token that follows a prompt and generated tokens."""

    @property
    def name(self) -> str:
        """Name in reports."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that its numbers depend on."""

    @property
    def size(self) -> int:
        """Number of tokens to choose from."""

    @property
    def ends(self) -> frozenset[int]:
        """Tokens that end an output."""

    def room(self, tokens: int) -> int:
        """Return the largest number of tokens of a prompt if ``tokens`` are generated; below 1 if there is no room."""

    def encoded(self, text: str) -> list[int]:
        """Return the tokens of a prompt, at least one."""

    def decoded(self, tokens: Tokens) -> str:
        """Return the text of generated tokens, without the model's marks."""

    def read(self, prompts: Sequence[Tokens]) -> PromptReading:
        """Return the reading of prompts before any generated token; each prompt has at least one token."""


@dataclass(frozen=True, eq=False)
class ModelOnDisk:
    """Model in a folder; made by ``next_tokens``."""

    folder: Path
    foreign: ForeignModel
    decodes: bool

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(next_tokens, device=self.foreign.device), (self.folder,)

    @property
    def name(self) -> str:
        return self.foreign.name

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its files."""
        return files_digest(self.folder, "next tokens")

    @cached_property
    def size(self) -> int:
        """Number of tokens to choose from: the width of its logits."""
        return int(self.foreign.model.config.get_text_config().vocab_size)

    @cached_property
    def ends(self) -> frozenset[int]:
        model = self.foreign.model
        named = [
            getattr(holder, "eos_token_id", None)
            for holder in (getattr(model, "generation_config", None), model.config)
        ]
        stated = [*named, self.foreign.tokenizer.eos_token_id]
        flat = [token for some in stated for token in (some if isinstance(some, list | tuple) else [some])]
        return frozenset(int(token) for token in flat if token is not None)

    def room(self, tokens: int) -> int:
        """Return ``NextTokens.room``; a decoder has its own positions."""
        most = min(self.foreign.room, int(self.foreign.tokenizer.model_max_length))
        if self.decodes:
            return most if tokens < self.foreign.room else 0
        return most - tokens

    def encoded(self, text: str) -> list[int]:
        """Return the tokens of a prompt; an empty one gives the beginning-of-text token. See ``NextTokens.encoded``."""
        return [int(token) for token in self.foreign.tokenizer(text)["input_ids"]] or [self.start]

    def decoded(self, tokens: Tokens) -> str:
        known = len(self.foreign.tokenizer)  # a model may have more rows than its tokenizer has tokens
        kept = [int(token) for token in tokens if token < known]
        return str(self.foreign.tokenizer.decode(kept, skip_special_tokens=True))

    def read(self, prompts: Sequence[Tokens]) -> PromptReading:
        return _read(self, [list(prompt) for prompt in prompts], [[] for _ in prompts])

    @cached_property
    def start(self) -> int:
        settings = (getattr(self.foreign.model, "generation_config", None), self.foreign.model.config)
        for name in ("decoder_start_token_id", "bos_token_id", "eos_token_id", "pad_token_id"):
            for holder in (*settings, self.foreign.tokenizer):
                token = getattr(holder, name, None)
                if isinstance(token, int):
                    return token
        raise ModelError(f"the model {self.name} must name the token that texts begin with; got none.")

    @cached_property
    def placed(self) -> bool:
        return "position_ids" in inspect.signature(self.foreign.model.forward).parameters

    def tensor(self, rows: Any) -> Any:
        return load_libraries().torch.as_tensor(np.asarray(rows, dtype=np.int64), device=self.foreign.device)


@dataclass(frozen=True, eq=False)
class _PromptsRead:
    model: ModelOnDisk
    prompts: list[list[int]]
    outputs: list[list[int]]
    logits: Reals  # see ``PromptReading``
    past: Any  # the model's cache of each row; None if it keeps nothing that rows can be taken from
    mask: Any  # 1 where a row has a token, 0 where it is padded
    encoded: Any  # of a decoder's prompts, shape (rows, longest, width); None for a causal model

    def going_on(self, rows: Integers, tokens: Ids) -> _PromptsRead:
        model, torch = self.model, load_libraries().torch
        prompts = [self.prompts[row] for row in rows.tolist()]
        outputs = [[*self.outputs[row], token] for row, token in zip(rows.tolist(), tokens.tolist(), strict=True)]
        if not hasattr(self.past, "batch_select_indices"):
            return _read(model, prompts, outputs)
        taken, last = model.tensor(rows), model.tensor(tokens)[:, None]
        with torch.inference_mode():
            self.past.batch_select_indices(taken)
            mask, encoded = self.mask[taken], None
            if self.encoded is not None:
                encoded = self.encoded[taken]
                out = model.foreign.model(
                    encoder_outputs=_hidden(encoded),
                    attention_mask=mask,
                    decoder_input_ids=last,
                    past_key_values=self.past,
                    use_cache=True,
                )
            else:
                mask = torch.cat([mask, torch.ones_like(last)], dim=1)
                places = {"position_ids": mask.sum(dim=1, keepdim=True) - 1} if model.placed else {}
                out = model.foreign.model(
                    input_ids=last, attention_mask=mask, past_key_values=self.past, use_cache=True, **places
                )
        return _PromptsRead(model, prompts, outputs, _numbers(out.logits[:, -1]), out.past_key_values, mask, encoded)


def _read(model: ModelOnDisk, prompts: list[list[int]], outputs: list[list[int]]) -> _PromptsRead:
    torch, network = load_libraries().torch, model.foreign.model
    rows = prompts if model.decodes else [prompt + more for prompt, more in zip(prompts, outputs, strict=True)]
    longest = max(map(len, rows))
    ids = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    for number, row in enumerate(rows):  # a decoder's prompts are filled up behind, a causal model's before
        here = slice(0, len(row)) if model.decodes else slice(longest - len(row), longest)
        ids[number, here], mask[number, here] = row, 1
    given = {"input_ids": model.tensor(ids), "attention_mask": model.tensor(mask)}
    with torch.inference_mode():
        encoded = None
        if model.decodes:
            encoded = network.get_encoder()(**given).last_hidden_state
            begun = model.tensor([[model.start, *row] for row in outputs])
            out = network(
                encoder_outputs=_hidden(encoded),
                attention_mask=given["attention_mask"],
                decoder_input_ids=begun,
                use_cache=True,
            )
        else:
            places = {"position_ids": (given["attention_mask"].cumsum(dim=1) - 1).clamp(min=0)} if model.placed else {}
            out = network(**given, use_cache=True, **places)
    past = getattr(out, "past_key_values", None)
    return _PromptsRead(model, prompts, outputs, _numbers(out.logits[:, -1]), past, given["attention_mask"], encoded)


def _hidden(encoded: Any) -> Any:
    return load_libraries().transformers.modeling_outputs.BaseModelOutput(last_hidden_state=encoded)


def _numbers(logits: Any) -> Reals:
    numbers: Reals = logits.float().cpu().numpy().astype(np.float64)
    return numbers


def next_tokens(folder: Path | str, *, device: str = "cpu", causal: bool = False) -> ModelOnDisk:
    """Return the model in a folder, of either kind.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.

    Raises:
        ParameterError: torch finds no such device.
        ModelError: the folder has no such model.
    """
    decodes = is_encoder_decoder(folder)
    if causal and decodes:
        raise WrongModel(
            f"the folder {Path(folder).name} must hold a causal language model; got an encoder-decoder. Take a model "
            "like GPT-2, or a mechanism that takes both kinds."
        )
    foreign = read_model(folder, "encoder-decoder" if decodes else "causal", device)
    return ModelOnDisk(Path(folder), foreign, decodes)
