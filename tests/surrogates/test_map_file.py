"""The encrypted map file: what is written comes back, and nothing that was changed is taken."""

import base64
import os
import sys
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.private_maps import any_map, map_of

from textveil.errors import InputError, MissingExtra, OutputError, ParameterError
from textveil.surrogates import map_file
from textveil.surrogates.map_file import HEADER_BYTES, TITLE, Document, MapCipher, MapFile, read_key, read_or_made_key
from textveil.surrogates.restoring import Restorer, restore

KEY = bytes(range(32))
NOTE = map_of("Ann came.", [("Ann", "Xylophonia", "person")])
OTHER = map_of("Bob left.", [("Bob", "Xylophonia", "person")])
BLOCKS: list[list[Document]] = [[(NOTE,), (OTHER, NOTE)], [], [(OTHER,)]]


def frames(blocks: list[list[Document]], key: bytes = KEY, cipher: MapCipher | None = None) -> list[bytes]:
    """The header, and every frame, of a file."""
    cipher = cipher or MapCipher.new(key)
    start = map_file.begun(cipher, {"format": "txt"})
    parts = [start[:HEADER_BYTES], start[HEADER_BYTES:]]
    parts += [map_file.block(cipher, number, documents) for number, documents in enumerate(blocks)]
    return [*parts, map_file.ended(cipher, len(blocks), sum(map(len, blocks)))]


def written(path: Path, parts: list[bytes]) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def refused(path: Path, key: bytes = KEY) -> str:
    """The message with which a file is refused; neither it nor the traceback holds private text."""
    with pytest.raises((InputError, ParameterError)) as caught:
        list(MapFile(path, key))
    message = str(caught.value)
    assert "\n" not in message
    assert "Xylo" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    return message


def test_what_is_written_comes_back(tmp_path) -> None:
    made = MapFile(written(tmp_path / "map", frames(BLOCKS)), KEY)
    assert made.about == {"format": "txt"}
    assert list(made.documents()) == [one for block in BLOCKS for one in block]
    assert list(made) == list(made) == [NOTE, OTHER, NOTE, OTHER]
    assert made.document(2) == (OTHER, NOTE)
    assert restore("Bob said Ann", made) == "Xylophonia said Xylophonia"
    assert Restorer(made)._kept == ()
    for number in (0, 4):
        with pytest.raises(ParameterError, match=f"`document` must be between 1 and 3, .* got {number}"):
            made.document(number)
    assert "Xylo" not in repr(made)
    raw = (tmp_path / "map").read_bytes()
    assert raw.startswith(b"textveil private map 1: not part of a release\n")
    assert b"Xylo" not in raw


@given(st.lists(st.lists(st.lists(any_map(), max_size=2).map(tuple), max_size=3), max_size=3))
def test_any_map_comes_back(tmp_path_factory, blocks: list[list[Document]]) -> None:
    path = written(tmp_path_factory.mktemp("maps") / "map", frames(blocks))
    assert list(MapFile(path, KEY).documents()) == [one for block in blocks for one in block]


def test_a_change_of_any_byte_is_refused(tmp_path) -> None:
    raw = b"".join(frames(BLOCKS))
    seen = set()
    for place in range(len(raw)):
        changed = raw[:place] + bytes([raw[place] ^ (1 << place % 8)]) + raw[place + 1 :]
        seen.add(refused(written(tmp_path / "map", [changed])).split(";")[0])
    assert len(seen) <= 5, seen


def test_a_file_that_ends_early_is_refused_at_every_length(tmp_path) -> None:
    parts = frames(BLOCKS)
    raw, ends = b"".join(parts), {sum(map(len, parts[:count])) for count in range(2, len(parts))}
    for length in range(len(raw)):
        message = refused(written(tmp_path / "map", [raw[:length]]))
        assert length < HEADER_BYTES or "it ends before the end of frame" in message
    assert len(ends) == 4
    assert refused(written(tmp_path / "map", [raw, b"\0"]))


def test_frames_that_are_moved_left_out_or_of_another_file_are_refused(tmp_path) -> None:
    parts, other = frames(BLOCKS), frames(BLOCKS)
    for first in range(1, len(parts)):
        for second in range(1, len(parts)):
            if first != second:
                moved = list(parts)
                moved[first], moved[second] = moved[second], moved[first]
                refused(written(tmp_path / "map", moved))
        refused(written(tmp_path / "map", parts[:first] + parts[first + 1 :]))
        refused(written(tmp_path / "map", [*parts[:first], parts[first], *parts[first:]]))
        refused(written(tmp_path / "map", [*parts[:first], other[first], *parts[first + 1 :]]))
    refused(written(tmp_path / "map", [other[0], *parts[1:]]))


def test_a_frame_of_another_mark_is_refused(tmp_path) -> None:
    parts = frames(BLOCKS)
    for place in range(1, len(parts)):
        for mark in (b"A", b"B", b"E"):
            if not parts[place].startswith(mark):
                changed = [*parts[:place], mark + parts[place][1:], *parts[place + 1 :]]
                refused(written(tmp_path / "map", changed))
    cipher = MapCipher.new(KEY)
    start = map_file.begun(cipher, {})
    refused(written(tmp_path / "map", [start, cipher.sealed(1, b"A", b'{"documents": 0}')]))


def test_a_wrong_key_is_told_from_a_damaged_file(tmp_path) -> None:
    path = written(tmp_path / "map", frames(BLOCKS))
    assert refused(path, KEY[::-1]) == "map_key must be the one with which the private map was made; got another."
    parts = frames(BLOCKS)
    parts[3] = parts[3][:-1] + bytes([parts[3][-1] ^ 1])
    message = "the private map must be as it was written; frame 2 was changed or moved. Take another copy."
    assert refused(written(path, parts)) == message
    assert "must be a file that textveil made; this is none" in refused(written(path, [b"some text\n" * 20]))
    newer = TITLE.replace(b"1", b"2") + parts[0][len(TITLE) :]
    assert "a form that this version knows; got another. Update." in refused(written(path, [newer, *parts[1:]]))
    with pytest.raises(ParameterError, match="map_key must have 32 bytes; got 5"):
        MapFile(written(path, frames(BLOCKS)), b"short")
    path.unlink()
    assert refused(path) == "the private map must be readable: No such file or directory."


def test_two_files_of_one_key_share_nothing() -> None:
    first, second = frames(BLOCKS), frames(BLOCKS)
    assert all(one != other for one, other in zip(first, second, strict=True))
    assert MapCipher.new(KEY).key != MapCipher.new(KEY).key
    cipher = MapCipher.new(KEY)
    assert cipher.sealed(0, b"A", b"same") != cipher.sealed(0, b"A", b"same")
    assert cipher.key.hex() not in repr(cipher)
    assert str(cipher.key) not in repr(cipher)


def test_a_key_is_made_once_for_its_owner_alone(tmp_path) -> None:
    path = tmp_path / "key"
    made = read_or_made_key(path)
    assert len(made) == 32
    assert read_key(path) == read_or_made_key(path) == made
    assert path.read_text() == made.hex() + "\n"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OutputError, match="the file of `map_key` could not be made: No such file"):
        read_or_made_key(tmp_path / "none" / "key")
    with pytest.raises(InputError, match="the file of `map_key` must be readable: No such file"):
        read_key(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (KEY.hex(), True),
        (KEY.hex().upper() + "\r\n", True),
        (base64.b64encode(KEY).decode(), True),
        ("", False),
        (KEY.hex()[:-2], False),
        ("Xylophonia" * 5, False),
        (base64.b64encode(KEY[1:]).decode(), False),
        ("x" * 5000, False),
    ],
)
def test_a_key_is_hexadecimal_or_base64(tmp_path, text: str, good: bool) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(0o600)
    if good:
        assert read_key(path) == KEY
        return
    with pytest.raises(ParameterError, match="`map_key` must hold 32 bytes as 64 hexadecimal digits or as base64") as e:
        read_key(path)
    assert "Xylo" not in str(e.value)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_can_open_is_refused(tmp_path, mode: int) -> None:
    path = tmp_path / "key"
    read_or_made_key(path)
    path.chmod(mode)
    with pytest.raises(ParameterError, match=f"only you can open; this one has mode 0{mode:o}. Run chmod 600 on it"):
        read_or_made_key(path)
    path.chmod(0o400)
    assert len(read_key(path)) == 32


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch) -> None:
    path = written(tmp_path / "map", frames(BLOCKS))
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    for call in (lambda: MapCipher.new(KEY), lambda: MapFile(path, KEY)):
        with pytest.raises(MissingExtra, match=r"`cryptography` is not installed. Run: pip install 'textveil\[maps\]'"):
            call()
