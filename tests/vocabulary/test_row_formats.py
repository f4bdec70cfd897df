import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import VocabularyError
from textveil.vocabulary.embedded import load_vocabulary

SECRET = "sekret"


def rows_of(words, vectors) -> bytes:
    lines = [
        word + "".join(f" {number!r}" for number in row.tolist()) for word, row in zip(words, vectors, strict=True)
    ]
    return "".join(line + "\n" for line in lines).encode()


def as_glove(words, vectors) -> bytes:
    return rows_of(words, vectors)


def as_word2vec(words, vectors) -> bytes:
    return b"%d %d\n" % vectors.shape + rows_of(words, vectors)


def as_fasttext(words, vectors) -> bytes:
    """fastText ends every row with a space."""
    return as_word2vec(words, vectors).replace(b"\n", b" \n").replace(b" \n", b"\n", 1)


def as_binary(words, vectors, end: bytes = b"\n") -> bytes:
    rows = [word.encode() + b" " + row.astype("<f4").tobytes() + end for word, row in zip(words, vectors, strict=True)]
    return b"%d %d\n" % vectors.shape + b"".join(rows)


WRITERS = {"glove": as_glove, "word2vec": as_word2vec, "fasttext": as_fasttext, "word2vec-binary": as_binary}

# What a token may hold in a text table: anything but line feeds and the separators.
token = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f"), min_size=1, max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda dim: st.tuples(st.lists(token, min_size=2, max_size=8, unique=True), st.just(dim), st.integers(0, 2**32 - 1))
)


@pytest.mark.parametrize("format", WRITERS)
@given(table=tables)
@settings(deadline=None, max_examples=40)
def test_round_trip(tmp_path_factory, format, table):
    words, dim, seed = table
    vectors = np.random.default_rng(seed).normal(size=(len(words), dim)).astype(np.float32)
    path = tmp_path_factory.mktemp("table") / "table.vec"
    path.write_bytes(WRITERS[format](words, vectors))
    vocabulary = load_vocabulary(path, format=format)
    assert vocabulary.words == tuple(words)
    assert vocabulary.vectors.dtype == np.float32
    np.testing.assert_array_equal(vocabulary.vectors, vectors)
    assert vocabulary.name == "table.vec"


WORDS = ["the", ",", "2", "naïve", "日本", "a\u0085b", "\u00a0", "</s>"]
VECTORS = np.random.default_rng(3).normal(size=(8, 30)).astype(np.float32)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("format", WRITERS)
def test_the_format_is_told_from_the_content(tmp_path, format, zipped):
    data = WRITERS[format](WORDS, VECTORS)
    path = tmp_path / "vectors.bin"
    path.write_bytes(gzip.compress(data) if zipped else data)
    vocabulary = load_vocabulary(path)
    assert vocabulary.words == tuple(WORDS)
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS)


def test_binary_rows_may_follow_each_other_without_a_line_feed(tmp_path):
    path = tmp_path / "gensim.bin"
    path.write_bytes(as_binary(WORDS, VECTORS, end=b""))
    assert load_vocabulary(path).words == tuple(WORDS)


def test_words_may_hold_spaces_where_the_file_has_no_header(tmp_path):
    """GloVe 840B holds such tokens; the last fields of a row are its vector."""
    words = [". . .", "the", "at name@domain.com", "name@domain.com name@domain.com", "2", "- -"]
    path = tmp_path / "glove.txt"
    path.write_bytes(as_glove(words, VECTORS[:6]))
    vocabulary = load_vocabulary(path)
    assert vocabulary.words == tuple(words)
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS[:6])


@pytest.mark.parametrize(
    "text", ["a 1 2\nb 3 4\n", "a\t1\t2\nb  3   4 \t\n", "a 1 2\r\nb 3 4\r\n\r\n\n", "a 1 2\nb 3 4"]
)
def test_spacing_and_line_ends_do_not_matter(tmp_path, text):
    path = tmp_path / "t.txt"
    path.write_text(text, newline="")
    vocabulary = load_vocabulary(path)
    assert vocabulary.words == ("a", "b")
    assert vocabulary.vectors.tolist() == [[1, 2], [3, 4]]


def test_rows_beyond_the_first_chunk_arrive(tmp_path, monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.readers._CHUNK_BYTES", 4000)
    rng = np.random.default_rng(0)
    vectors, words = rng.normal(size=(500, 30)).astype(np.float32), [f"w{i}" for i in range(500)]
    for format, write in WRITERS.items():
        path = tmp_path / format
        path.write_bytes(write(words, vectors))
        vocabulary = load_vocabulary(path, format=format)
        assert vocabulary.words == tuple(words)
        np.testing.assert_array_equal(vocabulary.vectors, vectors)


@pytest.mark.parametrize("format", WRITERS)
def test_limit_reads_the_first_words(tmp_path, format):
    path = tmp_path / "t"
    path.write_bytes(WRITERS[format](WORDS, VECTORS) + b"\x00 what follows is not read")
    vocabulary = load_vocabulary(path, format=format, limit=3)
    assert vocabulary.words == tuple(WORDS[:3])
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS[:3])


@pytest.mark.parametrize("format", WRITERS)
def test_a_limit_beyond_the_end_reads_all(tmp_path, format):
    path = tmp_path / "t"
    path.write_bytes(WRITERS[format](WORDS, VECTORS))
    assert len(load_vocabulary(path, limit=100)) == 8


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("format", WRITERS)
def test_progress_is_in_bytes_of_the_file_and_ends_at_its_size(tmp_path, monkeypatch, format, zipped):
    monkeypatch.setattr("textveil.vocabulary.readers._CHUNK_BYTES", 480)
    data = WRITERS[format](WORDS, VECTORS)
    path = tmp_path / "t"
    path.write_bytes(gzip.compress(data) if zipped else data)
    calls: list[tuple[int, int | None]] = []
    load_vocabulary(path, format=format, progress=lambda done, total: calls.append((done, total)))
    size = path.stat().st_size
    assert calls[-1] == (size, size)
    assert all(0 <= done <= size and total == size for done, total in calls)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def refused(path: Path, **options) -> str:
    """The message with which a file is refused: one line, without its content and its folder."""
    with pytest.raises(VocabularyError) as caught:
        load_vocabulary(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    assert str(path.parent) not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message


S = SECRET.encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a 1 2\nb 3 4\n" + S + b" 5\nd 6 7\n", "row 3; got 2 fields"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 6 7\nd 6 7\n", "row 3; got more numbers"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 " + S + b"\n", "row 3"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 1_0\n", "row 3"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 0x10\n", "row 3"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 1.2.3\n", "row 3"),
        (b"a 1 2\nb 3 4\n" + S + b" 5 6\n" + S + b" 7 8\n", "rows 3 and 4"),
        (b"a 1 2\n" + S + b" nan 4\n", "NaN or infinity in row 2"),
        (b"a 1 2\n" + S + b" 3 -inf\n", "NaN or infinity in row 2"),
        (b"a 1 2\n" + S + b" 3 1e39\n", "NaN or infinity in row 2"),
        (b"a 1 2\n" + S + b" 3 1e999\n", "NaN or infinity in row 2"),
        (S + b" 1 2\n", "at least 2 words; got 1"),
        (b"", "an empty file"),
        (b"\n\n", "got none"),
        (b"a 1 2\n\xff" + S + b" 3 4\n", "other bytes in row 2"),
        (b"a 1 2\nb 3 4\n 5 6\n", "none in row 3"),
        (b"a 1 2\n\n\nb 3 4\n", "a blank line in row 2"),
        (S + b" " + S + b"\n" + S + b" " + S + b" x\n", "rows that do not end in numbers"),
        (S + b"\n", "rows that do not end in numbers"),
        (b"3 2\na 1 2\nb 3 4\n", "the 3 rows that its header promises; got 2"),
        (b"2 2\na 1 2\nb 3 4\nc 5 6\n", "the 2 rows that its header promises; got 3"),
        (b"2 3\na 1 2\nb 3 4\n", "3 numbers in row 1; got 3 fields"),
        (b"2 1\na 1 2\nb 3 4\n", "1 numbers in row 1; got more numbers"),
        (b"2 0\na\nb\n", "a first line 'words dimensions'"),
        (b"999999999999 2\na 1 2\nb 3 4\n", "got 2"),
    ],
)
def test_a_text_table_that_is_not_one_is_refused(tmp_path, content, says):
    path = tmp_path / "table.txt"
    path.write_bytes(content)
    assert says in refused(path)


def test_shifted_rows_do_not_make_up_for_each_other(tmp_path):
    """The right count of numbers in all is not enough: each row must hold its own."""
    path = tmp_path / "table.txt"
    path.write_bytes(b"3 2\na 1 2\n" + S + b" 3\nc 4 5 6\n")
    assert "row 2" in refused(path)


def test_a_row_without_end_is_refused_early(tmp_path):
    path = tmp_path / "table.txt"
    path.write_bytes(b"2 2\na 1 2\n" + b"x" * (1 << 22))
    assert "a longer one in row 2" in refused(path)


def test_a_text_table_is_not_read_under_a_wrong_name(tmp_path):
    path = tmp_path / "table.txt"
    path.write_bytes(as_glove(WORDS, VECTORS))
    assert "first line" in refused(path, format="word2vec")
    assert "first line" in refused(path, format="word2vec-binary")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-40], "ends within row 8"),
        (lambda data: data[: -(4 * 30 + 1)], "ends within row 8"),
        (lambda data: data.replace(b"8 30", b"9 30", 1), "promises; got 8"),
        (lambda data: data.replace(b"8 30", b"7 30", 1), "promises; got 8"),
        (lambda data: data.replace(b"8 30", b"8 31", 1), "row"),
        (lambda data: data.replace("naïve".encode(), b"na\xefve\xff", 1), "other bytes in row 4"),
        (lambda data: data.replace(b"\nthe ", b"\n ", 1), "none in row 1"),
        (lambda data: data[:5] + data[-(4 * 30 + 6) :], "at least 2 words"),
        (lambda data: data[:5] + b"x" * 5000, "row 1"),
    ],
)
def test_a_binary_table_that_is_not_one_is_refused(tmp_path, change, says):
    path = tmp_path / "table.bin"
    data = change(as_binary(WORDS, VECTORS))
    path.write_bytes(data.replace(b"8 30", b"1 30", 1) if says == "at least 2 words" else data)
    assert says in refused(path, format="word2vec-binary")


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:60] + b"\x00\xff" * 30 + data[120:]])
def test_a_damaged_gzip_file_is_refused(tmp_path, damage):
    path = tmp_path / "table.gz"
    path.write_bytes(damage(gzip.compress(as_glove(WORDS, VECTORS))))
    assert "got" in refused(path)


def test_memory_follows_the_rows_and_not_the_header(tmp_path):
    """A header that promises 10^12 rows of 999,999 numbers costs nothing before the rows come."""
    path = tmp_path / "table.bin"
    path.write_bytes(b"999999999999 999999\na \x00\x00\x00\x00")
    assert "ends within row 1" in refused(path)


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("row", [1, 2, 120])
@pytest.mark.parametrize("field", [b"1" * 40_000, b"1" * 2_000_000, b"1." + b"0" * 1023, b"1" * 40_000 + b"x"])
def test_long_fields_are_refused_in_one_line_and_in_linear_time(tmp_path, header, row, field):
    """Read with backtracking, 40,000 digits took three quarters of a minute, and two millions never ended."""
    lines = [b"word%d 1 2.5 -3e-2" % number for number in range(1, 151)]
    lines[row - 1] = b"word%d 1 %b 3" % (row, field)
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"150 3\n" * header + b"\n".join(lines))
    with pytest.raises(VocabularyError, match=rf"row {row}\b") as raised:
        load_vocabulary(path)
    assert len(str(raised.value)) < 200
    assert "111" not in str(raised.value)


def test_a_field_as_long_as_may_be_is_read(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"a " + b"1." + b"0" * 1022 + b" 2\nb 3 4\n")
    assert load_vocabulary(path).vectors.tolist() == [[1, 2], [3, 4]]


def test_digits_before_the_vector_make_a_row_too_long_and_are_read_once(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"\n".join([b"w%d 1 2" % n for n in range(20)]) + b"\na " + b"1" * 10**6 + b" 1 2")
    with pytest.raises(VocabularyError, match="row 21"):
        load_vocabulary(path, format="glove")
