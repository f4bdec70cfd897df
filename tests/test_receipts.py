"""Signed receipts: what they say, who signed them, and that any changed byte is seen."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textveil as tv
from textveil.errors import InputError, ParameterError, TextveilError
from textveil.receipts import _PREFIX, Left, Receipt, Signer, _signs_anything, _written, read_receipt

SIGNER, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
SECRET = "Gonzalez"
TEXT = f"Mrs. {SECRET}, MRN 4471298: admitted 27/02/2015, mail a.{SECRET}@example.org"


@pytest.fixture(scope="module")
def release() -> tv.Release:
    return tv.Sanitizer("clinical")(TEXT)


@pytest.fixture(scope="module")
def receipt(release: tv.Release) -> bytes:
    return release.receipt(SIGNER)


def signed(facts: dict[str, Any], signer: Signer = SIGNER) -> bytes:
    """Sign whatever facts, as an attacker with a key of his own would."""
    facts = {**facts, "key": signer.public}
    return _written({**facts, "signature": signer._key.sign(_PREFIX + _written(facts)).hex()})


def facts_of(receipt: bytes) -> dict[str, Any]:
    return {name: value for name, value in json.loads(receipt).items() if name != "signature"}


def test_a_receipt_names_what_left_and_its_guarantee(release: tv.Release, receipt: bytes) -> None:
    read = read_receipt(receipt, SIGNER.public)
    assert read.trusted and not read_receipt(receipt).trusted
    assert read.left == Left.of("text in UTF-8", release.text.encode())
    report, facts = release.report().to_data(), read.facts
    assert facts["policy"] == {name: report["policy"][name] for name in ("name", "digest")}
    assert facts["setting_digest"] == report["setting_digest"] and facts["statement"] == report["statement"]
    value, document = facts["privacy_loss"]
    assert (value["privacy_unit"], document["privacy_unit"]) == ("span", "document")
    for loss, name in ((value, "per_value"), (document, "per_document")):
        stated = report["guarantee"][name]
        assert loss["privacy_unit_details"] == stated["adjacency"]
        assert loss["privacy_parameters"] == {"epsilon": stated["epsilon"], "delta": stated["delta"]}
        assert f", {stated['status']}; " in loss["privacy_parameters_details"]


def test_a_receipt_says_nothing_of_the_text_beyond_its_report(release: tv.Release) -> None:
    """Two texts with the same report and the same release have the same receipt, but for its time and signature."""
    one, other = (
        tv.Sanitizer("clinical", rng=np.random.default_rng(1))(f"Mr. {name} came.")
        for name in ("Tom Baker", "Ali Hassan")
    )
    told = [facts_of(each.receipt(SIGNER)) for each in (one, other)]
    assert one.text == other.text
    for facts in told:
        facts.pop("issued_at")
    assert told[0] == told[1]
    assert SECRET.encode() not in release.receipt(SIGNER)


def test_each_flipped_byte_of_a_receipt_is_seen(receipt: bytes) -> None:
    for place in range(len(receipt)):
        for bit in (1, 0x20, 0x80):  # 0x20 changes the case of a letter, and so of a digit of the signature
            changed = bytearray(receipt)
            changed[place] ^= bit
            with pytest.raises(InputError):
                read_receipt(bytes(changed))


@pytest.mark.parametrize(
    "change",
    [
        lambda receipt: receipt + b"\n",
        lambda receipt: receipt[:-1],
        lambda receipt: b" " + receipt,
        lambda receipt: json.dumps(json.loads(receipt)).encode(),
        lambda receipt: json.dumps(dict([*json.loads(receipt).items()][::-1]), indent=2).encode() + b"\n",
        lambda receipt: receipt.replace(b'"textveil"', b'"textveil": 1, "textveil"'),
        lambda receipt: receipt.replace(b"released", b"rel\\u0065ased"),
        lambda receipt: receipt.replace(b'"delta": 0.0', b'"delta": 0.00'),
        lambda receipt: receipt.replace(b'"delta": 0.0', b'"delta": NaN'),
        lambda receipt: re.sub(rb'(?<="signature": ")\w+', lambda match: match[0].upper(), receipt),
        lambda receipt: b"[" * 100_000,
        lambda receipt: b"[]",
        lambda receipt: b"",
        lambda receipt: b"\xff" * 100,
        lambda receipt: b" " * (2 << 20),
    ],
)  # fmt: skip
def test_another_writing_of_the_same_receipt_is_refused(receipt: bytes, change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InputError, match="byte for byte; this one is not"):
        read_receipt(change(receipt))


def test_a_receipt_of_another_signer_has_integrity_and_no_origin(receipt: bytes) -> None:
    """An attacker signs other facts with a key of his own: only the reader's key tells."""
    forged = signed({**facts_of(receipt), "statement": ["Everything is hidden."]}, OTHER)
    assert not read_receipt(forged).trusted
    with pytest.raises(InputError, match="another signed it"):
        read_receipt(forged, SIGNER.public)
    own = {**facts_of(receipt), "key": SIGNER.public}  # his signature under the name of another's key
    stolen = _written({**own, "signature": OTHER._key.sign(_PREFIX + _written(own)).hex()})
    with pytest.raises(InputError, match="the signature of the receipt must hold"):
        read_receipt(stolen, SIGNER.public)
    unprefixed = _written({**own, "signature": SIGNER._key.sign(_written(own)).hex()})
    with pytest.raises(InputError, match="the signature of the receipt must hold"):
        read_receipt(unprefixed)


@pytest.mark.parametrize("key", ["", "00", "g" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 64 + "\n"])
def test_a_key_that_is_none_is_refused(receipt: bytes, key: str) -> None:
    with pytest.raises(ParameterError, match="64 hexadecimal digits"):
        read_receipt(receipt, key)


@pytest.mark.parametrize(
    "wrong",
    [
        {"released": None}, {"released": {"what": "file"}}, {"released": {"what": 1, "sha256": "", "length": 0}},
        {"released": {"what": "", "sha256": "", "length": True}}, {"statement": "all"}, {"statement": [1]},
        {"policy": "clinical"}, {"policy": {}}, {"for_release": 1}, {"issued_at": 3}, {"textveil": None},
        {"type": "textveil-receipt-2"},
    ],
)  # fmt: skip
def test_a_signed_receipt_of_another_shape_is_refused(receipt: bytes, wrong: dict[str, Any]) -> None:
    assert isinstance(read_receipt(signed(facts_of(receipt))), Receipt)
    with pytest.raises(InputError, match="as textveil writes it"):
        read_receipt(signed({**facts_of(receipt), **wrong}))


def test_verify_sees_each_changed_byte_of_the_file(receipt: bytes, release: tv.Release) -> None:
    left, text = read_receipt(receipt).left, release.text.encode()
    for place in range(len(text)):
        changed = bytearray(text)
        changed[place] ^= 1
        assert Left.of(left.what, bytes(changed)) != left


def test_errors_hold_nothing_of_the_receipt(tmp_path: Path) -> None:
    for data in (SECRET.encode(), json.dumps({"type": SECRET}).encode()):
        with pytest.raises(TextveilError) as caught:
            read_receipt(data)
        assert SECRET not in str(caught.value)


SMALL = [1, 0, 2**255 - 20, 2**255 - 19, 2**255 - 18]


@pytest.mark.parametrize("y", [*SMALL, *(y + 2**255 for y in SMALL)])
def test_a_key_that_accepts_any_text_is_refused(receipt: bytes, y: int) -> None:
    """The point 0 signs whatever is given by R = 0, S = 0; other points of a small order sign a part of all texts."""
    key = y.to_bytes(32, "little").hex()
    facts = {**facts_of(receipt), "key": key}
    forged = _written({**facts, "signature": "01" + "00" * 63})
    with pytest.raises(InputError, match="accepts any text"):
        read_receipt(forged, key)


def test_points_of_order_8_are_the_roots_that_are_refused() -> None:
    roots = 0
    d = -121665 * pow(121666, -1, 2**255 - 19) % (2**255 - 19)
    for key in (
        b"\xc7\x17jp=M\xd8O\xba<\x0bv\r\x10g\x0f* S\xfa,9\xcc\xc6N\xc7\xfdw\x92\xac\x03z",
        b"&\xe8\x95\x8f\xc2\xb2'\xb0E\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc63\x39\xb18\x02\x88mS\xfc\x05",
    ):
        y = int.from_bytes(key, "little")
        roots += (d * pow(y, 4, 2**255 - 19) + 2 * y * y - 1) % (2**255 - 19) == 0
        assert _signs_anything(key.hex())
    assert roots == 2 and not _signs_anything(SIGNER.public) and not _signs_anything(OTHER.public)
