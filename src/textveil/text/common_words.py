"""Public words that say little about who a text is about: those that stay under the policy common-words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from textveil.text.function_words import FUNCTION_WORDS, NAMES_TOO
from textveil.text.tokens import split

LEVELS: Final = ("low", "medium", "high")
"""From the fewest words to the most."""

_MORE: Final = """
time get new people first said make good know see use way work two think years need year want great go day right best
made views find take information love home last going help free life world pm little look say got business part long
better ago things game available using place come site online system found days different next set high video
sure lot number service three including give show end family looking thing name post today week old put read company
money top big man book area full page keep small feel support real times says school play left team water point
data music second able order children start months services experience car case making getting state provide course
list change local night hard person let line website live power try important working quality group care makes thought
side call room actually program public products following job called buy hours price easy design please include problem
open health food women based went body house process needs story search large came bit run country control friends view
become possible bad market city fun believe nice pretty seen web form took results points students games started tell
level news government kind members comes head light check hand minutes hope black type whole probably
""".split()  # noqa: SIM905

_SHARES: Final = {"low": 0.25, "medium": 0.12, "high": 0.06}


@final
@dataclass(frozen=True, slots=True)
class CommonWords:
    """Words that stay.

    Attributes:
        words: in lower case.
        names: those of them that are names too.
    """

    words: frozenset[str]
    names: frozenset[str]


def common_words(level: str) -> CommonWords:
    """The shipped list at a level."""
    more = {"low": 100, "medium": 200, "high": 300}[level]
    return CommonWords(FUNCTION_WORDS | set(_MORE[:more]), NAMES_TOO)


def common_words_of(documents: Iterable[str], level: str) -> tuple[str, ...]:
    """The words that stand in a share of public documents."""
    counts: Counter[str] = Counter()
    number = 0
    for document in documents:
        number += 1
        counts.update({word.lower() for word in split(document) if word[0].isalpha()})
    return tuple(sorted(word for word, count in counts.items() if count >= _SHARES[level] * number))
