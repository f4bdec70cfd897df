"""Two inputs that guarantees of the lab's mechanisms compare, beside those of ``textveil.privacy.units``."""

from typing import Final

from textveil.privacy.units import BY_ONE, Unit, exchanged, nested

_SAME_SPANS: Final = (
    "in which spans of the same kinds are found in the same order, with the same text outside them, and that differ in"
)
ONE_GROUP: Final = nested(
    (Unit.GROUP, f"two texts {_SAME_SPANS} the values of any of them"),
    (Unit.DOCUMENT, f"two documents {_SAME_SPANS} the values of any of them"),
    (Unit.PERSON, f"two inputs of as many documents {_SAME_SPANS} any of their values{BY_ONE}"),
)
"""All spans of a text together; the text outside them is public."""

CLUSTERED_CONTENT: Final = exchanged(
    "where a word that is no English function word is exchanged for another such word of its own public cluster alone",
    "the public cluster of every word, and every English function word",
)
"""Words of one cluster, of which function words are not protected."""

AMONG_SENSITIVE: Final = exchanged(
    "where a word of the public list of sensitive words is exchanged for another of that list alone",
    "which words are on the list of sensitive words, and every word that is not",
)
"""Words outside a public list are not protected."""
