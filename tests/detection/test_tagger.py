"""The learned tagger: what it keeps and leaves out, and files that it refuses."""

from __future__ import annotations

import json
import pickle
import shutil
import time
from pathlib import Path

import pytest

from textveil.detection import tagger
from textveil.detection.embedded import EmbeddedDetector
from textveil.detection.found import Found
from textveil.errors import InputError

WITH, WITHOUT = EmbeddedDetector(), EmbeddedDetector(tagger=False)
NAMES = frozenset(("person", "place", "organization"))


def names(detector: EmbeddedDetector, text: str, least: float = 0.0) -> list[str]:
    (spans,) = detector.detect([text])
    return [text[span.start : span.end] for span in spans if span.kind in NAMES and span.score >= least]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tagger's files in a folder that a test may change."""
    for name in (tagger.FILE, tagger.RECORD):
        shutil.copy(tagger.DATA / name, tmp_path / name)
    monkeypatch.setattr(tagger, "DATA", tmp_path)
    tagger.tagger.cache_clear()
    return tmp_path


def test_file_of_another_digest_is_refused(copied: Path) -> None:
    packed = bytearray((copied / tagger.FILE).read_bytes())
    packed[100] ^= 1
    (copied / tagger.FILE).write_bytes(packed)
    with pytest.raises(InputError, match=r"must be intact; got another\. Install textveil again\.$"):
        WITH.detect(["We met Zalbrivod."])
    tagger.tagger.cache_clear()


def test_file_for_another_version_is_refused(copied: Path) -> None:
    record = json.loads((copied / tagger.RECORD).read_text(encoding="ascii"))
    (copied / tagger.RECORD).write_text(json.dumps({**record, "version": tagger.VERSION + 1}), encoding="ascii")
    with pytest.raises(InputError, match=rf"must have version {tagger.VERSION}; got {tagger.VERSION + 1}\."):
        WITH.detect(["We met Zalbrivod."])
    tagger.tagger.cache_clear()


def test_file_is_small() -> None:
    assert (tagger.DATA / tagger.FILE).stat().st_size < 1 << 20
