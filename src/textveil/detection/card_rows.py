"""Payment cards: numbers by their check digit or by words of payment, with the expiry and the code in a row behind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import at_digits
from textveil.detection.national_ids import luhn
from textveil.detection.plain import without
from textveil.detection.readings import readings
from textveil.text.patterns import lazy_regex, matches

_NUMBER: Final = r"[0-9](?:[ -]?[0-9]){11,18}"
_CARD: Final = lazy_regex(rf"(?=[0-9])(?<![\w.,+-]){_NUMBER}(?![\w]|[.,][0-9])")
_USUAL: Final = lazy_regex(
    r"[2-6][0-9]{3}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{1,3})?|3[0-9]{3}([ -]?)[0-9]{6}\2[0-9]{4,5}"
    r"|[2-6][0-9]{12,18}"
)
"""How issuers write their cards. Beside other digits only such a number counts: of ten, one has a right check digit."""
_PAYMENT: Final = lazy_regex(
    r"(?i)\b(?:cards?|credit|debit|visa|mastercard|amex|american express|maestro|discover|diners|jcb|unionpay|cc|pan"
    r"|pay(?:s|ing|ments?)?|paid|charged?|iban|bank|acc(?:oun)?t"
    r"|[a-z]{0,16}karten?(?:nummern?|nr)?|konto(?:nummer|nr)?|girocard|zahl(?:ung|en|t)|bezahlt|uberweisung"
    r"|cartes?|bancaire|cb|compte|rib|paiement|payer|virement|tarjetas?|cuenta|pag[aoe]r?|credito|debito|carta|conto"
    r"|bancomat|pagamento|bonifico|[a-z]{0,16}kaart(?:nummer)?|pinpas|rekening(?:nummer)?|betal(?:ing|en)|betaald"
    r"|cartao|cartoes|conta|boleto)\b"
)
"""Words of payment in seven languages, in plain form."""
_BEFORE, _BEHIND = 40, 24

_GAP: Final = r"[\s,;:|/()\"'.-]{1,4}"
_HOLDER: Final = r"(?:[ ,;|]{1,3}[A-Z][A-Za-z.'-]{0,20}){0,3}"
_EXPIRES: Final = (
    r"(?:(?i:exp(?:iry|ires|iration)?(?: date)?|valid (?:thru|until|to)|good thru|gultig bis|ablauf(?:datum)?"
    r"|expire(?: fin)?|expiration|valable jusqu'au|vence|caduca(?:a|do)?|caducidad|scad(?:enza|e)|geldig tot"
    r"|validade|vencimento)[ .:=]{0,3})?"
)
_CODED: Final = (
    r"(?:(?i:cvv2?|cvc2?|cvn2?|csc|cid|(?:security |verification )?code|prufziffer|(?:karten)?prufnummer"
    r"|codigo(?: de seguridad| de seguranca)?|codice(?: di sicurezza)?|cryptogramme|beveiligingscode)[ .:=]{0,3})?"
)
_EXPIRY: Final = r"(?:0?[1-9]|1[0-2])(?: ?[/.|-] ?| )(?:20)?[0-9]{2}|(?:0[1-9]|1[0-2])(?:20)?[0-9]{2}"
_BEHIND_CARD: Final = lazy_regex(
    rf"{_HOLDER}{_GAP}{_EXPIRES}(?P<expiry>{_EXPIRY})(?![0-9])"
    rf"(?:{_GAP}{_CODED}(?P<code>[0-9]{{3,4}})(?![\w]|[.,/-][0-9]))?"
    rf"|{_GAP}{_CODED}(?P<alone>[0-9]{{3}})(?![\w]|[ .,/-][0-9])"
)
_MARKED: Final = lazy_regex(r"[/.|-]")
_DIGIT_BEHIND: Final = lazy_regex(r"[ -][0-9]")
_DIGIT_BEFORE: Final = lazy_regex(r"[0-9][ -]\Z")
_SCORE: Final = 0.6

CARD_GATE: Final = at_digits("[0-9](?:[ -]?[0-9]){4}|[0-9]{4}[._/:|,\n ]")

_PARTED: Final = lazy_regex(
    r"(?<![\w.,+-])[2-6][0-9]{3}(?P<mark>[._/:|,\n]|  | - )[0-9]{4}(?P=mark)[0-9]{4}(?P=mark)[0-9]{4}(?!\w)"
)
"""Cards in groups of four that other marks than a space and a hyphen part."""


def find_cards(text: str) -> Iterator[Found]:
    """Payment card numbers: 12 to 19 digits that pass Luhn's check, or stand beside a word of payment."""

    def card(start: int, end: int, whole: bool) -> Found | None:
        usual = _USUAL.fullmatch(text, start, end) is not None
        right = (usual or not _has_neighbor(text, start, end)) and is_card(text[start:end])
        return Found(start, end, "id", 0.9, "check") if right else None

    parted = [Found(*match.span(), "id", 0.9, "check") for match in matches(_PARTED, text) if is_card(match[0])]
    checked = _joined(sorted([*readings(_CARD, text, card, every=True), *parted]))
    yield from checked
    left = without(text, [(span.start, span.end) for span in checked])
    for match in matches(_CARD, left):
        if of_payment(text, *match.span()):
            yield Found(*match.span(), "id", _SCORE, "label")


def _joined(spans: Iterable[Found]) -> list[Found]:
    joined: list[Found] = []
    for span in spans:
        if joined and span.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def find_card_rows(text: str) -> Iterator[Found]:
    """A card with its expiry or its code behind it, or both: each of them is a span.

    The card passes Luhn's check, or a word of payment stands beside it, or the row is complete: a card in groups of
    four, a month and a year with a mark between, and a code.
    """

    def row(start: int, end: int, whole: bool) -> list[Found] | None:
        usual = _USUAL.fullmatch(text, start, end) is not None
        if not usual and _DIGIT_BEFORE.search(text, max(0, start - 2), start):
            return None
        behind = _BEHIND_CARD.match(text, end)
        if behind is None:
            return None
        marked = behind["expiry"] is not None and _MARKED.search(behind["expiry"]) is not None
        complete = usual and marked and behind["code"] is not None
        if not (complete or is_card(text[start:end]) or of_payment(text, start, end)) or not (usual or marked):
            return None
        parts = (behind.span(part) for part in ("expiry", "code", "alone") if behind[part] is not None)
        return [Found(*span, "id", 0.9, "check") for span in ((start, end), *parts)]

    reached = 0
    for spans in readings(_CARD, text, row):
        if spans[0].start >= reached:
            reached = spans[-1].end
            yield from spans


def _has_neighbor(text: str, start: int, end: int) -> bool:
    return (
        _DIGIT_BEHIND.match(text, end) is not None or _DIGIT_BEFORE.search(text, max(0, start - 2), start) is not None
    )


def is_card(number: str) -> bool:
    """Whether a number with marks between its digits passes Luhn's check."""
    digits = re.sub("[^0-9]", "", number)
    return len(set(digits)) > 1 and luhn(digits)


def of_payment(text: str, start: int, end: int) -> bool:
    """Whether a word of payment stands beside a number."""
    before = _PAYMENT.search(text, max(0, start - _BEFORE), start)
    return before is not None or _PAYMENT.search(text, end, min(len(text), end + _BEHIND)) is not None
