"""Names of months and weekdays in seven languages: how they are read, in full or cut short, and how they are written.

Cut names are read in every form that is common, and accents may be left out: a name that was not read would show which
it is among those that are (``mars``, ``mai`` and ``ao\u00fbt`` are never cut in French).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar M\u00e4rz April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier f\u00e9vrier mars avril mai juin juillet ao\u00fbt septembre octobre novembre d\u00e9cembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro mar\u00e7o abril maio junho julho agosto setembro outubro novembro dezembro",
}
"""Names of months by language."""

_WEEKDAYS: Final = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "es": "lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "it": "luned\u00ec marted\u00ec mercoled\u00ec gioved\u00ec venerd\u00ec sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda ter\u00e7a quarta quinta sexta s\u00e1bado domingo",
}
_SHORT: Final = {
    "en month": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de month": "Jan Feb M\u00e4r Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "es month": "ene feb mar abr may jun jul ago sep oct nov dic",
    "fr month": "janv f\u00e9vr mars avr mai juin juil ao\u00fbt sept oct nov d\u00e9c",
    "it month": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl month": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pt month": "jan fev mar abr mai jun jul ago set out nov dez",
    "en weekday": "Mon Tue Wed Thu Fri Sat Sun",
}
_OTHERS: Final = {
    "en": {"weds": ("en short weekday", 3)},
    "de": {
        "maerz": ("de month", 3),
        "mrz": ("de short month", 3),
        "janner": ("de month", 1),
        "sonnabend": ("de weekday", 6),
    },
    "es": {"setiembre": ("es month", 9), "set": ("es short month", 9)},
}
_SHORTEST: Final = 3
"""Letters of a name that is cut short."""


@cache
def names(language: str) -> dict[str, tuple[str, int]]:
    """The part of a date and the number, from 1, of every name, as ``read_as`` gives it.

    Parts are "en month" or, of names cut short, "en short month"; weekdays are cut short in English alone. A beginning
    of a name is that name where no other has it.
    """
    full = {
        kind: [read_as(name) for name in listed[language].split(" ")]
        for kind, listed in (("month", MONTHS), ("weekday", _WEEKDAYS))
    }
    every = full["month"] + full["weekday"]
    known: dict[str, tuple[str, int]] = {}
    for kind, listed in full.items():
        cut = _SHORT.get(f"{language} {kind}")
        if cut is not None:
            short = f"{language} short {kind}"
            for number, name in enumerate(listed, 1):
                for length in range(_SHORTEST, len(name)):
                    if sum(other.startswith(name[:length]) for other in every) == 1:
                        known[name[:length]] = (short, number)
            known |= {read_as(name): (short, number) for number, name in enumerate(cut.split(" "), 1)}
    for kind, listed in full.items():
        known |= {name: (f"{language} {kind}", number) for number, name in enumerate(listed, 1)}
    return known | _OTHERS.get(language, {})


def name_of(part: str, number: int) -> str:
    """The name of a month or a weekday, from 1, for a part of ``names``."""
    language, *short, kind = part.split(" ")
    listed = _SHORT[f"{language} {kind}"] if short else (MONTHS if kind == "month" else _WEEKDAYS)[language]
    return listed.split(" ")[number - 1]


def read_as(name: str) -> str:
    """In small letters and without accents."""
    letters = unicodedata.normalize("NFD", name.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
