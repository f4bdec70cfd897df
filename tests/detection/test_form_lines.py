"""What markup, a setting, a log or a table says of somebody is found as on a line of a form."""

import json

import pytest
from tests.helpers.growth import is_linear

from textveil.detection.embedded import embedded_detector
from textveil.detection.segments import form_lines
from textveil.detection.spans import DetectedSpan

VALUES = (
    ("age", "63"),
    ("DOB", "02.11.54"),
    ("patient id", "K2733Z"),
    ("policy number", "POL-1123-8311"),
    ("claim no", "MOT/7942350"),
    ("booking ref", "LRSXWV"),
    ("confirmation number", "3LX-KW9T"),
    ("vehicle reg", "HH-YU 3991"),
    ("member id", "CU15008/92"),
    ("user name", "jkemp"),
    ("postcode", "SW13 4GW"),
)
FORMS = (
    "{label}: {value}", "{label} - {value}", "{label}\t{value}", "{label}\uff1a{value}", "**{label}:** {value}",
    "**{label}**: {value}", "- `{label}`: {value}", '{{"{key}": "{value}"}}', "{key} = '{value}'", '{key} = "{value}"',
    "{key}: {value}", "  - {key}: {value}\n    state: open", "<{key}>{value}</{key}>",
    '<input name="{key}" value="{value}">',
    "<tr><td>{label}</td><td>{value}</td></tr>", "<dt>{label}</dt><dd>{value}</dd>",
    "INFO worker[22]: {key}={value} ok=1",
    "| {label} | note |\n|---|---|\n| {value} | done |\n", "n,{key},note\n1,{value},done\n2,,late\n",
    "n;{label};note\n1;{value};done\n", "n\t{label}\tnote\n1\t{value}\tdone\n",
)  # fmt: skip
PUBLIC = ("code-number", "duration", "measurement", "number", "numbering", "quantity")


def found(text: str) -> list[DetectedSpan]:
    """What is found and secret."""
    return [span for span in embedded_detector().detect([text])[0] if span.kind not in PUBLIC and span.score >= 0.35]


def left(text: str, value: str) -> str:
    """The letters and digits of a value that no span holds."""
    start = text.index(value)
    places = set(range(start, start + len(value)))
    for span in found(text):
        places -= set(range(span.start, span.end))
    return "".join(text[place] for place in sorted(places) if text[place].isalnum())


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_found_whatever_markup_its_label_stands_in(form: str) -> None:
    for label, value in VALUES:
        text = form.format(label=label, key=label.replace(" ", "_"), value=value)
        assert not left(text, value), text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plate: mx73 ytv", "mx73 ytv"), ("policy: hx-9145-5011", "hx-9145-5011"), ("postcode: bt10 4pt", "bt10 4pt"),
        ('{"vin": "nh8wjevfmgv633239"}', "nh8wjevfmgv633239"), ("{street: '137 warner gardens'}", "137 warner gardens"),
        ("address=177 GUZMAN RISE", "177 GUZMAN RISE"), ("age:63", "63"),
    ],
)  # fmt: skip
def test_a_form_is_read_in_any_letter_case(text: str, value: str) -> None:
    assert not left(text, value)


def test_a_value_is_found_in_json_within_json() -> None:
    text = json.dumps({"body": json.dumps({"booking_ref": "LRSXWV"})})
    assert not left(text, "LRSXWV")


@pytest.mark.parametrize(
    "text",
    [
        "retries = 5", '{"page": 63}', "<max>63</max>", "n,count\n1,63\n", "**step:** 63", "age_limit_reached = True",
        "account = get_account()", "case: open - 12 of 14", "| cell | 12 |\n|---|---|\n| a | 14 |", "uid=1004(svc)",
        "city = None", "plate: 10 mm steel", "Case: 12 of 14", "a[1,2:30]",
        "address: 0x7fff5fbff8c0", 'label="Phone"', "customer - none",
    ],
)  # fmt: skip
def test_what_says_nothing_of_somebody_stays(text: str) -> None:
    assert not found(text)


def test_keys_become_labels() -> None:
    text = '{"birthDate": "2/3/61", "customer_id": 4} <policyNo>K 1</policyNo> plain: 4 phone: 5'
    assert [(label, text[start:end]) for label, start, end in form_lines(text)] == [
        ("policy no:", "K 1"),
        ("birth date:", "2/3/61"),
        ("customer ID:", "4"),
    ]


def test_lines_take_linear_time() -> None:
    for piece in ('"dob": "', "dob - ", "<dob>", "dob_", "age\t"):
        assert is_linear(lambda text: list(form_lines(text)), piece)
