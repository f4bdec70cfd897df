"""Values to plant, drawn anew for each trial and of no real person; and how to find them in received text."""

import base64
import binascii
import contextlib
import gzip
import html
import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Planted:
    """A value with its tell-tale parts: any one of ``telling`` in clear is a leak."""

    kind: str
    text: str

    @property
    def telling(self) -> tuple[str, ...]:
        if self.kind == "email":
            return (self.text.partition("@")[0],)
        if self.kind == "phone":
            return (re.sub(r"\D", "", self.text)[-7:],)
        return (self.text,)


def _digits(draw: random.Random, count: int) -> str:
    return "".join(draw.choice("0123456789") for _ in range(count))


def _person(draw: random.Random, language: str = "en") -> str:
    first, last = NAMES[language]
    return f"{draw.choice(first.split())} {draw.choice(last.split())}"


def _email(draw: random.Random) -> str:
    first, last = _person(draw).lower().split()
    host = "".join(draw.choice(("ba", "lo", "mer", "tin", "vel", "sor", "kan", "dri")) for _ in range(3))
    return f"{first}.{last}{_digits(draw, 4)}@{host}.com"


def _phone(draw: random.Random) -> str:
    area, first, last = draw.choice(("212", "415", "617", "312")), f"{draw.randint(220, 989)}", _digits(draw, 4)
    return draw.choice((f"+1 {area}-{first}-{last}", f"({area}) {first}-{last}", f"{area}-{first}-{last}"))


def _card(draw: random.Random) -> str:
    body = "4" + _digits(draw, 14)
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(body)]
    check = -sum(number // 10 + number % 10 for number in doubled) % 10
    whole = f"{body}{check}"
    return draw.choice((whole, " ".join(whole[at : at + 4] for at in range(0, 16, 4))))


def _iban(draw: random.Random) -> str:
    account = _digits(draw, 18)
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


def _ssn(draw: random.Random) -> str:
    return f"{draw.randint(101, 665)}-{draw.randint(11, 98)}-{draw.randint(1001, 9998)}"


def _token(draw: random.Random) -> str:
    return "ghp_" + "".join(
        draw.choice("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789") for _ in range(36)
    )


KINDS: Final[dict[str, tuple[Callable[[random.Random], str], str]]] = {
    "person": (_person, "Please call {} about the invoice."),
    "email": (_email, "Please write to {} today."),
    "phone": (_phone, "Please call me at the phone number {} today."),
    "card": (_card, "My credit card number is {} and it expires soon."),
    "iban": (_iban, "Please pay to my bank account, IBAN {}, today."),
    "ssn": (_ssn, "My social security number is {} as you asked."),
    "token": (_token, "My GitHub token is {} and it does not work."),
}
"""Each kind: a function that draws it, and a plain English sentence that says what it is."""

NAMES: Final = {
    "en": ("James Mary Robert Patricia Michael Linda David Susan Thomas Karen Daniel Nancy Matthew Betty Anthony Sandra "
           "Steven Ashley Andrew Emily Kenneth Donna Joshua Carol",
           "Johnson Williams Thompson Anderson Robinson Mitchell Campbell Roberts Phillips Sullivan Henderson Patterson "
           "Richardson Peterson Ramirez Sanders Jenkins Coleman Simmons Foster Gonzales Griffin Hamilton Wallace"),
    "de": ("Hans Ursula Jürgen Monika Stefan Sabine Wolfgang Petra", "Müller Schneider Fischer Schäfer Hoffmann Krüger"),
    "fr": ("Jean Marie François Nathalie Philippe Sylvie Hélène", "Martin Dubois Lefèvre Moreau Rousseau Fournier"),
    "es": ("José María Carmen Antonio Dolores Javier Lucía", "García Fernández Rodríguez Martínez Sánchez Jiménez"),
    "it": ("Giuseppe Francesca Alessandro Giulia Matteo Chiara", "Rossi Esposito Bianchi Colombo Ricci Marino"),
    "nl": ("Johannes Annelies Pieter Marieke Willem Saskia", "Jansen Bakker Visser Mulder Hendriks Dekker"),
    "pl": ("Andrzej Agnieszka Krzysztof Małgorzata Tomasz", "Kowalski Wiśniewski Wójcik Kamiński Lewandowski"),
    "pt": ("João Mariana Pedro Beatriz Gonçalo Inês", "Silva Santos Oliveira Ferreira Pereira Carvalho"),
    "tr": ("Mehmet Ayşe Mustafa Zeynep Hüseyin Elif", "Yılmaz Demir Şahin Çelik Yıldırım Öztürk"),
    "ru": ("Иван Ольга Дмитрий Наталья Сергей Елена", "Иванов Смирнов Кузнецов Попов Соколов Морозов"),
}  # fmt: skip
"""Common first and family names by language."""

LANGUAGES: Final = {
    "en": "Please write to {} about the invoice.",
    "de": "Bitte schreiben Sie wegen der Rechnung an {}.",
    "fr": "Veuillez écrire à {} au sujet de la facture.",
    "es": "Por favor, escriba a {} sobre la factura.",
    "it": "Per favore, scriva a {} riguardo alla fattura.",
    "nl": "Schrijf alstublieft naar {} over de factuur.",
    "pl": "Proszę napisać do {} w sprawie faktury.",
    "pt": "Por favor, escreva para {} sobre a fatura.",
    "tr": "Lütfen fatura hakkında {} ile yazışın.",
    "ru": "Пожалуйста, напишите {} о счёте.",
}


def drawn(kind: str, draw: random.Random, language: str = "en") -> Planted:
    """Return a new value of a kind."""
    text = _person(draw, language) if kind == "person" else KINDS[kind][0](draw)
    return Planted(kind, text)


def another(value: Planted, draw: random.Random) -> Planted:
    """Return a different value of the same kind."""
    while (other := drawn(value.kind, draw)).text == value.text:
        pass
    return other


_LOOKALIKES: Final = str.maketrans("аеорсухіАЕОРСУХІ", "aeopcyxiAEOPCYXI")


def bare(text: str) -> str:
    """Return only the letters and digits: no case, accents, widths, spaces or invisible signs."""
    spread = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    return "".join(letter for letter in spread.casefold() if letter.isalnum())


def readings(received: bytes) -> Iterator[str]:
    """Yield all ways in which a provider may read the bytes: as they are, as JSON, without escapes, out of base64."""
    head, _, body = received.partition(b"\r\n\r\n")
    if body[:2] == b"\x1f\x8b":
        with contextlib.suppress(OSError, EOFError):
            received = head + b"\r\n\r\n" + gzip.decompress(body)
    text = received.decode("utf-8", "replace")
    yield text
    parts = [text, *_strings(text)]
    for part in parts:
        for reading in _unescaped(part):
            if reading != text:
                yield reading


def _strings(text: str) -> Iterator[str]:
    head, _, body = text.partition("\r\n\r\n")
    try:
        data = json.loads((body or head).lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return
    waiting: list[Any] = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            yield one
            if one.startswith(("[", "{")) and len(one) < 100_000:
                yield from _strings(one)


def _unescaped(text: str) -> Iterator[str]:
    yield text
    if len(text) > 200_000:  # planted values stand in clear there
        return
    yield unquote(text)
    yield html.unescape(text)
    yield re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    yield re.sub(r"=([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)
    for run in re.findall(r"[A-Za-z0-9+/_-]{12,}={0,2}", text):
        try:
            yield base64.b64decode(run.replace("-", "+").replace("_", "/") + "===").decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
    for run in re.findall(r"(?:[0-9a-f]{2}){6,}", text):
        yield bytes.fromhex(run).decode("utf-8", "replace")


def stands(needles: Iterable[str], received: Iterable[bytes]) -> bool:
    """Tell whether a provider who reads the received requests finds each of these in them."""
    wanted = {bare(needle) for needle in needles}
    for request in received:
        for reading in readings(request):
            squeezed = bare(reading)
            wanted = {needle for needle in wanted if needle not in squeezed}
            if not wanted:
                return True
    return False
