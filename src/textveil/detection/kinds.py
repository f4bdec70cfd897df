"""Kinds of spans: one row says all that is known of each of textveil's own, and how users name theirs."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from textveil.errors import need

RuleData: TypeAlias = Mapping[str, Any]
"""The rule of a preset for a kind, as a policy file has it, without the kind."""

Group: TypeAlias = Literal["person", "place", "organization", "when", "reach", "id", "amount", "number", "own"]
"""Kinds that are alike: pages and the terminal give a group one color."""

_KIND: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch
_LONGEST: Final = 40

_ALONE: Final = frozenset(
    {"person", "place", "organization", "date", "time", "age", "phone", "email", "url", "handle", "ip", "id", "money"}
    | {"number", "demographic", "duration", "measurement", "quantity", "code-number", "numbering"}
)
"""Kinds that may stand for no other. The list is closed: what a new kind finds was drawn as an older one, or was text.
A user's policy from before it has no rule for it, and must not release what it drew."""

_READ: Final = frozenset({"number", "numbering", "duration", "measurement", "quantity", "code-number", "demographic"})
"""Kinds that presets may keep for their readers, or change the digits of alone. The list is closed too: a row that says
so of another kind by mistake would release what singles people out."""

_PARTLY: Final = frozenset({"digits", "measurement"})
"""Surrogates that leave letters of a value as they are."""

_DRAWN: Final = f"one that every preset draws whole: only {', '.join(sorted(_READ))} may stay or keep letters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind that textveil's own detectors find.

    Raises:
        ParameterError: a policy would release it, since nothing rules it and it stands for no kind, or since its rule
            keeps it and it is none that readers need; or no label.
    """

    name: str = field(kw_only=False)  # as users write it
    # the kind whose rule a policy applies that has none for this one. Empty, for the oldest kinds: such a policy keeps
    # the text on purpose, and draws the numbers in it only if it has a rule for numbers
    stands_for: str
    # what presets that keep words do with it; it names a surrogate of ``surrogates.making``. Empty: they draw it as the
    # kind that it stands for
    rule: RuleData = field(default_factory=dict)
    presets: Mapping[str, RuleData] = field(default_factory=dict)  # what other rule a preset has, by its name
    group: Group  # gives its color
    labels: str  # what other detectors call it, compared without case and marks; the first is Presidio's name
    asked: str = ""  # what GLiNER is asked for; empty is the name, with spaces for hyphens
    hipaa: tuple[str, ...] = ()  # letters of the identifiers of Safe Harbor that it is (``sanitize.report_pages``)
    # whether a value of it singles a person out alone, or together with others, for ``textveil risk``
    singles_out: Literal["", "alone", "together"] = ""
    values: tuple[str, ...] = ()  # public values; a pattern that keeps all of them keeps the kind
    # whether other detectors find it too, so that a rule for it is a mistake if no detector finds it
    everyday: bool = False
    finds: str  # what the embedded detector finds, for the docs

    def __post_init__(self) -> None:
        checked_kind(self.name)
        hint = "Name the kind as which its values were found before, such as id."
        stands = bool(self.stands_for) or self.name in _ALONE
        need(stands, f"kind {self.name}: stands_for", "none", "the kind whose rule policies without one apply", hint)
        ruled = bool(self.rule) or bool(self.stands_for)
        need(ruled, f"kind {self.name}: rule", "none", "what presets do with it, unless it stands for another kind")
        need(self.name in _READ or not self.stays, f"kind {self.name}: rule", "one that keeps it", _DRAWN)
        need(
            bool(self.labels.split()), f"kind {self.name}: labels", "none", "what others call it, Presidio's name first"
        )

    @property
    def stays(self) -> bool:
        """True if a preset keeps its values, or a part of them."""
        rules = (self.rule, *self.presets.values())
        return any("keep" in rule or rule.get("surrogate") in _PARTLY for rule in rules)

    def rule_of(self, preset: str) -> RuleData:
        """Return the rule that a preset which keeps words has for it; empty if it is drawn as what it stands for."""
        return self.presets.get(preset, self.rule)


def checked_kind(kind: object) -> str:
    """Return ``kind`` if it is one of textveil's or can be a user's own; raise ParameterError if not."""
    fits = isinstance(kind, str) and len(kind) <= _LONGEST and _KIND(kind) is not None
    need(fits, "kind", repr(kind)[:60], f"lowercase letters, digits and hyphens, at most {_LONGEST}")
    return str(kind)


def checked_rows(*rows: Kind) -> tuple[Kind, ...]:
    """Return rows that fit each other.

    Raises ParameterError: two have one name or one label, or one stands for what is no kind, stands for another itself,
    is kept by a preset or is of another group.
    """
    rules = {row.name: row for row in rows}
    need(len(rules) == len(rows), "kinds", "two rows of one name", "one row for each")
    first: dict[str, str] = {}
    for row in rows:
        other = rules.get(row.stands_for)
        fits = not row.stands_for or (other is not None and bool(other.rule) and not other.stands_for)
        wanted = "a kind with a rule that stands for none itself"
        need(fits, f"kind {row.name}: stands_for", row.stands_for, wanted)
        need(other is None or not other.stays, f"kind {row.name}: stands_for", row.stands_for, _DRAWN)
        alike = other is None or other.group == row.group  # who keeps ages must not keep what is no age
        need(alike, f"kind {row.name}: stands_for", row.stands_for, f"a kind of its group, {row.group}")
        for label in row.labels.split():
            if (known := first.setdefault(plain_label(label), row.name)) != row.name:
                need(False, f"kind {row.name}: label {label}", f"one of {known} too", "one of this kind alone")
    return rows


def plain_label(label: str) -> str:
    """Return a label without case and marks: US_SSN, us-ssn and UsSsn are one."""
    return "".join(filter(str.isalnum, label.casefold()))


def _drawn(surrogate: str, epsilon: float = 0, **options: Any) -> RuleData:
    return MappingProxyType({"surrogate": surrogate, "epsilon": epsilon, **options})


_KEPT: Final = MappingProxyType({"keep": True})
_KEPT_TO_READ: Final = MappingProxyType({"clinical": _KEPT, "prompts": _KEPT})
"""Readers, and models, reckon with such numbers: presets that are made for them keep them."""
_LARGE: Final = MappingProxyType({"prompts": _drawn("amount", low=100_000, high=1_000_000)})
"""Presets that keep amounts of less than six digits draw others in this range."""
_SHIFT: Final = _drawn("date-shift", 1, days=365)
_TOGETHER: Final = _drawn("time", times="shift")
_NEAR: Final = _drawn("age", 2, group="kept")

# fmt: off
OWN: Final = checked_rows(
    Kind("person", stands_for="", rule=_drawn("person", script="kept"), group="person",
        labels="""PERSON PER NAME PATIENT STAFF DOCTOR HCW PRIVATE_PERSON FIRST_NAME MIDDLE_NAME LAST_NAME
            GIVEN_NAME SURNAME FULL_NAME PERSON_NAME""", hipaa=("(A)",), singles_out="together",
        values=("Anna", "Kowalczyk", "Maria Gonzalez", "Li Wei"), everyday=True,
        finds="by lists, letter case and context, [below](#how-names-are-found)"),
    Kind("place", stands_for="", rule=_drawn("place", level="kept", script="kept"), group="place",
        labels="""LOCATION LOC GPE FAC FACILITY PLACE ADDRESS STREET STREET_ADDRESS BUILDING BUILDING_NUMBER
            CITY COUNTY STATE COUNTRY ZIP ZIPCODE POSTCODE PRIVATE_ADDRESS SECONDARY_ADDRESS LOCATION_OTHER
            UK_POSTCODE CA_POSTAL_CODE DE_PLZ""", asked="location", hipaa=("(B)",), singles_out="together",
        values=("Leeds", "Ulm", "New York", "Springfield"), everyday=True,
        finds="as persons are, and addresses: streets, units, boxes, postal codes, JSON keys such as `street`"),
    Kind("organization", stands_for="", rule=_drawn("organization", level="kept", script="kept"), group="organization",
        labels="ORGANIZATION ORGANISATION ORG COMPANY COMPANY_NAME HOSP HOSPITAL PATORG CORPORATION GROUP",
        singles_out="together", values=("Siemens", "Acme Holdings", "Kite"), everyday=True, finds="as persons are"),
    Kind("date", stands_for="", rule=_drawn("date-window", within=365), presets={"clinical": _SHIFT, "prompts": _SHIFT},
        group="when", labels="DATE_TIME DATE DOB DATE_OF_BIRTH PRIVATE_DATE YEAR", hipaa=("(C)",),
        singles_out="together", values=("2024-03-03", "3 March 2024", "1991"), everyday=True,
        finds="digits in the usual orders, months by name in eight languages, lists and ranges as one span, words "
              '("July twenty ninth"), weekdays, quarters, years, decades'),
    Kind("time", stands_for="", rule=_drawn("time"), presets={"clinical": _TOGETHER, "prompts": _TOGETHER},
        group="when", labels="TIME", hipaa=("(C)",), everyday=True,
        finds="14:05, 2:05 pm, 2 o'clock, 22h10, 19 Uhr; hours of opening (8.30-17.00); with fractions "
              "of a second and an offset, 14:05:10.250+02:00"),
    Kind("age", stands_for="", rule=_drawn("age"), presets={"clinical": _NEAR, "prompts": _NEAR}, group="when",
        labels="AGE", hipaa=("(C)",), singles_out="together", everyday=True,
        finds='the number in "42 years old", "aged 42", "42 yo", "in her 40s", "Maria, 42,"; in words too; weeks '
              "and months with their unit; in seven other languages with the unit"),
    Kind("phone", stands_for="", rule=_drawn("phone"), group="reach",
        labels="PHONE_NUMBER PHONE TELEPHONE TELEPHONE_NUM FAX PRIVATE_PHONE ZA_MOBILE_NUMBER ZA_TELEPHONE_NUMBER",
        asked="phone number", hipaa=("(D), (E)",), singles_out="alone", values=("+44 20 7946 0958", "(303) 555-0142"),
        everyday=True,
        finds='numbers that phonenumbers accepts, forms of numbers, digit groups beside a word such as "call"'),
    Kind("email", stands_for="", rule=_drawn("email"), group="reach", labels="EMAIL_ADDRESS EMAIL PRIVATE_EMAIL",
        asked="email address", hipaa=("(F)",), singles_out="alone", values=("j.doe@example.com", "maria@example.org"),
        everyday=True, finds="as [tokens](text.md) are read"),
    Kind("url", stands_for="", rule=_drawn("url"), group="reach", labels="URL PRIVATE_URL WEBSITE", hipaa=("(N)",),
        singles_out="alone", everyday=True,
        finds="as [tokens](text.md) are read; domains of common endings without a scheme"),
    Kind("handle", stands_for="", rule=_drawn("handle"), group="reach", labels="USERNAME HANDLE USER_NAME",
        asked="username", singles_out="alone", everyday=True, finds="as [tokens](text.md) are read"),
    Kind("ip", stands_for="", rule=_drawn("ip"), group="reach", labels="IP_ADDRESS IP IPV4 IPV6", asked="ip address",
        hipaa=("(O)",), singles_out="alone", everyday=True, finds="IPv4 and IPv6"),
    Kind("id", stands_for="", rule=_drawn("id"), group="id",
        labels="""ID IDNUM ID_NUM ID_NUMBER ID_CARD_NUM ACCOUNT_NUM ACCOUNT_NUMBER CREDIT_CARD
            CREDIT_CARD_NUMBER IBAN IBAN_CODE CRYPTO SSN SOCIAL_NUM TAX_NUM MEDICAL_RECORD MEDICAL_LICENSE
            MAC_ADDRESS UUID DEVICE BIOID PASSPORT_NUM DRIVER_LICENSE_NUM HEALTH_PLAN LICENSE LICENSE_PLATE
            VEHICLE ABA_ROUTING_NUMBER AU_ABN AU_ACN AU_MEDICARE AU_TFN CA_SIN DE_BSNR DE_FUEHRERSCHEIN
            DE_HANDELSREGISTER DE_HEALTH_INSURANCE DE_ID_CARD DE_KFZ DE_LANR DE_PASSPORT DE_SOCIAL_SECURITY
            DE_TAX_ID DE_TAX_NUMBER DE_VAT_ID ES_NIE ES_NIF ES_PASSPORT FI_PERSONAL_IDENTITY_CODE IN_AADHAAR
            IN_GSTIN IN_PAN IN_PASSPORT IN_VEHICLE_REGISTRATION IN_VOTER IT_DRIVER_LICENSE IT_FISCAL_CODE
            IT_IDENTITY_CARD IT_PASSPORT IT_VAT_CODE KR_BRN KR_DRIVER_LICENSE KR_FRN KR_PASSPORT KR_RRN NG_NIN
            NG_VEHICLE_REGISTRATION PH_PASSPORT PH_TIN PH_UMID PL_PESEL SE_ORGANISATIONSNUMMER SE_PERSONNUMMER
            SG_NRIC_FIN SG_UEN TH_TNIN TR_LICENSE_PLATE TR_NATIONAL_ID UK_DRIVING_LICENCE UK_NHS UK_NINO
            UK_PASSPORT UK_VEHICLE_REGISTRATION US_BANK_NUMBER US_CLAIM_NUMBER US_DRIVER_LICENSE
            US_HEALTH_INSURANCE_MEMBER_ID US_ITIN US_MBI US_NPI US_PASSPORT US_PRESCRIPTION_NUMBER
            US_PRIOR_AUTHORIZATION_NUMBER US_PROVIDER_TAX_ID US_REFERRAL_NUMBER US_SSN ZA_COMPANY_REGISTRATION
            ZA_DRIVER_LICENSE ZA_ID_NUMBER ZA_INCOME_TAX_NUMBER ZA_LICENSE_PLATE ZA_PASSPORT
            ZA_TRAFFIC_REGISTER_NUMBER ZA_VAT_NUMBER""", asked="identification number",
        hipaa=("(G)", "(H) to (K)", "(L), (M)"), singles_out="alone",
        values=("00123456", "GB29NWBK60161331926819", "078-05-1120"), everyday=True,
        finds="cards with expiry and code in a row, IBAN, national ids and tax numbers of 27 countries by form, "
              "check digits or label, whatever digits stand beside them; 12 to 19 digits beside words of payment in "
              'seven languages; wallets, coordinates, UUID, MAC, plates, aircraft, bookings, CVV, case numbers '
              '("36391/02"), long codes, and what follows "MRN", "account number", "ticket #"'),
    Kind("money", stands_for="", rule=_drawn("amount", high=10000), presets=_LARGE, group="amount",
        labels="MONEY AMOUNT", asked="amount of money", everyday=True,
        finds="signs, codes and words of currencies with their number"),
    Kind("number", stands_for="", rule=_drawn("digits", scope="mention"), presets=_KEPT_TO_READ, group="number",
        labels="NUMBER CARDINAL ORDINAL QUANTITY PERCENT", hipaa=("(L), (M)", "(R)"), values=("7", "42", "1985", "120"),
        everyday=True, finds="the detector `numbers`: every group of digits or numerals (½, Ⅳ) in no other span"),
    Kind("secret", stands_for="id", rule=_drawn("secret"), group="id",
        labels="""SECRET PASSWORD PASSPHRASE PASSCODE CREDENTIAL CREDENTIALS API_KEY ACCESS_KEY SECRET_KEY
            PRIVATE_KEY TOKEN ACCESS_TOKEN AUTH_TOKEN BEARER_TOKEN JWT PIN AWS_ACCESS_KEY_ID GITHUB_TOKEN
            SLACK_TOKEN""",
        finds="keys and tokens of some 80 issuers (AWS, GitHub, OpenAI), JWT, private keys, hashes of passwords, "
              "passwords in URLs; what a setting, a header, a command, SQL or a sentence in seven languages tells "
              '("password is", "it\'s now", "the gate code is"), phrases too; long values that look '
              "drawn behind any label. Not placeholders, code or digests"),
    Kind("duration", stands_for="", rule=_drawn("measurement", scope="mention"), presets=_KEPT_TO_READ, group="when",
        labels="DURATION", singles_out="together", finds='"three months", "39w2d"'),
    Kind("measurement", stands_for="", rule=_drawn("measurement", scope="mention"), presets=_KEPT_TO_READ,
        group="amount", labels="MEASUREMENT",
        finds="numbers with a unit, vital signs, laboratory values, doses, scores, stages"),
    Kind("quantity", stands_for="", rule=_drawn("measurement", scope="mention"), presets=_KEPT_TO_READ, group="amount",
        labels="COUNT", finds='counts, percentages, ordinals, versions, names with digits ("COVID-19")'),
    Kind("numbering", stands_for="", rule=_KEPT, group="amount", labels="NUMBERING",
        finds="numbers of sections, pages, steps and items, years of laws; public: all three presets keep them"),
    Kind("code-number", stands_for="", rule=_drawn("digits", scope="mention"), presets=_KEPT_TO_READ, group="number",
        labels="CODE_NUMBER", hipaa=("(R)",), finds="numbers in code, versions, digests, error codes"),
    Kind("demographic", stands_for="", rule=_drawn("demographic"), presets={"prompts": _KEPT}, group="own",
        labels="NRP NORP DEM DEMOGRAPHIC NATIONALITY ETHNICITY RELIGION OCCUPATION PROFESSION", singles_out="together",
        finds="nationality, ethnicity, religion, occupation, family and work status, orientation, politics, "
              "disability"),
)
# fmt: on
"""The kinds that textveil's own detectors find."""

KINDS: Final = tuple(kind.name for kind in OWN)
"""Their names."""

OPTIONAL: Final = frozenset(kind.name for kind in OWN if not kind.everyday)
"""Kinds that a policy may have a rule for though no detector of its own finds them: presets have rules for all."""

GROUPS: Final = MappingProxyType({kind.name: kind.group for kind in OWN})
"""Groups of one color, by kind."""

OTHER_LANGUAGE: Final = "other-language"
"""The kind of a whole document in a language without rules, if a policy masks it."""

ENCODED: Final = "encoded"
"""The kind of what is written in base64 or hexadecimal digits, where it holds what is replaced or is unreadable."""

STANDS_FOR: Final = MappingProxyType({kind.name: kind.stands_for for kind in OWN if kind.stands_for})
"""Kinds that a policy without a rule for them treats as another."""


def without_rule(kinds: Collection[str], ruled: Collection[str]) -> list[str]:
    """Return those of ``kinds`` that no rule is for, and that stand for no kind that has one."""
    return sorted(kind for kind in kinds if kind not in ruled and STANDS_FOR.get(kind) not in ruled)


def preset_rules(preset: str) -> list[tuple[str, RuleData]]:
    """Return the rules that a preset which keeps words has for kinds of spans.

    What is drawn alike in a scope comes first, then what each mention draws anew, then what is kept; numbers are last.
    """
    rules = [(kind.name, kind.rule_of(preset)) for kind in OWN if kind.rule_of(preset)]
    return sorted(rules, key=lambda rule: (rule[0] == "number", "scope" in rule[1], "keep" in rule[1]))
