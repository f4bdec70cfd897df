"""Private maps made by hand, and of any text."""

from collections.abc import Sequence

from hypothesis import strategies as st

from textveil.surrogates.map_file import PrivateMap, Replaced

HOSTILE = st.text(
    st.one_of(
        st.characters(),  # lone surrogates too
        st.sampled_from("Aab sS.'\u2019-_@\n\t ,12\u0301\u00df\u0130\u5f20\u200b\ud800\udc00"),
    ),
    max_size=12,
)
"""Texts of any characters, with those that words hang together by much more often than by chance."""


def map_of(released: str, replaced: Sequence[tuple[str, str, str]]) -> PrivateMap:
    """The map in which these surrogates, in their order in the release, stand for originals of a kind."""
    pieces, at = [], 0
    for surrogate, original, kind in replaced:
        start = released.index(surrogate, at)
        at = start + len(surrogate)
        pieces.append(Replaced(start, at, original, kind))
    return PrivateMap(released=released, replaced=tuple(pieces))


@st.composite
def any_map(draw: st.DrawFn, characters: st.SearchStrategy[str] = HOSTILE) -> PrivateMap:
    """A map of any release."""
    released, pieces = "", []
    kinds = st.sampled_from(["person", "date", ""])
    for _ in range(draw(st.integers(0, 4))):
        released += draw(characters)
        surrogate = draw(characters)
        pieces.append(Replaced(len(released), len(released) + len(surrogate), draw(characters), draw(kinds)))
        released += surrogate
    return PrivateMap(released=released + draw(characters), replaced=tuple(pieces))
