"""FHIR resources in JSON: NDJSON, one resource, or one Bundle; by names of elements and shapes of their values.

Elements and types: HL7 FHIR R4 and R5. An element that no rule here names is removed, and so are extensions, ``meta``,
displays, attachments and codes of systems that are no public ones.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, BinaryIO, ClassVar, Final

from textveil.corpora.formats import fields, records
from textveil.corpora.formats.text_lines import BOM, cut_lines, split_lines
from textveil.json_text import json_data

_TYPES: Final = frozenset(
    "AllergyIntolerance Appointment BodyStructure Bundle CarePlan CareTeam Claim ClinicalImpression Communication "
    "CommunicationRequest Composition Condition Consent Coverage DetectedIssue Device DeviceRequest DiagnosticReport "
    "DocumentReference Encounter EpisodeOfCare ExplanationOfBenefit FamilyMemberHistory Flag Goal Group "
    "HealthcareService ImagingStudy Immunization List Location Media Medication MedicationAdministration "
    "MedicationDispense MedicationRequest MedicationStatement NutritionOrder Observation Organization Patient Person "
    "Practitioner PractitionerRole Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson RequestGroup "
    "ResearchSubject RiskAssessment Schedule ServiceRequest Slot Specimen Substance SupplyDelivery SupplyRequest Task "
    "VisionPrescription".split()
)
_CODES: Final = frozenset(
    "male female other unknown active inactive suspended completed draft final preliminary registered partial amended "
    "corrected appended cancelled entered-in-error revoked retired stopped on-hold not-done in-progress planned arrived "
    "triaged onleave finished preparation aborted proposed accepted rejected requested received order plan proposal "
    "directive original-order reflex-order filler-order instance-order option routine urgent asap stat usual official "
    "temp secondary nickname anonymous old maiden home work billing mobile postal physical both phone fax pager url sms "
    "email collection searchset transaction batch document message history batch-response transaction-response match "
    "include outcome generated extensions additional empty allergy intolerance food medication environment biologic low "
    "high unable-to-assess mild moderate severe confirmed unconfirmed refuted provisional differential recurrence "
    "relapse remission resolved current superseded ended normal snapshot changes instance primary secondary available busy free pending booked fulfilled noshow checked-in waitlist complaint laboratory vital-signs h min d wk mo a s GET POST PUT".split()
)
UNITS: Final = frozenset(
    "% /min {beats}/min mmHg mm[Hg] kg g mg ug ng pg mcg lb [lb_av] cm m mm in [in_i] kg/m2 m2 L dL mL uL fL mg/dL g/dL "
    "mmol/L umol/L nmol/L mol/L meq/L mEq/L U/L IU/L [iU]/L mU/L ng/mL pg/mL ug/dL ug/L g/L 10*3/uL 10*6/uL 10*9/L "
    "10*12/L Cel degF [degF] C F h min s d wk mo a ms Hz kcal kJ mg/kg mcg/min mL/min mL/h mg/d mL/min/{1.73_m2} "
    "mm/h pH {score} {ratio} 1 tablet tbl capsule cap TAB U [iU] IU beats/minute breaths/minute years score".split()
)
_TERMS: Final = "http://terminology.hl7.org/CodeSystem/"
SYSTEMS: Final[Mapping[str, str]] = {
    "http://loinc.org": r"\d{1,6}-\d|LA\d{1,6}-\d",
    "http://snomed.info/sct": r"\d{6,18}",
    "http://www.nlm.nih.gov/research/umls/rxnorm": r"\d{1,8}",
    "http://hl7.org/fhir/sid/icd-10": r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?",
    "http://hl7.org/fhir/sid/icd-10-cm": r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?",
    "http://hl7.org/fhir/sid/icd-9-cm": r"[EV]?\d{2,3}(?:\.\d{1,2})?",
    "http://hl7.org/fhir/sid/cvx": r"\d{1,3}",
    "http://hl7.org/fhir/sid/ndc": r"\d{4,5}-\d{3,4}-\d{1,2}|\d{10,11}",
    "http://www.ama-assn.org/go/cpt": r"\d{4}[0-9A-Z]",
    "http://www.whocc.no/atc": r"[A-Z]\d\d[A-Z]{2}\d\d",
    "http://unitsofmeasure.org": "",
    "urn:ietf:bcp:47": r"[a-z]{2,3}(?:-[A-Z]{2})?",
    _TERMS + "v3-ActCode": r"AMB|IMP|EMER|ACUTE|NONAC|OBSENC|PRENC|SS|VR|HH|FLD",
    _TERMS + "v2-0203": r"MR|SS|DL|PPN|PRN|NPI|TAX|PI|VN|AN|MB|EN",
    _TERMS + "v3-MaritalStatus": r"[ADILMPSTUW]|UNK",
    _TERMS
    + "observation-category": r"social-history|vital-signs|imaging|laboratory|procedure|survey|exam|therapy|activity",
    _TERMS + "condition-clinical": r"active|inactive|recurrence|relapse|remission|resolved",
    _TERMS + "condition-ver-status": r"confirmed|unconfirmed|provisional|differential|refuted|entered-in-error",
    _TERMS + "v3-ObservationInterpretation": r"[AHLN]|HH|LL|AA|HU|LU|POS|NEG|IND|R|S|I",
    _TERMS + "v2-0131": r"[CEFINSU]|BP|CP|EP|PR",
}
"""Public code systems, and what a code of each looks like; units are a list of their own."""
_MEDIA: Final = frozenset(
    ("text/plain", "text/html", "application/pdf", "image/jpeg", "image/png", "application/dicom")
)
_NUMBERS: Final = frozenset(
    "value valueInteger valueDecimal low high origin period periodMax factor lowerLimit upperLimit dimensions count "
    "countMax duration durationMax frequency frequencyMax sequence rank total offset".split()
)
_FREE: Final = frozenset(
    "text description comment conclusion patientInstruction title summary details instruction note valueString "
    "valueMarkdown contentString onsetString abatementString deceasedString label preparation answerString".split()
)
_ELEMENTS: Final = frozenset(
    "abatementDateTime abatementPeriod action active activity actor actualPeriod address addresses admitSource answer "
    "asNeededBoolean asNeededCodeableConcept asserter attachment attester author authenticator authorReference authoredOn "
    "basedOn birthDate bodySite boundsDuration boundsPeriod careTeam category class clinicalStatus code codeFilter coding "
    "collectedDateTime collection comparator complication component concept condition conclusionCode contact contained "
    "content context created criticality custodian date dateAsserted dateWritten dayOfWeek deceasedBoolean deceasedDateTime "
    "denominator derivedFrom detail device diagnosis dischargeDisposition dispenseRequest doNotPerform docStatus dosage "
    "dosageInstruction doseAndRate doseQuantity doseRange durationUnit effectiveDateTime effectiveInstant effectivePeriod "
    "encounter end entry event evidence expectedSupplyDuration expirationDate fullUrl focus followUp gender "
    "generalPractitioner goal hasMember hospitalization admission identifier individual informationSource ingredient "
    "intent interpretation issued item itemCodeableConcept kind location managingOrganization manifestation maritalStatus "
    "medication medicationCodeableConcept medicationReference member method mode name numerator occurrenceDateTime "
    "occurrencePeriod onBehalfOf onset onsetDateTime onsetPeriod onsetRange orderDetail organization outcome participant "
    "partOf patient payload performedDateTime performedPeriod performer period periodUnit practitioner preferred "
    "presentedForm primarySource priority procedure product programEligibility protocolApplied qualification quantity "
    "rateQuantity rateRatio rateRange reaction reason reasonCode reasonReference received recipient recordedDate recorder "
    "reference referenceRange relatesTo relationship repeat requester resource result resultsInterpreter role route "
    "search section sender sent serviceProvider serviceType severity site specialty specimen stage start statusReason "
    "strength status subject substance supportingInfo supportingInformation target telecom time timeOfDay timing type unit "
    "use vaccineCode validityPeriod valueBoolean valueCodeableConcept valueCoding valueDateTime valuePeriod valueQuantity "
    "valueRange valueRatio valueReference valueTime verificationStatus verification whenHandedOver whenPrepared for".split()
)
_OWNERS: Final = ("subject", "patient", "beneficiary", "individual", "for")
_NAMES: Final = _ELEMENTS | _NUMBERS | _FREE
_INSTITUTIONS: Final = frozenset(("Organization", "Location", "HealthcareService"))
_PERSONS: Final = ("Patient", "Practitioner", "RelatedPerson", "Person")
_LINES: Final = {"line", "text", "city", "district", "state", "postalCode", "country"}
_DAY: Final = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?))?")
_TIME: Final = re.compile(r"\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?")
_OFFSET: Final = re.compile(r"Z|[+-]")
_IDENTITY: Final = re.compile(r"[A-Za-z0-9.-]{1,64}")
_BASE: Final = "http://example.org/fhir/"  # before ids of entries whose server had an address
_DIGITS: Final = 5  # of a number that stays: longer ones may be identifiers


class Number(str):
    """A number as it is written."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fhir(records.LimitedText):
    """Resources, one a line; or one resource or Bundle over several lines, which is then one line of the output."""

    choice: ClassVar[None] = None
    unit: ClassVar[str] = "line"
    kinds: ClassVar[frozenset[str]] = fields.KINDS
    public: ClassVar[tuple[str, ...]] = (
        "of each resource: its type, which of its elements have a value that is drawn, booleans, numbers of up to five "
        "digits, units, code words of FHIR, codes of public code systems and offsets from UTC",
        "which ids and references are equal, and which values of one patient are",
    )

    def cut(self, stream: BinaryIO, size: int) -> Iterator[records.Cut]:
        """See ``CorpusFormat.cut``; what does not begin with a resource on a line is one resource as a whole."""
        whole: list[bytes] | None = None
        for cut in cut_lines(records.recoded(stream, self.encoding), size, self.max_document_bytes):
            if cut.first == 1 and not cut.fault:
                begin = next((line for line in split_lines(cut.payload, 1) if line.strip()), b"")
                whole = None if _resource(begin) is not None else []
            if whole is None or cut.fault:
                yield cut
                continue
            whole.append(cut.payload)
            if sum(map(len, whole)) > self.max_document_bytes:
                yield records.Cut(b"", 1, 0, records.too_large("the resource", self.max_document_bytes))
                return
        if whole:
            yield records.Cut(b"".join(whole), 1, 1)

    def records(self, payload: bytes, first: int) -> records.Records:
        lines = [payload] if _resource(payload) is not None else split_lines(payload, first)
        read: list[tuple[int, fields.Slots, fields.Written]] = []
        faults, patients = list[records.RecordError](), list[str | None]()
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            if (resource := _resource(line)) is None:
                reason = (
                    f"line {number} must be a FHIR resource in JSON of a type that docs/records.md names (Binary, Parameters, "
                    "Basic and others are not read). Leave it out, or `on_error` skip."
                )
                faults.append(records.RecordError(number, reason))
                continue
            walk = _Walk(resource, fields.digest_of(line))
            read.append((number, walk.slots, _line(walk.written)))
            patients.append(walk.patient)
        return fields.records_of(read, faults, patients)


def _resource(data: bytes) -> dict[str, Any] | None:
    try:
        value = json_data(data.removeprefix(BOM).decode("utf-8"), floats=Number, integers=Number, constants=_refused)
    except ValueError:
        return None
    kind = value.get("resourceType") if isinstance(value, dict) else None
    return value if isinstance(kind, str) and kind in _TYPES else None


def _refused(constant: str) -> None:
    raise ValueError


def _line(written: fields.Written) -> fields.Written:
    return lambda released: (_json(written(released)) + "\n").encode("utf-8", "backslashreplace")


def _json(value: Any) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json(part)}" for name, part in value.items()) + "}"
    return "[" + ", ".join(map(_json, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class _Walk:
    """One resource, or all of a Bundle: slots for what is drawn or searched, and what writes the whole."""

    def __init__(self, resource: dict[str, Any], digest: str) -> None:
        self.slots = fields.Slots(digest)
        self._digest = digest
        self._container = ""
        self._urls: dict[str, str] = {}
        for entry in _list(resource.get("entry", [])):
            inner = entry.get("resource") if isinstance(entry, dict) else None
            url = entry.get("fullUrl") if isinstance(entry, dict) else None
            if isinstance(inner, dict) and isinstance(url, str) and isinstance(inner.get("id"), str):
                self._urls[url] = f"{inner.get('resourceType')}/{inner['id']}"
        owners = {self._owner(each) for each in self._resources(resource)} - {None}
        self.patient = owners.pop() if len(owners) == 1 else None
        written = self._object(resource)
        self.written: fields.Written = lambda released: _made(written, released)

    def _resources(self, resource: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield resource
        for entry in _list(resource.get("entry", [])):
            if isinstance(entry, dict) and isinstance(entry.get("resource"), dict):
                yield from self._resources(entry["resource"])

    def _owner(self, resource: Mapping[str, Any]) -> str | None:
        if resource.get("resourceType") == "Patient" and isinstance(resource.get("id"), str):
            return f"Patient/{resource['id']}"
        for name in _OWNERS:
            subject = resource.get(name)
            reference = subject.get("reference") if isinstance(subject, dict) else None
            if isinstance(reference, str) and (key := self._key(reference)) and key.startswith("Patient/"):
                return key
        return None

    def _key(self, reference: str) -> str | None:
        """Return what a reference names, in one form; None if it is no reference to one resource."""
        if reference in self._urls:
            return self._urls[reference]
        if reference.startswith(("urn:uuid:", "urn:oid:")):
            return reference.lower()
        if reference.startswith("#"):
            return f"{self._container}{reference}"
        kind, _, identity = reference.partition("/_history/")[0].rpartition("/")
        kind = kind.rpartition("/")[2]
        return f"{kind}/{identity}" if kind in _TYPES and _IDENTITY.fullmatch(identity) else None

    def _object(self, value: dict[str, Any], name: str = "") -> dict[str, Any]:
        if isinstance(value.get("resourceType"), str):
            return self._of_type(value)
        special = self._special(value, name)
        return special if special is not None else self._members(value)

    def _of_type(self, value: dict[str, Any]) -> dict[str, Any]:
        kind, identity = value["resourceType"], value.get("id")
        if kind not in _TYPES:
            return {}
        outer, container = self.slots.owner, self._container
        owner = self._owner(value)
        inside = bool(container) or kind == "Bundle"
        self.slots.owner = owner or (
            outer if inside and kind != "Bundle" and container else self._apart(kind, identity)
        )
        made: dict[str, Any] = {"resourceType": kind}
        key = f"{container}#{identity}" if container else f"{kind}/{identity}"
        if isinstance(identity, str):
            made["id"] = self.slots.identity(key)
        self._container = "" if kind == "Bundle" else key
        if isinstance(value.get("name"), str):
            made["name"] = self.slots.named(
                value["name"], fields.ORGANIZATION if kind in _INSTITUTIONS else fields.PERSON
            )
        rest = {part: inner for part, inner in value.items() if part not in ("resourceType", "id", *made)}
        made |= self._members(rest)
        self.slots.owner, self._container = outer, container
        return made

    def _apart(self, kind: str, identity: Any) -> str:
        return f"{kind}/{identity}" if isinstance(identity, str) else self._digest

    def _members(self, value: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, part in value.items():
            if name not in _NAMES:
                continue
            if (new := self._value(name, part)) is not None and new not in ({}, []):
                made[name] = new
        return made

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return self._object(value, name)
        if isinstance(value, list):
            parts = [self._value(name, part) for part in value if not isinstance(part, list)]
            return [part for part in parts if part is not None and part not in ({}, [])]
        if isinstance(value, Number):
            digits = re.sub(r"[-.]|[eE].*", "", value.partition(".")[0])
            return value if name in _NUMBERS and len(digits) <= _DIGITS and len(value) <= 2 * _DIGITS else None
        return value if isinstance(value, bool) or not isinstance(value, str) else self._string(name, value)

    def _string(self, name: str, value: str) -> Any:
        day, slots = _DAY.fullmatch(value), self.slots
        if day is not None:
            first = slots.drawn(day[1], fields.DATE, fields.BORN if name == "birthDate" else "")
            return first if day[2] is None else fields.joined([first, "T", self._clock(day[2])])
        if _TIME.fullmatch(value):
            return self._clock(value)
        if name == "fullUrl":
            return self._reference(value, _BASE)
        if value in _CODES and name not in _FREE:
            return value
        if name == "unit":
            return value if value in UNITS else None
        return slots.searched(value) if name in _FREE else None

    def _clock(self, value: str) -> fields.Written:
        """Return what writes a time: hours and minutes move with all times of the owner, seconds are 0."""
        ends = _OFFSET.search(value, 5)
        end = len(value) if ends is None else ends.start()
        return fields.joined([self.slots.clock(value[:5]), re.sub(r"\d", "0", value[5:end]), value[end:]])

    def _reference(self, reference: str, base: str = "") -> fields.Written | None:
        if (key := self._key(reference)) is None:
            return None
        made = self.slots.identity(key)
        if reference.startswith(("urn:uuid:", "urn:oid:")) and reference not in self._urls:
            return lambda released: _urn(made(released))
        if reference.startswith("#"):
            return fields.joined(["#", made])
        return fields.joined([base, key.partition("/")[0], "/", made])

    def _special(self, value: dict[str, Any], name: str) -> dict[str, Any] | None:
        slots = self.slots
        if "div" in value:
            return {"status": "generated", "div": self._narrative(value["div"])}
        if "reference" in value or (name in _OWNERS and "display" in value):
            named = value.get("display")
            if isinstance(named, str) and str(value.get("reference")).rpartition("/")[0].endswith(_PERSONS):
                slots.known += [(each, fields.PERSON) for each in (named, *named.split()) if len(each) > 2]
            reference = self._reference(value["reference"]) if isinstance(value.get("reference"), str) else None
            return {} if reference is None else {"reference": reference}
        if name in ("name", "maidenName") or "family" in value or "given" in value:
            return self._name(value)
        if name == "address":
            return self._strings(value, dict.fromkeys(_LINES, fields.PLACE))
        if name == "telecom":
            kind = {"email": fields.EMAIL, "url": fields.URL}.get(str(value.get("system")), fields.PHONE)
            return self._strings(value, {"value": kind}, known=True)
        if name.lower().endswith("identifier"):
            made = self._strings(value, {"value": fields.ID}, known=True)
            return made | ({"type": self._object(value["type"])} if isinstance(value.get("type"), dict) else {})
        if "contentType" in value or "data" in value:
            return {"contentType": value["contentType"]} if str(value.get("contentType")) in _MEDIA else {}
        if "system" in value or isinstance(value.get("code"), str):
            return self._coded(value)
        if isinstance(value.get("authorString"), str):
            slots.known.append((value["authorString"], fields.PERSON))
            return {"authorString": slots.drawn(value["authorString"], fields.PERSON)} | self._members(
                {part: inner for part, inner in value.items() if part != "authorString"}
            )
        return None

    def _name(self, value: dict[str, Any]) -> dict[str, Any]:
        given = [part for part in _list(value.get("given")) if isinstance(part, str) and part.strip()]
        family = [part for part in _list(value.get("family")) if isinstance(part, str) and part.strip()]
        made = self._strings(value, {"text": fields.PERSON}, known=True)
        pieces = self.slots.person([*given, *family]) if given or family else []
        return (
            ({"family": pieces[len(given)]} if family else {})
            | ({"given": pieces[: len(given)]} if given else {})
            | made
        )

    def _strings(self, value: dict[str, Any], kinds: Mapping[str, str], *, known: bool = False) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, kind in kinds.items():
            parts = [part for part in _list(value.get(name)) if isinstance(part, str) and part.strip()]
            add = self.slots.named if known else self.slots.drawn
            if parts:
                drawn = [add(part, kind) for part in parts]
                made[name] = drawn if isinstance(value[name], list) else drawn[0]
        for name in ("use", "type", "system", "period"):
            part = value.get(name)
            if isinstance(part, str) and part in _CODES:
                made[name] = part
            elif isinstance(part, dict) and name == "period":
                made[name] = self._members(part)
        return made

    def _coded(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a code or a quantity; a code stays only if it is one of a public system."""
        system, code = value.get("system"), value.get("code")
        made = self._members({name: part for name, part in value.items() if name not in ("system", "code", "display")})
        if isinstance(system, str) and isinstance(code, str) and system in SYSTEMS:
            pattern = SYSTEMS[system]
            if re.fullmatch(pattern, code) if pattern else code in UNITS:
                made |= {"system": system, "code": code}
        return made

    def _narrative(self, div: Any) -> fields.Written | str:
        text = _Plain.of(div) if isinstance(div, str) else ""
        if not text.strip():
            return '<div xmlns="http://www.w3.org/1999/xhtml"><p></p></div>'
        made = self.slots.searched(text)
        return lambda released: (
            '<div xmlns="http://www.w3.org/1999/xhtml"><p>'
            + made(released).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br/>")
            + "</p></div>"
        )


def _urn(letters: str) -> str:
    return f"urn:uuid:{uuid.UUID(bytes=hashlib.sha256(letters.encode()).digest()[:16], version=4)}"


def _made(value: Any, released: Any) -> Any:
    if isinstance(value, dict):
        return {name: _made(part, released) for name, part in value.items()}
    if isinstance(value, list):
        return [_made(part, released) for part in value]
    return value(released) if callable(value) else value


class _Plain(HTMLParser):
    """The text of a narrative: attributes, comments, scripts and links are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    @classmethod
    def of(cls, markup: str) -> str:
        """Return the text, a block a line."""
        parser = cls()
        parser.feed(markup)
        parser.close()
        lines = (line.strip() for line in "".join(parser.pieces).split("\n"))
        return "\n".join(line for line in lines if line)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in ("script", "style")
        if tag not in ("b", "i", "em", "strong", "span", "a", "u", "sub", "sup", "small", "tt"):
            self.pieces.append(" " if tag in ("td", "th") else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style") and self._hidden > 0
        if tag in ("p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "table"):
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(re.sub(r"\s+", " ", data))
