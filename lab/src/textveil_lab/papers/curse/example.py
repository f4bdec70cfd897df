"""Example of section 2: a paragraph with identifiers, sanitized word by word, then repaired.

``NoiseEvidence`` estimates, from public data, what a word released by spherical noise says of its original.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import brentq

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.models.ngram import embedded_language_model
from textveil.privacy.guarantees import Guarantee
from textveil.sanitize.sanitizer import Sanitizer
from textveil.types import Ids, Reals
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.decoding.decoder import TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.mechanisms.sampling.output_columns import Columns
from textveil_lab.papers.curse.rank_no_metric import label
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.tables import Cell, Table

_GRID: Final = 2000  # Distances at which the logarithm of the tail is computed; between them it is interpolated


_PARTNERS: Final = 512  # Words that S is summed over, by a random sample


_TRIALS: Final = 400  # Public words that are drawn for once, to see how many stay


class NoiseEvidence:
    """Estimated columns, as ``ChannelColumns`` for ``TextDecoder``.

    Args:
        mechanism: spherical noise of one rate on unclipped vectors, then the nearest word.
        rate: nats per unit of Euclidean distance.
        rng: of partners and trials.
        partners: number of words in the sum S.
        trials: number of public words with draws.
    """

    def __init__(
        self,
        mechanism: WordMechanism,
        rate: float,
        rng: np.random.Generator,
        *,
        partners: int = _PARTNERS,
        trials: int = _TRIALS,
    ) -> None:
        self.vocabulary = mechanism.vocabulary
        self.guarantee: Guarantee = mechanism.guarantee
        self.name: str = mechanism.name
        self.parameters: Mapping[str, Any] = mechanism.parameters
        self._points = self.vocabulary.vectors.astype(np.float64)
        self._squares = np.square(self._points).sum(axis=1)
        size = len(self._points)
        reach = 2 * float(np.sqrt(self._squares.max()))  # no two words are farther apart
        self._distances = np.linspace(0.0, reach, _GRID)
        self._log_tails = NoisyDotProduct(self.vocabulary.dim, rate).log_survival(self._distances / 2)
        chosen = np.sort(rng.choice(size, size=min(partners, size), replace=False)).astype(np.int64)
        beaten = np.exp(self._log_beaten(chosen))
        beaten[chosen, np.arange(len(chosen))] = 0.0  # a word is no partner of itself
        counted = np.full(size, len(chosen))
        counted[chosen] -= 1
        self._sums = np.maximum(beaten.sum(axis=1) * (size - 1) / np.maximum(counted, 1), np.finfo(np.float64).tiny)
        tried = np.sort(rng.choice(size, size=min(trials, size), replace=False)).astype(np.int64)
        kept = float((mechanism.privatize(tried, rng) == tried).mean())
        self.stays = _fitted_stays(self._sums, kept, len(tried))

    def columns(self, outputs: Ids) -> Columns:
        """Return complete columns, since every word may be behind every other; see ``capabilities.ChannelColumns``."""
        logs = self._log_beaten(outputs) + (np.log1p(-self.stays) - np.log(self._sums))[:, None]
        logs[outputs, np.arange(len(outputs))] = np.log(self.stays[outputs])
        least = logs.min(axis=0) if len(outputs) else np.zeros(0)
        ratios = (logs - least).T
        above = ratios > 0
        starts = np.concatenate([[0], np.cumsum(above.sum(axis=1))]).astype(np.int64)
        return Columns(starts, np.nonzero(above)[1].astype(np.int64), ratios[above], least)

    def _log_beaten(self, outputs: Ids) -> Reals:
        squares = self._squares[:, None] + self._squares[outputs] - 2 * self._points @ self._points[outputs].T
        found: Reals = np.interp(np.sqrt(np.maximum(squares, 0.0)), self._distances, self._log_tails)
        return found


def _fitted_stays(sums: Reals, kept: float, trials: int) -> Reals:
    """Return exp(-k S) with the k whose mean is the share that stayed; shares of 0 and 1 move by half a trial."""
    wanted = min(max(kept, 0.5 / trials), 1 - 0.5 / trials)

    def excess(log_factor: float) -> float:
        return float(np.exp(-np.exp(log_factor) * sums).mean()) - wanted

    widest = float(np.log(sums.max() / sums.min())) if len(sums) else 0.0
    middle = -float(np.log(np.median(sums)))
    low, high = middle - widest - 20, middle + widest + 20
    factor = float(np.exp(brentq(excess, low, high)))
    return np.clip(np.exp(-factor * sums), 1e-300, 1 - 1e-15)


TEXT: Final = (
    "Daniel Whitmore came to Birch Harbor Hospital on June 12, 2021, and was treated for anxiety. "
    "His address is 416 Maple Street, Portland. "
    "The pills that Daniel takes were prescribed there, and he meets his counselor every week."
)
"""Invented text with identifiers of the paper's kinds; the paper's sentences are not repeated here."""

IDENTIFIERS: Final = (
    "Daniel", "Whitmore", "Birch", "Harbor", "June", "12", "2021", "anxiety", "416", "Maple", "Street", "Portland",
)  # fmt: skip
"""Names, place of treatment, date, diagnosis, address."""

EPSILONS: Final = (10.0, 13.0, 16.0)
"""Nats per unit of distance: on these vectors most words change at the first, and most stay at the last."""

NUMBER_EPSILON: Final = 8.0  # Nats of a number, which is no word of the vocabulary
MENDING: Final = DecoderOptions(choose="text", model_weight=0.8)
"""Options for the most probable text as a whole, since the result should read well."""

_WIDTHS: Final = (12, 20, 92, 12, 12)


class _Mended(NamedTuple):
    """Texts at one epsilon: after the noise, and after the repair."""

    epsilon: float
    released: str
    mended: str


def example(setting: StudySetting) -> ItemOutcome:
    """Release the paragraph at three epsilons, and repair each release with the decoder."""
    vocabulary = load_vocabulary()
    plain = without_marks(TEXT)
    epsilons = EPSILONS if not setting.quick else EPSILONS[1:2]
    made = []
    for number, epsilon in enumerate(epsilons):
        made.append(_mended(setting, vocabulary, plain, epsilon, number))
        setting.progress((number + 1) / len(epsilons))
    rows: list[tuple[Cell, ...]] = [(None, "original", TEXT, None, None), (None, "marks left out", plain, None, None)]
    for one in made:
        for step, text in (("1. sanitized", one.released), ("2. mended", one.mended)):
            rows.append((one.epsilon, step, text, unchanged(plain, text), identifiers_left(plain, text)))
    columns = ("epsilon per distance", "step", "text", "words unchanged", "identifiers unchanged")
    facts = {"vocabulary": vocabulary.name, "seed": setting.seed, "identifiers": list(IDENTIFIERS)}
    table = Table(columns=columns, rows=tuple(rows), facts=facts)
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible(
            "A paragraph with identifiers, sanitized word by word and then mended", table, _WIDTHS
        ),
        findings=(
            *(
                f"At epsilon {one.epsilon:g} per unit of distance {unchanged(plain, one.released)} of "
                f"{len(plain.split())} words come out unchanged, {identifiers_left(plain, one.released)} of "
                f"{len(IDENTIFIERS)} identifiers among them; after mending {unchanged(plain, one.mended)} and "
                f"{identifiers_left(plain, one.mended)}."
                for one in made
            ),
            "A name, a street or a diagnosis stays or goes like any other word: noise on vectors does not know what "
            "identifies a person.",
            "Mending is post-processing: it reads the release, a public language model and a public estimate of what "
            "the noise does, so it costs nothing. It makes the text smoother, not truer.",
        ),
        settings={
            "vectors": label(vocabulary),
            "epsilon": epsilons,
            "marks": "commas and periods left out",
            "numbers": f"digit by digit at epsilon {NUMBER_EPSILON:g}; these vectors have none",
            "second step": "this project's own decoder, with its language model of Wikipedia",
        },
        judgment=Judgment(
            reproduced=Reproduced.PARTLY,
            why=(
                "The two steps are the paper's, but not its paragraph, its vectors or its language model: the "
                "paragraph "
                "is invented with the same kinds of identifiers, and the text is mended by this project's own decoder "
                "instead of a language model of a third party."
            ),
        ),
    )


def without_marks(text: str) -> str:
    """Return the text without commas and periods."""
    return text.replace(",", "").replace(".", "")


def unchanged(original: str, text: str) -> int:
    """Return the number of words that are equal at the same position of two texts, ignoring case."""
    pairs = zip(original.lower().split(), text.lower().split(), strict=True)
    return sum(one == other for one, other in pairs)


def identifiers_left(original: str, text: str) -> int:
    """Return the number of distinct identifiers that are unchanged in at least one of their positions."""
    kept = {
        one for one, other in zip(original.split(), text.split(), strict=True) if one.lower() == other.lower()
    }  # fmt: skip
    return len(kept.intersection(IDENTIFIERS))


def _mended(setting: StudySetting, vocabulary: Vocabulary, plain: str, epsilon: float, number: int) -> _Mended:
    noise = word_mechanism("spherical-laplace", vocabulary, epsilon_per_distance=epsilon, clip=None)
    sanitizer = Sanitizer(noise, number_epsilon=NUMBER_EPSILON, rng=setting.generator(9, number))
    released = sanitizer(plain).text
    counts = {"partners": 128, "trials": 100} if setting.quick else {}
    evidence = NoiseEvidence(noise, epsilon, setting.generator(10, number), **counts)
    mended = TextDecoder(evidence, embedded_language_model(), options=MENDING, workers=1).texts([released])[0]
    return _Mended(epsilon, released, mended)
