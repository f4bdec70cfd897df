"""The example of section 2: a paragraph with identifiers, sanitized word by word, then mended."""

from typing import Final, NamedTuple

from textveil.catalog import word_mechanism
from textveil.models.ngram import embedded_language_model
from textveil.pages.tables import Cell, Table
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.decoding.decoder import TextDecoder
from textveil_lab.decoding.options import DecoderOptions
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.papers.curse.labels import label
from textveil_lab.papers.curse.noise_evidence import NoiseEvidence
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting

TEXT: Final = (
    "Daniel Whitmore came to Birch Harbor Hospital on June 12, 2021, and was treated for anxiety. "
    "His address is 416 Maple Street, Portland. "
    "The pills that Daniel takes were prescribed there, and he meets his counselor every week."
)
"""Invented, with identifiers of the kinds that the paper's paragraph has; its sentences are not repeated here."""

IDENTIFIERS: Final = (
    "Daniel", "Whitmore", "Birch", "Harbor", "June", "12", "2021", "anxiety", "416", "Maple", "Street", "Portland",
)  # fmt: skip
"""Names, place of treatment, date, diagnosis, address."""

EPSILONS: Final = (10.0, 13.0, 16.0)
"""Nats per unit of distance: on these vectors most words change at the first, and most stay at the last."""

NUMBER_EPSILON: Final = 8.0  # Nats of a number, which is no word of the vocabulary
MENDING: Final = DecoderOptions(choose="text", model_weight=0.8)
"""The most probable text as a whole: what is asked for is a sentence that reads well."""

_WIDTHS: Final = (12, 20, 92, 12, 12)


class _Mended(NamedTuple):
    """One epsilon: the text after the first step, and after the second."""

    epsilon: float
    released: str
    mended: str


def example(setting: StudySetting) -> ItemOutcome:
    """The paragraph through noise at three epsilons, each release then mended by the decoder."""
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
    """The text without commas and periods."""
    return text.replace(",", "").replace(".", "")


def unchanged(original: str, text: str) -> int:
    """Words, of texts with as many words, that are the same at the same place, whatever their case."""
    pairs = zip(original.lower().split(), text.lower().split(), strict=True)
    return sum(one == other for one, other in pairs)


def identifiers_left(original: str, text: str) -> int:
    """Distinct identifiers that stand unchanged in at least one of their places."""
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
