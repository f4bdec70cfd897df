"""Sealed samples of conversations: what is drawn and kept, what is lost, and what a changed file says."""

import errno
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from io import FileIO
from itertools import permutations, product
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from textveil.certificate.bounds import upper_count
from textveil.certificate.samples import CHARACTERS, Part, Samples, public_key, read_samples, reader_of
from textveil.certificate.sampling import draw_kept
from textveil.errors import InputError, ParameterError

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
DAY = date(2026, 11, 1)
NAME = "Quillfeather"
FACTS = ("0.1.0", "prompts", "d" * 64)


_MADE: list[Samples] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _MADE:
        _MADE.pop().close()


class Clock:
    """A day that a test sets."""

    day = DAY

    def __call__(self) -> date:
        return self.day


def samples(
    folder: Path, share: float = 1.0, *, most: int = 1000, clock: Clock | None = None, told: Counter[str] | None = None
) -> Samples:
    """Samples of a folder for the holder of ``SECRET``."""

    def count(what: str) -> None:
        if told is not None:
            told[what] += 1

    made = Samples(
        folder,
        reader_of(public_key(SECRET)),
        share=share,
        days=2,
        most=most,
        facts=FACTS,
        count=count,
        today=clock or Clock(),
    )
    made.open()
    _MADE.append(made)
    return made


def file_of(folder: Path) -> Path:
    (path,) = folder.glob("*.samples")
    return path


def test_texts_of_a_conversation_are_read_together_and_no_file_shows_them(tmp_path: Path) -> None:
    kept = samples(tmp_path)
    one = kept.take(None, [(f"{NAME} one", "Lee one")])
    two = kept.take(None, [("two", "two")])
    one = kept.take(one, [(f"three \ud800 {NAME}", "three"), ("four", "four")])
    assert isinstance(one, Part) and isinstance(two, Part)
    path = file_of(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and NAME.encode() not in path.read_bytes()
    opened = read_samples(path, SECRET)
    assert opened.texts == [(f"{NAME} one\n\nthree \ud800 {NAME}\n\nfour", "Lee one\n\nthree\n\nfour"), ("two", "two")]
    assert (opened.conversations, opened.since, opened.until) == (2, "2026-11-01", "2026-11-01")


def test_conversations_are_drawn_with_the_stated_probability_whatever_they_hold(tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    kept = samples(tmp_path, 0.25, most=4000, told=told)
    parts = [kept.take(None, [(NAME * (number % 5), "x")]) for number in range(4000)]
    drawn = [part is not None and part.drawn for part in parts]
    # alpha 1e-6 for each of five lengths; a draw by the text, or with probability .3, fails
    for length in range(5):
        mine = drawn[length::5]
        assert binomtest(sum(mine), len(mine), 0.25).pvalue > 1e-6
    opened = read_samples(file_of(tmp_path), SECRET)
    assert told == {"counted": 4000}
    assert (opened.conversations, len(opened.texts)) == (4000, sum(drawn))


def test_conversations_beyond_the_most_of_a_day_do_not_count(tmp_path: Path) -> None:
    clock = Clock()
    kept = samples(tmp_path, most=2, clock=clock)
    parts = [kept.take(None, [("x", "y")]) for _ in range(4)]
    assert [part is None for part in parts] == [False, False, True, True]
    assert read_samples(file_of(tmp_path), SECRET).conversations == 2
    clock.day += timedelta(days=1)
    assert kept.take(None, [("x", "y")]) is not None


def test_a_conversation_of_two_days_counts_on_each_and_files_add_up(tmp_path: Path) -> None:
    clock = Clock()
    kept = samples(tmp_path, clock=clock)
    part = kept.take(None, [("first", "first")])
    clock.day += timedelta(days=1)
    kept.take(part, [("second", "second")])
    kept.close()
    opened = read_samples(tmp_path, SECRET)
    assert [original for original, _ in opened.texts] == ["first", "second"]
    assert (opened.conversations, opened.since, opened.until) == (2, "2026-11-01", "2026-11-02")


def test_files_too_old_are_deleted_and_no_others(tmp_path: Path) -> None:
    clock = Clock()
    kept = samples(tmp_path, clock=clock)
    kept.take(None, [("x", "y")])
    (tmp_path / "2020-01-01-notes.samples").touch()
    clock.day = DAY + timedelta(days=2)
    kept.expire()
    assert len(list(tmp_path.glob("2026*"))) == 1
    clock.day = DAY + timedelta(days=3)
    kept.expire()
    assert [path.name for path in tmp_path.iterdir()] == ["2020-01-01-notes.samples"]


def test_the_first_texts_of_a_long_conversation_count_up_to_a_public_length(tmp_path: Path) -> None:
    kept = samples(tmp_path)
    part = kept.take(None, [("a" * (CHARACTERS - 1), "a"), ("bb", "b")])
    kept.take(part, [("c", "c")])
    kept.take(None, [("d" * (CHARACTERS + 1), "d")])
    assert [released for _, released in read_samples(file_of(tmp_path), SECRET).texts] == ["a", ""]


def test_another_key_is_refused_by_name(tmp_path: Path) -> None:
    samples(tmp_path).take(None, [(NAME, "x")])
    with pytest.raises(ParameterError, match="`key` must be the one whose public key the server had") as refused:
        read_samples(file_of(tmp_path), OTHER)
    assert NAME not in str(refused.value)


def test_a_changed_byte_and_a_lost_end_are_refused(tmp_path: Path) -> None:
    kept = samples(tmp_path)
    kept.take(kept.take(None, [(NAME, "x")]), [("more", "more")])
    path = file_of(tmp_path)
    whole = path.read_bytes()
    for place in [*range(300), *range(300, len(whole), 97), len(whole) - 1]:  # header, counts, and parts of each frame
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises((InputError, ParameterError)):
            read_samples(path, SECRET)
        path.write_bytes(whole[:place])
        with pytest.raises(InputError):
            read_samples(path, SECRET)


def test_frames_of_another_file_or_order_are_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        kept = samples(folder)
        kept.take(None, [("x", "y")])
        kept.take(None, [("x", "z")])
    one, other = (file_of(folder).read_bytes() for folder in (first, second))
    cut = len(one) // 2
    file_of(first).write_bytes(one[:cut] + other[cut:])
    with pytest.raises(InputError, match="samples must be whole"):
        read_samples(file_of(first), SECRET)


def test_lengths_of_frames_tell_neither_what_was_replaced_nor_more_than_about_how_long_texts_are(
    tmp_path: Path,
) -> None:
    kept = samples(tmp_path)
    kept.take(None, [("x", "y")])  # makes the file
    path, sizes = file_of(tmp_path), []
    noise = "".join(map(chr, range(5000, 5400)))
    for original, released in [("a", "a"), ("b" * 900, "c" * 900), (noise, noise), (noise, noise[::-1])]:
        before = path.stat().st_size
        kept.take(None, [(original, released)])
        sizes.append(path.stat().st_size - before)
    assert sizes[0] == sizes[1] and sizes[2] == sizes[3]


def test_a_file_that_somebody_deleted_loses_the_day_and_is_told(tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    kept = samples(tmp_path, told=told)
    part = kept.take(None, [("x", "y")])
    file_of(tmp_path).unlink()
    assert kept.take(part, [("more", "more")]) is None and told["lost"] == 1


def test_one_file_that_cannot_be_deleted_keeps_no_other_and_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [f"2020-01-0{day}-{day:016x}.samples" for day in range(1, 6)]
    for name in names[1:]:
        (tmp_path / name).touch()
    (tmp_path / names[0]).mkdir()
    kept = samples(tmp_path)
    kept.expire()
    assert [path.name for path in tmp_path.iterdir()] == names[:1]
    assert [each.getMessage() for each in caplog.records].count(
        "sampled conversations that are too old could not be deleted"
    ) == 1


@pytest.mark.parametrize("room", [0, 7])
def test_a_full_disk_loses_the_day_and_no_request(tmp_path: Path, room: int) -> None:
    told: Counter[str] = Counter()
    clock = Clock()
    kept = samples(tmp_path, clock=clock, told=told)
    part = kept.take(None, [("x", "y")])
    assert part is not None
    before = part.file._stream
    part.file._stream = FullDisk(before, room)
    text = "".join(map(chr, range(5000, 5400)))
    assert kept.take(part, [(text, text)]) is None
    assert kept.take(None, [("x", "y")]) is None and told == {"counted": 1, "lost": 1}
    before.close()
    assert not list(tmp_path.iterdir())  # one whose counts alone could not be written would be read as whole
    clock.day += timedelta(days=1)
    assert kept.take(None, [("x", "y")]) is not None


class FullDisk(FileIO):
    """A file that grows by so many bytes; those that it has can be written again."""

    def __init__(self, stream: FileIO, room: int) -> None:
        super().__init__(stream.fileno(), "r+", closefd=False)
        self.most = self.seek(0, 2) + room

    def write(self, data: Any) -> int:
        written = super().write(memoryview(data)[: max(0, self.most - self.tell())])
        if not written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written


def uncovered(population: int, share: float, level: float, told: Callable[[int], int]) -> float:
    """Largest probability, over corpora of 0 and 1, that a bound by the conversations kept is wrong after some page.

    ``told``: the size of the corpus that a bound is told; at least the number kept.
    """
    worst = 0.0
    for marked in range(population + 1):
        wrong = 0.0
        for kept in range(1, population + 1):
            draw = draw_kept(kept, max(kept, told(population)))
            for chosen in permutations(range(population), kept):
                missed = np.array([float(page < marked) for page in chosen])
                samples = [draw.sample(max(kept, told(population)), read) for read in range(1, kept + 1)]
                bounds = [upper_count(missed[:read], sample, level) for read, sample in enumerate(samples, 1)]
                probability = share**kept * (1 - share) ** (population - kept) / factorial(kept)
                wrong += probability * any(bound < marked for bound in bounds)
        worst = max(worst, wrong)
    return worst


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_bounds_by_kept_conversations_hold_in_every_small_corpus_whenever_reading_stops(share: float) -> None:
    for population, level in product((1, 3, 4), (0.5, 0.8)):
        assert uncovered(population, share, level, lambda size: size) <= 1 - level
    # the mutant takes those that were kept for all, and a bound without what was not drawn is wrong too often
    assert uncovered(4, share, 0.8, lambda size: 0) > 0.2 or share == 0.9
