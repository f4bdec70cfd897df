"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final, final

from textveil.detection import ages, dates, identifiers, money, technical
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

HIGHEST_SCORES: Final = MappingProxyType(
    {
        **dict.fromkeys(KINDS, 0.95),
        **dict.fromkeys(("person", "place", "organization", "time"), 0.8),
        **dict.fromkeys(("date", "age", "phone", "money"), 0.9),
    }
)
"""The highest score that spans of a kind have: a policy that asks for a higher one would find none of them."""


@final
class EmbeddedDetector:
    """Finds every kind of span but ``number`` in English text, in linear time.

    A search sees what the ones before it left. What decides is stated in docs/detection.md.

    Args:
        regions: whose telephone numbers are known without a country code: ISO 3166 codes.
    """

    def __init__(self, regions: Sequence[str] = REGIONS) -> None:
        self.name = NAME
        self.highest_scores = HIGHEST_SCORES
        self._regions = tuple(regions)
        self.kinds = tuple(kind for kind in KINDS if kind != "number")
        self._searches: tuple[tuple[Search, Gate], ...] = (
            (technical.find_early, technical.early_gate),
            (find_addresses, anywhere),
            (find_domains, anywhere),
            (find_ip_addresses, IP_GATE),
            (identifiers.find_ibans, identifiers.IBAN_GATE),
            (dates.find_dates, dates.DATE_GATE),
            (dates.find_named_dates, dates.NAMED_DATE_GATE),
            (dates.find_times, dates.TIME_GATE),
            (identifiers.find_cards, identifiers.CARD_GATE),
            (identifiers.find_fixed_forms, identifiers.FIXED_GATE),
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
            (technical.find_homes, technical.HOME_GATE),
            (technical.find_code, technical.code_gate),
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
        found = sorted(one for one in found if one.kind != technical.CODE)
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
