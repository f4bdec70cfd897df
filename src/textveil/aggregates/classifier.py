"""A classifier of texts from the noisy sums of a corpus: learned, written to a folder, loaded, asked for labels."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.aggregates.features import MODEL_NORM, PublicFeatures
from textveil.aggregates.report import stated_guarantee
from textveil.errors import ModelError, ParameterError, TextveilError
from textveil.json_text import json_file, json_text
from textveil.privacy.guarantees import ApproximateDP
from textveil.types import Reals, Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil.whole_files import atomic_writers

FACTS: Final = "model.json"
WEIGHTS: Final = "model.safetensors"  # Names of a model's files in its folder
RELEASE: Final = "classifier"
PROOF: Final = "proofs/corpus_learn.md"
_FORMAT: Final = "textveil classifier 1"
_ADAPTED: Final = "textveil classifier 2"  # with words or fewer coordinates: earlier versions refuse it
_BLOCK: Final = 4096


@dataclass(frozen=True, eq=False)
class TextClassifier:
    """Says a label for each text. All of it is made of noisy sums and public facts: asking it costs nothing.

    ``words``: weights of single words for each label, float32, shape (words, labels); None: words have none.
    """

    labels: tuple[str, ...]  # as they stood in the input, in the order of columns
    weights: Vectors = field(repr=False)  # of a document's vector for each label, float32, shape (dim, labels)
    features: PublicFeatures = field(repr=False)
    report: Mapping[str, Any] = field(repr=False)  # JSON data on what was released, with the guarantee
    words: Vectors | None = field(default=None, repr=False)

    @cached_property
    def guarantee(self) -> ApproximateDP:
        """The guarantee of the classifier as a whole, with its unit."""
        return stated_guarantee(self.report)

    def _repr_html_(self) -> str:
        from textveil.pages.rendering import notebook

        rows = [("labels", ", ".join(self.labels)), ("weights", " x ".join(map(str, self.weights.shape)))]
        notes = [f"{self.guarantee}, {self.guarantee.adjacency}", "Asking the model costs nothing."]
        return notebook("Classifier", notes, ("part", "value"), rows)

    def scores(self, texts: Sequence[str]) -> Reals:
        """Return how well each label fits each text, without unit: larger fits better; shape (texts, labels)."""
        texts = checked_texts(texts)
        out = np.empty((len(texts), len(self.labels)))
        for first in range(0, len(texts), _BLOCK):
            part = slice(first, first + _BLOCK)
            counts = self.features.counts(texts[part])
            out[part] = self.features.vectors_of(counts, MODEL_NORM) @ self.weights.astype(np.float64)
            if self.words is not None:
                out[part] += self.features.words_of(counts, MODEL_NORM) @ self.words.astype(np.float64)
        return out

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The label of each text, as it stood in the input.

        Raises ParameterError: ``texts`` is one text, or holds something else.
        """
        return [self.labels[best] for best in self.scores(texts).argmax(axis=1).tolist()]

    def save(self, folder: Path) -> None:
        """Write both files, or none, into a folder that exists. Raises OutputError: they cannot be written."""
        from safetensors.numpy import save

        vocabulary = self.features.vocabulary
        tensors = {"weights": self.weights, "transform": self.features.transform}
        if self.words is not None:
            tensors["words"] = self.words
        data = save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()})
        facts = {
            "format": _format(tensors),
            "sha256": hashlib.sha256(data).hexdigest(),
            "labels": list(self.labels),
            "vocabulary": {"name": vocabulary.name, "sha256": vocabulary.digest},
            "report": dict(self.report),
        }
        with atomic_writers([folder / FACTS, folder / WEIGHTS]) as (about, weights):
            weights.write(data)
            about.write(json_text(facts, indent=1).encode("ascii"))


class Learned(NamedTuple):
    """A classifier, which may be released, and how many persons wrote the records: for the sender alone."""

    model: TextClassifier
    persons: int


def load_model(folder: str | Path, *, vocabulary: Vocabulary | None = None) -> TextClassifier:
    """A classifier that ``textveil learn`` has written. Nothing in the folder is run.

    ``vocabulary``: that it was learned with; None is the embedded one.
    Raises ModelError: a file is missing or damaged, or the vocabulary is another.
    """
    path = Path(folder)
    try:
        facts, tensors = _read(path)
        labels, digest, report = facts["labels"], facts["vocabulary"]["sha256"], facts["report"]
        weights, transform = tensors["weights"], tensors["transform"]
        stated_guarantee(report)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, TextveilError):
            raise
        raise _damaged("other content") from None
    words = load_vocabulary() if vocabulary is None else vocabulary
    if words.digest != digest:
        raise ModelError(
            "the model must be loaded with the vocabulary that it was learned with; got another. Give that one."
        )
    named = isinstance(labels, list) and bool(labels) and all(isinstance(label, str) for label in labels)
    if transform.shape[0] != words.dim or not 0 < transform.shape[1] <= words.dim or not np.isfinite(transform).all():
        raise _damaged("other numbers")
    features = PublicFeatures(words, transform)
    if not (named and weights.shape == (features.dim, len(labels)) and np.isfinite(weights).all()):
        raise _damaged("other numbers")
    words_weights = tensors.get("words")
    if words_weights is not None:
        fits = words_weights.shape == (len(words), len(labels)) and np.isfinite(words_weights).all()
        if not fits:
            raise _damaged("other numbers")
    return TextClassifier(tuple(labels), weights, features, report, words_weights)


def _read(path: Path) -> tuple[Any, dict[str, Vectors]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        facts, data = json_file(path / FACTS), (path / WEIGHTS).read_bytes()
        tensors = load(data)
    except OSError as error:
        raise _damaged(error.strerror or type(error).__name__) from None
    except SafetensorError:
        raise _damaged("damaged numbers") from None
    if facts["format"] != _format(tensors):
        raise _damaged("another format")
    digest = hashlib.sha256(data).hexdigest()
    if facts.get("sha256", digest) != digest:  # earlier models name none
        raise _damaged("files of two models")
    return facts, {name: tensor.astype(np.float32) for name, tensor in tensors.items()}


def _format(tensors: Mapping[str, Vectors]) -> str:
    rows, columns = tensors["transform"].shape
    return _FORMAT if "words" not in tensors and rows == columns else _ADAPTED


def _damaged(got: str) -> ModelError:
    return ModelError(
        f"a model must be a folder with {FACTS} and {WEIGHTS} as `textveil learn` writes them; got {got}."
    )


def checked_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as a list. Raises ParameterError: ``texts`` is a string, or holds something else than strings."""
    if isinstance(texts, str):
        raise ParameterError("`texts` must be several texts; got one. Put it into a list.")
    listed = list(texts)
    if not all(isinstance(text, str) for text in listed):
        raise ParameterError("`texts` must be texts; got something else among them.")
    return listed
