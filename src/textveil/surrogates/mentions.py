"""Finds known surrogates in a text: whole words, the longest first, in one pass from left to right.

Surrogates stand in a tree by their tokens, so a text costs the same whether ten of them are known or ten thousand. A
token is a word, one mark, or one character of a script that writes no spaces between words.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex

_SPACE = lazy_regex(r"\s+")
_ANOTHER_WORD: Final = Marks.COMMON | Marks.SMALL  # of small letters, used as another word than a name: will, may, rose


class KnownSurrogate:
    """Holds private text, so it prints as nothing."""

    __slots__ = ("_chance", "_chance_lower", "_exact", "_first", "_several", "_surface", "whole")

    def __init__(self) -> None:
        self._exact: dict[str, str | None] = {}
        self._first: str | None = None
        self._surface = ""
        self._several = False
        self._chance = 0
        self._chance_lower = 0
        self.whole = False
        """True if it stands in a release as it is, rather than as a part of a name."""

    def __repr__(self) -> str:
        return "KnownSurrogate()"

    def add(self, surface: str, original: str) -> bool:
        """Note that a surrogate, as it is written there, stands for an original; whether that says anything new."""
        surface, compared = plain(surface), compared_form(original)
        new = surface not in self._exact
        if (there := self._exact.setdefault(surface, original)) is not None and compared_form(there) != compared:
            self._exact[surface], new = None, True
        if self._first is None:
            self._first, self._surface = original, surface
        elif compared_form(self._first) != compared and not self._several:
            self._several = new = True
        return new

    def met_by_chance(self, surface: str, times: int = 1) -> None:
        """Note that a text holds it, as it is written there, if nothing was replaced by it; -1 takes that back."""
        if surface.islower() and not self._surface.islower():
            self._chance_lower += times
        else:
            self._chance += times

    def original(self, surface: str) -> str | None:
        """Return what a mention written so stands for, in its case and white space; None if it does not tell."""
        if self._chance or (self._chance_lower and surface.islower()):
            return None
        return self.replaced(surface)

    def replaced(self, surface: str) -> str | None:
        """Return the same as if no text held the surrogate by chance."""
        exact = plain(surface)
        if exact.islower() and not self._surface.islower() and lists().words.get(exact, 0) & _ANOTHER_WORD:
            return None
        if exact in self._exact:
            original = self._exact[exact]
        else:
            original = None if self._several or self._first is None else _in_case(self._first, self._surface, exact)
        return None if original is None else _with_gaps(original, surface)


def plain(surface: str) -> str:
    """Return a text with single spaces."""
    return " ".join(surface.split())


def compared_form(original: str) -> str:
    """Return the form in which two originals of one value are equal: folded, with single spaces."""
    return plain(original).casefold()


def _in_case(original: str, surface: str, mention: str) -> str:
    if mention.isupper() and not surface.isupper() and len(mention) > 1:
        return original.upper()
    if mention.islower() and not surface.islower():
        return original.lower()
    if (surface.isupper() or surface.islower()) and (original.isupper() or original.islower()):
        return original.title() if mention.istitle() else original
    return original


def _with_gaps(original: str, mention: str) -> str:
    gaps = _SPACE.findall(mention)
    words = original.split()
    if not gaps or len(words) != len(gaps) + 1:
        return original
    return "".join(part for pair in zip(words, [*gaps, ""], strict=True) for part in pair)


# Scripts without spaces between words, or with particles that follow a name at once: a character is a word.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD = rf"[^\W_{_UNSPACED}]+"
# What ends the date of a timestamp, and its T: 2025-03-04T11:20 mentions a date and a time.
_STAMP = r"(?<=-)[0-9]{2}(?=T[0-9]{2}:)|(?<=[0-9])T(?=[0-9]{2}:)"
_TOKEN: Final = lazy_regex(rf"{_STAMP}|{_WORD}|.", re.DOTALL)
_STAMP_BEFORE: Final = lazy_regex(r"(?<=[0-9]T)[0-9]{2}:")
_STAMP_BEHIND: Final = lazy_regex(r"(?<=-[0-9]{2})T[0-9]{2}:")
_COLUMNS: Final = lazy_regex(r"([^\W_]{1,16}),([^\W_]{1,6})")
_IN_URL: Final = lazy_regex(r"://[^\s/@:]*+:\Z")  # what stands before a password in a URL, which ends at the "@"
_LONGEST_USER: Final = 64
_IS_UNSPACED: Final = lazy_regex(rf"[{_UNSPACED}]")
GAP: Final = 8  # white space within a surrogate may be as long as this, with one line break in it
BEHIND: Final = 16  # characters before a mention that tell whether it is one
AHEAD: Final = 8  # characters behind a mention that tell so: an inflection and what ends it
_APOSTROPHES = "'\u2019"
_HYPHENS = "-\u2010\u2011"
_JOINS = frozenset(f"{_APOSTROPHES}{_HYPHENS}_@.")  # marks that make one word of two
_JOINS_DIGITS = _JOINS | frozenset(",:/")
_SIBILANT = ("s", "x", "z", "ch", "sh")
_LONGEST_CLITIC = 4  # letters behind an apostrophe that are no part of a name: 's, 'll, 've
_LIST_MARK: Final = lazy_regex(r"(?:^|\n)[ \t>*-]{0,8}$")

# Nodes below, by the next token; what is known of the surrogate that ends here, under None.
_Node: TypeAlias = dict[str | None, Any]


class FoundMention(NamedTuple):
    """A mention, ``text[start:end]``; its last ``suffix`` characters are an inflection."""

    start: int
    end: int
    suffix: int
    known: KnownSurrogate


class Mentions:
    """Finds surrogates in texts."""

    def __init__(self) -> None:
        self._root: _Node = {}
        self._marks: set[str] = set()
        self._starts: re.Pattern[str] | None = None
        self.reach = AHEAD
        """Characters from a mention's first that can tell what it is."""

    def known(self, surrogate: str) -> KnownSurrogate:
        """Return what is known of a surrogate: the same for all its cases and ways to write its accents."""
        longest: KnownSurrogate | None = None
        for form in _forms(surrogate):
            node = self._node(form)
            longest = node.setdefault(None, longest or KnownSurrogate())
        assert longest is not None
        return longest

    def in_text(self, text: str, start: int, stop: int) -> Iterator[FoundMention]:
        """The mentions that begin in ``text[start:stop]``; characters before ``start`` tell whether a word begins."""
        at = start
        if self._starts is None:
            others = f"|[{re.escape(''.join(sorted(self._marks)))}]" if self._marks else ""
            self._starts = re.compile(f"{_STAMP}|{_WORD}{others}")
        starts = self._starts
        while (token := starts.search(text, at)) is not None and token.start() < stop:
            if (mention := self._longest(text, token.start(), token.group())) is None:
                at = token.end()
            else:
                yield mention
                at = mention.end

    def _node(self, form: str) -> _Node:
        node, reach = self._root, AHEAD + 2
        tokens = _TOKEN.findall(plain(form))
        for token in tokens[:1]:
            if not _is_narrow(token[0]) and token not in self._marks:
                self._marks.add(token)
                self._starts = None
        for token in tokens:
            folded = token.casefold()
            node = node.setdefault(folded, {})
            reach += GAP if token == " " else len(folded)
        self.reach = max(self.reach, reach)
        return node

    def _longest(self, text: str, start: int, word: str) -> FoundMention | None:
        folded = word.casefold()
        if folded not in self._root and not folded.endswith("s"):  # most words
            return None
        if not _begins(text, start):
            return None
        node, at, best = self._root, start, None
        while True:
            after = at + len(word)
            for suffix in _suffixes(folded):
                known = node.get(folded[: -len(suffix)], {}).get(None)
                if known is not None and _ends(text, start, after):
                    best = FoundMention(start, after, len(suffix), known)
            node = node.get(folded)  # type: ignore[assignment]
            if node is None:
                return best
            at = after
            if None in node and _ends(text, start, at):
                best = FoundMention(start, at, 0, node[None])
            if " " in node and (gap := _gap(text, at)):
                node, at = node[" "], at + gap
            if (token := _TOKEN.match(text, at)) is None:
                return best
            word = token.group()
            folded = word.casefold()


def _forms(surrogate: str) -> Iterable[str]:
    """Yield the ways to write accents and apostrophes in one order everywhere; the first is the same for all."""
    if surrogate.isascii() and "'" not in surrogate:
        return (surrogate,)
    composed = unicodedata.normalize("NFC", surrogate.replace("\u2019", "'"))
    forms = (composed, unicodedata.normalize("NFD", composed))
    return dict.fromkeys((*forms, *(form.replace("'", "\u2019") for form in forms), surrogate))


class Form(NamedTuple):
    """A way to write a surrogate: a mention so written has all these tokens and words, folded, however it ends."""

    tokens: frozenset[str]
    words: tuple[str, ...]


def folded_forms(surrogate: str) -> set[Form]:
    """Return all ways to write a surrogate."""
    return {
        Form(
            frozenset(token.casefold() for token in _TOKEN.findall(form) if token != " "),
            tuple(form.casefold().split()),
        )
        for form in map(plain, _forms(surrogate))
    }


def mentionable(text: str) -> set[str]:
    """Return the folded tokens of a text; inflected ones also without their endings, as a mention may have them."""
    tokens = {token.casefold() for token in _TOKEN.findall(text)}
    return tokens.union(token[: -len(suffix)] for token in tokens for suffix in _suffixes(token))


def _suffixes(folded: str) -> tuple[str, ...]:
    """Return endings that an inflected name may have: plural, or genitive without an apostrophe."""
    if len(folded) < 4 or not folded.endswith("s") or not folded.isalpha():
        return ()
    return ("s", "es") if folded.endswith("es") and folded[:-2].endswith(_SIBILANT) else ("s",)


def inflected(original: str, suffix: str) -> str:
    """Return an original in the plural in which its surrogate is mentioned."""
    if not suffix or not original:
        return original
    plural = "es" if original.casefold().endswith(_SIBILANT) else "s"
    return original + (plural.upper() if suffix.isupper() and original.isupper() else plural)


def _gap(text: str, at: int) -> int:
    """Return the length of the white space there; 0 if it is too long, or an empty line."""
    end = at
    while end < len(text) and text[end].isspace():
        end += 1
        if end - at > GAP:
            return 0
    return end - at if text.count("\n", at, end) <= 1 else 0


def _is_narrow(character: str) -> bool:
    return character.isalnum() and not _IS_UNSPACED.match(character)


def _begins(text: str, start: int) -> bool:
    if start == 0 or _IS_UNSPACED.match(text[start]):
        return True
    before, first = text[start - 1], text[start]
    if _STAMP_BEFORE.match(text, start):
        return True
    if _is_narrow(before) or unicodedata.combining(before):
        return False
    if start == 1 or not _is_narrow(text[start - 2]):
        return True
    if first.isdigit() and text[start - 2].isdigit():
        return before not in _JOINS_DIGITS or (before == "," and _parts_columns(text, start - 1))
    return before not in _JOINS or (before in _APOSTROPHES and _is_elision(text, start - 1))


def _parts_columns(text: str, comma: int) -> bool:
    """Tell whether a comma between digits parts two columns, for it can be in no number: 0182,5527417286 or 12,9BC4."""
    runs = _COLUMNS.match(text, _word_start(text, comma, BEHIND))
    return runs is not None and not (runs[1].isdigit() and runs[2].isdigit() and len(runs[2]) <= 3)


def _word_start(text: str, end: int, most: int) -> int:
    begin = end
    while begin > 0 and end - begin < most and _is_narrow(text[begin - 1]):
        begin -= 1
    return begin


def _is_elision(text: str, apostrophe: int) -> bool:
    """Tell whether what stands before the apostrophe is an article or the like: l'Anna, qu'Anna, not O'Brien."""
    begin = _word_start(text, apostrophe, 3)
    return apostrophe - begin < 3 and text[begin:apostrophe].islower()


def _ends(text: str, start: int, end: int) -> bool:
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if _STAMP_BEHIND.match(text, end):
        return True
    if unicodedata.combining(after) or (_is_narrow(after) and _is_narrow(last)):
        return False
    if _IS_UNSPACED.match(last):
        return True
    if after in ".)" and last.isdigit() and end - start <= 2 and _LIST_MARK.search(text[max(0, start - 10) : start]):
        return False
    if end + 1 == len(text) or not _is_narrow(text[end + 1]):
        return True
    in_url = _IN_URL.search(text, max(0, start - _LONGEST_USER), start) is not None
    if last.isdigit():
        if (after == "," and _parts_columns(text, end)) or (after == "@" and in_url):
            return True
        return after not in (_JOINS_DIGITS if text[end + 1].isdigit() else "_@.")
    if after in _APOSTROPHES:
        return _is_clitic(text, end)
    if after in _HYPHENS:
        return text[end + 1].islower() and text[start].isupper()
    return after not in _JOINS or (after == "@" and in_url)


def _is_clitic(text: str, apostrophe: int) -> bool:
    end = apostrophe + 1
    while end < len(text) and end - apostrophe <= _LONGEST_CLITIC + 1 and _is_narrow(text[end]):
        end += 1
    letters = text[apostrophe + 1 : end]
    return len(letters) <= _LONGEST_CLITIC and (letters.islower() or text[apostrophe - 1].isupper())
