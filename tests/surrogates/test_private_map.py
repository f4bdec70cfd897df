"""From a release back to its text."""

from textveil.surrogates.map_file import PrivateMap, Replaced


def test_an_untouched_release_goes_back_by_position() -> None:
    pieces = (Replaced(0, 4, "Maria", "person"), Replaced(9, 9, "\u200b", ""), Replaced(9, 11, "7", "number"))
    made = PrivateMap(released="Anna has 42 cats.", replaced=pieces)
    assert made.original() == "Maria has \u200b7 cats."
    assert "Maria" not in repr(made)
