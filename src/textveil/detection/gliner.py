"""GLiNER models on this machine, which find any kind that has a name; the one file that imports gliner."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from textveil.detection.detectors import by_pieces, folder_name
from textveil.detection.kinds import KINDS, OWN, checked_kind
from textveil.detection.spans import DetectedSpan
from textveil.errors import MissingExtra, ModelError, need
from textveil.json_text import json_file

PROMPTS: Final[Mapping[str, str]] = MappingProxyType({kind.name: kind.asked for kind in OWN if kind.asked})
"""Labels that a model is asked for, if not the kind's name with spaces for hyphens."""

_PIECE: Final = 1_000_000

_OVERLAP: Final = 32


@cache
def load_gliner() -> ModuleType:
    """Import gliner, or raise MissingExtra."""
    with MissingExtra("gliner", "gliner"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the packages that it imports
        import gliner
    return gliner


def _read(folder: Path | str, device: str) -> Any:
    """Return the model in a folder; if files are missing that the package would fetch, an error."""
    gliner = load_gliner()
    where = Path(folder)
    wanted = f"the folder {where.name} must hold a GLiNER model with its tokenizer"
    for name in ("gliner_config.json", "tokenizer_config.json"):
        if not (where / name).is_file():
            raise ModelError(f"{wanted}; got no {name} there. Save it with `save_pretrained`.")
    try:
        config = json_file(where / "gliner_config.json")
        others = [name for name in ("labels_encoder", "labels_decoder") if config.get(name)]
        for name in ("encoder_config", *(f"{other}_config" for other in others)):
            if not config.get(name):
                raise ModelError(f"{wanted}; got no {name} in gliner_config.json. Save it with `save_pretrained`.")
        with _quiet():
            model = gliner.GLiNER.from_pretrained(str(where), local_files_only=True, map_location=device)
    except ModelError:
        raise
    except Exception as error:  # whatever a foreign library makes of a foreign file
        raise ModelError(f"{wanted}; got {type(error).__name__} from gliner. Save it there again.") from error
    tokenizer = model.data_processor.transformer_tokenizer
    mark = model.config.class_token_index
    if not others and mark >= 0 and mark != tokenizer.convert_tokens_to_ids(model.config.ent_token):
        # Such a model finds no kind in the prompt, and so nothing in any text.
        raise ModelError(f"{wanted}; got a tokenizer of another model: it reads the mark of kinds otherwise.")
    return model.eval()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class GlinerDetector:
    """Spans of the kinds that it is asked for; made by ``gliner_detector``."""

    def __init__(
        self,
        folder: Path | str,
        kinds: Sequence[str] | Mapping[str, str],
        threshold: float,
        batch: int,
        overlap: int | None,
        device: str,
    ) -> None:
        given = dict(kinds) if isinstance(kinds, Mapping) else tuple(kinds)
        self._asked = (folder, given, threshold, batch, overlap, device)
        asked = given if isinstance(given, dict) else {_prompt(kind): kind for kind in given}
        self._kinds = {prompt: checked_kind(kind) for prompt, kind in asked.items()}
        need(bool(self._kinds), "kinds", "none", "one at least")
        self.kinds = tuple(dict.fromkeys(self._kinds.values()))
        self.name = f"gliner:{folder_name(folder)}"
        self._model = _read(folder, device)
        self._room = int(self._model.config.max_len)
        self._overlap = min(_OVERLAP, self._room // 4) if overlap is None else overlap
        fits = 0 <= self._overlap < self._room
        need(fits, "overlap", overlap, f"from 0 to {self._room - 1}, the words of a part less one")

    def __reduce__(self) -> tuple[Any, ...]:
        return GlinerDetector, self._asked

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``; raise InputError if the model failed."""
        return by_pieces(self.name, texts, _PIECE, self._found)

    def _found(self, texts: list[str]) -> Iterator[list[DetectedSpan]]:
        _, _, threshold, batch, *_ = self._asked
        windows = [
            (number, start, window) for number, text in enumerate(texts) for start, window in self._windows(text)
        ]
        detected: list[list[DetectedSpan]] = [[] for _ in texts]
        if windows:
            with _quiet():
                answers = self._model.inference(
                    [window for *_, window in windows], list(self._kinds), threshold=threshold, batch_size=batch
                )
            for (number, start, _), answer in zip(windows, answers, strict=True):
                detected[number] += [
                    DetectedSpan(
                        start + int(entity["start"]),
                        start + int(entity["end"]),
                        self._kinds[entity["label"]],
                        float(entity["score"]),
                        self.name,
                    )
                    for entity in answer
                ]
        yield from detected

    def _windows(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield places and parts of a text of no more words than the model reads: it leaves out what is beyond them."""
        words = [(start, end) for _, start, end in self._model.data_processor.words_splitter(text)]
        step = self._room - self._overlap
        for first in range(0, max(1, len(words) - self._overlap), step):
            if some := words[first : first + self._room]:
                yield some[0][0], text[some[0][0] : some[-1][1]]


def _prompt(kind: str) -> str:
    return PROMPTS.get(kind, kind.replace("-", " "))


def gliner_detector(
    folder: Path | str,
    kinds: Sequence[str] | Mapping[str, str] = KINDS,
    *,
    threshold: float = 0.5,
    batch: int = 8,
    overlap: int | None = None,
    device: str = "cpu",
) -> GlinerDetector:
    """Return spans by a GLiNER model, which is told by name what to find.

    A text of more words than the model reads is given to it in parts that share ``overlap`` words.

    Args:
        folder: as ``save_pretrained`` of the package writes it, with the tokenizer.
        kinds: what to find; or kinds by the words that the model is asked with ("hospital" as "organization").
        threshold: spans with a lower score are left out, from 0 to 1.
        batch: parts that the model reads together, >= 1.
        overlap: words that a part shares with the one before it; None is 32, or a quarter of a part that is short.
        device: where torch keeps the model.

    Raises MissingExtra: gliner is not installed; ModelError: no such model in the folder; ParameterError: a kind is no
    name, or a number is outside its range.
    """
    need(0 <= threshold <= 1, "threshold", threshold, "from 0 to 1")
    need(batch >= 1, "batch", batch, ">= 1")
    return GlinerDetector(folder, kinds, threshold, batch, overlap, device)
