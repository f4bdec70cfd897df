"""Empty documents cost little, and change nothing; compressed inputs expand as far as they may."""

import gzip
from pathlib import Path

import pytest
from tests.helpers.runs import worker_of
from tests.helpers.vocabularies import made_vocabulary

from textveil.corpora.blocks import Block
from textveil.corpora.files.sources import EXPANSION_FREE, opened
from textveil.corpora.formats.text_lines import PlainText
from textveil.errors import InputError
from textveil.mechanisms.channels.randomized_response import randomized_response
from textveil.randomness import seeded_generator
from textveil.sanitize.release import Tally
from textveil.sanitize.sanitizer import Sanitizer

WORKER = worker_of(
    mechanism=randomized_response(made_vocabulary(40), epsilon=1.0),
    corpus_format=PlainText(),
    secret=bytes(32),
    seed=5,
)


def block(lines: list[str]) -> Block:
    return Block(number=3, source=1, first=1, count=len(lines), payload="".join(lines).encode())


def test_blank_lines_change_neither_what_is_drawn_nor_what_is_counted() -> None:
    lines = ["wa0 wb1 7\n", "\n", "  \n", "\r\n", "wc2\n", "\n", "\t wd3 99\n", ""]
    outcome = WORKER.opened()(block(lines))
    sanitizer = Sanitizer.of(WORKER.options)
    plain = sanitizer.batch(lines[:-1], rng=seeded_generator(5, 3))
    tally = Tally()
    for release in plain:
        tally.add(release.kinds, release.mapped)
    assert outcome.data.decode() == "".join(release.text for release in plain)
    assert outcome.tally == tally


def test_half_a_block_of_newlines_is_released_once(monkeypatch) -> None:
    asked: list[int] = []
    batch = Sanitizer.batch

    def counted(self: Sanitizer, texts: list[str], **options: object) -> list[object]:
        asked.append(len(texts))
        return batch(self, texts, **options)

    monkeypatch.setattr(Sanitizer, "batch", counted)
    outcome = WORKER.opened()(block(["\n"] * 10_000))
    assert outcome.data == b"\n" * 10_000
    assert outcome.tally.documents == outcome.tally.kinds["space"] == 10_000
    assert sum(asked) <= 2


def _packed(folder: Path, data: bytes, ending: str) -> str:
    path = folder / f"in.txt{ending}"
    if ending == ".gz":
        path.write_bytes(gzip.compress(data))
    else:
        path.write_bytes(pytest.importorskip("pyarrow").Codec("zstd").compress(data, asbytes=True))
    return str(path)


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_an_input_that_expands_too_far_is_stopped(tmp_path, ending: str) -> None:
    name = _packed(tmp_path, b"\n" * 8 * EXPANSION_FREE, ending)
    with opened(name) as (stream, _, _):
        assert len(stream.read()) == 8 * EXPANSION_FREE
    with (
        pytest.raises(InputError, match=r"must expand to at most 100 times .* Raise `max_expansion`") as error,
        opened(name, 100.0) as (stream, _, _),
    ):
        stream.read()
    assert "\n" not in str(error.value)
    with opened(_packed(tmp_path, b"\n" * EXPANSION_FREE, ending), 1.0) as (stream, _, _):
        assert len(stream.read()) == EXPANSION_FREE
