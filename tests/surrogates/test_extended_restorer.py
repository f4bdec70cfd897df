"""A restorer that learns releases one after another restores as one that is made of all of them."""

import random

from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer

WORDS = ["Ann", "Ann Smith", "Smith", "Will", "will", "May", "may", "Rose", "Lee", "Lee's", "O'Brien", "O\u2019Brien"]
WORDS += ["Ann-Marie", "Jos\xe9", "Jose\u0301", "the", "and", "of", "12", "1", "7", "2024-03-12", "\u6771", "AL", "al"]
WORDS += ["Smiths", "Roses", "2024-03-12T11:20", "+1 212 555", "Stra\xdfe", "STRASSE", "\u0130zmir", "l'Ann", "Ann_Lee"]


def _words(draw: random.Random, count: int) -> list[str]:
    return [draw.choice(WORDS) for _ in range(count)]


def _release(draw: random.Random) -> PrivateMap:
    """A release whose words are surrogates in one place and stand by chance in another."""
    text, pieces = "", []
    for word in _words(draw, draw.randint(3, 14)):
        surface = word
        if draw.random() < 0.35:
            surface += draw.choice(["", "", "'s"])
            original = " ".join(_words(draw, draw.choice([1, 1, 2]))) + draw.choice(["", "", "'s"])
            kind = draw.choice(["person", "person", "date"])
            pieces.append(Replaced(len(text), len(text) + len(surface), original, kind))
        text += surface + draw.choice([" ", ", ", "\n"])
    return PrivateMap(released=text, replaced=tuple(pieces))


def test_learning_one_by_one_is_learning_all() -> None:
    """Kills: earlier releases are not read again for what is new; what they met by chance before is not taken back."""
    for seed in range(300):
        draw = random.Random(seed)
        maps = [_release(draw) for _ in range(draw.randint(2, 7))]
        begun = draw.randint(0, len(maps) - 1)
        learned, whole = Restorer(maps[:begun]), Restorer(maps)
        for one in maps[begun:]:
            learned.extend([one])
        assert learned.maps == whole.maps
        for text in (" ".join(_words(draw, 12)), draw.choice(maps).released + " " + draw.choice(WORDS)):
            assert learned.restore(text) == whole.restore(text)
