"""Hugging Face models on disk with an encoder that reads a text and a decoder that writes one: BART, T5 and others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import ModelError, need
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, quiet, read_model
from textveil.types import Flags, Ids, Integers, Reals

_BLOCK = 16  # Texts that a model is given at once


class TokenRows(NamedTuple):
    """Texts as rows of one length."""

    ids: Ids  # of the model's tokens, int64, shape (texts, length); padding behind the ends of texts
    inside: Flags  # which of them are of the text, shape (texts, length); at least the first of every row


@dataclass(frozen=True, eq=False)
class EncoderDecoder:
    """Model in a folder; made by ``encoder_decoder``."""

    folder: Path
    foreign: ForeignModel

    def __reduce__(self) -> tuple[Any, ...]:
        return encoder_decoder, (self.folder, self.foreign.device)

    @property
    def name(self) -> str:
        """Name in reports: that of its folder."""
        return self.foreign.name

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its files."""
        return files_digest(self.folder, "encoder-decoder")

    @property
    def width(self) -> int:
        return int(self.foreign.model.config.hidden_size)

    @property
    def room(self) -> int:
        return self.foreign.room

    def check_length(self, length: int) -> None:
        """Check that the model has room for so many tokens.

        Raises:
            ParameterError: it has not.
        """
        need(1 <= length <= self.room, "length", length, f"from 1 to {self.room}, the tokens that {self.name} takes")

    def sizes(self, texts: Sequence[str]) -> Integers:
        """Return the number of tokens of each text, the tokenizer's marks included, shape (texts,)."""
        with quiet(load_libraries().transformers):  # says that a text is longer than the model takes
            read = self.foreign.tokenizer(list(texts), truncation=False, padding=False)["input_ids"] if texts else []
        return np.array([len(tokens) for tokens in read], dtype=np.int64)

    def rows(self, texts: Sequence[str], length: int) -> TokenRows:
        """Return the tokens of texts, the tokenizer's marks included; longer texts are cut."""
        tokenizer = self.foreign.tokenizer
        read = tokenizer(list(texts), truncation=True, max_length=length, padding=False)["input_ids"]
        ids = np.full((len(texts), length), int(tokenizer.pad_token_id), dtype=np.int64)
        inside = np.zeros(ids.shape, dtype=np.bool_)
        inside[:, 0] = True
        for row, tokens in enumerate(read):
            ids[row, : len(tokens)] = tokens
            inside[row, : len(tokens)] = True
        return TokenRows(ids, inside)

    def states(self, texts: Sequence[str], length: int) -> Reals:
        """Return the encoder's last states, float64, shape (texts, length, width), padding included.

        Every text is read as a row of ``length`` tokens, so its states do not depend on other texts.

        Args:
            texts: any strings, cut at ``length`` tokens.
        """
        torch, device = load_libraries().torch, self.foreign.device
        states_of_texts = np.empty((len(texts), length, self.width))
        encoder = self.foreign.model.get_encoder()
        for start in range(0, len(texts), _BLOCK):
            rows = self.rows(texts[start : start + _BLOCK], length)
            ids = torch.from_numpy(rows.ids).to(device)
            mask = torch.from_numpy(rows.inside.astype(np.int64)).to(device)
            with torch.inference_mode():
                states = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
            states_of_texts[start : start + len(rows.ids)] = states.float().cpu().numpy()
        return states_of_texts

    def written(self, states: Reals, *, beams: int) -> list[str]:
        """Return the texts that the decoder writes from the encoder's states alone; it attends to every position.

        Each is the likeliest text by a beam search, of at most as many tokens as there are positions.

        Args:
            states: from any source, shape (texts, length, width).
            beams: of the search, >= 1; 1 takes the likeliest token each time.
        """
        libraries, texts = load_libraries(), []
        torch, length = libraries.torch, states.shape[1]
        kind = libraries.transformers.modeling_outputs.BaseModelOutput
        dtype = next(self.foreign.model.parameters()).dtype
        for start in range(0, len(states), _BLOCK):
            part = np.ascontiguousarray(states[start : start + _BLOCK], dtype=np.float32)
            given = torch.from_numpy(part).to(self.foreign.device, dtype)
            everywhere = torch.ones(part.shape[:2], dtype=torch.long, device=self.foreign.device)
            with torch.inference_mode(), quiet(libraries.transformers):
                said = self.foreign.model.generate(
                    encoder_outputs=kind(last_hidden_state=given),
                    attention_mask=everywhere,
                    max_new_tokens=length,
                    num_beams=beams,
                    do_sample=False,
                )
            texts += self.foreign.tokenizer.batch_decode(said, skip_special_tokens=True)
        return [text.strip() for text in texts]


def encoder_decoder(folder: Path | str, device: str = "cpu") -> EncoderDecoder:
    """Return the encoder-decoder in a folder.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.

    Raises:
        ParameterError: no such device.
        ModelError: the folder has no encoder-decoder with weights and tokenizer, or it has no padding token.
    """
    foreign = read_model(folder, "encoder-decoder", device)
    if foreign.tokenizer.pad_token_id is None:
        raise ModelError(
            f"the tokenizer of {foreign.name} must have a token for padding; got none. Set its pad_token and save it."
        )
    return EncoderDecoder(Path(folder), foreign)


@dataclass(frozen=True, eq=False)
class StateCoder:
    """Texts as an encoder's states at ``length`` positions, in a row, and back by its decoder."""

    model: EncoderDecoder
    length: int  # places, from 1 to ``model.room``
    beams: int  # of the search when texts are written, >= 1
    # public coordinates of every state that are no part of codes; the decoder sees 0 there
    pruned: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        width = self.model.width
        inside = all(0 <= place < width for place in self.pruned) and len(set(self.pruned)) == len(self.pruned)
        wanted = f"different coordinates from 0 to {width - 1} of the states of {self.model.name}, not all of them"
        need(inside and len(self.pruned) < width, "pruned", f"{len(self.pruned)} others", wanted)

    @property
    def dim(self) -> int:
        """Number of coordinates: positions times the coordinates of a state that are not pruned."""
        return self.length * (self.model.width - len(self.pruned))

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"model": self.model.name, "digest": self.model.digest, "length": self.length, "beams": self.beams}

    @property
    def pieces(self) -> str:
        return "tokens"

    def sizes(self, texts: Sequence[str]) -> Integers:
        return self.model.sizes(texts)

    def encode(self, texts: Sequence[str]) -> Reals:
        states = self.model.states(texts, self.length)
        return np.delete(states, list(self.pruned), axis=2).reshape(len(texts), self.dim)

    def write(self, codes: Reals) -> list[str]:
        states = np.zeros((len(codes), self.length, self.model.width))
        kept = np.delete(np.arange(self.model.width), list(self.pruned))
        states[:, :, kept] = codes.reshape(len(codes), self.length, -1)
        return self.model.written(states, beams=self.beams)
