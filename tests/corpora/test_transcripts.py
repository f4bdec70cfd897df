"""Transcripts taken apart: what is text, what stays, and every byte of the rest."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.corpora.transcripts import Piece, Transcript, transcript_of
from textveil.errors import InputError
from textveil.integrations.log_records import ScopedTexts

_TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


def texts_of(transcript: Transcript) -> list[str]:
    return [part.text for part in transcript.parts if isinstance(part, Piece)]


def unchanged(transcript: Transcript) -> bytes:
    return transcript.joined([None] * len(transcript.parts))


def with_marks(transcript: Transcript) -> bytes:
    """The file with another text in the place of each piece."""
    return transcript.joined(['<é"\\\n>' if isinstance(part, Piece) else None for part in transcript.parts])


@given(
    st.lists(_DATA, min_size=1, max_size=4), st.booleans(), st.sampled_from(["a.jsonl", "a.ipynb", "a.json", "a.txt"])
)
def test_a_file_is_joined_byte_for_byte(lines: list[object], ascii_alone: bool, name: str) -> None:
    nested = [json.dumps({"arguments": json.dumps(line, ensure_ascii=ascii_alone)}) for line in lines]
    data = "\r\n".join([*map(json.dumps, lines), *nested, "{broken"]).encode()
    if b"\\u0000" not in data:
        assert unchanged(transcript_of(name, data)) == data


@given(_DATA, st.booleans())
def test_json_stays_json_of_the_same_shape_whatever_the_texts_become(data: object, ascii_alone: bool) -> None:
    inner = json.dumps(data, ensure_ascii=ascii_alone)
    line = json.dumps({"input": data, "arguments": inner}, ensure_ascii=ascii_alone)
    marked = json.loads(with_marks(transcript_of("a.jsonl", line.encode())))

    def same(one: object, other: object) -> bool:
        if isinstance(one, dict) and isinstance(other, dict):  # several keys may have become one mark
            return len(other) <= len(one) and all(same(one[key], other[key]) for key in one if key in other)
        if isinstance(one, list) and isinstance(other, list):
            return len(one) == len(other) and all(map(same, one, other))
        return type(one) is type(other)

    assert same({"input": data}, {"input": marked["input"]})
    if isinstance(data, dict | list) and len(inner) > 2:
        assert same(data, json.loads(marked["arguments"]))


ENTRY = {
    "parentUuid": "7d9c1b2e-1c5f-4b1a-9c3a-2b1f0e9d8c7b",
    "type": "user",
    "timestamp": "2026-05-01T10:00:00.123Z",
    "message": {
        "role": "assistant",
        "model": "claude-opus-4-1-20250805",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "EqQB" * 20},
            {
                "type": "tool_use",
                "id": "toolu_01A09q90qw90lq917835lq9",
                "name": "Bash",
                "input": {"a b": 4915123456789},
            },
        ],
        "usage": {"input_tokens": 12345678},
    },
}


def test_ids_types_times_and_what_a_provider_sealed_stay() -> None:
    texts = texts_of(transcript_of("a.jsonl", json.dumps(ENTRY).encode()))
    assert texts == ["hm", "Bash", "a b", "4915123456789"]


@pytest.mark.parametrize(
    "data",
    [
        {"id": "Maria Gonzalez"},
        {"id": "sk-ant-api03-abcdefgh"},
        {"type": "Gonzalez"},
        {"timestamp": "Maria, 2026-05-01T10:00:00Z"},
        {"author": "7d9c1b2e-1c5f-4b1a-9c3a-2b1f0e9d8c7b"},
        {"signature": "Maria Gonzalez"},
        {"note": "2026-05-01T10:00:00Z"},
    ],
)
def test_a_string_stays_only_where_key_and_form_agree(data: dict[str, str]) -> None:
    assert texts_of(transcript_of("a.jsonl", json.dumps(data).encode())) == list(data.values())


LETTERS = "aBcdEfghIjklMnopQrstUvwxYzAbCdEfGhIj"
TOKENS = (f"ghp_{LETTERS}", "AKIAIOSFODNN7QXMWLPQ", f"xoxb-123456789012-{LETTERS}", f"sk-ant-api03-{LETTERS}9")


@pytest.mark.parametrize("prefix", ["", "call_", "toolu_", "chatcmpl-", "sess_", "req_", "msg_1_", "call_00_"])
@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_no_id_whatever_stands_before_it(prefix: str, token: str) -> None:
    texts, value = ScopedTexts(), prefix + token
    for key in ("id", "gen_ai.response.id", "thread_id", "call_id", "note"):
        said = texts.cleaned("", [(key, value), ("body", json.dumps({key.rpartition(".")[2]: [value], "id": value}))])
        assert not any(token in each or token[8:] in each for each in said), (key, said)
    if re.fullmatch(r"[A-Za-z_-]{1,60}", value):  # a key, where its form is one of words
        assert token not in texts.cleaned("", [("body", json.dumps({value: 1}))])[0]


@pytest.mark.parametrize(
    "value",
    [
        "toolu_01A09q90qw90lq917835lq9",
        "call_8fhG7dhsKJH73hd",
        "chatcmpl-9fjsk29fjskd29",
        "chatcmpl-tool-0f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
        "msg_bdrk_01XFDUDYJgAACzvnptvVoYEL",
        "run-7d9c1b2e-1c5f-4b1a-9c3a-2b1f0e9d8c7b",
        "run--7d9c1b2e-1c5f-4b1a-9c3a-2b1f0e9d8c7b-0",
    ],
)
def test_ids_of_programs_stay(value: str) -> None:
    data = json.dumps({"id": value}).encode()
    assert texts_of(transcript_of("a.jsonl", data)) == []


@pytest.mark.parametrize("value", ["call_khalvorsen", "call_4915123456789", "thread_maria_gonzalez_77"])
def test_what_only_begins_as_an_id_is_searched(value: str) -> None:
    assert texts_of(transcript_of("a.jsonl", json.dumps({"id": value}).encode())) == [value]


@pytest.mark.parametrize(
    ("key", "number", "stays"),
    [
        ("input_tokens", 12345678, True),
        ("durationMs", 1234567, True),
        ("createdAt", 1764403200123, True),
        ("start_time", 1764403200, True),
        ("tokens", 4111111111111111, False),
        ("event_time", 4111111111111111, False),
        *((key, 4111111111111111, False) for key in ("items", "accounts", "forms", "uptime", "datetimes", "resize")),
    ],
)
def test_a_long_number_stays_where_a_word_of_its_key_counts(key: str, number: int, stays: bool) -> None:
    texts = texts_of(transcript_of("a.jsonl", json.dumps({key: number}).encode()))
    assert texts == ([] if stays else [str(number)])


def test_the_sign_of_a_number_stays_and_its_digits_are_searched() -> None:
    said = ScopedTexts().cleaned("", [("body", '{"phone": -4915123456789, "n": [-7, -4111111111111111]}')])[0]
    data = json.loads(said)
    assert data["phone"] < 0 and data["phone"] != -4915123456789
    assert data["n"][0] == -7 and data["n"][1] < 0 and data["n"][1] != -4111111111111111


def test_a_number_stays_a_number() -> None:
    transcript = transcript_of("a.json", b'{"phone": 4915123456789}')
    number = next(number for number, part in enumerate(transcript.parts) if isinstance(part, Piece))
    for release, wanted in (("0815", 1815), ("(07) 12", 1712), ("77", 77)):
        released = [release if at == number else None for at in range(len(transcript.parts))]
        assert json.loads(transcript.joined(released)) == {"phone": wanted}


def test_lines_of_a_cell_are_searched_as_one_text() -> None:
    cell = {"source": ["key = '''-----BEGIN RSA\n", "MIIE\n", "-----END RSA'''"]}
    passages = transcript_of("a.ipynb", json.dumps(cell).encode()).passages
    assert [passage.text for passage in passages] == ["".join(cell["source"])]
    for first in ("\n", "{}\n", "[1, 2]\n"):
        lines = [first, *cell["source"]]
        passages = transcript_of("a.ipynb", json.dumps({"source": lines}, indent=1).encode()).passages
        assert [passage.text for passage in passages] == ["".join(lines)]
    words = {"command": ["mysql", "--password", "hunter2xQ"]}
    assert transcript_of("a.jsonl", json.dumps(words).encode()).passages[0].text == "mysql --password hunter2xQ"


def test_blocks_of_a_long_text_begin_and_end_where_they_stand() -> None:
    block = "def f() -> None:\n    return 1\n\n"
    key = "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: x\n\nMIIE\n\nabc\n-----END RSA PRIVATE KEY-----\n\n"
    text = block * 80 + key + block * 80
    transcript = transcript_of("a.txt", text.encode())
    assert len({passage.text for passage in transcript.passages}) == 2
    for passage in transcript.passages:
        ((at, _),) = passage.pieces
        assert text[-at : -at + len(passage.text)] == passage.text
        assert ("MIIE" in passage.text) == (key.strip() in passage.text)
    assert sum(len(passage.text) for passage in transcript.passages) == len(text)


def test_pictures_are_counted_and_become_blank_if_asked() -> None:
    picture = "iVBORw0KGgo" + "A" * 400
    data = json.dumps({"image/png": picture, "url": f"data:image/png;base64,{picture}"}).encode()
    kept, blank = (transcript_of("a.ipynb", data, blank=blank) for blank in (False, True))
    assert kept.pictures == blank.pictures == [1, 1] and texts_of(kept) == []
    assert unchanged(kept) == data and "AAAAAAAAAAAAAAAAAAAA" not in unchanged(blank).decode()
    assert json.loads(unchanged(blank))["url"].startswith("data:image/png;base64,iVBORw0KGgo")


HISTORIES = {
    ".zsh_history": ": 1700000000:0;echo a\n: 1700000001:12;echo b \\\nmore\n",
    ".bash_history": "#1700000000\necho a\n#1700000001\necho b\nmore\n",
    "fish_history": "- cmd: echo a\n  when: 1700000000\n- cmd: echo b\n  when: 1700000001\n  paths:\n    - a/b\n",
}


@pytest.mark.parametrize("name", HISTORIES)
def test_times_of_a_history_stay_and_commands_are_texts(name: str) -> None:
    transcript = transcript_of(name, HISTORIES[name].encode())
    assert not any("17000" in text for text in texts_of(transcript))
    assert [text.strip()[:6] for text in texts_of(transcript)][:2] == ["echo a", "echo b"]
    assert unchanged(transcript).decode() == HISTORIES[name]


def test_bytes_that_zsh_writes_as_two_are_read_as_one() -> None:
    text = ": 1700000000:0;echo Grüße à Łukasz\n"
    raw = b"".join(bytes((0x83, byte ^ 32)) if 0x83 <= byte <= 0xA2 else bytes((byte,)) for byte in text.encode())
    assert b"\x83" in raw
    transcript = transcript_of(".zsh_history", raw)
    assert texts_of(transcript) == ["echo Grüße à Łukasz\n"] and unchanged(transcript) == raw


@pytest.mark.parametrize("data", [b"\xff\xfeM\0a\0", "Grüße".encode("latin-1"), b"a\0b"])
def test_what_is_no_utf_8_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="must be text in UTF-8"):
        transcript_of("a.txt", data)
