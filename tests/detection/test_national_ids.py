"""National ids by form and check digit, and other ids that take no digit for a telephone number or a date."""

import pytest

import textveil as tv
from textveil.detection.national_ids import checked_label


def ids(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "id"]


@pytest.mark.parametrize(
    "value",
    """12345678Z|X1234567L|RSSMRA85T10A562S|1 85 05 78 006 084 91|131052-308T|811228-9874|736028/5163|85.07.30-033.28
    756.9217.0769.85|1237 010180|1234567T|529.982.247-25|11.222.333/0001-81|27AAPFU0939F1ZV|ABCPE1234F|2341 2341 2346
    MH 12 AB 1234|51 824 753 556|2123 45670 1|046-454-286|1EG4-TE5-MK73|AB12 CDE|1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
    bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq|0x52908400098527886E0F7030069857D2E4169EE7|40.7128, -74.0060
    US-DL-4710485154|36391/02|II Ca 123/05|1:19-cv-01234""".replace("\n", "|")
    .replace("    ", "")
    .split("|"),
)
def test_forms_are_ids_as_a_whole(value: str) -> None:
    assert ids(f"it is {value} there") == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("PESEL: 44051401359", ["44051401359"]),
        ("my SIN is 046 454 286", ["046 454 286"]),
        ("Steuer-ID 86 095 742 719", ["86 095 742 719"]),
        ("applications nos. 12345/67 and 23456/78", ["12345/67", "23456/78"]),
        ("CVV 123, security code is 987", ["123", "987"]),
        ("number plate 7ABC123", ["7ABC123"]),
        ('{"lat": 40.7128, "lng": -74.0060}', ["40.7128", "-74.0060"]),
        ("at 40\u00b042'46\"N 74\u00b000'22\"W", ["40", "42", "46", "74", "00", "22"]),
    ],
)
def test_labels_and_lists_are_read(text: str, values: list[str]) -> None:
    assert ids(text) == values


@pytest.mark.parametrize(
    "text",
    ["the 1998/99 season", "BP 120/80", "on 02-JAN-24", "CVE-2021-442281", "loss 0.1234, 0.5678", "symphony no. 5"],
)
def test_what_looks_like_them_is_left(text: str) -> None:
    assert ids(text) == []


def test_a_number_of_a_case_is_no_telephone_number() -> None:
    assert not [span for span in tv.detect("application number 36391/02") if span.kind == "phone"]


@pytest.mark.parametrize(
    ("label", "value"),
    [
        *[("BSN", "111222333"), ("PESEL", "44051401359"), ("NIF", "123456789"), ("EGN", "7523169263")],
        *[("TFN", "123456782"), ("OIB", "94577403194"), ("CNP", "1800101221144"), ("TAJ", "111111110")],
        *[("IMEI", "490154203237518"), ("Aadhaar", "2341 2341 2346"), ("CPF", "529.982.247-25")],
    ],
)
def test_check_digits_are_right_and_a_changed_digit_is_seen(label: str, value: str) -> None:
    assert checked_label(label, value)
    last = str((int(value[-1]) + 1) % 10)
    assert not checked_label(label, value[:-1] + last)
