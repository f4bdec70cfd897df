"""Decoder of released texts: the most probable original, by channel and language.

A masked model, which sees both sides of a word, may refine the result.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textveil.environment import cores
from textveil.errors import need
from textveil.mechanisms.kinds import Described
from textveil.models.language_model import ContinuationModel, LanguageModel, boundary_id
from textveil.text.render import render_text
from textveil.types import Ids, Integers, Progress, Reals, Vectors
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.decoding.evidence import DecoderOptions, Evidence, Layout, laid_out
from textveil_lab.decoding.lattice import NONE, Candidates, Sentences, Trellis, TrellisSearch, successors
from textveil_lab.mechanisms.channel_columns import columns_of
from textveil_lab.mechanisms.product_columns import sequence_columns
from textveil_lab.models.masked import MaskedLanguageModel
from textveil_lab.posterior.words import checked_prior
from textveil_lab.vocabulary.documents import ReleasedTexts, ReleaseReader
from textveil_lab.vocabulary.geometry import normalize


@dataclass(frozen=True, slots=True, kw_only=True)
class BothSides:
    """Settings and model of the refinement."""

    model: MaskedLanguageModel  # public
    sweeps: int = 3  # largest number of visits of every word, >= 1
    model_weight: float = 1.0  # factor of the model's log probabilities, beside the channel's, >= 0

    def __post_init__(self) -> None:
        need(self.sweeps >= 1, "sweeps", self.sweeps, "an integer >= 1")
        need(0 <= self.model_weight < np.inf, "model_weight", self.model_weight, "finite and >= 0")

    def __call__(self, ids: Ids, bounds: Integers, at: Integers, candidates: Candidates) -> Ids:
        """Return the words after the sweeps.

        Args:
            ids: decoded words of all positions, shape (places,).
            bounds: start of each text in them and end of the last one, shape (texts + 1,).
            at: positions of words, rising, shape (words,).
            candidates: of each word, including the decoded one.

        Returns:
            Ids, shape (words,).
        """
        now = ids.copy()
        texts = np.searchsorted(bounds, at, side="right") - 1
        for _ in range(self.sweeps):
            changed = False
            for turn in (0, 1):
                rows = np.arange(turn, len(at), 2)
                best = self._best(now, bounds, at[rows], texts[rows], _some(candidates, rows))
                changed |= bool((best != now[at[rows]]).any())
                now[at[rows]] = best
            if not changed:
                break
        return now[at]

    def _best(self, now: Ids, bounds: Integers, at: Integers, texts: Integers, candidates: Candidates) -> Ids:
        if len(at) == 0:
            return at
        near = np.arange(1, self.model.reach + 1)
        sides = []
        for steps in (-near[::-1], near):
            places = at[:, None] + steps
            inside = (places >= bounds[texts, None]) & (places < bounds[texts + 1, None])
            sides.append(np.where(inside, now[np.clip(places, 0, len(now) - 1)], boundary_id(self.model.size)))
        there = candidates.words != NONE
        words = np.where(there, candidates.words, 0).astype(np.int64)
        logs = self.model.log_probabilities(sides[0], sides[1], words)
        scores = np.where(there, self.model_weight * logs + candidates.log_ratios, -np.inf)
        return words[np.arange(len(at)), np.argmax(scores, axis=1)]


def _some(candidates: Candidates, rows: Integers) -> Candidates:
    return Candidates(candidates.words[rows], candidates.log_ratios[rows])


_SHORT: Final = 3
"""Models of at most this order are asked sentence by sentence: earlier text hardly matters to them."""

_CELLS: Final = 1 << 16  # Paths that a step of sentences side by side looks at: they stay in a processor's cache
_ROWS: Final = 1 << 10  # Words whose candidates' vectors are read together: 40 MB at 300 dimensions
_CHARACTERS: Final = 1 << 19
"""Characters of texts that are decoded together: their words' candidates take some 30 MB."""


class WordChances(NamedTuple):
    """P(original | the whole released sentence) of every released word, over its candidates."""

    words: NDArray[np.int32]  # candidates, or NONE, int32, shape (words, k)
    chances: Vectors  # their probabilities, a row's sum 1, float32, shape (words, k)


class TextDecoder:
    """Decoder of one mechanism's releases. Threads may share it.

    Args:
        mechanism: of the releases; a channel of words, or a sequence mechanism that offers its columns.
        model: public language model over the mechanism's vocabulary.
        prior: of words, shape (n,); chooses candidates. None is their public frequency.
        options: of the search.
        workers: threads; None is one for each core.
        both_sides: refinement by a masked model; None: none.

    Raises:
        UnsupportedGuarantee: the mechanism is no channel.
        ParameterError: a model's vocabulary has another size, or an argument is outside its domain.
    """

    def __init__(
        self,
        mechanism: Described,
        model: LanguageModel,
        *,
        prior: Reals | None = None,
        options: DecoderOptions | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
        both_sides: BothSides | None = None,
    ) -> None:
        self.options = DecoderOptions() if options is None else options
        self.model = model
        source = sequence_columns(mechanism) or columns_of(mechanism, progress)
        vocabulary = source.vocabulary
        size = len(vocabulary)
        for language_model in (model, *((both_sides.model,) if both_sides is not None else ())):
            need(
                language_model.size == size,
                "model",
                f"one of {language_model.size} words",
                f"over the vocabulary's {size} words",
            )
        self._both_sides = both_sides
        need(workers is None or workers >= 1, "workers", workers, "an integer >= 1")
        chosen = checked_prior(word_frequencies(vocabulary).counts if prior is None else prior, size)
        self.vocabulary = vocabulary
        self._workers = cores() if workers is None else workers
        self._reader = ReleaseReader(vocabulary.words)
        weight = self.options.weight_for(mechanism.guarantee)
        self._search = TrellisSearch(model, self.options.width, weight)
        proposing = self.options.proposals > 0 and isinstance(model, ContinuationModel)
        follows = successors(cast(ContinuationModel, model)) if proposing else None
        self._evidence = Evidence(source, chosen, follows, self.options, weight)

    def texts(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> list[str]:
        """Return the most probable original of each released text.

        Only words change; they get the capitals that a release of them would have.

        Args:
            numbers: of the documents, for errors; None counts from 1.

        Raises:
            InputError: a text is no release in the mechanism's vocabulary.
        """
        decoded: list[str] = []
        for read in self._parts(texts, numbers):
            words = iter(self.words(read).tolist())
            spelled = self.vocabulary.words
            codes = read.codes.tolist()
            surfaces = [
                spelled[next(words)] if code >= 0 else surface
                for surface, code in zip(read.surfaces, codes, strict=True)
            ]
            decoded += [render_text(surfaces[start:stop]) for start, stop in pairwise(read.bounds.tolist())]
        return decoded

    def words(self, read: ReleasedTexts) -> Ids:
        """Return the most probable original of each released word, in order; in a tie the likelier without context."""
        if self._both_sides is not None:
            return self._again(read, self._both_sides)
        if self.options.choose == "text":
            return self._best_texts(read)
        chances = self.chances(read)
        return _likeliest(chances) if self.options.choose == "words" else self._nearest(chances)

    def _again(self, read: ReleasedTexts, both_sides: BothSides) -> Ids:
        chances = self.chances(read)
        layout = laid_out(read, len(self.vocabulary), by_sentence=False)
        ids = layout.ids.copy()
        ids[layout.is_word] = _likeliest(chances)
        candidates = Candidates(chances.words, self._evidence.log_ratios(read, chances.words))
        return both_sides(ids, layout.bounds, np.flatnonzero(layout.is_word), candidates)

    def _best_texts(self, read: ReleasedTexts) -> Ids:
        layout, places = self._placed(read, self._lean(read))
        out = np.empty(len(layout.ids), dtype=np.int64)
        for sentences, words in self._over(layout, partial(self._search.best, places)):
            out[_places_of(sentences)] = words
        return out[layout.is_word]

    def _nearest(self, chances: WordChances) -> Ids:
        units = self._units
        out = np.full(chances.chances.shape, -np.inf, dtype=np.float32)
        for start in range(0, len(out), _ROWS):
            part = slice(start, start + _ROWS)
            rows = units[np.maximum(chances.words[part], 0)]
            means = np.matmul(chances.chances[part, None, :], rows)
            np.copyto(out[part], np.matmul(rows, means.swapaxes(1, 2))[..., 0], where=chances.words[part] != NONE)
        return _likeliest(chances._replace(chances=out))

    @cached_property
    def _units(self) -> Vectors:
        return normalize(self.vocabulary.vectors)

    def chances(self, read: ReleasedTexts) -> WordChances:
        """Return the probability of every candidate of each word, summed over the originals in the beam."""
        return self._chances(read, self._lean(read))

    def _lean(self, read: ReleasedTexts) -> Vectors | None:
        return self._evidence.lean(*self._chances(read, None)) if self.options.adapt else None

    def _chances(self, read: ReleasedTexts, lean: Vectors | None) -> WordChances:
        layout, places = self._placed(read, lean)
        width = places.candidates.words.shape[1] + (self.options.proposals if places.proposals is not None else 0)
        words = np.full((len(layout.ids), width), NONE, dtype=np.int32)
        chances = np.zeros(words.shape, dtype=np.float32)
        for sentences, (places_read, likely) in self._over(layout, partial(self._search.marginals, places)):
            at = _places_of(sentences)
            words[at], chances[at] = places_read, likely
        return WordChances(words[layout.is_word], chances[layout.is_word])

    def vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the mean vector of each word's original, given the whole released sentence.

        Returns:
            For each text float32 of shape (words, dim); numbers, placeholders, marks and spaces have no row.

        Raises:
            InputError: a text is no release in the mechanism's vocabulary.
        """
        rows, vectors = self.vocabulary.vectors, []
        for read in self._parts(texts):
            words, chances = self.chances(read)
            there = words != NONE
            starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
            table = sparse.csr_array((chances[there], words[there], starts), shape=(len(words), len(rows)))
            means = table @ rows
            vectors += [means[start:stop] for start, stop in pairwise(read.word_bounds.tolist())]
        return vectors

    def _parts(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> Iterator[ReleasedTexts]:
        counted = range(1, len(texts) + 1) if numbers is None else numbers
        start, size = 0, 0
        for place, text in enumerate(texts):
            size += len(text) if isinstance(text, str) else 0
            if size >= _CHARACTERS:
                yield self._reader.read_releases(texts[start : place + 1], counted[start : place + 1])
                start, size = place + 1, 0
        if start < len(texts):
            yield self._reader.read_releases(texts[start:], counted[start:])

    def _placed(self, read: ReleasedTexts, lean: Vectors | None) -> tuple[Layout, Trellis]:
        layout = laid_out(read, len(self.vocabulary), by_sentence=self.model.order <= _SHORT)
        return layout, self._evidence.places(layout, read, lean)

    def _over(self, layout: Layout, work: Callable[[Sentences], Any]) -> Iterator[tuple[Sentences, Any]]:
        options = self.options
        groups = list(layout.groups(max(1, _CELLS // (options.width * options.candidates))))
        if self._workers == 1 or len(groups) < 2:
            yield from ((group, work(group)) for group in groups)
            return
        with ThreadPoolExecutor(self._workers, thread_name_prefix="textveil-decode") as pool:
            yield from zip(groups, pool.map(work, groups), strict=True)


def _likeliest(chances: WordChances) -> Ids:
    best = np.argmax(chances.chances, axis=1)
    return chances.words[np.arange(len(best)), best].astype(np.int64)


def _places_of(sentences: Sentences) -> Ids:
    ends = np.cumsum(sentences.lengths)
    return np.arange(ends[-1]) + np.repeat(sentences.starts - ends + sentences.lengths, sentences.lengths)
