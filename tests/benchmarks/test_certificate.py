"""The benchmark of certificates: it tells pages with a miss from others, finds wrong bounds, and prints no text."""

from types import ModuleType

import numpy as np
import pytest
from tests.helpers.attacks import loaded


@pytest.fixture
def certificate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("certificate", monkeypatch)


def test_marks_of_pages_are_what_their_labels_say(certificate: ModuleType) -> None:
    text = "Please call Marisol Quintero at 555-0134 about xqvzt."
    place = text.index("xqvzt")
    pages = [
        certificate.Labelled(text, [(12, 28)], [(12, 28), (32, 40)], "identifiers"),
        certificate.Labelled(text, [(12, 28), (place, place + 5)], [], "identifiers"),
    ]
    corpus = certificate.facts("two", pages)
    assert corpus.missed.tolist() == [0, 1]
    assert corpus.wrong[0] == 0 < corpus.wrong[1] == corpus.found[1]
    assert corpus.marks.tolist() == [0, 1]
    assert corpus.losses[:, 0].tolist() == [0, 1] and corpus.losses[:, -1].tolist() == [1, 1]
    assert np.all(np.diff(corpus.losses) >= 0) and np.all(np.diff(corpus.masked) <= 0)


def test_all_parts_run_on_a_small_corpus_and_print_no_text(certificate: ModuleType, capsys) -> None:
    small = certificate.synthetic(0.05, np.random.default_rng(0)).of("small", slice(0, 900))
    for part in certificate.PARTS.values():
        part([small], 2, 3)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| small")]
    assert len(lines) == 6
    assert lines[0].split(" | ")[:3] == ["| small", "900", "66.67%"]
