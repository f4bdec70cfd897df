"""What is written in base64, hexadecimal digits and quoted-printable within a text."""

import base64
import hashlib
import json
import random
import zlib

import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.growth import is_linear

import textveil as tv
from textveil.sanitize.policy.choice import policy_of
from textveil.text.escapes import Reading, quoted_printable
from textveil.text.no_text import Encoded, as_text, encoded_runs, what_it_begins, what_it_is

NAME = "Maria Gonzalez"


def b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def noise(size: int, seed: int = 5) -> bytes:
    """Bytes that stand for no text."""
    return random.Random(seed).randbytes(size)


LINES = base64.encodebytes(f"{NAME} called. ".encode() * 9).decode()
NESTED = b64(json.dumps({"inner": b64(NAME)}))
HOLDS_A_NAME = {
    "base64": b64(NAME),
    "without padding": b64(NAME).rstrip("="),
    "for URLs": base64.urlsafe_b64encode(f"{NAME} ?>?>".encode()).decode(),
    "in a JSON string": json.dumps({"blob": b64(json.dumps({"patient": NAME, "phone": "303-555-0142"}))}),
    "in JSON in JSON": json.dumps({"body": json.dumps({"blob": LINES})}),
    "base64 within base64": NESTED,
    "in lines": base64.encodebytes(f"Our client {NAME} called. ".encode() * 20).decode(),
    "UTF-16, as shells have it": b64(f"Write-Host {NAME}".encode("utf-16-le")),
    "Windows-1252": b64("Our client José Gonzalez called".encode("cp1252")),
    "header word": f"From: =?utf-8?B?{b64(NAME)}?= <x>",
    "in a path": f"https://api.example.org/users/{b64(NAME)}",
    "data URI": f'<a href="data:text/plain;base64,{b64(NAME)}">',
    "basic authorization": f"Authorization: Basic {b64('maria.gonzalez@example.org:secret')}",
    "hexadecimal": NAME.encode().hex(),
    "in capitals": NAME.encode().hex().upper(),
    "0x": "0x" + NAME.encode().hex(),
    "bytes apart": NAME.encode().hex(" "),
    "as long as a digest": b"Maria Gonzalez, x".hex()[:32],
}  # fmt: skip


@pytest.mark.parametrize("policy", ["prompts", "clinical", "identifiers"])
@pytest.mark.parametrize("form", HOLDS_A_NAME)
def test_a_name_that_is_encoded_goes(form: str, policy: str) -> None:
    written = HOLDS_A_NAME[form]
    released = tv.Sanitizer(policy)(f"Please look at this.\n{written}\nThank you.").text
    assert written not in released
    runs = [run for run in encoded_runs(released) if run.plain]
    assert not any("Gonzalez" in (run.plain or "") for run in runs)
    assert released.startswith("Please look at this.\n") and released.endswith("\nThank you.")


@pytest.mark.parametrize(
    "written",
    [
        f"data:image/png;base64,{b64(b'PNG' + noise(90))}",
        b64(zlib.compress(NAME.encode()) + noise(300)),
        base64.encodebytes(noise(900)).decode().rstrip(),
        b64(b"PK\x03\x04" + noise(40)),
        noise(300).hex(),
    ],
)
def test_what_cannot_be_read_goes(written: str) -> None:
    text = f"Please look at the picture of the garden and at what stands beside it: {written} and say what it is."
    released = tv.Sanitizer("prompts")(text).text
    assert written[30:60] not in released  # behind "it:" a single word is drawn as a key
    assert "[encoded]" in released or len(written) < 80
    assert released.endswith(" and say what it is.")


STAYS = {
    "SHA-1": hashlib.sha1(b"x").hexdigest(),
    "SHA-256": hashlib.sha256(b"x").hexdigest(),
    "SHA-512": hashlib.sha512(b"x").hexdigest(),
    "MD5": hashlib.md5(b"x").hexdigest(),
    "UUID": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "integrity": f"sha512-{b64(hashlib.sha512(b'x').digest())}",
    "words": "getUserAccountSettingsFromDatabase HTTPServerConnectionPool2 TODO_LATER",
    "path": "/usr/local/lib/python3/dist-packages/NumpyArrayInterface/internalHelpers2",
    "nobody": b64("hello world, this is a greeting"),
    "dots": "-" * 300 + "_" * 300,
    "list": "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(9)),
    "source map": ";".join(["AAAA", "IACA", "SAASA", "GAAG"] * 90),
}


@pytest.mark.parametrize("form", STAYS)
def test_digests_and_code_are_no_encoded_text(form: str) -> None:
    runs = list(encoded_runs(STAYS[form]))
    assert not [run for run in runs if run.plain is None]
    assert form == "nobody" or not runs


def test_what_holds_nothing_stays() -> None:
    text = f"The greeting is {STAYS['nobody']} in base64."
    assert tv.Sanitizer("prompts")(text).text == text


def test_where_runs_stand() -> None:
    text = f"a {b64(NAME)} b {NAME.encode().hex()} c"
    assert [text[run.start : run.end] for run in encoded_runs(text)] == [b64(NAME), NAME.encode().hex()]
    assert {run.plain for run in encoded_runs(text)} == {NAME}
    assert list(encoded_runs(f"x/{b64(NAME)}")) == [Encoded(2, 2 + len(b64(NAME)), NAME)]


def test_random_bytes_are_no_text() -> None:
    """Of 20,000 random runs of 9 bytes one in 1,000 is taken for text: at most 36 are, alpha 1e-3."""
    draws = random.Random(11)
    assert sum(as_text(draws.randbytes(9)) is not None for _ in range(20_000)) <= 36


@pytest.mark.parametrize("policy", ["prompts", "clinical", "identifiers"])
@pytest.mark.parametrize(
    "text",
    [
        "Our client Maria=20Gonzalez called.",
        "Our client Maria=\n Gonzalez called.",
        "Our client Jos=C3=A9 Gonz=C3=A1lez called.",
        "Write to m.gonzalez=40example.org now.",
        "Our client Mr=2E Gonza=\nlez called.",
        "Our client Mr=20Gonzalez called.",
        "From: =?utf-8?Q?Maria_Gonzalez?= here",
        "From: =?utf-8?Q?Offer_for_Mr_Gonzalez?= here",
        "From: =?iso-8859-1?q?Mar=EDa_Gonz=E1lez?= here",
    ],
)
def test_quoted_printable_is_read(text: str, policy: str) -> None:
    released = tv.Sanitizer(policy, rng=tv.seeded_generator(3))(text).text
    for part in ("Maria", "Mar=", "Gonz", "lez", "gonzalez", "example.org"):
        assert part not in released
    assert released.startswith(text.split(" ", 1)[0])


def test_what_only_looks_quoted_printable_is_read_as_it_stands() -> None:
    text = "Set x=20 and width=4Dpx, then a==B and y=C3."
    assert tv.Sanitizer("prompts")(text).text == text
    assert "42" not in tv.Sanitizer("identifiers")("The value is age=42 here.").text


@pytest.mark.parametrize("end", ["=", "=="])
def test_the_end_of_base64_is_no_soft_line_break(end: str) -> None:
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"
    assert quoted_printable(Reading(f"AccountKey={key}{end}\ncommit it")) is None


def test_a_policy_may_keep_what_is_encoded() -> None:
    own = policy_of(
        b'name = "own"\ndetectors = ["embedded"]\n[[rule]]\nkind = "word"\nkeep = true\n'
        b'[[rule]]\nkind = "person"\nplaceholder = true\n[[rule]]\nkind = "encoded"\nkeep = true\n',
        "own.toml",
    )
    text = f"It is {b64(NAME)} here."
    assert tv.Sanitizer(own)(text).text == text


PUMPS = (
    "A", "a", "a1", "aB1", "a1 ", "a1:", "a1b2 ", "0x", "=", "=20", "=\n", "==", "/", "-", "+", "aB1cdefg/",
    "aB1cdefg-",    "aB1c" * 15 + "\n", "aB1c" * 15 + "\n> ", "aB1c" * 10 + "\n", "data:a;base64,aB1cdefg ", " ", "> ",
    "\n", "\t", "\0a",    "X: y\n", "Content-Type: multipart/x\n", "Content-Type: multipart/x; boundary=a\n", "--a\n",
    "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: base64\nX: y\n",
    "Content-Transfer-Encoding: base64\n\n\n",
)  # fmt: skip


@pytest.mark.parametrize("pump", PUMPS)
def test_no_text_takes_long(pump: str) -> None:
    for read in (
        lambda text: list(encoded_runs(text)),
        what_it_is,
        lambda text: what_it_begins(text.encode()),
        lambda text: quoted_printable(Reading(text)),
    ):
        assert is_linear(read, pump, 4_000)


def test_the_attack_by_attachments_finds_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = loaded_attack("attachments", monkeypatch)
    assert attack.main(["--names", "2"]) == 0
    assert capsys.readouterr().out.count("left in    0 of") == len(attack.FORMS)


@pytest.mark.parametrize(
    "text",
    [
        b64("Jürgen Müller, Köln".encode()),
        b64("Jürgen Müller, Köln".encode("utf-16")),
        b64("Maria Gonzalez".encode("utf-16-be")),
        b64(b"Maria Gonzalez\0"),
        b"Maria Gonzalez".hex() + "0",
        b"Maria Hilton".hex(" "),
    ],
)
def test_names_in_other_encodings_are_blanked(text: str) -> None:
    assert tv.Sanitizer("prompts")(f"It is {text} here.").text == "It is [encoded] here."


@pytest.mark.parametrize("text", ["Temp 36 37 36 38 37 36 37 36 36 37 38 39.", "Ages 34 34 37 31 41 35 42 44 51."])
def test_numbers_of_two_digits_in_a_row_are_no_hexadecimal_text(text: str) -> None:
    assert tv.Sanitizer("prompts")(text).text == text
