"""Collocations: one changed word can change how many units a sentence has, and each unit is drawn and released."""

import json
import math

PHRASES = {("new", "york"), ("york", "times")}


def units(words: list[str]) -> int:
    """Return the number of units in the longest-first reading of a sentence."""
    count = at = 0
    while at < len(words):
        at += 2 if tuple(words[at : at + 2]) in PHRASES else 1
        count += 1
    return count


counts = units(["she", "left", "new", "york"]), units(["she", "left", "old", "york"])
readings = {
    "the unit is one collocation of a fixed segmentation": {"claimed": 1.0, "found": 1.0},
    "the unit is one word, and the drawn units are told apart": {
        "claimed": 1.0,
        "found": math.inf if counts[0] != counts[1] else 1.0,
    },
}
print(json.dumps({"readings": readings}))
