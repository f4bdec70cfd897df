"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

from textveil.detection import ages, coordinates, credentials, dates, identifiers, money, national_ids, secrets, wallets
from textveil.detection.addresses import IP_GATE, find_addresses, find_domains, find_ip_addresses
from textveil.detection.base import DetectedSpan
from textveil.detection.combined import covering
from textveil.detection.found import Search, searched
from textveil.detection.gates import Gate, anywhere
from textveil.detection.kinds import KINDS
from textveil.detection.names import find_names
from textveil.detection.phones import PHONE_GATE, REGIONS, phone_search
from textveil.detection.plain import plain
from textveil.detection.small_names import find_small_names
from textveil.detection.streets import STREET_SEARCHES, find_states

NAME: Final = "embedded"


@final
class EmbeddedDetector:
    """Finds every kind of span but ``number`` in English text, in linear time.

    A search sees what the ones before it left. What decides is stated in docs/detection.md.

    Args:
        regions: whose telephone numbers are known without a country code: ISO 3166 codes.
    """

    def __init__(self, regions: Sequence[str] = REGIONS) -> None:
        self.name = NAME
        self._regions = tuple(regions)
        self.kinds = tuple(kind for kind in KINDS if kind != "number")
        self._searches: tuple[tuple[Search, Gate], ...] = (
            (secrets.find_private_keys, secrets.PEM_GATE),
            (secrets.find_tokens, secrets.token_gate),
            (credentials.find_users_of_urls, credentials.user_gate),
            (credentials.find_command_passwords, credentials.command_gate),
            (credentials.find_credentials, credentials.credential_gate),
            (credentials.find_seed_phrases, credentials.SEED_GATE),
            (find_addresses, anywhere),
            (find_domains, anywhere),
            (find_ip_addresses, IP_GATE),
            (wallets.find_wallets, wallets.WALLET_GATE),
            (coordinates.find_coordinates, coordinates.COORDINATE_GATE),
            (identifiers.find_ibans, identifiers.IBAN_GATE),
            (national_ids.find_forms, national_ids.FORM_GATE),
            (national_ids.find_labelled, national_ids.LABEL_GATE),
            (identifiers.find_case_numbers, identifiers.CASE_GATE),
            (identifiers.find_card_codes, identifiers.CARD_CODE_GATE),
            (identifiers.find_plates, identifiers.PLATE_GATE),
            (dates.find_dates, dates.DATE_GATE),
            (dates.find_named_dates, dates.NAMED_DATE_GATE),
            (dates.find_times, dates.TIME_GATE),
            (identifiers.find_cards, identifiers.CARD_GATE),
            (identifiers.find_fixed_forms, identifiers.FIXED_GATE),
            (identifiers.find_long_codes, identifiers.LONG_CODE_GATE),
            (money.find_signed_money, money.SIGNED_GATE),
            (money.find_named_money, money.NAMED_GATE),
            (ages.find_ages, anywhere),
            *STREET_SEARCHES,
            (phone_search(self._regions), PHONE_GATE),
            (identifiers.find_spaced_ssns, identifiers.SPACED_SSN_GATE),
            (identifiers.find_named_ids, identifiers.NAMED_GATE),
            (ages.find_ages_after_words, ages.AGED_GATE),
            (ages.find_decades_of_age, ages.DECADE_GATE),
            (ages.find_ages_after_names, ages.AFTER_NAME_GATE),
            (ages.find_coded_ages, ages.CODE_GATE),
            (dates.find_years, dates.YEAR_GATE),
            (dates.find_days, dates.DAY_GATE),
            (dates.find_months, dates.MONTH_GATE),
            (money.find_spoken_money, money.SPOKEN_GATE),
            (find_states, anywhere),
            (find_names, anywhere),
            (find_small_names, anywhere),
        )

    def __reduce__(self) -> tuple[type[EmbeddedDetector], tuple[tuple[str, ...]]]:
        return type(self), (self._regions,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [self._detected(text) for text in texts]

    def _detected(self, text: str) -> list[DetectedSpan]:
        read = plain(text)
        found, _ = searched(read.text, self._searches)
        found.sort()
        spans = [DetectedSpan(*read.original(one.start, one.end), one.kind, one.score, NAME, one.why) for one in found]
        # What a path of a URL may hold is nearly anything: also what covers an e-mail address that it runs into.
        met = any(after.start < before.end for before, after in pairwise(found))
        if read.places is not None:
            # An address may be one only by a mark or an invisible character that the plain form leaves out.
            written = [DetectedSpan(one.start, one.end, one.kind, one.score, NAME) for one in find_addresses(text)]
            if written:
                return covering(text, spans + written)
        return covering(text, spans) if met else spans


@lru_cache(maxsize=8)
def embedded_detector(*, regions: tuple[str, ...] = REGIONS) -> EmbeddedDetector:
    """The embedded detector; one object for equal regions."""
    return EmbeddedDetector(regions)
