"""FHIR and HL7 v2: fields by name and type, free text by detection, one shift a patient; odd places."""

import base64
import json
import math
import re
import sys
from collections.abc import Callable
from datetime import date
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chisquare

import textveil as tv
from textveil.cli import main as cli
from textveil.corpora.blocks import scope_of
from textveil.corpora.formats.fhir import _NAMES, Fhir
from textveil.corpora.formats.hl7 import RULES, Hl7

Command = Callable[..., tuple[int, bytes, str]]

CANARIES = ("zyrqel", "quxbolt", "wexthor", "bragulf", "4815162342", "481516", "Pfelgor")
SECRET = base64.b64encode(b"Zyrqel Quxbolt").decode()
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "123",
    "meta": {"source": "http://zyrqel.example.org", "tag": [{"system": "http://loinc.org", "display": "Quxbolt"}]},
    "text": {
        "status": "generated",
        "div": "<div xmlns='http://www.w3.org/1999/xhtml' title='Zyrqel'>"
        "<p>Patient <b>Z</b>yrqel Quxbolt, MRN 4815162342"
        "<!-- Quxbolt --></p><script>Zyrqel</script><a href='mailto:zyrqel@quxbolt.org'>&#90;yrqel</a></div>",
    },
    "identifier": [
        {
            "use": "usual",
            "type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR", "display": "Quxbolt"}]},
            "system": "http://quxbolt.example.org",
            "value": "4815162342",
            "assigner": {"display": "Quxbolt"},
        }
    ],
    "active": True,
    "name": [{"use": "official", "family": "Quxbolt", "given": ["Zyrqel", "Wexthor"], "prefix": ["Bragulf"], "text": "Zyrqel Quxbolt"}],
    "telecom": [{"system": "phone", "value": "(617) 555-0199 x4815162342"}, {"system": "email", "value": "zyrqel@quxbolt.org"}],
    "gender": "female",
    "birthDate": "1970-05-12",
    "_birthDate": {"extension": [{"url": "x", "valueString": "Quxbolt"}]},
    "address": [{"line": ["12 Zyrqel Street"], "city": "Quxbolt", "state": "Bragulf", "text": "12 Zyrqel Street, Quxbolt"}],
    "contact": [{"relationship": [{"text": "Mother"}], "name": {"family": "Bragulf", "given": ["Wexthor"]}}],
    "photo": [{"contentType": "image/jpeg", "data": SECRET, "title": "Zyrqel"}],
    "extension": [{"url": "http://zyrqel", "valueString": "Quxbolt"}],
    "multipleBirthInteger": 4815162342,
    "contained": [
        {"resourceType": "RelatedPerson", "id": "p1", "name": [{"text": "Wexthor Bragulf"}], "patient": {"reference": "Patient/123", "display": "Zyrqel"}}
    ],
    "zyrqelQuxbolt": {"value": 3},
    "Quxbolt": True,
    "managingOrganization": {"reference": "Organization/o1", "display": "Quxbolt Clinic"},
    "generalPractitioner": [{"display": "Pfelgor"}],
    "link": [{"other": {"reference": "Patient/quxbolt"}}],
}  # fmt: skip
OBSERVATION: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "obs1",
    "status": "final",
    "code": {
        "coding": [{"system": "http://loinc.org", "code": "8867-4", "display": "Zyrqel"}, {"system": "http://zyrqel.org", "code": "Quxbolt"}],
        "text": "Heart rate",
    },
    "subject": {"reference": "Patient/123", "display": "Zyrqel Quxbolt"},
    "effectiveDateTime": "2024-03-01T10:30:00+02:00",
    "issued": "2024-03-02T08:00:00.000Z",
    "valueQuantity": {"value": 44.50, "unit": "beats/minute", "system": "http://unitsofmeasure.org", "code": "/min"},
    "component": [
        {"code": {"text": "MRN"}, "valueString": "4815162342"},
        {"code": {"text": "n"}, "valueInteger": 4815162342},
        {"code": {"text": "u"}, "valueQuantity": {"value": 3, "unit": "Quxbolt", "system": "http://unitsofmeasure.org", "code": "Zyrqel"}},
        {"code": {"coding": [{"system": "http://snomed.info/sct", "code": "Zyrqel"}]}, "valueQuantity": {"value": 4815162342}},
    ],
    "note": [{"authorString": "Dr. Wexthor Bragulf", "time": "2024-03-01", "text": "Zyrqel felt dizzy since 28 February 2024. Call Wexthor Bragulf."}],
    "performer": [{"reference": "http://quxbolt.org/fhir/Practitioner/77/_history/2"}],
    "hasMember": [{"reference": "Patient?identifier=4815162342"}, {"reference": "Quxbolt/1"}, {"reference": "#zyrqel"}],
}  # fmt: skip
ORGANIZATION = {"resourceType": "Organization", "id": "o1", "name": "Quxbolt Clinic", "alias": ["Zyrqel House"]}
BUNDLE = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {"fullUrl": "http://quxbolt.org/fhir/Patient/123", "resource": PATIENT},
        {"fullUrl": "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a", "resource": OBSERVATION},
        {"resource": ORGANIZATION},
    ],
}


@pytest.fixture
def command(capsysbinary: Any, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``textveil``: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        code, captured = cli._exit_code(), capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "en")
    return tmp_path


def left(text: str) -> list[str]:
    """Planted values that are in a release."""
    return [value for value in (*CANARIES, SECRET) if value.casefold() in text.casefold()]


def released(command: Command, name: str, text: str | bytes, *options: object, key: str = "key") -> str:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    code, out, err = command("sanitize", name, "-p", "clinical", "--scope-key", key, "-q", *options)
    assert code == 0, err
    return out.decode()


def fhir(command: Command, *resources: Any, key: str = "key") -> list[dict[str, Any]]:
    text = "".join(json.dumps(resource) + "\n" for resource in resources)
    return [json.loads(line) for line in released(command, "in.ndjson", text, "--format", "fhir", key=key).splitlines()]


def test_nothing_planted_is_left_in_a_bundle_and_another_reader_reads_it(command: Command) -> None:
    text = released(command, "bundle.json", json.dumps(BUNDLE, indent=2), "--format", "fhir")
    assert left(text) == []
    bundle = json.loads(text)
    patient, observation, organization = (entry["resource"] for entry in bundle["entry"])
    assert observation["subject"]["reference"] == f"Patient/{patient['id']}"
    assert bundle["entry"][0]["fullUrl"] == f"http://example.org/fhir/Patient/{patient['id']}"
    assert patient["managingOrganization"]["reference"] == f"Organization/{organization['id']}"
    assert patient["contained"][0]["patient"]["reference"] == f"Patient/{patient['id']}"
    assert observation["performer"][0]["reference"].startswith("Practitioner/")
    name = patient["name"][0]
    assert patient["text"]["div"].count(f"{name['given'][0]} {name['family']}") == 1, "narrative and field agree"
    assert observation["note"][0]["text"].startswith(name["given"][0])
    assert observation["component"][0]["valueString"] == patient["identifier"][0]["value"]
    assert observation["valueQuantity"] == OBSERVATION["valueQuantity"] and '"value": 44.5' in text
    assert observation["code"] == {"coding": [{"system": "http://loinc.org", "code": "8867-4"}], "text": "Heart rate"}
    assert not {"extension", "meta", "_birthDate", "link", "multipleBirthInteger"} & set(patient)
    day = {name: date.fromisoformat(observation[name][:10]) for name in ("effectiveDateTime", "issued")}
    assert (day["issued"] - day["effectiveDateTime"]).days == 1
    assert observation["note"][0]["time"] == str(day["effectiveDateTime"])
    bundles = pytest.importorskip("fhir.resources.R4B.bundle")
    read = bundles.Bundle.model_validate_json(text)
    assert read.entry[0].resource.birthDate and read.entry[1].resource.valueQuantity.value


@pytest.mark.parametrize(
    ("written", "form"),
    [("1970", r"\d{4}"), ("1970-05", r"\d{4}-\d\d"), ("1970-05-12", r"\d{4}-\d\d-\d\d"), ("Quxbolt", None), ("1970-13-99", r"\d{4}-\d\d-\d\d")],
)  # fmt: skip
def test_partial_dates_keep_their_form(command: Command, written: str, form: str | None) -> None:
    (patient,) = fhir(command, {"resourceType": "Patient", "id": "1", "active": True, "birthDate": written})
    assert "birthDate" not in patient if form is None else re.fullmatch(form, patient["birthDate"])


def test_one_patient_has_one_shift_and_one_id_over_lines_jobs_and_files(command: Command) -> None:
    later = {**OBSERVATION, "id": "obs2", "effectiveDateTime": "2025-01-01"}
    other = {
        **OBSERVATION,
        "id": "obs3",
        "effectiveDateTime": "2025-01-01",
        "subject": {"reference": "Patient/9", "display": "Zyrqel"},
    }
    first = fhir(command, PATIENT, OBSERVATION, other)
    second = fhir(command, later, other)
    apart = fhir(command, later, key="another")
    assert {each["subject"]["reference"] for each in (first[1], second[0])} == {f"Patient/{first[0]['id']}"}
    assert left(json.dumps([first, second, apart])) == []

    def shift(resource: dict[str, Any], before: str) -> int:
        return (date.fromisoformat(resource["effectiveDateTime"][:10]) - date.fromisoformat(before)).days

    own = shift(first[1], "2024-03-01")
    assert shift(second[0], "2025-01-01") == own, "one shift over jobs"
    assert shift(first[2], "2025-01-01") == shift(second[1], "2025-01-01")
    assert apart[0]["subject"]["reference"] != second[0]["subject"]["reference"]
    assert (own, shift(first[2], "2025-01-01")) != (shift(apart[0], "2025-01-01"),) * 2  # all equal: below 1e-5


def written(records: Any) -> str:
    """What a format writes of records besides its slots, which are all drawn or searched."""
    return records.joined([[re.sub(r"[^ ]", "0", text) for text in texts] for texts in records.texts]).decode()


LEAF = "Zyrqel-4815162342"
ANY: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([LEAF, "2024-01-01Zyrqel", "Zyrqel/1", "#Zyrqel", "urn:uuid:zyrqel", True, None, 4815162342, 48.15162342e30]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*sorted(_NAMES), "resourceType", "id", "div", "family", "given", "use", "system", "data", "contentType",
                                       "display", "authorString", "line", "extension", LEAF]), inner, max_size=6),
    max_leaves=30,
)  # fmt: skip


@given(ANY, st.sampled_from(["Patient", "Bundle", "Observation", "DocumentReference"]))
@example([{"contentType": []}], "Patient")
def test_no_string_of_a_resource_is_passed_on_but_by_a_rule(value: Any, kind: str) -> None:
    resource = {**(value if isinstance(value, dict) else {"contained": value, "entry": value}), "resourceType": kind}
    for data in (resource, {"resourceType": kind, "contained": [resource], "entry": [{"resource": resource}]}):
        records = Fhir().records(json.dumps(data).encode(), 1)
        assert (
            records.faults == []
            and "zyrqel" not in written(records).casefold()
            and "4815162342" not in written(records)
        )


@pytest.mark.parametrize(
    "mark", ["Zyrqel", "Zyrqel^Zyrqel~Zyrqel&Zyrqel^Zyrqel", r"\X5A\yrqel", "4815162342", "2024Zyrqel", r"\Zyrqel"]
)
def test_no_field_of_a_message_is_passed_on_but_by_a_rule(mark: str) -> None:
    lines = [f"{name}|" + "|".join([mark] * 60) for name in [*RULES, "ZPI", "PD1", "ROL", "FHS", mark] if name != "MSH"]
    kinds = [f"OBX|1|{kind}|" + "|".join([mark] * 20) for kind in ("NM", "TX", "ED", "CWE", "TS", "XPN", "", mark)]
    message = "\r".join([f"MSH|^~\\&|{'|'.join([mark] * 30)}", *lines, *kinds])
    text = written(Hl7().records(message.encode(), 1))
    assert text.count("OBX") == 9 and "zyrqel" not in text.casefold() and "4815162342" not in text and "X5A" not in text


def test_birth_dates_do_not_move_with_the_others(command: Command) -> None:
    """alpha = 2e-9: chance that three birth dates, each day of which is less than 1e-3 likely, fall on moved days."""
    born = [{"resourceType": "Patient", "id": str(n), "birthDate": "1970-05-12"} for n in range(3)]
    seen = [
        {**OBSERVATION, "subject": {"reference": f"Patient/{n}"}, "effectiveDateTime": "1970-05-12"} for n in range(3)
    ]
    made = fhir(command, *born, *seen)
    assert not all(
        first["birthDate"] == last["effectiveDateTime"] for first, last in zip(made[:3], made[3:], strict=True)
    )
    messages = [MESSAGE.replace("4815162342^", f"{n}^").replace("20240301", "19700512") for n in range(3)]
    text = released(command, "a.hl7", "".join(messages))
    fields = [[line.split("|") for line in part.split("\r")] for part in text.split("MSH")[1:]]
    assert len(fields) == 3
    assert not all(segments[2][7] == segments[1][2][:8] for segments in fields)


def test_a_resource_is_read_over_lines_and_what_is_none_is_refused(command: Command) -> None:
    assert json.loads(released(command, "p.json", json.dumps(PATIENT, indent=1), "--format", "fhir"))["active"] is True
    for wrong in (
        "{}",
        "[1]",
        "Zyrqel",
        '{"resourceType": "Zyrqel"}',
        json.dumps(PATIENT)[:-1],
        '{"resourceType": ["x"]}',
    ):
        Path("wrong.ndjson").write_text(json.dumps(ORGANIZATION) + "\n" + wrong + "\n")
        code, _, err = command("sanitize", "wrong.ndjson", "-p", "clinical", "--format", "fhir", "-o", "o.json")
        assert code == 1 and "line 2 must be a FHIR resource" in err and left(err) == [] and not Path("o.json").exists()


MESSAGE = "\r".join([
    r"MSH|^~\&|ZYRQELAPP|QUXBOLT|RCV|FAC|20240301103000+0100|Zyrqel|ADT^A40^ADT_A39|MSG4815162342|P|2.5.1|||||||Quxbolt",
    r"EVN|A40|20240301103000|||QUX^Quxbolt",
    r"PID|1||4815162342^^^QUXBOLT&1.2.3&ISO^MR~481516^^^SSA^SS||Quxbolt^Zyrqel^Wexthor^Jr^Dr^^L~Bragulf^Zyr\X71\el|Bragulf^Wexthor"
    r"|19700512|F||2106-3|12 Zyrqel Street^^Quxbolt^MA||(617)555-0199^PRN^PH^zyrqel@quxbolt.org|||S||ACC4815162342",
    r"MRG|481516^^^QUXBOLT||||||Quxbolt^Zyrqel",
    r"PV1|1|I|WARD^QUXBOLT^1||||1234^Bragulf^Wexthor^^^Dr.||||||||||||V4815162342|Zyrqel",
    r"OBX|1|NM|8867-4^Heart rate Zyrqel^LN||72|/min^per Quxbolt^UCUM|60-100|N|||F|||20240302080000",
    r"OBX|2|TX|^Zyrqel||Patient \X5A\yrqel \H\Quxbolt\N\ seen 29 February 2024 \T\ stable.\.br\Mother W\X65\xthor Bragulf||||||F",
    r"OBX|3|ED|PDF||^application^pdf^Base64^" + SECRET + r"||||||F",
    r"OBX|4|NM|8867-4^x^LN||4815162342|Quxbolt|Zyrqel|Quxbolt|||Quxbolt",
    r"OBX|5|ZZ|||Zyrqel",
    r"NTE|1|L|MRN 4815162342, call Wexthor|Zyrqel",
    "ZPI|1|Zyrqel|Quxbolt", "Quxbolt|Zyrqel", "Zyrqel",
]) + "\r"  # fmt: skip
CUSTOM = str.maketrans("|^~\\&", "#:;!$")


@pytest.mark.parametrize("custom", [False, True])
@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_nothing_planted_is_left_in_a_message_and_another_reader_reads_it(
    command: Command, custom: bool, end: str
) -> None:
    sent = MESSAGE.translate(CUSTOM) if custom else MESSAGE
    text = released(command, "a.hl7", sent.replace("\r", end) + "\x1c\r\x0b" + sent.replace("\r", end))
    assert left(text) == []
    back = text.translate(str.maketrans("#:;!$", "|^~\\&")) if custom else text
    hl7 = pytest.importorskip("hl7")
    one, other = (hl7.parse("MSH" + part.replace("\n", "\r")) for part in back.split("MSH")[1:])
    assert str(one) == str(other), "one patient, one scope"
    assert str(one["MSH"][0][9]) == "ADT^A40^ADT_A39" and str(one["MSH"][0][12]) == "2.5.1"
    assert str(one["MRG"][0][1]) == str(one["PID"][0][3]).split("~")[1], "the merged id is the same id"
    family, given = (str(one["PID"][0][5]).split("~")[0].split("^"))[:2]
    assert str(one["MRG"][0][7]) == f"{family}^{given}"
    words = one.unescape(str(one["OBX"][1][5]))
    assert words.startswith(f"Patient {given} {family} seen ") and "& stable" in words
    assert [str(one["OBX"][0][place]) for place in (3, 5, 6, 7, 8)] == ["8867-4^^LN", "72", "/min", "60-100", "N"]
    assert {str(segment[0]) for segment in one} == {"MSH", "EVN", "PID", "MRG", "PV1", "OBX", "NTE"}
    stamps = str(one["EVN"][0][2]), str(one["OBX"][0][14])
    days = [date(int(stamp[:4]), int(stamp[4:6]), int(stamp[6:8])) for stamp in stamps]
    assert (days[1] - days[0]).days == 1 and stamps[0][8:] != stamps[1][8:]


@pytest.mark.parametrize(
    "begin", [b"MSH|^~", b"MSH|||||", b"MSHabcde", b"MSH|^^^^|", b"PID|1|Zyrqel", b"MSH|^~\\&|\xffZyrqel", b"MSH"]
)
def test_what_is_no_message_is_refused(command: Command, begin: bytes) -> None:
    Path("a.hl7").write_bytes(begin + b"\rPID|1||Zyrqel\r")
    code, out, err = command("sanitize", "a.hl7", "-p", "clinical")
    assert code == 1 and out == b"" and left(err) == []


@pytest.mark.parametrize("begin", ["", "\x0b", "\ufeff", "\r\n", "FHS|^~\\&|Zyrqel\r", "BHS|^~\\&|Zyrqel\r"])
@pytest.mark.parametrize("whole", [(), ("--whole-file",)])
def test_messages_are_not_taken_for_plain_text(command: Command, begin: str, whole: tuple[str, ...]) -> None:
    Path("a.txt").write_bytes((begin + MESSAGE).encode())
    code, out, err = command("sanitize", "a.txt", "-p", "clinical", *whole)
    assert (code, out) == (2, b"") and "--format must be given for HL7 messages" in err and left(err) == []
    assert command("sanitize", "a.txt", "-p", "clinical", *whole, "--format", "txt", "-q")[0] == 0
    assert command("sanitize", "a.txt", "-q")[0] == 0, "all words are drawn"


def test_many_messages_are_cut_between_them() -> None:
    data = MESSAGE.encode() * 50
    for size in (7, 100, 1000, 10**6):
        cuts = list(Hl7().cut(BytesIO(data), size))
        assert b"".join(cut.payload for cut in cuts) == data and sum(cut.count for cut in cuts) == 50
        assert all(cut.payload.startswith(b"MSH|^~") for cut in cuts)
        assert [cut.first for cut in cuts][1:] == [cut.first + cut.count for cut in cuts][:-1]
    (cut,) = Hl7(max_document_bytes=100).cut(BytesIO(MESSAGE.encode()), 50)
    assert "at most 100 bytes" in cut.fault


@pytest.mark.parametrize("name", ["identifiers", "all-words", "common-words"])
def test_a_policy_that_would_draw_what_the_format_keeps_is_refused(command: Command, name: str) -> None:
    Path("a.hl7").write_text(MESSAGE)
    code, out, err = command("sanitize", "a.hl7", "-p", name)
    assert code == 2 and out == b"" and "--policy must be one" in err


def test_a_policy_that_keeps_a_kind_of_fields_is_refused(command: Command) -> None:
    own = command("policies", "clinical")[1].decode()
    kept = re.sub(r'(kind = "person"\n)surrogate = "person"(?:\n[a-z]+ = .*)*', r"\1keep = true", own)
    assert kept != own
    Path("own.toml").write_text(kept.replace('name = "clinical"', 'name = "own"'))
    Path("a.hl7").write_text(MESSAGE)
    code, out, err = command("sanitize", "a.hl7", "-p", "own.toml")
    assert code == 2 and out == b"" and "draws the fields of this format: person" in err


def test_reports_state_what_stays_public(command: Command) -> None:
    released(command, "a.hl7", MESSAGE, "-o", "b.hl7", "--report", "r.json", "--unit", "patient")
    report = json.loads(Path("r.json").read_text())
    public = [*Hl7.public[:1], "which ids are equal, and which values of one patient are, in all jobs with the key"]
    assert report["public"][-2:] == public and report["fields"]["scope_key"] is True
    assert report["guarantee"]["per_person"]["persons"] == 1
    assert Fhir.public != Hl7.public


NOTES = "person_id,note_date,note_text\n123,2024-03-01,{text}\n123,2024-03-05,Seen 5 March 2024.\n9,2024-03-01,Well.\n"


def test_an_omop_table_of_notes_has_one_shift_a_person_over_jobs(command: Command) -> None:
    fields = ("--field", "note_text", "--field", "note_date", "--scope-column", "person_id", "--unit", "person_id")
    text = NOTES.format(text="Dr. Zyrqel Quxbolt saw him on 1 March 2024.")
    first = released(command, "notes.csv", text, *fields).splitlines()
    again = released(command, "later.csv", NOTES.format(text="Later"), *fields).splitlines()
    assert first[0] == "note_text,note_date" or first[0] == "note_date,note_text"
    assert "123" not in "".join(first) and "Quxbolt" not in "".join(first)
    days = [re.findall(r"\d{4}-\d\d-\d\d", line)[0] for line in (*first[1:], *again[1:])]
    assert days[:3] == days[3:], "the same dates move alike in both jobs"
    assert (date.fromisoformat(days[1]) - date.fromisoformat(days[0])).days == 4
    assert f"{date.fromisoformat(days[1]).day} " in first[2], "the text moves with its column"


def test_an_omop_table_in_parquet_moves_as_the_same_in_csv(command: Command) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    fields = ("--field", "note_text", "--field", "note_date", "--scope-column", "person_id", "--unit", "person_id")
    parquet.write_table(
        arrow.table(
            {"person_id": [123, 9], "note_date": ["2024-03-01"] * 2, "note_text": ["Seen 5 March 2024.", "Well."]}
        ),
        "note.parquet",
    )
    run = ("sanitize", "note.parquet", "-p", "clinical", "--scope-key", "key", "-q", "-o", "out.parquet")
    assert command(*run, *fields)[0] == 0
    table = parquet.read_table("out.parquet").to_pydict()
    assert set(table) == {"note_date", "note_text"}
    text = released(command, "note.csv", NOTES.format(text="Seen 5 March 2024."), *fields)
    assert all(day in text for day in table["note_date"]) and table["note_text"][0] in text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--scope-key", "k"), "--scope-key must be given with --scope-column, or the format fhir or hl7"),
        (("--scope-key", "k", "--scope-column", "person_id", "--seed", "1"), "--seed must be left out"),
    ],
)
def test_a_key_without_a_use_is_refused(command: Command, options: tuple[str, ...], told: str) -> None:
    Path("n.csv").write_text(NOTES)
    code, out, err = command("sanitize", "n.csv", "-p", "clinical", "--field", "note_text", *options)
    assert (code, out) == (2, b"") and told in err


def test_a_job_does_not_go_on_with_another_key(command: Command) -> None:
    Path("a.hl7").write_text(MESSAGE)
    run = ("sanitize", "a.hl7", "-p", "clinical", "-o", "b.hl7", "--resume", "-q", "--scope-key")
    assert command(*run, "one")[0] == 0 and command(*run, "one")[0] == 0
    assert command(*run, "two")[0] == 2


def test_shifts_of_persons_under_a_key_have_the_law_of_the_proof() -> None:
    """alpha = 1e-6: a discrete Laplace law of scale 365 over epsilon 1; one of scale 300 is told from it."""
    sanitizer, count = tv.Sanitizer("clinical"), 4000
    batch = sanitizer.batch(
        ["on 2010-01-01"] * count, scopes=[scope_of(b"7" * 32, str(n)) for n in range(count)], maps=False
    )
    shifts = [(date.fromisoformat(release.text[3:]) - date(2010, 1, 1)).days for release in batch]
    edges = [-1000, -600, -365, -200, -100, -40, 0, 40, 100, 200, 365, 600, 1000]

    def p_value(scale: float) -> float:
        ratio = math.exp(-1 / scale)

        def below(z: int) -> float:  # P(Z < z)
            return ratio ** (1 - z) / (1 + ratio) if z <= 0 else 1 - ratio**z / (1 + ratio)

        cuts = [0.0, *map(below, edges), 1.0]
        places = [sum(shift >= edge for edge in edges) for shift in shifts]
        seen = [places.count(place) for place in range(len(edges) + 1)]
        return chisquare(seen, [count * (high - low) for low, high in pairwise(cuts)]).pvalue

    assert p_value(365) > 1e-6
    assert p_value(300) < 1e-6
