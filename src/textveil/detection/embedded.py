"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final, final

from textveil.detection import (
    ages,
    card_rows,
    coordinates,
    credentials,
    date_lists,
    dates,
    durations,
    identifiers,
    measurements,
    money,
    national_ids,
    people_in_records,
    person_fields,
    quantities,
    secrets,
    technical,
    wallets,
)
from textveil.detection.addresses import IP_GATE, find_addresses, find_domains, find_ip_addresses
from textveil.detection.combined import covering
from textveil.detection.demographics import DEMOGRAPHIC_GATE, WITNESS_GATE, find_demographics, find_witnesses
from textveil.detection.formal_names import FORMAL_GATE, find_formal_names
from textveil.detection.found import Found, Search, searched
from textveil.detection.gates import Gate, Together, anywhere, opened
from textveil.detection.institutions import ACRONYM_GATE, find_acronyms
from textveil.detection.kinds import KINDS
from textveil.detection.languages import language_of
from textveil.detection.mentions import with_enumerated, with_mentions
from textveil.detection.names import find_names
from textveil.detection.ordinary_words import LANGUAGES
from textveil.detection.other_languages import ORDINARY, searches_of
from textveil.detection.phones import PHONE_GATE, REGIONS, phone_search
from textveil.detection.plain import Plain, plain
from textveil.detection.small_names import SMALL_NAME_GATE, find_small_names
from textveil.detection.spans import DetectedSpan
from textveil.detection.streets import STATE_GATE, STREET_SEARCHES, find_states
from textveil.detection.tagger import tagged

NAME: Final = "embedded"

HIGHEST_SCORES: Final = MappingProxyType(
    {
        **dict.fromkeys(KINDS, 0.95),
        **dict.fromkeys(("person", "place", "organization", "time"), 0.8),
        **dict.fromkeys(("date", "age", "phone", "money"), 0.9),
    }
)
"""The highest score that spans of a kind have: a policy that asks for a higher one would find none of them."""

_TOGETHER: Final = 1 << 15
"""Characters of texts whose gates are asked together."""


@final
class EmbeddedDetector:
    """Finds every kind of span but ``number`` in English text, in linear time.

    A search sees what the ones before it left. What decides is stated in docs/detection.md.

    Args:
        regions: whose telephone numbers are known without a country code: ISO 3166 codes.
        tagger: whether the learned tagger judges the names that no rule has evidence for.
    """

    def __init__(self, regions: Sequence[str] = REGIONS, *, tagger: bool = True) -> None:
        self.name = NAME
        self.highest_scores = HIGHEST_SCORES
        self._regions = tuple(regions)
        self._tagger = tagger
        self.kinds = tuple(kind for kind in KINDS if kind != "number")
        self._searches: tuple[tuple[Search, Gate], ...] = (
            (secrets.find_private_keys, secrets.PEM_GATE),
            (credentials.find_users_of_urls, credentials.USER_GATE),
            (secrets.find_tokens, secrets.TOKEN_GATE),
            (credentials.find_command_passwords, credentials.COMMAND_GATE),
            (credentials.find_credentials, credentials.CREDENTIAL_GATE),
            (credentials.find_seed_phrases, credentials.SEED_GATE),
            (person_fields.find_people_in_fields, person_fields.PEOPLE_GATE),
            (find_formal_names, FORMAL_GATE),
            (people_in_records.find_people_in_tables, people_in_records.TABLE_GATE),
            (people_in_records.find_people_under_keys, people_in_records.KEY_GATE),
            (people_in_records.find_owners, people_in_records.OWNER_GATE),
            (technical.find_early, technical.EARLY_GATE),
            (find_addresses, anywhere),
            (find_domains, anywhere),
            (find_ip_addresses, IP_GATE),
            (wallets.find_wallets, wallets.WALLET_GATE),
            (coordinates.find_coordinates, coordinates.COORDINATE_GATE),
            (identifiers.find_ibans, identifiers.IBAN_GATE),
            (card_rows.find_card_rows, card_rows.CARD_GATE),
            (national_ids.find_forms, national_ids.FORM_GATE),
            (national_ids.find_labelled, national_ids.LABEL_GATE),
            (identifiers.find_case_numbers, identifiers.CASE_GATE),
            (identifiers.find_card_codes, identifiers.CARD_CODE_GATE),
            (identifiers.find_plates, identifiers.PLATE_GATE),
            (date_lists.find_ranges_in_digits, date_lists.DIGITS_GATE),
            (dates.find_dates, dates.DATE_GATE),
            (dates.find_coarse_dates, dates.COARSE_GATE),
            (date_lists.find_dates_of_languages, date_lists.OTHER_GATE),
            (dates.find_listed_days, dates.LISTED_GATE),
            (date_lists.find_dates_and_lists, dates.NAMED_DATE_GATE),
            (dates.find_times, dates.TIME_GATE),
            (card_rows.find_cards, card_rows.CARD_GATE),
            (measurements.find_births, measurements.BIRTHS_GATE),
            (identifiers.find_fixed_forms, identifiers.FIXED_GATE),
            (identifiers.find_long_codes, identifiers.LONG_CODE_GATE),
            (money.find_signed_money, money.SIGNED_GATE),
            (money.find_named_money, money.NAMED_GATE),
            (ages.find_ages, anywhere),
            (measurements.find_measurements, measurements.MEASUREMENT_GATE),
            (measurements.find_grades, measurements.GRADED_GATE),
            (measurements.find_coded_measurements, measurements.CODED_GATE),
            (quantities.find_named_numbers, quantities.NAMED_GATE),
            (identifiers.find_named_ids, identifiers.NAMED_GATE),
            *STREET_SEARCHES,
            (phone_search(self._regions), PHONE_GATE),
            (identifiers.find_spaced_ssns, identifiers.SPACED_SSN_GATE),
            (ages.find_ages_after_words, ages.AGED_GATE),
            (ages.find_decades_of_age, ages.DECADE_GATE),
            (ages.find_ages_after_names, ages.AFTER_NAME_GATE),
            (ages.find_coded_ages, ages.CODE_GATE),
            (date_lists.find_year_lists, date_lists.YEARS_GATE),
            (dates.find_years, dates.YEAR_GATE),
            (dates.find_days, dates.DAY_GATE),
            (dates.find_months, dates.NAMED_DATE_GATE),
            (money.find_spoken_money, money.SPOKEN_GATE),
            (find_witnesses, WITNESS_GATE),
            (find_demographics, DEMOGRAPHIC_GATE),
            (technical.find_homes, technical.HOME_GATE),
            (technical.find_code, technical.CODE_GATE),
            (durations.find_durations, durations.DURATION_GATE),
            (durations.find_fortnights, durations.FORTNIGHT_GATE),
            (durations.find_short_durations, durations.SHORT_GATE),
            (measurements.find_spoken_measurements, measurements.SPOKEN_GATE),
            (quantities.find_percentages, quantities.PERCENT_GATE),
            (quantities.find_ordinals, quantities.ORDINAL_GATE),
            (quantities.find_versions, quantities.VERSION_GATE),
            (quantities.find_sections, quantities.SECTION_GATE),
            (quantities.find_list_numbers, quantities.LIST_GATE),
            (quantities.find_shares, quantities.SHARE_GATE),
            (quantities.find_counts, quantities.COUNT_GATE),
            (find_states, STATE_GATE),
            (find_acronyms, ACRONYM_GATE),
            (find_names, anywhere),
            (find_small_names, SMALL_NAME_GATE),
        )

    def __reduce__(self) -> tuple[Callable[..., EmbeddedDetector], tuple[tuple[str, ...]]]:
        return partial(type(self), tagger=self._tagger), (self._regions,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        languages = [language_of(text) for text in texts]
        spans: list[list[DetectedSpan]] = [[] for _ in texts]
        for language in dict.fromkeys(languages):
            here = [number for number, of_text in enumerate(languages) if of_text == language]
            for group in _groups(here, texts):
                for number, detected in zip(
                    group, self._detected([texts[index] for index in group], language), strict=True
                ):
                    spans[number] = detected
        return spans

    def _searches_in(self, language: str) -> tuple[tuple[Search, Gate], ...]:
        """The searches for a document in this language."""
        if language not in LANGUAGES:
            return self._searches
        before, names = searches_of(language)
        street, name = self._searches.index(STREET_SEARCHES[0]), self._searches.index((find_names, anywhere))
        return (*self._searches[:street], *before, *self._searches[street:name], *names, (find_names, anywhere))

    def _detected(self, texts: Sequence[str], language: str) -> Iterator[list[DetectedSpan]]:
        """The spans of documents in one language."""
        readings = list(map(plain, texts))
        searches = self._searches_in(language)
        together = Together([read.text for read in readings])
        numbers = opened([gate for _, gate in searches], together)
        for text, read, seen, here in zip(texts, readings, together.seen, numbers, strict=True):
            yield self._judged(text, read, language, *searched(read.text, searches, seen, here))

    def _judged(self, text: str, read: Plain, language: str, candidates: list[Found], rest: str) -> list[DetectedSpan]:
        """The spans of a document, by what the searches found in its plain form and left of it."""
        candidates = sorted(span for span in candidates if span.kind not in (ORDINARY, technical.CODE))
        candidates = with_mentions(read.text, with_enumerated(read.text, candidates))
        if self._tagger and language not in LANGUAGES:
            candidates = with_mentions(read.text, tagged(read.text, rest, candidates))
        candidates = people_in_records.with_addressed(read.text, candidates)
        spans = [
            DetectedSpan(*read.original(span.start, span.end), span.kind, span.score, NAME, span.why)
            for span in candidates
        ]
        # What a path of a URL may hold is nearly anything: also what covers an e-mail address that it runs into.
        met = any(after.start < before.end for before, after in pairwise(candidates))
        if read.places is not None:
            # An address may be one only by a mark or an invisible character that the plain form leaves out.
            written = [DetectedSpan(span.start, span.end, span.kind, span.score, NAME) for span in find_addresses(text)]
            if written:
                return covering(text, spans + written)
        return covering(text, spans) if met else spans


def _groups(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    """Numbers of texts, of which a group holds one, or at most so many characters that it fits into a cache."""
    group: list[int] = []
    size = 0
    for number in numbers:
        size += len(texts[number])
        if group and size > _TOGETHER:
            yield group
            group, size = [], len(texts[number])
        group.append(number)
    if group:
        yield group


@lru_cache(maxsize=8)
def embedded_detector(*, regions: tuple[str, ...] = REGIONS) -> EmbeddedDetector:
    """The embedded detector; one object for equal regions."""
    return EmbeddedDetector(regions)
