"""Articles about people, each in two parts: a private text, and what is public about the same person.

An article is about a person if its first 600 characters hold, in parentheses, years of birth and death or "born" and a
year, with "was" or "is" behind them, and if one word in 50 of the article is "he", "she" or another form of them. Of
these, articles of 300 to 3,000 words are taken in the order of a public hash of their ID. The title is left out; the
first third of the words is the private text, the rest is public.
"""

import gzip
import hashlib
import json
import re
from itertools import islice
from typing import NamedTuple

from measure import SHARED

ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"
WORDS = range(300, 3001)
PRONOUNS = frozenset(["he", "she", "his", "her", "him", "hers", "himself", "herself"])
_INSIDE = r"(?:[^()]|\([^()]*\))*?"
_YEARS = r"born\b[^()]*?\b\d{3,4}\b|\b\d{2,4}\b[^()]{0,40}?[\N{EN DASH}\N{EM DASH}-][^()]{0,40}?\b\d{2,4}\b"
_LIFE = re.compile(rf"\({_INSIDE}(?:{_YEARS}){_INSIDE}\)[^.\n]{{0,60}}?\b(?:was|is)\b")


class Person(NamedTuple):
    """One article, in two parts."""

    private: str
    public: str


def people(count: int) -> list[Person]:
    """The first ``count`` articles about people, by the hash; fewer if there are fewer."""
    kept = []
    with gzip.open(ARTICLES, "rt", encoding="utf-8") as stream:
        for line in stream:
            article = json.loads(line)
            text = article["text"].partition("\n\n")[2]
            if about_a_person(text):
                kept.append((hashlib.sha256(str(article["id"]).encode()).digest(), text))
    return [in_two_parts(text) for _, text in islice(sorted(kept), count)]


def about_a_person(text: str) -> bool:
    """Whether the text of an article, without its title, is taken."""
    if _LIFE.search(text[:600]) is None:
        return False
    words = re.findall(r"\w+", text.lower())
    return len(words) in WORDS and 50 * sum(word in PRONOUNS for word in words) >= len(words)


def in_two_parts(text: str) -> Person:
    """The first third of the words, and the rest."""
    words = list(re.finditer(r"\S+", text))
    cut = words[len(words) // 3].start()
    return Person(text[:cut].rstrip(), text[cut:])


def first_words(text: str, count: int) -> str:
    """The first words of a text, parted by white space; all of it where it has no more."""
    words = list(islice(re.finditer(r"\S+", text), count))
    return text[: words[-1].end()]
