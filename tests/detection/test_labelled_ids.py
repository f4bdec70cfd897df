"""Ids behind labels of any language, misread by a scanner, and spelled digit by digit."""

from __future__ import annotations

import pytest

import textveil as tv
from textveil.detection.detectors import detect

IDS = [
    ("Policy #PX 7731, claim CLM/2291.", ["PX 7731", "CLM/2291"]),
    ("Sinistre n\xb0 S-44 719; P\xf3liza: 7741-KQ", ["S-44 719", "7741-KQ"]),
    ("Polisnummer: KL 447190, Pratica n. 4471/B", ["KL 447190", "4471/B"]),
    ("Acct no: 4S7l-88O2. Works n0.: (OO3l874)", ["4S7l-88O2", "OO3l874"]),
    ("Tel: O29 2018 O455, birth: l4/O9/1977", ["O29 2018 O455", "l4/O9/1977"]),
    ("Ring oh seven seven double oh nine hundred, now.", ["oh seven seven double oh nine hundred"]),
    ("on extension two two six one.", ["two two six one"]),
    ("Policy 2019, claim 1, No. 5, Nr. 12, sixty M G, one two three four five six seven", []),
]


@pytest.mark.parametrize(("text", "ids"), IDS)
def test_id_is_found_behind_its_label(text: str, ids: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "id"] == ids


def test_spelled_digits_are_drawn_as_digits() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(1))
    released = sanitizer("extension two double six one.").text.removeprefix("extension ").rstrip(".").split()
    words = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
    assert len(released) == 4 and set(released) <= words
