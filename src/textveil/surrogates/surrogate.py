"""The Protocol of surrogates: private values of spans in, values that pass for real out; and the page around them.

A page is what the released words of a text show: its language, and the country whose conventions it follows. Both are
functions of released text alone, so a surrogate may follow them at no cost.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from textveil.detection.found import words_in
from textveil.detection.gates import places_of
from textveil.detection.languages import language_of
from textveil.privacy.guarantees import Guarantee
from textveil.surrogates.scopes import Scope
from textveil.text.patterns import lazy_regex, matches_at, words_of

READ: Final = 800  # characters of released text that are read


class Page(NamedTuple):
    """Facts that released words show; empty if they show none."""

    language: str = ""  # ISO 639-1
    region: str = ""  # ISO 3166: GB or US, of English pages

    @property
    def day_first(self) -> bool | None:
        """True if the day stands before the month in dates in digits; None if that is open."""
        if self.region:
            return self.region != "US"
        return None if self.language in ("", "en", *_YEAR_FIRST) else True


UNKNOWN: Final = Page()
_YEAR_FIRST: Final = ("zh", "ja", "ko")

_GB: Final = lazy_regex(
    r"(?i)\xa3|\b(?:colou?rful|colours?|favou?rites?|favours?|neighbours?|behaviours?|honours?|labour|centres?|"
    r"metres?|litres?|theatres?"
    r"|cheques?|organis|apologis|recognis|realis|practised|licence|paediatric|haemo\w+|anaem\w+|oesoph\w+|oedema|"
    r"fulfil|whilst"
    r"|nhs|gp|a&e|postcode|post code|mum|mums|solicitors?|county court|council|faithfully|quid|surgery on|flat "
    r"[0-9]|bleep|crown court"
    r"|magistrates)(?!\w)"
)
_US: Final = lazy_regex(
    r"(?i)\b(?:colors?|favorites?|favors?|neighbors?|behaviors?|honors?|labor|centers?|meters?|liters?|theaters?|"
    r"organiz|apologiz|recogniz"
    r"|realiz|pediatric|anem\w+|esoph\w+|edema|fulfill|zip code|zip|mom|moms|ssn|social security|medicaid|"
    r"medicare|county,|attorney|dmv"
    r"|er|copay|sheriff|sophomore|freshman|apartment|apt)(?!\w)"
)


_BEGUN: Final = 4
"""Letters of a word by which it is looked up before the patterns above are tried: they take long."""
_GB_BEGUN: Final = words_in(
    """colo favo neig beha hono labo cent metr litr thea cheq orga apol reco real prac lice paed haem anae oeso oede
    fulf whil nhs gp post mum mums soli coun fait quid surg flat blee crow magi"""
)
_US_BEGUN: Final = words_in(
    """colo favo neig beha hono labo cent mete lite thea orga apol reco real pedi anem esop edem fulf zip mom moms ssn
    soci medi coun atto dmv er copa sher soph fres apar apt"""
)


def page_of(released: Iterable[str], shown: Iterable[str] = ()) -> Page:
    """Return what a text shows by its released stretches, and by values as they are released.

    Released values tell the country alone: an American state with its code, a British postal or calling code.
    """
    language, british, american = _shown_by(" ".join(released)[:READ])
    if language not in ("", "en"):
        return Page(language)
    for value in shown:
        british += _OF_GB.search(value) is not None
        american += _OF_US.search(value) is not None
    region = "GB" if british > american else "US" if american > british else ""
    return Page(language, region)


@lru_cache(maxsize=2)
def _shown_by(released: str) -> tuple[str, int, int]:
    """Return the language of a text, and how many of its words are written as in Great Britain, and as in America."""
    if (language := language_of(released)) not in ("", "en"):
        return language, 0, 0
    begun = {word[:_BEGUN] for word in words_of(released)}
    british = "\xa3" in released or "&" in released or not _GB_BEGUN.isdisjoint(begun)
    american = not _US_BEGUN.isdisjoint(begun)
    return language, _count(_GB, _GB_BEGUN, released) * british, _count(_US, _US_BEGUN, released) * american


def _count(pattern: re.Pattern[str], begun: frozenset[str], released: str) -> int:
    """Return how often a pattern matches that begins with a word; in plain text it is tried at such words alone."""
    if "\xa3" in released or "&" in released or not released.isascii():
        return len(pattern.findall(released))
    words = frozenset(word for word in words_of(released) if word[:_BEGUN] in begun)
    return sum(1 for _ in matches_at(pattern, released, (start for start, _ in places_of(released, words))))


_OF_GB: Final = lazy_regex(r"^\+44|^0[0-9]{3,4} [0-9]{5,6}$|\b[A-Z]{1,2}[0-9]{1,2}[A-Z]? [0-9][A-Z]{2}\b")
_OF_US: Final = lazy_regex(r"^\+1\b|^\([0-9]{3}\) [0-9]{3}-[0-9]{4}$|\b[A-Z]{2} [0-9]{5}(?:-[0-9]{4})?\b")


Counts: TypeAlias = Literal["mention", "value", "scope"]  # what pays a surrogate's epsilon once


A_SPAN: Final = "\ufffc"
SAME_KIND: Final = "\ufff9"
"""Marks for another span in what stands before an age or an amount, and for one that is an age or an amount too."""
SURNAME_BEFORE: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?:sur|(?:last|family|maiden|birth)[ _-]?)name|nom(?: de (?:famille|naissance))?|apellidos?"
    r"|cognome|(?:nach|familien|geburts|m\xe4dchen)name|achternaam|nazwisko(?: panie\u0144skie)?|apelidos?|sobrenome)"
    r"\s?:?\s{1,3}\Z"
)
"""Labels and heads of columns for a family."""


class Mention(NamedTuple):
    """One span of a text."""

    value: str  # its characters: private
    # up to 24 characters of the same text that stand before it, outside every span: what a draw may look at freely
    # where these are released as they are (a title before a name), and empty if they are not; of a name or a date in a
    # cell, the head of its column, if that is released; of a name also over a value in front of it; of an age or an
    # amount more of them, with marks for other spans, behind numbers as they are released, and gaps as two spaces
    before: str = ""
    after: str = ""  # the same of what stands behind it, up to 48 characters
    age: str = ""  # of a date: the nearest age of the text as it is released, up to 120 characters away
    head: str = ""  # of an amount in a cell: the head of its column, if that is released
    page: Page = UNKNOWN  # what the released words of the same text show; the same for all its mentions


class Surrogate(Protocol):
    """Draws values in the place of spans of one kind."""

    @property
    def name(self) -> str:
        """The name by which policies ask for it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters for reports: JSON values, by name."""

    @property
    def guarantee(self) -> Guarantee:
        """The unit of one value: a mention, or all its mentions in a scope where one value has one surrogate."""

    @property
    def counts(self) -> Counts:
        """The unit that pays the guarantee's epsilon once.

        ``"mention"``: every mention draws for itself. ``"value"``: all mentions of one value in a scope share a draw,
        so one value pays once, however often it stands there. ``"scope"``: all values of a scope share one draw,
        and the guarantee is for a change of all of them as its adjacency says, not for a change of one.
        """

    @property
    def consistent(self) -> bool:
        """True if equal values of a scope get equal surrogates, so that which mentions are equal is public."""

    def key(self, value: str) -> str:
        """Return the key of a value: two values with one key are one value, with one draw in a scope."""

    @property
    def public(self) -> tuple[str, ...]:
        """Phrases for reports of what stays public of one value: "its format", "how many digits it has"."""

    @property
    def equality(self) -> str:
        """Phrases for reports of what equal surrogates for equal values make public: "which are equal, but for case".

        Empty if every mention has a surrogate of its own, or nothing closer is to be said.
        """

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        """Return a surrogate for each mention of one text, in order.

        A draw looks at the value only in the way that its guarantee says: at ``epsilon`` 0 the distribution of the
        output is the same for every value with the same public facts. ``scope``: what the surrogates so far were, if
        they are to agree.
        """
