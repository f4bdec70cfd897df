"""Units of guarantees, and the two inputs that count as adjacent.

A guarantee without its adjacency means nothing: epsilon 8 for one word and epsilon 8 for a whole document differ by the
number of words. So every guarantee carries an ``Adjacency``, composition reads it, and reports print it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Unit(Enum):
    """Unit that is hidden as a whole; from the smallest to the largest."""

    TOKEN = "token"  # one word or one number
    SPAN = "span"  # the value of one span that a detector finds: a name, an address
    ENTITY = "entity"  # one value at all the spans of a scope that hold it: a person, with every mention of the name
    GROUP = "group of spans"  # the values of several spans of a document at once
    DOCUMENT = "document"  # one document with everything in it
    PERSON = "person"  # all documents of one person

    def holds(self, other: Unit) -> bool:
        """Tell whether this unit is at least as large as ``other``."""
        return _SIZES[self] >= _SIZES[other]


_SIZES: Final = {unit: size for size, unit in enumerate(Unit)}


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Two inputs that a guarantee compares.

    ``larger``: the adjacency of the next larger unit, to which the draws for many units add up; None at the top;
    ``shared``: if a word is not exchanged for any other: what the two inputs share of it, which is public then, in
    words; empty if any two words are compared. A guarantee of the one says nothing of the other.
    """

    unit: Unit  # what two adjacent inputs differ in
    text: str  # the same in words, for reports: "two texts that ..."
    larger: Adjacency | None = field(default=None, repr=False)
    shared: str = ""

    def __str__(self) -> str:
        return self.text


def nested(*levels: tuple[Unit, str], shared: str = "", larger: Adjacency | None = None) -> Adjacency:
    """Return the adjacency of the first of these units; each adds up to the next."""
    for unit, text in reversed(levels):
        larger = Adjacency(unit, text, larger, shared)
    assert larger is not None
    return larger


BY_ONE: Final = " (as if one person wrote all)"
_SAME_TOKENS: Final = "with the same number, order and kinds of tokens"

ALL_DOCUMENTS: Final = Adjacency(
    Unit.PERSON, f"two inputs of as many documents {_SAME_TOKENS}, any of which may differ{BY_ONE}"
)
ALL_TEXTS: Final = Adjacency(Unit.PERSON, f"two inputs of as many documents, any of which may differ{BY_ONE}")
ONE_DOCUMENT: Final = Adjacency(Unit.DOCUMENT, f"two documents {_SAME_TOKENS}, any of which may differ", ALL_DOCUMENTS)
ANY_VECTOR: Final = Adjacency(
    Unit.DOCUMENT, "any two texts, whatever vectors were computed from them by a public function", ALL_TEXTS
)
"""Two vectors of a mechanism's whole domain, each computed from one text."""
ANY_DOCUMENT: Final = Adjacency(Unit.DOCUMENT, "any two documents, whatever they hold", ALL_TEXTS)
ONE_TOKEN: Final = Adjacency(Unit.TOKEN, "two texts that differ in one token of the same kind", ONE_DOCUMENT)
_SPANS_OF_A_DOCUMENT: Final = Adjacency(
    Unit.DOCUMENT,
    "two documents in which the same spans of the same kinds are found, and that differ in any of their values",
    Adjacency(
        Unit.PERSON,
        "two inputs of as many documents in which the same spans of the same kinds are found, and that differ in "
        f"any of their values{BY_ONE}",
    ),
)
ONE_SPAN: Final = Adjacency(
    Unit.SPAN,
    "two texts in which the same spans of the same kinds are found, and that differ in the value of one",
    _SPANS_OF_A_DOCUMENT,
)
_SAME_CONTENT: Final = f"{_SAME_TOKENS} and the same function words, any other token of which may differ"
ONE_CONTENT_TOKEN: Final = nested(
    (
        Unit.TOKEN,
        "two texts that differ in one token of the same kind, where function words of a public list are a kind that is "
        "released as it is",
    ),
    (Unit.DOCUMENT, f"two documents {_SAME_CONTENT}"),
    (Unit.PERSON, f"two inputs of as many documents {_SAME_CONTENT}{BY_ONE}"),
)
"""Function words of a public list are a kind of tokens whose values are public."""


def beside_common_words(shared: str = "") -> Adjacency:
    """Two texts with the same common words and token kinds; up to whole documents and all documents.

    ``shared``: what else the two share of a token, which is public: "the public class of every word".
    """
    same = f"the same common words and token kinds in the same order{f', and {shared}' if shared else ''}"
    differ = "any other token of which may differ"
    return nested(
        (Unit.TOKEN, f"two texts with {same}, that differ in one other token"),
        (Unit.DOCUMENT, f"two documents with {same}, {differ}"),
        (Unit.PERSON, f"two inputs of as many documents with {same}, {differ}{BY_ONE}"),
        shared=shared,
    )


ONE_VALUE: Final = Adjacency(
    Unit.SPAN,
    "two texts in which the same spans of the same kinds are found, and that differ in one value at all its mentions: "
    "which mentions are equal, and what is listed as public of a value, are the same in both",
    ONE_SPAN.larger,
)
ONE_ENTITY: Final = Adjacency(Unit.ENTITY, ONE_VALUE.text, ONE_VALUE.larger)
"""The same, where one value at all its mentions is what pays."""

_WITH_SPANS: Final = "in which the same spans of the same kinds are found, with the same public facts of each kind"
_OUTSIDE: Final = {False: "the same text outside them", True: "tokens of the same number, order and kinds outside them"}
"""The part that adjacent texts share outside the spans: the text if words are kept, else public facts of tokens."""


def one_value(*, tokens: bool) -> Adjacency:
    """Two texts under a policy with spans that differ in one value; up to whole documents and all documents.

    ``tokens``: whether words outside the spans are drawn, so that one of them may differ instead.
    """
    shared = f"{_WITH_SPANS}, and {_OUTSIDE[tokens]}"
    values = "of these tokens and any values of spans" if tokens else "values of spans"
    within = ", as its kind allows"
    either = "one of these tokens, or " if tokens else ""
    return nested(
        (Unit.SPAN, f"two texts {shared}, that differ in {either}one value{within}"),
        (Unit.DOCUMENT, f"two documents {shared}, that differ in any {values}{within}"),
        (Unit.PERSON, f"two inputs of as many documents {shared}, that differ in any {values}{within}{BY_ONE}"),
    )


def within_groups(groups: str) -> Adjacency:
    """Two texts that differ in one token, between words of one public group alone; up to whole documents and all.

    ``groups``: what a group is, in words: "cluster", "part of speech".
    """
    return exchanged(
        f"where a word is exchanged for one of its own public {groups} alone", f"the public {groups} of every word"
    )


def exchanged(same: str, shared: str) -> Adjacency:
    """Two texts that differ in one token, if a word is exchanged for some words alone: which and what is shared."""
    differ = f"{_SAME_TOKENS}, any of which may differ, {same}"
    return nested(
        (Unit.TOKEN, f"two texts that differ in one token of the same kind, {same}"),
        (Unit.DOCUMENT, f"two documents {differ}"),
        (Unit.PERSON, f"two inputs of as many documents {differ}{BY_ONE}"),
        shared=shared,
    )


ONE_TOKEN_OUTSIDE: Final = Adjacency(
    Unit.TOKEN,
    "two texts in which the same spans of the same kinds are found, and that differ in one token of the same kind "
    "outside them",
    one_value(tokens=True).larger,
)

ONE_PERSON_MORE: Final = Adjacency(
    Unit.PERSON, "two corpora, one of which is the other with all records of one more person"
)
"""Add or remove a person: what releases about a whole corpus promise. Nothing of the person is public."""
ONE_RECORD_MORE: Final = Adjacency(Unit.DOCUMENT, "two corpora, one of which is the other with one more record")
"""The same if each record counts as a unit of its own."""
