import gzip
import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

from textveil.errors import ParameterError, UnknownNameError, VocabularyError
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.readers import FORMATS, public_name

SECRET = "sekret"
WORDS = ["the", "naïve", "a\u0085b", SECRET, "\u2028"]
VECTORS = np.random.default_rng(5).normal(size=(5, 4)).astype(np.float32)


def folder(path: Path, vectors=VECTORS, words=WORDS) -> Path:
    path.mkdir(exist_ok=True)
    np.save(path / "vectors.npy", vectors)
    (path / "words.txt").write_bytes("".join(word + "\n" for word in words).encode())
    return path


def safetensors(path: Path, header: dict, data: bytes, pad: int = 0) -> Path:
    """The format by hand: header length, JSON, bytes."""
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8 + pad)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def tensor(dtype: str, array: np.ndarray, start: int = 0) -> dict:
    return {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, start + array.nbytes]}


METADATA = {"__metadata__": {"words": json.dumps(WORDS)}}


def refused(path: Path, **options) -> str:
    with pytest.raises(VocabularyError) as caught:
        load_vocabulary(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    assert str(path.parent) not in message
    return message


def is_mapped(array: np.ndarray) -> bool:
    return isinstance(array, np.memmap)


@pytest.mark.parametrize("stored", ["<f4", "<f2", "<f8", ">f4"])
def test_a_folder_of_floats(tmp_path, stored):
    vocabulary = load_vocabulary(folder(tmp_path / "mine", VECTORS.astype(stored)))
    assert vocabulary.words == tuple(WORDS)
    assert vocabulary.name == "mine"
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS.astype(stored).astype(np.float32))
    assert is_mapped(vocabulary.vectors) == (stored == "<f4")


def test_a_fortran_ordered_table_is_copied_into_order(tmp_path):
    vocabulary = load_vocabulary(folder(tmp_path / "mine", np.asfortranarray(VECTORS)))
    assert vocabulary.vectors.flags.c_contiguous
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS)


def test_a_folder_of_8_bit_rows(tmp_path):
    values = np.arange(-10, 10, dtype=np.int8).reshape(5, 4)
    scales = np.linspace(0.1, 0.5, 5).astype(np.float32)
    path = folder(tmp_path / "mine", values)
    assert "scales.npy" in refused(path)
    np.save(path / "scales.npy", scales)
    vocabulary = load_vocabulary(path)
    assert is_mapped(vocabulary.grid.values)
    np.testing.assert_array_equal(vocabulary.vectors, values.astype(np.float32) * scales[:, None])
    assert len(load_vocabulary(path, limit=2).vectors) == 2
    np.save(path / "scales.npy", scales[:3])
    assert "5 rows" in refused(path)
    np.save(path / "scales.npy", np.array(["x"] * 5))
    assert "scales" in refused(path)


def test_a_npy_file_stands_for_its_folder(tmp_path):
    path = folder(tmp_path / "mine") / "vectors.npy"
    path = path.rename(path.with_name("other.npy"))
    assert load_vocabulary(path).words == tuple(WORDS)
    assert load_vocabulary(str(path), format="npy", limit=2).words == tuple(WORDS[:2])


def test_an_archive_of_arrays_is_refused(tmp_path):
    path = folder(tmp_path / "mine")
    np.savez(path / "vectors.npz", VECTORS)
    (path / "vectors.npz").rename(path / "vectors.npy")
    assert "got an archive (.npz). Save" in refused(path)
    np.save(path / "vectors.npy", np.ones((5, 4), dtype=np.int8))
    np.savez(path / "scales.npz", np.ones(5))
    (path / "scales.npz").rename(path / "scales.npy")
    assert "scales.npy to be one array" in refused(path)


ODD_HEADERS = {
    "a huge shape": "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4), }",
    "a negative shape": "{'descr': '<f4', 'fortran_order': False, 'shape': (-5, 4), }",
    "a shape of text": "{'descr': '<f4', 'fortran_order': False, 'shape': ('5', 4), }",
    "no shape": "{'descr': '<f4', 'fortran_order': False, }",
    "an unknown type": "{'descr': '<q9', 'fortran_order': False, 'shape': (5, 4), }",
    "a type of nothing": "{'descr': '|V0', 'fortran_order': False, 'shape': (5, 4), }",
    "named fields": "{'descr': [('Xylophonia', '<f4')], 'fortran_order': False, 'shape': (5,), }",
    "not closed": "{'descr': '<f4', 'shape': (5, 4",
    "deep": "(" * 5000,
    "an empty table": "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 0), }",
    "not a dictionary": "[1, 2]",
}


@pytest.mark.parametrize("case", ODD_HEADERS)
def test_an_odd_header_is_an_input_error_of_one_line(tmp_path, case):
    path = folder(tmp_path / "mine")
    header = ODD_HEADERS[case].encode() + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(80)
    (path / "vectors.npy").write_bytes(data)
    message = refused(path)
    assert "\n" not in message and "Xylophonia" not in message


@pytest.mark.parametrize("ending", ["\n", "", "\r\n"])
def test_words_may_end_as_they_like(tmp_path, ending):
    path = folder(tmp_path / "mine")
    text = ("\r\n" if ending == "\r\n" else "\n").join(WORDS) + ending
    (path / "words.txt").write_bytes(text.encode())
    assert load_vocabulary(path).words == tuple(WORDS)


def test_folders_that_are_no_vocabulary_are_refused(tmp_path):
    path = folder(tmp_path / "mine")
    np.save(path / "vectors.npy", VECTORS[:4])
    assert "5 rows, one for each word; got shape (4, 4)" in refused(path)
    np.save(path / "vectors.npy", VECTORS.astype(np.int64))
    assert "floats" in refused(path)
    np.save(path / "vectors.npy", VECTORS[:, 0])
    assert "2-D" in refused(path)
    np.save(path / "vectors.npy", np.array(3.0))
    assert "5 rows" in refused(path)
    folder(path)
    whole = (path / "vectors.npy").read_bytes()
    (path / "vectors.npy").write_bytes(whole[:-1])
    assert "an array of numbers" in refused(path)
    (path / "vectors.npy").write_bytes(whole[:30])
    assert "an array of numbers" in refused(path)
    (path / "vectors.npy").write_bytes(b"")
    assert "an array of numbers" in refused(path)
    folder(path)
    (path / "words.txt").write_bytes(b"a\nb\n\xff\nd\ne\n")
    assert "row 3" in refused(path)
    (path / "words.txt").unlink()
    assert "words.txt" in refused(path)
    (path / "vectors.npy").unlink()
    assert "words.txt" in refused(path)


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["v.pkl", "v.kv", "v.model", "v.bin", "v.txt", "v.npy", "v"])
def test_no_pickle_is_ever_opened(tmp_path, name, protocol):
    trace = tmp_path / "trace"
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Bomb(trace), protocol=protocol))
    (tmp_path / "words.txt").write_text("a\nb\n")
    for format in (None, *FORMATS):
        message = refused(path, format=format)
        if protocol >= 2 or path.suffix in (".pkl", ".kv", ".model"):
            assert "a pickle" in message
    assert not trace.exists()


def test_no_array_of_objects_is_opened(tmp_path):
    trace = tmp_path / "trace"
    path = folder(tmp_path / "mine")
    np.save(path / "vectors.npy", np.array([[Bomb(trace)] * 4] * 5, dtype=object), allow_pickle=True)
    assert "pickles" in refused(path)
    assert not trace.exists()


def test_other_known_files_are_named(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04rest")
    assert "zip" in refused(tmp_path / "a.zip")
    (tmp_path / "a.bin").write_bytes(struct.pack("<ii", 793712314, 12) + bytes(100))
    assert ".vec" in refused(tmp_path / "a.bin")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
    assert "binary content" in refused(tmp_path / "a.png")
    (tmp_path / "a.npy.gz").write_bytes(gzip.compress(b"\x93NUMPY\x01\x00"))
    assert "got" in refused(tmp_path / "a.npy.gz")
    assert "Unpack" in refused(tmp_path / "a.npy.gz", format="npy")
    assert "Check the path" in refused(tmp_path / "absent")
    assert "got an error" in refused(tmp_path, format="glove")


def test_options_are_checked(tmp_path):
    path = folder(tmp_path / "mine")
    with pytest.raises(UnknownNameError, match="safetensors"):
        load_vocabulary(path, format="gensim")
    for limit in (1, 0, -5):
        with pytest.raises(ParameterError, match="limit"):
            load_vocabulary(path, limit=limit)


def test_public_names_are_fit_for_reports():
    assert public_name(Path("/somewhere/glove.txt")) == "glove.txt"
    assert public_name(Path("a\\b\nc")) == "a_b_c"
    assert public_name(Path()) == "folder"


def bfloat16(array: np.ndarray) -> np.ndarray:
    return (array.view(np.uint32) >> 16).astype("<u2")


@pytest.mark.parametrize(
    ("dtype", "stored", "read"),
    [
        ("F32", VECTORS, VECTORS),
        ("F64", VECTORS.astype("<f8"), VECTORS),
        ("F16", VECTORS.astype("<f2"), VECTORS.astype("<f2").astype(np.float32)),
        ("BF16", bfloat16(VECTORS), (bfloat16(VECTORS).astype(np.uint32) << 16).view(np.float32)),
    ],
)
@pytest.mark.parametrize("words_in", ["metadata", "file"])
@pytest.mark.parametrize("pad", [0, 1])
def test_safetensors(tmp_path, dtype, stored, read, words_in, pad):
    extra = np.ones(3, dtype=np.float32)
    header = {"bias": tensor("F32", extra), "embedding": tensor(dtype, stored, extra.nbytes)}
    if words_in == "metadata":
        header |= METADATA
    else:
        (tmp_path / "words.txt").write_text("\n".join(WORDS), encoding="utf-8", newline="")
    path = safetensors(tmp_path / "mine.safetensors", header, extra.tobytes() + stored.tobytes(), pad)
    vocabulary = load_vocabulary(path)
    assert vocabulary.words == tuple(WORDS)
    np.testing.assert_array_equal(vocabulary.vectors, read)
    assert is_mapped(vocabulary.vectors) == (dtype == "F32" and pad == 0)
    assert load_vocabulary(path, limit=2).words == tuple(WORDS[:2])


def test_safetensors_as_its_own_library_writes_it(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "mine.safetensors"
    tensors = {"vectors": VECTORS, "other": np.zeros((2, 2), dtype=np.float32)}
    library.save_file(tensors, path, metadata=METADATA["__metadata__"])
    vocabulary = load_vocabulary(path)
    np.testing.assert_array_equal(vocabulary.vectors, library.load_file(path)["vectors"])
    assert vocabulary.words == tuple(WORDS)
    assert is_mapped(vocabulary.vectors)


def test_a_safetensors_header_length_is_not_taken_for_a_pickle(tmp_path):
    """Lengths 0x280 to 0x780 start with the bytes of a pickle."""
    header = METADATA | {"v": tensor("F32", VECTORS)}
    text = json.dumps(header).encode()
    path = tmp_path / "mine"
    path.write_bytes(struct.pack("<Q", 0x480) + text + b" " * (0x480 - len(text)) + VECTORS.tobytes())
    assert path.read_bytes()[:2] == b"\x80\x04"
    assert load_vocabulary(path).words == tuple(WORDS)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ({"v": tensor("F32", VECTORS)}, "words.txt"),
        (METADATA, "0 tensors"),
        (METADATA | {"a": tensor("F32", VECTORS), "b": tensor("F32", VECTORS)}, "2 tensors"),
        (METADATA | {"v": tensor("I32", VECTORS)}, "type"),
        (METADATA | {"v": tensor("F32", VECTORS, 4)}, "cut short"),
        (METADATA | {"v": tensor("F32", VECTORS, -4)}, "offsets"),
        (METADATA | {"v": tensor("F64", VECTORS)}, "offsets"),
        (METADATA | {"v": tensor("F32", VECTORS) | {"shape": [4, 4]}}, "offsets"),
        (METADATA | {"v": tensor("F32", VECTORS) | {"shape": [-5, -4]}}, "vectors"),
        (METADATA | {"v": tensor("F32", VECTORS) | {"shape": [0, 4], "data_offsets": [0, 0]}}, "empty"),
        (METADATA | {"v": tensor("F32", VECTORS) | {"shape": [5.0, 4]}}, "0 tensors"),
        (METADATA | {"v": tensor("F32", VECTORS) | {"data_offsets": "ab"}}, "0 tensors"),
        (METADATA | {"v": 3}, "0 tensors"),
        ({"__metadata__": 3, "v": tensor("F32", VECTORS)}, "words.txt"),
        ({"__metadata__": {"words": SECRET}, "v": tensor("F32", VECTORS)}, "JSON list"),
        ({"__metadata__": {"words": "[1]"}, "v": tensor("F32", VECTORS)}, "JSON list"),
        ({"__metadata__": {"words": '["a"]'}, "v": tensor("F32", VECTORS)}, "1 rows"),
        ([SECRET], "JSON object"),
    ],
)
def test_safetensors_that_hold_no_vocabulary_are_refused(tmp_path, header, says):
    path = safetensors(tmp_path / "mine", header, VECTORS.tobytes())
    assert says in refused(path, format="safetensors")


@pytest.mark.parametrize(
    "data", [b"x", b"\x00" * 8 + b"{}", struct.pack("<Q", 99) + b"{}", struct.pack("<Q", 9) + b"{" * 9]
)
def test_a_damaged_safetensors_header_is_refused(tmp_path, data):
    path = tmp_path / "mine"
    path.write_bytes(data)
    assert "header" in refused(path, format="safetensors")


def test_progress_ends_at_the_size_of_the_file(tmp_path):
    calls = []
    path = folder(tmp_path / "mine")
    load_vocabulary(path, progress=lambda done, total: calls.append((done, total)))
    size = (path / "vectors.npy").stat().st_size
    assert calls[-1] == (size, size)
