"""What foreign detectors call things, in textveil's kinds: a table, and how a user changes it.

Labels are compared without case and marks: US_SSN, us-ssn and UsSsn are one. A label without a kind here is refused
when a detector is made, since a span that nobody drew for would be released as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from textveil.detection.kinds import checked_kind
from textveil.errors import ParameterError

_TABLE: Final = {
    "person": """
        PERSON PER NAME PATIENT STAFF DOCTOR HCW PRIVATE_PERSON FIRST_NAME MIDDLE_NAME LAST_NAME GIVEN_NAME SURNAME
        FULL_NAME PERSON_NAME""",
    "place": """
        LOCATION LOC GPE FAC FACILITY PLACE ADDRESS STREET STREET_ADDRESS BUILDING BUILDING_NUMBER CITY COUNTY STATE
        COUNTRY ZIP ZIPCODE POSTCODE PRIVATE_ADDRESS SECONDARY_ADDRESS LOCATION_OTHER UK_POSTCODE CA_POSTAL_CODE
        DE_PLZ""",
    "organization": "ORGANIZATION ORGANISATION ORG COMPANY COMPANY_NAME HOSP HOSPITAL PATORG CORPORATION GROUP",
    "date": "DATE DATE_TIME DOB DATE_OF_BIRTH PRIVATE_DATE YEAR",
    "time": "TIME",
    "age": "AGE",
    "phone": "PHONE PHONE_NUMBER TELEPHONE TELEPHONE_NUM FAX PRIVATE_PHONE ZA_MOBILE_NUMBER ZA_TELEPHONE_NUMBER",
    "email": "EMAIL EMAIL_ADDRESS PRIVATE_EMAIL",
    "url": "URL PRIVATE_URL WEBSITE",
    "handle": "HANDLE USERNAME USER_NAME",
    "secret": """
        SECRET PASSWORD PASSPHRASE PASSCODE CREDENTIAL CREDENTIALS API_KEY ACCESS_KEY SECRET_KEY PRIVATE_KEY TOKEN
        ACCESS_TOKEN AUTH_TOKEN BEARER_TOKEN JWT PIN AWS_ACCESS_KEY_ID GITHUB_TOKEN SLACK_TOKEN""",
    "ip": "IP IP_ADDRESS IPV4 IPV6",
    "money": "MONEY AMOUNT",
    "number": "NUMBER CARDINAL ORDINAL QUANTITY PERCENT",
    "id": """
        ID IDNUM ID_NUM ID_NUMBER ID_CARD_NUM ACCOUNT_NUM ACCOUNT_NUMBER CREDIT_CARD CREDIT_CARD_NUMBER IBAN IBAN_CODE
        CRYPTO SSN SOCIAL_NUM TAX_NUM MEDICAL_RECORD MEDICAL_LICENSE MAC_ADDRESS UUID DEVICE BIOID
        PASSPORT_NUM DRIVER_LICENSE_NUM HEALTH_PLAN LICENSE LICENSE_PLATE VEHICLE ABA_ROUTING_NUMBER
        AU_ABN AU_ACN AU_MEDICARE AU_TFN CA_SIN DE_BSNR DE_FUEHRERSCHEIN DE_HANDELSREGISTER DE_HEALTH_INSURANCE
        DE_ID_CARD DE_KFZ DE_LANR DE_PASSPORT DE_SOCIAL_SECURITY DE_TAX_ID DE_TAX_NUMBER DE_VAT_ID ES_NIE ES_NIF
        ES_PASSPORT FI_PERSONAL_IDENTITY_CODE IN_AADHAAR IN_GSTIN IN_PAN IN_PASSPORT IN_VEHICLE_REGISTRATION IN_VOTER
        IT_DRIVER_LICENSE IT_FISCAL_CODE IT_IDENTITY_CARD IT_PASSPORT IT_VAT_CODE KR_BRN KR_DRIVER_LICENSE KR_FRN
        KR_PASSPORT KR_RRN NG_NIN NG_VEHICLE_REGISTRATION PH_PASSPORT PH_TIN PH_UMID PL_PESEL SE_ORGANISATIONSNUMMER
        SE_PERSONNUMMER SG_NRIC_FIN SG_UEN TH_TNIN TR_LICENSE_PLATE TR_NATIONAL_ID UK_DRIVING_LICENCE UK_NHS UK_NINO
        UK_PASSPORT UK_VEHICLE_REGISTRATION US_BANK_NUMBER US_CLAIM_NUMBER US_DRIVER_LICENSE
        US_HEALTH_INSURANCE_MEMBER_ID US_ITIN US_MBI US_NPI US_PASSPORT US_PRESCRIPTION_NUMBER
        US_PRIOR_AUTHORIZATION_NUMBER US_PROVIDER_TAX_ID US_REFERRAL_NUMBER US_SSN ZA_COMPANY_REGISTRATION
        ZA_DRIVER_LICENSE ZA_ID_NUMBER ZA_INCOME_TAX_NUMBER ZA_LICENSE_PLATE ZA_PASSPORT ZA_TRAFFIC_REGISTER_NUMBER
        ZA_VAT_NUMBER""",
    "demographic": "NRP NORP DEM DEMOGRAPHIC NATIONALITY ETHNICITY RELIGION OCCUPATION PROFESSION",
    "quantity": "COUNT",
    "duration": "DURATION",
    "measurement": "MEASUREMENT",
    "code-number": "CODE_NUMBER",
    "": "EVENT PRODUCT WORK_OF_ART LAW LANGUAGE MISC MISCELLANEOUS CREATIVE_WORK",
}
"""Kinds, and the labels that mean them: of Presidio, OntoNotes, CoNLL, and of models for personal data. Spans of the
last row are left out unless a user gives them a kind: none of textveil's fits, and no surrogate replaces them."""


def _plain(label: str) -> str:
    return "".join(character for character in label.casefold() if character.isalnum())


KINDS_OF_LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {_plain(label): kind for kind, labels in _TABLE.items() for label in labels.split()}
)
"""Kinds by label, in small letters without marks; empty for what is left out."""


def kind_of_label(label: str) -> str | None:
    """The kind that a label means; empty where it is left out, None where it is not known."""
    return KINDS_OF_LABELS.get(_plain(label))


def kinds_of_labels(
    labels: Iterable[str], own: Mapping[str, str | None] | None = None, detector: str = "the model"
) -> dict[str, str]:
    """The kind of each label that a detector can give; without those that are left out.

    Args:
        labels: of the detector.
        own: kinds by label, before the table; None leaves a label's spans out.
        detector: for messages.

    Raises:
        ParameterError: a label has no kind, ``own`` names one that the detector does not have, or a kind is no name.
    """
    own = own or {}
    known = {_plain(label): label for label in labels}
    chosen = {_plain(label): None if kind is None else checked_kind(kind) for label, kind in own.items()}
    if strange := sorted(label for label in own if _plain(label) not in known):
        raise ParameterError(
            f"labels must name what {detector} finds; got {', '.join(strange)}. It finds: "
            f"{', '.join(sorted(known.values())) or 'nothing'}."
        )
    kinds: dict[str, str] = {}
    unknown = []
    for plain, label in known.items():
        kind = chosen[plain] if plain in chosen else KINDS_OF_LABELS.get(plain)
        if kind is None and plain not in chosen:
            unknown.append(label)
        elif kind:
            kinds[label] = kind
    if unknown:
        raise ParameterError(
            f"labels must give a kind to everything that {detector} finds; got none for {', '.join(sorted(unknown))}. "
            "Name one, as in labels={'" + min(unknown) + "': 'id'}, or None to leave its spans in the text as they are."
        )
    return kinds
