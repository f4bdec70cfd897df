"""Table 4: the paper's corpora beside the available ones, by size, class and length.

The paper does not say how it counts tokens; here they are runs between white space of the files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from textveil.errors import InputError
from textveil_lab.downstream.corpora import read_ag_news
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.papers.truncated_laplace.facts import CorpusSize, corpus_sizes
from textveil_lab.tables import Cell, Table

FOLDERS: Mapping[str, str] = MappingProxyType({"yahoo": "yahoo", "yelp": "yelp", "sst-2": "sst2", "ag-news": "agnews"})
"""Paper's corpora and their stand-ins, folders below data/text."""

_MEANING: Mapping[str, str] = MappingProxyType(
    {
        "yahoo": "here single sentences of Yahoo Answers without classes; the paper's texts are ten times as long",
        "yelp": "here single sentences of reviews; the paper's numbers are of movie reviews (item contradictions)",
        "sst-2": "GLUE's training rows and its 872 development rows; the paper splits them 80 to 20 anew",
        "ag-news": "here part of the official training rows and all test rows; the paper takes 6,000 of each topic",
    }
)


class CorpusPart(NamedTuple):
    """One file or class of a corpus."""

    texts: int  # how many
    tokens: int  # in all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusAtHand:
    """Sizes of a corpus by part (``train`` or ``test``) and class; the only class is called "" if there are none."""

    parts: Mapping[tuple[str, str], CorpusPart]

    def texts(self, part: str | None = None, kind: str | None = None) -> int:
        """Return the number of texts of a part and class; None is all."""
        chosen = [key for key in self.parts if part in (None, key[0]) and kind in (None, key[1])]
        return sum(self.parts[key].texts for key in chosen)

    @property
    def average_tokens(self) -> float:
        return sum(one.tokens for one in self.parts.values()) / self.texts()


def table_4(setting: StudySetting) -> ItemOutcome:
    """Compare the paper's table with the setting's corpora."""
    found = {name: _READERS[name](setting.texts[folder]) for name, folder in FOLDERS.items() if folder in setting.texts}
    table = _table(found)
    same = [name for name in found if _same(corpus_sizes()[name], found[name])]
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("Corpora", table, (9, 9, 8, 14, 14, 13, 13, 8)),
        comparisons=tuple(_compared(name, one) for name, one in found.items()),
        findings=_findings(found),
        settings={"corpora at hand": ", ".join(found) or "none", "tokens": "between white space"},
        judgment=_judgment(found, same),
    )


def _table(found: Mapping[str, CorpusAtHand]) -> Table:
    columns = ("corpus", "where", "tokens", "train negative", "train positive", "test negative", "test positive", "all")
    rows: list[tuple[Cell, ...]] = []
    for name, printed in corpus_sizes().items():
        rows.append((name, "the paper", *printed, printed.train + printed.test))
        if name in found:
            one = found[name]
            sizes = [one.texts(part, kind) or None for part in ("train", "test") for kind in ("negative", "positive")]
            if not any(sizes):
                sizes = [one.texts("train"), None, one.texts("test"), None]
            rows.append((name, "at hand", round(one.average_tokens, 1), *sizes, one.texts()))
    return Table(columns=columns, rows=tuple(rows))


def _compared(name: str, one: CorpusAtHand) -> Comparison:
    printed = corpus_sizes()[name]
    return Comparison(
        what=f"{name}: texts for training and testing, tokens of a text",
        paper=f"{printed.train:,} and {printed.test:,}, {printed.average_tokens}",
        ours=f"{one.texts('train'):,} and {one.texts('test'):,}, {one.average_tokens:.1f}",
        note=_MEANING[name],
    )


def _same(printed: CorpusSize, one: CorpusAtHand) -> bool:
    mine = (one.texts(kind="negative"), one.texts(kind="positive"))
    return mine == (
        printed.train_negative + printed.test_negative,
        (printed.train_positive or 0) + (printed.test_positive or 0),
    )


def _judgment(found: Mapping[str, CorpusAtHand], same: list[str]) -> Judgment:
    if not found:
        return Judgment(reproduced=Reproduced.NO, why="No corpus is at hand: $TEXTVEIL_SHARED names no folder of them.")
    if same:
        why = f"As many texts of each class: {', '.join(same)}. The others are public stand-ins of other sizes."
        return Judgment(reproduced=Reproduced.PARTLY, why=why)
    return Judgment(reproduced=Reproduced.NO, why="The corpora at hand are public stand-ins of other sizes.")


def _findings(found: Mapping[str, CorpusAtHand]) -> tuple[str, ...]:
    sentences = []
    if "sst-2" in found:
        one, printed = found["sst-2"], corpus_sizes()["sst-2"]
        positive = (printed.train_positive or 0) + (printed.test_positive or 0)
        sentences.append(
            f"SST-2 at hand has {one.texts(kind='negative'):,} negative and {one.texts(kind='positive'):,} positive "
            "texts, training, development and test rows together; the paper's table adds up to "
            f"{printed.train_negative + printed.test_negative:,} and {positive:,}."
        )
    if "yelp" in found:
        sentences.append(
            f"A sentence of Yelp at hand has {found['yelp'].average_tokens:.1f} tokens; the paper's table says "
            f"{corpus_sizes()['yelp'].average_tokens}, which is the length of a sentence of movie reviews "
            "(item contradictions)."
        )
    return tuple(sentences)


def _read_sentences(folder: Path) -> CorpusAtHand:
    """Read one sentence a line; the class is in the file's name, if it has one."""
    parts: dict[tuple[str, str], CorpusPart] = {}
    for path in sorted(folder.glob("*.txt")):
        part, _, kind = path.stem.partition(".")
        parts[part, {"neg": "negative", "pos": "positive"}.get(kind, kind)] = _part(_lines(path))
    if not parts:
        raise InputError(f"{folder.name} must hold text files, a sentence a line; got none. Check the folder.")
    return CorpusAtHand(parts=MappingProxyType(parts))


def _read_sst2(folder: Path) -> CorpusAtHand:
    """Read sentence and label, 0 or 1, from three files; development rows count as training rows."""
    texts: dict[tuple[str, str], list[str]] = {}
    for file, part in (("train", "train"), ("dev", "train"), ("test", "test")):
        for line in _lines(folder / f"{file}.tsv")[1:]:
            sentence, _, label = line.rpartition("\t")
            texts.setdefault((part, ("negative", "positive")[label.strip() == "1"]), []).append(sentence)
    return CorpusAtHand(parts=MappingProxyType({key: _part(value) for key, value in texts.items()}))


def _read_ag_news(folder: Path) -> CorpusAtHand:
    corpus = read_ag_news(folder)
    return CorpusAtHand(
        parts=MappingProxyType({("train", ""): _part(corpus.train.texts), ("test", ""): _part(corpus.test.texts)})
    )


_READERS: Mapping[str, Callable[[Path], CorpusAtHand]] = MappingProxyType(
    {"yahoo": _read_sentences, "yelp": _read_sentences, "sst-2": _read_sst2, "ag-news": _read_ag_news}
)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"{path.name} must be a readable UTF-8 text; got {kind}. Check the folder.") from None


def _part(texts: Sequence[str]) -> CorpusPart:
    return CorpusPart(len(texts), sum(len(text.split()) for text in texts))
