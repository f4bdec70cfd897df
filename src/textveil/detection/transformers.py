"""Token classifiers of Hugging Face on this machine, read by ``models.foreign_files``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.detection.detectors import by_pieces, folder_name, kinds_of_labels
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, ModelError, need
from textveil.models.foreign_files import load_libraries, read_model
from textveil.types import Reals

_PIECE: Final = 1_000_000
"""Characters whose tokens are held at once; what the model reads is cut into windows of its own length."""

_LONGEST: Final = 512
"""Tokens of a window at the most, whatever the model could take: attention costs the square of that."""

_OVERLAP: Final = 64

_OUTSIDE: Final = "O"
_BEGINS: Final = ("B", "S", "U")
_TAGS: Final = frozenset("BIESLU")


class _Window(NamedTuple):
    """Tokens that the model reads together: ids with those that frame them, and what they are of a text."""

    text: int  # number of the text
    first: int  # place of the window's first token among those of the text
    ids: list[int]  # with the tokens that the model puts around a text
    lead: int  # how many of these stand before the others
    bounds: list[tuple[int, int]]  # start and end in the text of each token


class _Token(NamedTuple):
    start: int  # its first character
    end: int  # one past its last
    label: int  # the number of its most probable class
    score: float  # that class's probability
    context: int  # tokens of the window on the side of it where fewer stand


class TransformersDetector:
    """Spans by a token classifier; made by ``transformers_detector``."""

    def __init__(
        self, folder: Path | str, labels: Mapping[str, str | None] | None, batch: int, overlap: int | None, device: str
    ) -> None:
        self._asked = (folder, None if labels is None else dict(labels), batch, overlap, device)
        name = folder_name(folder)
        self.name = f"transformers:{name}"
        self._model = read_model(folder, "token", device)
        if not getattr(self._model.tokenizer, "is_fast", False):
            raise ModelError(
                f"the tokenizer of {name} must tell where its tokens stand in a text; got a slow one. Save a fast one."
            )
        named = {int(number): str(label) for number, label in self._model.model.config.id2label.items()}
        self._tags = {number: _tag(label) for number, label in named.items()}
        entities = {entity for _, entity in self._tags.values() if entity}
        self._kinds = kinds_of_labels(sorted(entities), labels, f"the model {name}")
        need(bool(self._kinds), "folder", name, "a model that finds what has a kind", "Give its kinds by `labels`.")
        self.kinds = tuple(dict.fromkeys(self._kinds.values()))
        self._room = min(self._model.room, _LONGEST)
        most = self._room - self._model.tokenizer.num_special_tokens_to_add()
        self._overlap = min(_OVERLAP, most // 4) if overlap is None else overlap
        need(0 <= self._overlap < most, "overlap", overlap, f"from 0 to {most - 1}, the tokens of a window less one")

    def __reduce__(self) -> tuple[Any, ...]:
        return TransformersDetector, self._asked

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``; raise InputError if the model failed or gave NaN."""
        return by_pieces(self.name, texts, _PIECE, self._found)

    def _found(self, texts: list[str]) -> Iterator[list[DetectedSpan]]:
        best: list[dict[int, _Token]] = [{} for _ in texts]
        windows = list(self._windows(texts)) if texts else []
        # Windows of like length together, so that little is computed for filling.
        windows.sort(key=lambda window: len(window.ids))
        batch = self._asked[2]
        for start in range(0, len(windows), batch):
            some = windows[start : start + batch]
            for window, rows in zip(some, self._probabilities([window.ids for window in some]), strict=True):
                _keep_best(best[window.text], window, rows)
        for text, tokens in zip(texts, best, strict=True):
            yield list(self._spans(text, [tokens[place] for place in sorted(tokens)]))

    def _windows(self, texts: list[str]) -> Iterator[_Window]:
        given = self._model.tokenizer(
            texts,
            truncation=True,
            max_length=self._room,
            stride=self._overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            return_attention_mask=False,
            split_special_tokens=True,  # a text that has "[SEP]" in it means those five characters
        )
        last, first = -1, 0
        rows = zip(
            given["overflow_to_sample_mapping"],
            given["input_ids"],
            given["offset_mapping"],
            given["special_tokens_mask"],
            strict=True,
        )
        for text, ids, bounds, frames in rows:
            first = 0 if text != last else first
            last = text
            if own := [place for place, frame in enumerate(frames) if not frame]:
                yield _Window(text, first, ids, own[0], [bounds[place] for place in own])
            first += len(own) - self._overlap

    def _probabilities(self, rows: list[list[int]]) -> Reals:
        """Return the probabilities of the classes of each token, shape (rows, tokens, classes)."""
        torch = load_libraries().torch
        longest = max(map(len, rows))
        tokenizer, device = self._model.tokenizer, self._model.device
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows], device=device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=device)
        with torch.inference_mode():
            logits = self._model.model(input_ids=ids, attention_mask=mask).logits
            probabilities: Reals = torch.softmax(logits.double(), dim=-1).cpu().numpy()
        if not np.isfinite(probabilities).all():
            raise InputError(f"detector {self.name} must give finite numbers; got NaN. Check the weights of its model.")
        return probabilities

    def _spans(self, text: str, tokens: Iterable[_Token]) -> Iterator[DetectedSpan]:
        run: list[_Token] = []
        entity = ""
        for token in tokens:
            tag, here = self._tags[token.label]
            if run and (here != entity or tag in _BEGINS):
                yield from self._span(text, run, entity)
                run = []
            if here:
                run.append(token)
            entity = here
        if run:
            yield from self._span(text, run, entity)

    def _span(self, text: str, run: list[_Token], entity: str) -> Iterator[DetectedSpan]:
        if (kind := self._kinds.get(entity)) is None:
            return
        start, end = _whole_words(text, run[0].start, max(token.end for token in run))
        if text[start:end].strip():
            score = min(1.0, sum(token.score for token in run) / len(run))
            yield DetectedSpan(start, end, kind, score, self.name)


def _tag(label: str) -> tuple[str, str]:
    """Return a token's place in its entity, empty if the model does not say, and which entity it is."""
    if label == _OUTSIDE:
        return "", ""
    if len(label) > 2 and label[0] in _TAGS and label[1] in "-_":
        return label[0], label[2:]
    return "", label


def _keep_best(best: dict[int, _Token], window: _Window, rows: Reals) -> None:
    """Take over the window's tokens; where two windows share one, the reading with more context on either side."""
    classes = rows[window.lead : window.lead + len(window.bounds)]
    labels, scores = classes.argmax(axis=1), classes.max(axis=1)
    last = len(window.bounds) - 1
    for place, (start, end) in enumerate(window.bounds):
        context = min(place, last - place)
        if (known := best.get(window.first + place)) is None or known.context < context:
            best[window.first + place] = _Token(start, end, int(labels[place]), float(scores[place]), context)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without white space at its ends, out to the ends of the words that it cuts.

    Only in scripts with two cases: elsewhere words touch, or nothing tells where they end.
    """
    part = text[start:end]
    start, end = end - len(part.lstrip()), start + len(part.rstrip())
    while 0 < start < len(text) and _in_word(text[start - 1]) and _in_word(text[start]):
        start -= 1
    while 0 < end < len(text) and _in_word(text[end - 1]) and _in_word(text[end]):
        end += 1
    return start, end


def _in_word(character: str) -> bool:
    return character.isdecimal() or character.lower() != character.upper()


def transformers_detector(
    folder: Path | str,
    *,
    labels: Mapping[str, str | None] | None = None,
    batch: int = 16,
    overlap: int | None = None,
    device: str = "cpu",
) -> TransformersDetector:
    """Return spans by a token classifier of Hugging Face.

    A text that is longer than the model's window is read in windows that share ``overlap`` tokens. A token has its most
    probable class; tokens of one entity in a row are one span unless a class says that another begins (B-, S-, U-), and
    a span is extended to whole words, so that no half of a name stays.

    Args:
        folder: configuration, weights in safetensors and a fast tokenizer, as ``save_pretrained`` writes them.
        labels: kinds by the model's entities (without B- and I-), before those of ``detection.detectors``; None leaves
            spans out.
        batch: windows that the model reads together, >= 1.
        overlap: tokens that a window shares with the one before it; None is 64, or a quarter of a window that is short.
        device: where torch keeps the model.

    Raises MissingExtra: torch or transformers is not installed; ModelError: no such model in the folder, or its
    tokenizer is slow; ParameterError: an entity has no kind, or ``batch`` or ``overlap`` is outside its range.
    """
    need(batch >= 1, "batch", batch, ">= 1")
    return TransformersDetector(folder, labels, batch, overlap, device)
