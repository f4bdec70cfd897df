"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, final

from textveil.detection import ages, dates, identifiers, money
from textveil.detection.addresses import find_addresses, find_domains, find_ip_addresses
from textveil.detection.base import DetectedSpan
from textveil.detection.found import Search, searched
from textveil.detection.kinds import KINDS
from textveil.detection.names import find_names
from textveil.detection.phones import REGIONS, phone_search
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
        self._searches: tuple[tuple[Search, bool], ...] = (
            (find_addresses, False),
            (find_domains, False),
            (find_ip_addresses, False),
            (identifiers.find_ibans, True),
            (dates.find_dates, True),
            (dates.find_named_dates, False),
            (dates.find_times, True),
            (identifiers.find_cards, True),
            (identifiers.find_fixed_forms, True),
            (money.find_signed_money, True),
            (money.find_named_money, True),
            (ages.find_ages, False),
            *((search, True) for search in STREET_SEARCHES),
            (phone_search(self._regions), True),
            (identifiers.find_spaced_ssns, True),
            (identifiers.find_named_ids, True),
            (ages.find_ages_after_words, False),
            (ages.find_decades_of_age, False),
            (ages.find_ages_after_names, True),
            (ages.find_coded_ages, True),
            (dates.find_years, True),
            (dates.find_days, False),
            (dates.find_months, False),
            (money.find_spoken_money, False),
            (find_states, False),
            (find_names, False),
            (find_small_names, False),
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
        return [DetectedSpan(*read.original(one.start, one.end), one.kind, one.score, NAME) for one in found]


@lru_cache(maxsize=8)
def embedded_detector(regions: tuple[str, ...] = REGIONS) -> EmbeddedDetector:
    """The embedded detector; one object for equal regions."""
    return EmbeddedDetector(regions)
