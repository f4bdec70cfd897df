"""Short texts with ground truth: cells, fields, lines of chats and logs in fourteen languages, and mixed.

``everyday/short.txt`` holds the contexts, a section for each language: ``label> Name: {full}``. Values are of faker
40.54.0's lists for its countries (``pip install faker==40.54.0``), places and dates of the section. Of every four
persons one has names that no list has: the beginning of one name with the end of another, ``CROSSED``.
"""

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

CONTEXTS = Path(__file__).parent / "everyday/short.txt"
DRAWS = 8
ROWS = 8  # of a table, of which a quarter have names that no list has
SLOT = re.compile(r"\{(\w+)\}")
CELLS = ("full", "given", "family", "turned", "initials", "place", "street", "phone", "email", "date", "id", "org")
NAMES = range(11, 14)  # among the neutral texts, what heads columns of names
EASTERN = ("zh", "ja", "ko")  # the family name comes first, without a space
COUNTRY = re.compile(r"\+[0-9]{1,3}")


class Value(NamedTuple):
    """A value that must go, of a kind, and whether no list holds it."""

    start: int
    end: int
    kind: str
    crossed: bool


class Short(NamedTuple):
    """A short text; without values it is neutral and must stay. ``away``: it is of the half that nobody mends by."""

    language: str
    context: str
    away: bool
    text: str
    values: tuple[Value, ...] = ()


class _Drawn:
    """Values of one language."""

    def __init__(self, language: str, locale: str, lists: dict[str, list[str]], source: random.Random) -> None:
        from faker import Faker

        self._faker: Any = Faker(locale)
        self._faker.seed_instance(source.randrange(1 << 30))
        self._language, self._lists, self._source = language, lists, source

    def value(self, kind: str, crossed: bool) -> str:
        if kind in ("place", "street", "date") and (written := self._lists.get(f"{kind}s")):
            chosen = self._source.choice(written)
            day = date(1950, 1, 1) + timedelta(self._source.randrange(27_000))
            return day.strftime(chosen) if kind == "date" else chosen
        if kind == "id":
            form = self._source.choice(("??-######", "########", "?####-####"))
            return str(self._faker.bothify(form, letters="ABDEHKLMNPRTX"))
        if kind in ("street", "phone", "email", "org"):
            named = {"street": "street_address", "phone": "phone_number", "org": "company"}.get(kind, kind)
            written_as = getattr(self._faker, named)()
            return str(written_as).replace("\n", ", ").partition("x")[0].strip() if kind == "phone" else written_as
        given, family = self._name("first_name", crossed), self._name("last_name", crossed)
        if kind in ("given", "family"):
            return given if kind == "given" else family
        if self._language in EASTERN:
            return family + given
        turned = f"{family} {given}" if self._language == "ru" else f"{family}, {given}"
        return {"full": f"{given} {family}", "turned": turned, "initials": f"{given[0]}. {family}"}[kind]

    def _name(self, what: str, crossed: bool) -> str:
        name, other = (str(getattr(self._faker, what)()) for _ in range(2))
        if not crossed or self._language in EASTERN:
            return name
        return name[: (len(name) + 1) // 2] + other[len(other) // 2 :].lower()


def short_texts(seed: int) -> Iterator[Short]:
    """Yield texts: every context filled ``DRAWS`` times, cells of each kind, columns, and neutral ones."""
    for block in re.split(r"^=== ", CONTEXTS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().split("\n")
        language, *locales = head.split()
        source = random.Random(f"{seed} {language}")
        pairs = [(name, body) for name, _, body in (line.partition("> ") for line in lines)]
        lists = {name: body.split(" | ") for name, body in pairs if name in ("places", "streets", "dates", "neutral")}
        drawn = [_Drawn(language, locale, lists, source) for locale in locales]
        for number, text in enumerate(lists["neutral"]):
            yield Short(language, "neutral", number % 2 > 0, text)
        contexts = [(name, body) for name, body in pairs if name not in lists]
        cells = [("cell", f"{{{kind}}}") for kind in CELLS]
        for number, (name, body) in enumerate((*contexts, *cells)):
            for draw in range(DRAWS):
                values = source.choice(drawn)
                away = draw % 2 > 0 if name == "cell" else number % 2 > 0
                yield Short(language, name, away, *_filled(body, values, crossed=draw % 4 > 1 and draw > 3))
        for draw in range(DRAWS):
            mark, values = source.choice((",", ";", "\t", " | ")), source.choice(drawn)
            kind = source.choice(("full", "given", "family"))
            body = "".join(f"{number}{mark}{{{kind}}}{mark}{number % 3}\n" for number in range(1, ROWS + 1))
            yield Short(language, "column", draw % 2 > 0, *_filled(body, values, unlisted=ROWS // 4))
            words = source.sample([*lists["neutral"][: NAMES.start], *lists["neutral"][NAMES.stop :]], 2 * ROWS)
            rows = [f"{word}{mark}{other}\n" for word, other in zip(words[::2], words[1::2], strict=True)]
            yield Short(language, "neutral column", draw % 2 > 0, "".join(rows))


def _filled(body: str, drawn: _Drawn, *, crossed: bool = False, unlisted: int = 0) -> tuple[str, tuple[Value, ...]]:
    pieces = SLOT.split(body)
    text, values = pieces[0], []
    for number, (kind, after) in enumerate(zip(pieces[1::2], pieces[2::2], strict=True)):
        crossed = number < unlisted if unlisted else crossed
        value = drawn.value(kind, crossed)
        country = COUNTRY.match(value) if kind == "phone" else None  # it stays
        start = len(text) + (country.end() if country else 0)
        named = kind in ("full", "given", "family", "turned", "initials")
        values.append(Value(start, len(text) + len(value), kind, crossed and named))
        text += value + after
    return text, tuple(values)
