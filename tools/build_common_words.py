"""Build the lists of common words from public biographies, or check the committed files.

    python tools/build_common_words.py [--articles FILE] [--output FOLDER]   build (some minutes, 5 GB)
    python tools/build_common_words.py --check                               compare; exit code 1 if different

Public biographies: articles of the English Wikipedia of 2015 (CC BY-SA 3.0) whose first 400 characters hold a
parenthesis with a year (born, or two years) and "is a", "was an" or the like, and in which more than 1.2 % of the words
are he, his, him, she or her.

The attacker has public text about 604 persons and a released text about one of them; it compares tf-idf vectors (words
and pairs of neighbors, sublinear counts, cosine). A kept word helps it if its presence in one part of a biography tells
of its presence in the rest, alone or together with a kept neighbor. So the cost of a word is the mean over its uses of
what the use adds to the similarity with the rest of the same article, less what it adds to any other person's, and a
part that grows with its rarity, which stands for what 604 articles cannot show. Words enter in the order of their cost,
and costs are computed again with the pairs that the chosen words form. Function words make pairs and say little: the
most frequent ones are in the lists: 20 at the first level, 40 at the others. Illnesses, religions, orientations and
classes of people are in no list, occupations not in ``low``.

A level is the largest list whose linkage, measured as below on persons that the search did not see, is at most
the level's target. Private texts are the first 120 words of each article; the rest of it is public.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from textveil.detection.demographic_lists import OCCUPATION, demographics
from textveil.detection.lists import Marks, lists
from textveil.text.english import DATA, FILE, FUNCTION_WORDS, LEVELS, NAMES_TOO, RECORD

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

_TARGETS: Final = {"low": 0.05, "medium": 0.15, "high": 0.34}
_FUNCTION_WORDS: Final = {"low": 20, "medium": 40, "high": 40}
_PAIRED: Final = {"low": 600, "medium": 2000, "high": 5500}
"""Words beside which pairs count in the cost."""

_PRIVATE, _LONGER = 120, 250
"""Words of a private text; and of a longer one, for which the linkage is recorded too."""

_ROUNDS: Final = 3
_RARITY: Final = 0.01
_PRIOR: Final = 20.0
_FEWEST: Final = 3
_OTHER_ARTICLES: Final = 1
_SEED: Final = 1
_LISTED, _UNLISTED = 0.05, 0.4
"""From these shares of capitals inside sentences a word is also a name: one in lists of names, and any other."""

_LESS_TELLING: Final = frozenset((OCCUPATION, "family", "work", "residence"))
_ILLNESS = re.compile(
    r"\w*(?:itis|osis|oses|emia|pathy|phobia|ectomy)|cancers?|tumou?rs?|pneumonia|diseases?|illness(?:es)?|ill"
    r"|sick(?:ness)?|fever|cholera|plague|typhus|malaria|diabetes|strokes?|epilepsy|aids|hiv|syphilis|depression"
    r"|alcohol(?:ic|ism)|insane|insanity|dementia|asthma|arthritis|smallpox|influenza|addict(?:ed|ion)?|suicid(?:e|al)"
    r"|religio(?:us|n|ns)|church(?:es)?|priests?|bishops?|pope|papal|faiths?|homosexual(?:s|ity)?|lesbians?|gay|bisexual"
)
"""Illnesses, religion and orientation: what special categories of data are about."""

_TOKENS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,]\d+)*|[^\w\s]|_")
_PRONOUNS = re.compile(r"\b(?:he|his|him|she|her)\b", re.IGNORECASE)
_YEARS = re.compile(r"\b(?:born|b\.)|\d{3,4}[^()]{0,80}[\u2013-][^()]{0,80}\d{3,4}|[\u2013-] ")
_IS_A = re.compile(r"\b(?:was|is|were) (?:a|an|the|one)\b")

SMALL, FIRST, INSIDE, NUMBER = range(4)
"""How a token is written: in lower case; with a capital where a sentence begins; with another capital; in digits."""

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Running(NamedTuple):
    """The tokens of several texts, one after the other."""

    words: Integers
    written: Integers
    texts: Integers


def articles(path: Path) -> Iterator[tuple[bool, str]]:
    """Whether each article is a biography, and its text without the title."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            text = row["text"].removeprefix(row["title"]).strip()
            yield is_biography(text), text


def is_biography(text: str) -> bool:
    """Whether an article is about one person, by the rule above."""
    head = text[:400]
    opening = head.find("(")
    if not 0 <= opening <= 120:
        return False
    closing = head.find(")", opening)
    years = head[opening : closing if closing > 0 else 300]
    if not (re.search(r"\b\d{3,4}\b", years) and _YEARS.search(years) and _IS_A.search(head)):
        return False
    words = len(re.findall(r"\w+", text))
    return words >= 400 and len(_PRONOUNS.findall(text)) > 0.012 * words


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """Words in lower case and numbers, each with how it is written."""
    begins, end = True, 0
    for match in _TOKENS.finditer(text):
        surface = match.group()
        begins = begins or "\n" in text[end : match.start()]
        end = match.end()
        if surface[0].isalpha():
            plain = surface[1:].islower() or len(surface) == 1
            small = surface.islower() or surface == "I"
            yield surface.lower().replace("\u2019", "'"), SMALL if small else FIRST if begins and plain else INSIDE
            begins = False
        elif surface[0].isdigit():
            yield surface, NUMBER
            begins = False
        elif surface in ".!?":
            begins = True


def running(texts: Sequence[Sequence[tuple[str, int]]], ids: dict[str, int]) -> Running:
    """The tokens of texts as numbers; ``ids`` grows by new words."""
    words = [ids.setdefault(word, len(ids)) for text in texts for word, _ in text]
    written = [how for text in texts for _, how in text]
    return Running(np.array(words), np.array(written), np.repeat(np.arange(len(texts)), [len(text) for text in texts]))


class Counts(NamedTuple):
    """For each token: how often its text holds the word, the pair with the token before it, and that pair's number."""

    words: Integers
    pairs: Integers
    pair: Integers


def counts(tokens: Running, size: int) -> Counts:
    """Counts within each text; a text's first token has pair -1."""
    words, _, texts = tokens
    _, places, numbers = np.unique(texts * size + words, return_inverse=True, return_counts=True)
    pair = np.full(len(words), -1)
    follows = np.r_[False, texts[1:] == texts[:-1]]
    pair[1:] = words[:-1] * size + words[1:]
    pair[~follows] = -1
    kinds, which = np.unique(pair, return_inverse=True)
    _, pair_places, pair_numbers = np.unique(texts * len(kinds) + which, return_inverse=True, return_counts=True)
    return Counts(numbers[places], np.where(follows, pair_numbers[pair_places], 0), pair)


def weight(times: Any) -> Reals:
    """Sublinear count: 1 + ln(times), 0 for none."""
    return np.where(times > 0, 1 + np.log(np.maximum(times, 1)), 0.0)


class Uses(NamedTuple):
    """What each use of a word adds to the similarity with the rest of its article, alone and with the word before."""

    words: Integers
    kept: Flags
    alone: Reals
    paired: Reals


class Costs:
    """Costs of words, from the biographies of some persons and from other articles."""

    def __init__(self, people: Running, others: Running, names: Sequence[str]) -> None:
        size = len(names)
        self.long = np.array([len(name) > 1 for name in names])
        number = len(np.unique(people.texts))
        own = counts(people, size)
        self.held = np.bincount(people.words, 1 / own.words, minlength=size).round()
        self.small = np.bincount(people.words[people.written == SMALL], minlength=size)
        self.capital = np.bincount(people.words[people.written == INSIDE], minlength=size)
        self.rarity = np.log((1 + number) / (1 + self.held)) + 1
        pairs, which = np.unique(own.pair, return_inverse=True)
        pair_held = np.bincount(which, np.where(own.pairs > 0, 1 / np.maximum(own.pairs, 1), 0)).round()
        pair_rarity = np.log((1 + number) / (1 + pair_held)) + 1
        rarities = pair_rarity[which]
        lengths = self._lengths(people, own, rarities)
        self.parts = [self._uses(people, own, rarities, lengths)]
        mean = np.bincount(people.words, weight(own.words) / own.words / lengths[people.texts], minlength=size)
        self.chance = self.rarity**2 * mean / number
        more = counts(others, size)
        places = np.minimum(np.searchsorted(pairs, more.pair), len(pairs) - 1)
        unknown = np.log((1 + number) / 2) + 1
        rarities = np.where(pairs[places] == more.pair, pair_rarity[places], unknown)
        self.parts.append(self._uses(others, more, rarities, self._lengths(others, more, rarities)))

    def _lengths(self, tokens: Running, counted: Counts, pair_rarity: Reals) -> Reals:
        words = (weight(counted.words) * self.rarity[tokens.words]) ** 2 / counted.words
        pairs = (weight(counted.pairs) * pair_rarity) ** 2 / np.maximum(counted.pairs, 1)
        return np.sqrt(np.bincount(tokens.texts, words + pairs))

    def _uses(self, tokens: Running, counted: Counts, pair_rarity: Reals, lengths: Reals) -> Uses:
        length = lengths[tokens.texts]
        alone = self.rarity[tokens.words] ** 2 * weight(counted.words - 1) / length
        paired = pair_rarity**2 * weight(counted.pairs - 1) / length
        kept = (tokens.written <= FIRST) & self.long[tokens.words]
        return Uses(tokens.words, kept, alone, paired)

    def of(self, chosen: Flags) -> Reals:
        """The cost of each word beside the chosen ones."""
        sums = []
        for words, kept, alone, paired in self.parts:
            stays = chosen[words] & kept
            before = np.where(np.r_[False, stays[:-1]], paired, 0)
            after = np.where(np.r_[stays[1:], False], np.r_[paired[1:], 0], 0)
            use = np.where(kept, alone + before + after, 0)
            size = len(chosen)
            sums.append((np.bincount(words, use, minlength=size), np.bincount(words[kept], minlength=size)))
        (own, uses), (other, other_uses) = sums
        expected = (other + 1) / (other_uses + _PRIOR)
        return (own + _PRIOR * expected) / (uses + _PRIOR) - self.chance + _RARITY * self.rarity

    def order(self, candidates: Flags, function: Flags, size: int) -> Integers:
        """Candidates from the cheapest, with pairs of the first ``size`` and of the function words in the cost."""
        allowed = candidates & (self.small >= _FEWEST) & (self.held >= _FEWEST) & (self.capital <= self.small)
        chosen = function.copy()
        for _ in range(_ROUNDS):
            cost = np.where(allowed, self.of(chosen), np.inf)
            order = np.argsort(cost, kind="stable")[: int(allowed.sum())]
            chosen = function.copy()
            chosen[order[:size]] = True
        return order


class Attack:
    """Linkage of released private texts with the public texts of all persons."""

    def __init__(self, people: Sequence[Sequence[tuple[str, int]]], ids: dict[str, int], length: int) -> None:
        private = running([text[:length] for text in people], ids)
        public = running([text[length:] for text in people], ids)
        size = len(ids)
        self.private, self.persons = private, len(people)
        self.long = np.array([len(word) > 1 for word in ids])
        columns = self._columns(public, size)
        self.features, column = np.unique(columns, return_inverse=True)
        rows = np.r_[public.texts, public.texts]
        real = columns >= 0
        table = sparse.csr_matrix((np.ones(real.sum()), (rows[real], column[real])), (len(people), len(self.features)))
        held = np.bincount(table.indices, minlength=len(self.features))
        table.data = weight(table.data)
        self.rarity = np.log((1 + len(people)) / (1 + held)) + 1
        table = table @ sparse.diags(self.rarity)
        lengths = np.sqrt(np.asarray(table.multiply(table).sum(1)).ravel())
        self.public = (sparse.diags(1 / lengths) @ table).T.tocsr()
        self.content = np.array([word not in FUNCTION_WORDS for word in ids])

    def _columns(self, tokens: Running, size: int) -> Integers:
        """Words and pairs as numbers, -1 for none."""
        words, _, texts = tokens
        pair = np.r_[-1, np.where(texts[1:] == texts[:-1], size + words[:-1] * size + words[1:], -1)]
        return np.r_[words, pair]

    def measure(self, stay: Flags, persons: Integers) -> tuple[float, float, float]:
        """Named at first try, words kept and content words kept."""
        words, written, texts = self.private
        within = np.isin(texts, persons)
        kept = stay[words] & (written <= FIRST) & within
        word = (written != NUMBER) & within
        shares = [float(kept[some].sum() / word[some].sum()) for some in (word, word & self.content[words])]
        shown = kept & self.long[words]
        both = shown & np.r_[False, shown[:-1]]
        columns = self._columns(self.private, len(self.long))
        columns[~np.r_[shown, both]] = -1
        places = np.minimum(np.searchsorted(self.features, columns), len(self.features) - 1)
        real = (self.features[places] == columns) & (columns >= 0)
        rows = np.r_[texts, texts][real]
        released = sparse.csr_matrix((np.ones(len(rows)), (rows, places[real])), (self.persons, len(self.features)))
        released.data = weight(released.data) * self.rarity[released.indices]
        scores = (released[persons] @ self.public).toarray()
        own = scores[np.arange(len(persons)), persons].copy()
        scores[np.arange(len(persons)), persons] = -1
        return float((own > scores.max(1)).mean()), shares[0], shares[1]


def main() -> int:
    """Build, check or measure, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the embedded files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    made = built(options.articles)
    if options.check:
        different = [name for name, data in made.items() if (DATA / name).read_bytes() != data]
        print("\n".join(different) or "The embedded lists of common words are what this tool builds.")
        return 1 if different else 0
    for name, data in made.items():
        (options.output / name).write_bytes(data)
        print(f"{name:20s} {len(data):>10,d} bytes")
    return 0


def built(path: Path) -> dict[str, bytes]:
    """The files, by name."""
    people, others = [], []
    for number, (biography, text) in enumerate(articles(path)):
        if biography:
            people.append(list(tokens(text)))
        elif number % _OTHER_ARTICLES == 0:
            others.append(list(tokens(text)))
    ids: dict[str, int] = {}
    attack, longer = (Attack(people, ids, length) for length in (_PRIVATE, _LONGER))
    everyone, other = running(people, ids), running(others, ids)
    search = Search(everyone, other, tuple(ids), attack, longer)
    half = np.random.default_rng(_SEED).permutation(len(people)) < len(people) // 2
    halves = [search.costs(np.flatnonzero(half)), search.costs(np.flatnonzero(~half))]
    unseen = [np.flatnonzero(~half), np.flatnonzero(half)]
    all_costs = search.costs(np.arange(len(people)))
    levels: dict[str, list[str]] = {}
    records: dict[str, Any] = {}
    chosen = np.zeros(len(ids), bool)
    for level in LEVELS:
        size, measured = search.largest(level, halves, unseen)
        chosen |= listed(*search.order(level, all_costs), size)
        taken = {word for words in levels.values() for word in words}
        levels[level] = sorted(
            word for word, here in zip(ids, chosen.tolist(), strict=False) if here and word not in taken
        )
        records[level] = {"words": int(chosen.sum()), **measured}
        print(level, records[level], file=sys.stderr)
    names = also_names(all_costs, tuple(ids))
    lines = [f"{level} {word}{' name' if word in names else ''}\n" for level in LEVELS for word in levels[level]]
    data = "".join(lines).encode("ascii")
    record = {
        "rule": (__doc__ or "").partition("Public biographies")[2].strip(),
        "persons": len(people),
        "levels": records,
        "file": hashlib.sha256(data).hexdigest(),
    }
    return {FILE: data, RECORD: (json.dumps(record, indent=1) + "\n").encode("ascii")}


class Search:
    """Lists of any size from the costs of some persons."""

    def __init__(self, people: Running, others: Running, names: Sequence[str], *attacks: Attack) -> None:
        self.people, self.others, self.names, self.attacks = people, others, names, attacks
        function = np.array([name in FUNCTION_WORDS for name in names])
        held = np.bincount(people.words, 1 / counts(people, len(names)).words, minlength=len(names))
        self.function_words = np.argsort(np.where(function, -held, 1), kind="stable")
        self.candidates = {level: ~function & np.array([safe(name, level) for name in names]) for level in LEVELS}

    def costs(self, persons: Integers) -> Costs:
        """Costs from the articles of these persons alone."""
        some = np.isin(self.people.texts, persons)
        part = Running(*(column[some] for column in self.people))
        return Costs(part, self.others, self.names)

    def order(self, level: str, costs: Costs) -> tuple[Flags, Integers]:
        """The function words of a level, and its other words in the order in which they enter."""
        function = np.zeros(len(self.names), bool)
        function[self.function_words[: _FUNCTION_WORDS[level]]] = True
        return function, costs.order(self.candidates[level], function, _PAIRED[level])

    def largest(self, level: str, halves: Sequence[Costs], unseen: Sequence[Integers]) -> tuple[int, dict[str, float]]:
        """The largest size whose linkage on unseen persons is at most the level's target, and what was measured."""
        orders = [self.order(level, costs) for costs in halves]
        low, high = 50, min(len(order) for _, order in orders)
        while high > 1.02 * low:
            size = int((low * high) ** 0.5)
            if self.measured(orders, unseen, size, self.attacks[0])[0] <= _TARGETS[level]:
                low = size
            else:
                high = size
        linkage, words, content = self.measured(orders, unseen, low, self.attacks[0])
        longer, _, _ = self.measured(orders, unseen, low, self.attacks[1])
        facts = {"linkage": linkage, f"linkage_of_{_LONGER}_words": longer}
        return low, {**facts, "words_kept": words, "content_words_kept": content}

    def measured(
        self, orders: Sequence[tuple[Flags, Integers]], unseen: Sequence[Integers], size: int, attack: Attack
    ) -> list[float]:
        """Linkage, words kept and content words kept, each the mean over the two halves of persons."""
        pairs = zip(orders, unseen, strict=True)
        return np.mean([attack.measure(listed(*order, size), persons) for order, persons in pairs], 0).round(4).tolist()


def listed(function: Flags, order: Integers, size: int) -> Flags:
    """Function words and the first words of an order."""
    chosen = function.copy()
    chosen[order[:size]] = True
    return chosen


def safe(word: str, level: str) -> bool:
    """Whether a word may be listed: no class of people, no illness; at the first level, no occupation either."""
    if re.fullmatch(r"[a-z]{3,}(?:'[a-z]+)?", word) is None or _ILLNESS.fullmatch(word):
        return False
    form = demographics().forms.get((word,))
    return form is None or (level != LEVELS[0] and form.group in _LESS_TELLING)


def also_names(costs: Costs, names: Sequence[str]) -> set[str]:
    """Words that are names of people or places, months or days as well."""
    marked = Marks.GIVEN | Marks.FAMILY | Marks.PLACE | Marks.KNOWN_PLACE | Marks.OTHER
    share = (costs.capital / np.maximum(costs.capital + costs.small, 1)).tolist()
    return {
        name
        for name, capital in zip(names, share, strict=True)
        if name in NAMES_TOO
        or (name not in FUNCTION_WORDS and capital > (_LISTED if lists().words.get(name, 0) & marked else _UNLISTED))
    }


if __name__ == "__main__":
    sys.exit(main())
