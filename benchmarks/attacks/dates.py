"""Finds the date or time of a scope that is not written as the others are, by its release.

    python benchmarks/attacks/dates.py [--scopes 200] [--seed 1]

Each scope holds five usual values and one odd one: May among months that are cut short, the first of a French month, a
weekend in Portuguese, an hour of one digit. The attacker takes the release whose shape is the rarest of its scope, and
is right by chance in one of six. Exits 1 where it is right more often than that, at 1e-6 for all cases together.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np

from textveil.statistics import clopper_pearson
from textveil.surrogates.calendars import MONTHS
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

USUAL = 5
ALPHA = 1e-6
DAYS = [date(2023, 1, 1) + timedelta(days=days) for days in range(365)]
FULL = {name.lower() for names in MONTHS.values() for name in names.split(" ")}
SHORT = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "en, full stops": "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sept. Oct. Nov. Dec.",
    "en, five letters stay": "Jan. Feb. March April May June July Aug. Sept. Oct. Nov. Dec.",
    "de": "Jan Feb M\u00e4r Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv. f\u00e9vr. mars avr. mai juin juil. ao\u00fbt sept. oct. nov. d\u00e9c.",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}
NEVER_CUT = {"en, five letters stay": (3, 4, 5, 6, 7), "fr": (3, 5, 6, 8)}
WEEK = ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"]


class Case(NamedTuple):
    """Values of a scope: the attacker looks for the odd one."""

    name: str
    surrogate: str
    options: dict[str, Any]
    usual: list[str]
    odd: list[str]


def cases() -> list[Case]:
    """All that are tried."""
    found = []

    def add(name: str, surrogate: str, language: str, texts: Iterable[tuple[str, bool]]) -> None:
        usual, odd = (sorted({text for text, is_odd in texts if is_odd == wanted}) for wanted in (False, True))
        found.append(Case(name, surrogate, {"language": language} if language else {}, usual, odd))

    for surrogate in ("date-window", "date-shift"):
        for name, names in SHORT.items():
            months, year = names.split(" "), " 2023" if name.startswith("en") else ""
            never = NEVER_CUT.get(name, (5,))
            texts = [(f"{day.day} {months[day.month - 1]}{year}", day.month in never) for day in DAYS]
            add(f"a month that is not cut ({name})", surrogate, name[:2], texts)
        french = [(day, MONTHS["fr"].split(" ")[day.month - 1]) for day in DAYS]
        texts = [(f"{'1er' if day.day == 1 else day.day} {month}", day.day == 1) for day, month in french]
        add("the first of a month (fr)", surrogate, "fr", texts)
        texts = [
            (f"{WEEK[day.weekday()]}, {day.day} de maio de 2023", day.weekday() > 4) for day in DAYS if day.month == 5
        ]
        add("a weekend (pt)", surrogate, "pt", texts)
    clock = [(f"{hour}{minute:02d}h", hour < 10) for hour in range(24) for minute in range(60)]
    add("an hour of one digit", "time", "", clock)
    return found


def shape(text: str) -> str:
    """Numbers, names in full and names cut short; May may be either, and counts as in full."""
    words = re.sub(r"[^\W\d_]+", lambda word: "full" if word[0].lower() in FULL else "cut", text)
    return re.sub(r"[0-9]+", "9", words)


def right(case: Case, scopes: int, rng: np.random.Generator) -> int:
    """In how many scopes the attacker finds the odd value."""
    surrogate = make_surrogate(case.surrogate, 1.0 if case.surrogate == "date-shift" else 0.0, case.options)
    found = 0
    for _ in range(scopes):
        values = [*rng.choice(case.usual, USUAL, replace=False), str(rng.choice(case.odd))]
        places = rng.permutation(USUAL + 1).tolist()
        drawn = surrogate.draw([Mention(str(values[place])) for place in places], MemoryScope(), rng)
        shapes = Counter(map(shape, drawn))
        rare = [place for place, text in zip(places, drawn, strict=True) if shapes[shape(text)] == min(shapes.values())]
        found += rng.choice(rare) == USUAL
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scopes", type=int, default=200, help="of each case")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(given.seed)
    every, succeeds = cases(), False
    for case in every:
        found = right(case, given.scopes, rng)
        above = clopper_pearson(found, given.scopes, 1 - ALPHA / len(every)).lower > 1 / (USUAL + 1)
        succeeds |= above
        print(f"{case.surrogate}, {case.name}: {found} of {given.scopes} found{', above chance' if above else ''}")
    return int(succeeds)


if __name__ == "__main__":
    sys.exit(main())
