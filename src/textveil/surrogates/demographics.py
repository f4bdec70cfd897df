"""Nationalities, religions, occupations and what else singles people out: another entry of the same public class."""

import re
import unicodedata
from functools import cache
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.detection.demographic_lists import (
    ADJECTIVE,
    OCCUPATION,
    SINGULAR,
    Form,
    attribute_of,
    demographics,
    words_of,
)
from textveil.registry.options import Option
from textveil.surrogates.drawn import Drawn, agreed, proved, pseudonym
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.places import COUNTRIES, PLACE
from textveil.surrogates.pools import COUNTRY, places
from textveil.surrogates.scopes import Scope, beside
from textveil.surrogates.writing import begins_with_vowel, in_case_of, key_of, without_possessive
from textveil.text.patterns import lazy_regex

_TAIL: Final = lazy_regex(r"\s(?:nationals?|citizens?)\Z", re.IGNORECASE)
_PARENT: Final = lazy_regex(
    r"\A(?:[a-z]+\s){0,2}[a-z]+?(?P<several>s)?\s(?:of|to)\s(?P<count>[0-9]+|[a-z]+)\b.*", re.IGNORECASE
)
_WITH: Final = lazy_regex(r"\A[A-Za-z]+\swith\s(?P<count>[0-9]+|[a-z]+)\b.*", re.IGNORECASE)
_COUNT: Final = lazy_regex(
    r"\A(?P<count>[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|several)\s.*", re.IGNORECASE
)
_FEW: Final = ("two", "three", "four", "five", "six")
_STATES: Final = ("divorced", "married", "separated", "widowed")
_LEAST: Final = 2  # a pool of fewer entries with the right article is not used: the article would tell the value
_GENERALIZE = Option(help="Write the class in brackets, such as [nationality], in place of a draw.")


class _Read(NamedTuple):
    """A value as far as it is public, and its private part."""

    label: str  # the class, the use and the first sound: what a draw is made under
    group: str
    entries: tuple[str, ...]
    bare: str
    ending: str  # "national" or "citizens" behind a nationality, and the possessive


@declared(
    summary="Another nationality, religion, occupation or family status: an entry of the same public list.",
    kinds=("demographic",),
    proof=PSEUDONYMS,
)
def demographic(*, generalize: Annotated[bool, _GENERALIZE] = False) -> Drawn:
    """A pseudonym from the public list that the value stands in, with the same first sound, so that "an" stays right.

    What stands in no list becomes an occupation if it begins with a small letter, else a nationality. ``generalize``
    writes the class: nothing else is told, not even which values are equal.
    """
    public = (
        "its class (nationality, ethnicity, religion, occupation, family status, ...), or that it is in no public list",
        "whether it is widow or widower",
        "whether it is a noun, an adjective, both or a plural, and whether it begins with a vowel, as an article shows",
        "of a word of another language than English, the language, class and gender of the list it stands in",
        "letter case, possessive, and 'national' or 'citizen' behind a nationality",
        "whether it counts children, and if so by digits or in words, and whether one or several",
    )
    parameters = {"generalize": generalize}
    if generalize:
        return Drawn(
            name="demographic",
            parameters=parameters,
            guarantee=proved(0.0, PSEUDONYMS),
            public=public[:1],
            counts="mention",
            consistent=False,
            entries=1,
            surrogate_of=lambda value, scope, rng: f"[{_read(value).group}]",
        )

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        read = _read(value)
        if read.group == "nationality" and scope.remembers:
            adjective = _of_country(read, beside(scope, "place"), rng)
            if adjective:
                return _written(read.bare, adjective) + read.ending
        entry = read.entries[scope.place(read.label, key_of(read.bare), len(read.entries), rng)]
        return _written(read.bare, entry) + read.ending

    equality = (
        "which are equal, but for case, possessive and what follows a nationality, and which are adjectives of "
        "countries "
        "that the text names"
    )
    return pseudonym("demographic", public, surrogate_of, None, parameters, equality=equality, read=_key)


def _of_country(read: _Read, scope: Scope, rng: np.random.Generator) -> str:
    """Return the adjective of a country that is drawn, the same as that of the country's name in the text.

    Empty if the name was drawn first, and its adjective does not stand in the pool: it has another first sound.
    """
    countries = places().countries
    key = key_of(read.bare)
    fitting = _countries(read.entries)
    if not fitting:
        return ""
    country = agreed(
        scope,
        COUNTRIES,
        countries.get(key, f"of {key}"),
        rng,
        lambda rng: fitting[rng.integers(len(fitting))],
        distinct=True,
        taken_of=PLACE,
    )
    adjective = places().adjective_of.get(key_of(country), "")
    return adjective if adjective in read.entries else ""


@cache
def _countries(adjectives: tuple[str, ...]) -> tuple[str, ...]:
    known = frozenset(adjectives)
    return tuple(name for name in places().pools[COUNTRY] if places().adjective_of[key_of(name)] in known)


def _key(value: str) -> str:
    read = _read(value)
    return f"{read.label}: {key_of(read.bare)}"


def _read(value: str) -> _Read:
    bare, ending = without_possessive(unicodedata.normalize("NFC", value))
    tail = _TAIL.search(bare)
    if tail is not None and _form(bare[: tail.start()]).group == "nationality":
        bare, ending = bare[: tail.start()], tail[0] + ending
    if (attribute := attribute_of(bare)) is not None:
        row, group, entries = attribute
        return _Read(f"demographic, {row}", group, entries, bare, ending)
    form = _form(bare)
    vowel = begins_with_vowel(bare)
    group, label = "religion" if form.group == "faith" else form.group, f"demographic, {form.group} {form.use}"
    if not group:
        form = Form(OCCUPATION, SINGULAR) if bare[:1].islower() else Form("nationality", ADJECTIVE)
        group, label = "demographic", f"demographic, unlisted {form.group}"
    sound, entries = "a vowel" if vowel else "a consonant", _entries(form, vowel)
    if (other := _OPPOSITE.get(key_of(bare))) is not None:
        label, entries = f"{label} not {other}", tuple(entry for entry in entries if entry != other)
    return _Read(f"{label} with {sound}", group, entries, bare, ending)


_OPPOSITE: Final = {"widow": "widower", "widower": "widow"}
"""Entries that are never said of a woman, or of a man."""


def _form(bare: str) -> Form:
    """Return what a value is by the public lists; no class if it stands in none."""
    words = words_of(bare)
    lists = demographics()
    if words in lists.forms:
        return lists.forms[words]
    if counted := _counted(bare):
        return Form("family", counted)
    ends = (entry for entry in lists.endings.get(words[-1], ()) if words[-len(entry) :] == entry) if words else ()
    forms = (lists.forms[entry] for entry in ends)
    return next((form for form in forms if form.group == OCCUPATION), Form("", ""))


def _counted(bare: str) -> str:
    for name, pattern in (("with", _WITH), ("parent", _PARENT), ("children", _COUNT)):
        if (match := pattern.fullmatch(bare)) is not None:
            written = "digits" if match["count"].isdigit() else "words"
            several = name == "parent" and match["several"] is not None
            single = name == "children" and match["count"].lower() in ("1", "one")
            return f"{name}{'s' if several else ''}, {'one' if single else written}"
    return ""


@cache
def _entries(form: Form, vowel: bool) -> tuple[str, ...]:
    """Return what is drawn from for a form and a first sound; all of the form if too few have the sound."""
    pool = _family(form.use) if "," in form.use else _pool(form)
    fitting = tuple(entry for entry in pool if begins_with_vowel(entry) == vowel)
    return fitting if len(fitting) >= _LEAST else pool


def _pool(form: Form) -> tuple[str, ...]:
    """Return the pool of a form; that of a neighboring group if its own has nothing that is drawn ("homemaker")."""
    pools = demographics().pools
    group = OCCUPATION if form.use in (SINGULAR, "plural") else "nationality"
    return pools[form] if form in pools else pools[Form(group, form.use)]


def _family(use: str) -> tuple[str, ...]:
    name, _, written = use.partition(", ")
    counts = tuple(map(str, range(2, 2 + len(_FEW)))) if written == "digits" else _FEW
    if written == "one":
        return ("one child", "one daughter", "one son")
    if name == "with":
        return tuple(f"{state} with {count} children" for state in _STATES for count in counts)
    return tuple(f"{count} children" if name == "children" else f"{name} of {count}" for count in counts)


def _written(model: str, entry: str) -> str:
    """Return an entry in the letter case of a value: its own capitals stay if the value has one in front."""
    if model[:1].isupper() and not model.isupper():
        return entry[:1].upper() + entry[1:]
    return in_case_of(model, entry)
