"""Ages on a public range, by a staircase or Laplace noise; the staircase is that of times and amounts too.

A staircase raises the values near the true one by e^epsilon; all others weigh the same.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.numerics.discrete_noise import discrete_laplace
from textveil.numerics.integer_weights import TwoLevelWeights, exp_floor, two_level_weights
from textveil.registry.options import Option, at_least, named
from textveil.surrogates.drawn import AS_READ, UNREAD, Draw, Drawn, Together, agreed, proved
from textveil.surrogates.making import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.scopes import Scope
from textveil.surrogates.shown import agreed_on
from textveil.surrogates.surrogate import A_SPAN, Mention
from textveil.surrogates.writing import in_case_of
from textveil.text.patterns import lazy_regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """P(y | x) = e^epsilon / T for the ``width`` places around x, else 1 / T; T is the same for every x.

    So the loss is epsilon for any two places. At an end the row is that of the end; a circle goes on at its beginning.
    Proof: privacy/proofs/surrogates.md.
    """

    size: int
    weights: TwoLevelWeights | None  # the two integers that are drawn by; None is a uniform draw
    circle: bool = False

    @property
    def width(self) -> int:
        """Number of places that are raised; all of them in a uniform draw."""
        return self.size if self.weights is None else self.weights.members

    def first(self, place: int) -> int:
        """Return the first place of the window around ``place``; on a circle it may lie before 0."""
        begin = place - self.width // 2
        return begin if self.circle else min(max(begin, 0), self.size - self.width)

    def draw(self, place: int, rng: np.random.Generator) -> int:
        """Return a place for the one that is given, in [0, size)."""
        if self.weights is None:
            return int(rng.integers(self.size))
        uniform, member = self.weights.draw(1, rng)
        return int(uniform[0]) if uniform[0] >= 0 else (self.first(place) + int(member[0])) % self.size

    def probabilities(self, place: int) -> list[Fraction]:
        """P(y | place) for every y, exactly."""
        if self.weights is None:
            return [Fraction(1, self.size)] * self.size
        raised = {(self.first(place) + member) % self.size for member in range(self.width)}
        total, large, small = self.weights.total, self.weights.inside, self.weights.outside
        return [Fraction(large if other in raised else small, total) for other in range(self.size)]


@lru_cache(maxsize=256)
def window(*, size: int, epsilon: float, width: int | None = None, circle: bool = False) -> Window:
    """Return the staircase of ``size`` places at ``epsilon`` nats for any two; ``width`` None is nearest on average."""
    need(size >= 2, "size", size, "at least 2")
    if epsilon == 0:
        return Window(size=size, weights=None, circle=circle)
    members = best_width(size, epsilon, circle=circle) if width is None else width
    need(1 <= members <= size, "width", members, f"between 1 and {size}")
    return Window(size=size, weights=two_level_weights(size=size, members=members, epsilon=epsilon), circle=circle)


def best_width(size: int, epsilon: float, *, circle: bool = False) -> int:
    """The odd width of least mean distance between a place and its draw, for a uniform place away from the ends."""
    gain = exp_floor(min(epsilon, 40.0), 1 << 20) - (1 << 20)
    far = (3 * size * size if circle else 4 * (size * size - 1)) << 20  # 12 * size times the mean distance of far ones
    least, best = (1, 0), 0  # a mean distance as a fraction, and the half width that it is of
    for half in range((size + 1) // 2):
        above, below = 12 * gain * half * (half + 1) + far, gain * (2 * half + 1) + (size << 20)
        if above * least[1] < least[0] * below or not half:
            least, best = (above, below), half
    return 2 * best + 1


def width_option(units: str, metavar: str) -> Option:
    """Return the option that sets the width of a staircase."""
    return Option(
        domain=at_least(1),
        help=f"How many {units} around the true one are raised.",
        metavar=metavar,
        unset="the one of least mean error at epsilon",
    )


def check_width(width: int | None, epsilon: float, size: int, wanted: str) -> None:
    """Raise ParameterError if a staircase at this epsilon has no such width."""
    need(epsilon > 0 or width is None, "epsilon", epsilon, "> 0 with `width`", "Leave `width` out for uniform draws.")
    need(width is None or width <= size, "width", width, wanted)


_ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS: Final = (
    *_ONES,
    *(ten + (f"-{unit_word}" if unit_word != "zero" else "") for ten in _TENS for unit_word in _ONES[:10]),
)
"""Numbers from 0 to 99, in words."""

NUMBERS: Final = {word: number for number, word in enumerate(WORDS)}
"""The same, by word."""
_AGE: Final = lazy_regex(
    r"(?P<before>age[ds]?:?\s{1,3}|age of\s{1,3})?"
    r"(?:(?P<digits>[0-9]{1,3})(?:\.[0-9]|[ -][1-9]/[1-9])?(?P<decade>s)?"
    r"|(?P<word>[a-z]+(?:[ -](?!months?|mos?\b|weeks?|days?)[a-z]+)?)(?: and (?:a )?half)?)"
    r"(?:(?P<gap>[ -]?)(?P<unit>year|yr|y|month|mo|week|wk|day)(?P<many>s?)(?P<old>[ -]?old|/o|\.?o\.?|))?",
    re.IGNORECASE,
)
_TAIL: Final = lazy_regex(r"(?P<gap>[\s-])(?P<unit>a\u00f1os?|anos?|ans?|ann[io]|jaar|jahre?n?|lata?)\Z", re.IGNORECASE)
_PLURAL: Final = {"a\u00f1o": "a\u00f1os", "ano": "anos", "an": "ans", "anno": "anni", "jahr": "Jahre", "lata": "lat"}
"""Units whose form would tell that the age is one, or ends in two to four."""
_ONE: Final = {
    "a\u00f1os": "a\u00f1o",
    "anos": "ano",
    "ans": "an",
    "anni": "anno",
    "Jahre": "Jahr",
    "jahre": "jahr",
    "lat": "rok",
}
"""Their form behind a drawn one."""
ADULT: Final = 18  # years from which on an age is not a child's
_LAST: Final = {"d": 30, "w": 52, "m": 24}  # the highest age in days, weeks and months
_LOWEST = Option(domain=at_least(0), help="The lowest age; lower ones count as it.", metavar="YEARS")
_HIGHEST = Option(domain=at_least(1), help="The highest age; higher ones count as it.", metavar="YEARS")
_AGE_WIDTH = width_option("ages", "YEARS")
_LAW = Option(
    domain=named("staircase", "laplace"),
    help="staircase: ages around the true one are raised by e^epsilon; laplace: discrete Laplace noise, clamped.",
    metavar="NAME",
)
_GROUP = Option(
    domain=named("hidden", "kept"),
    help="kept: who is below 18 stays below, others stay above. This is public, at any epsilon.",
    metavar="NAME",
)
_TOP = Option(
    domain=at_least(1),
    help="Ages from this one on become one group: 90 writes 90+, as HIPAA's Safe Harbor does.",
    metavar="YEARS",
    unset="none",
)


class _Read(NamedTuple):
    """An age as it is written: the number, the unit's first letter, and the match; no match if it cannot be read."""

    number: int
    unit: str
    match: re.Match[str] | None


@declared(summary="An age near the true one, or any.", kinds=("age",), proof=SURROGATES)
def age(
    *,
    epsilon: OptionalEpsilon = 0.0,
    lowest: Annotated[int, _LOWEST] = 0,
    highest: Annotated[int, _HIGHEST] = 89,
    width: Annotated[int, _AGE_WIDTH] | None = None,
    law: Annotated[str, _LAW] = "staircase",
    top_code: Annotated[int, _TOP] | None = None,
    group: Annotated[str, _GROUP] = "hidden",
) -> Drawn:
    """Ages by a staircase on ``lowest`` to ``highest``: pure DP for any two ages, uniform at epsilon 0.

    No age above 89 is written, unless ``highest`` is above it. With ``group`` kept, ages below 18 and others have a
    staircase each: children stay children, and the guarantee is for two ages of one group. A boy, a woman and the like
    behind an age, in released words, choose the staircase at no cost.

    Days, weeks and months have ranges of their own (1 to 30, 52, 24). What cannot be read gets a uniform age.

    The Laplace law adds discrete noise of scale (highest - lowest) / epsilon. ``width`` is that of the staircase,
    where ``epsilon`` is above 0.
    """
    need(highest > lowest, "highest", highest, f"above lowest, {lowest}")
    check_width(width, epsilon, highest - lowest + 1, "no more than the range")
    need(law != "laplace" or epsilon > 0, "epsilon", epsilon, "> 0 with law laplace")
    need(law != "laplace" or width is None, "width", width, "None with law laplace", "Leave it out.")
    kept = group == "kept"
    need(not kept or lowest < ADULT - 1, "lowest", lowest, f"at most {ADULT - 2} with groups kept")
    need(not kept or highest > ADULT, "highest", highest, f"at least {ADULT + 1} with groups kept")
    label = f"age {epsilon!r} {lowest} {highest} {width} {law}" + (" by group" if kept else "")

    def drawn_years(number: int, shown: str, rng: np.random.Generator) -> int:
        least, most = lowest, highest
        shown, agrees = _without_agreement(shown)
        several, shown = shown.endswith(_SEVERAL), shown.removesuffix(_SEVERAL)
        if shown and lowest < ADULT - 1 and highest > ADULT:
            least, most = (lowest, ADULT - 1) if shown in _CHILDREN else (ADULT, highest)
            if epsilon == 0:
                first, last = _RANGES[shown]
                least, most = max(first, least), min(last or most, most)
                least, most = (least, most) if least < most else (lowest, highest)
        elif kept:
            least, most = (lowest, ADULT - 1) if number < ADULT else (max(lowest, ADULT), highest)
        least = max(least, 2) if several and most > 2 else least
        if law == "laplace":
            place = min(max(number, least), most) - least
            noisy = place + discrete_laplace(Fraction(most - least) / Fraction(epsilon), rng)
            return least + min(max(noisy, 0), most - least)
        row = _row(least, most, agrees)
        place = row.index(min(row, key=lambda age: abs(age - number)))
        raised = None if width is None else min(width, len(row))
        return row[window(size=len(row), epsilon=epsilon, width=raised).draw(place, rng)]

    def drawn(read: _Read, shown: str, rng: np.random.Generator) -> int:
        if read.match is None:
            return lowest + int(rng.integers(highest - lowest + 1))
        if read.unit in _LAST:
            last = _LAST[read.unit]
            return 1 + window(size=last, epsilon=epsilon).draw(min(max(read.number, 1), last) - 1, rng)
        return drawn_years(read.number, shown, rng)

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        shown = _shown_groups(mentions, is_free=epsilon == 0 and not kept)

        def number_of(value: str, group: str, scope: Scope, rng: np.random.Generator) -> str:
            read = _read_age(value)
            return agreed(scope, label, _key(value), rng, lambda source: str(drawn(read, group, source)))

        def first(values: Sequence[str], scope: Scope, rng: np.random.Generator) -> None:
            if len(values) == len(mentions):  # else in a scope of one mention, where no others are asked
                for value in values:
                    number_of(value, shown.get(_key(value), ""), scope, rng)

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            read, number = _read_age(value), number_of(value, "", scope, rng)
            tail = _TAIL.search(value)
            unit = "" if tail is None else tail["gap"] + _PLURAL.get(tail["unit"].lower(), tail["unit"])
            few = unit[1:] == "lat" and _AGREES["lata"](int(number))
            unit = unit[0] + _ONE[unit[1:]] if number == "1" and unit[1:] in _ONE else unit
            return _written(int(number), read, top_code) + unit + "a" * few

        return Together(surrogate_of, first) if shown else surrogate_of

    optional = {"law": law if epsilon > 0 else None, "width": width, "top_code": top_code}
    optional["group"] = group if kept else None
    return Drawn(
        name="age",
        parameters={"epsilon": epsilon, "lowest": lowest, "highest": highest}
        | {name: value for name, value in optional.items() if value is not None},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: digits or words, letter case, what stands around the number but for plurals and parts of a "
            "year, its unit (years, months, weeks, days), and whether it can be read as an age",
            *((f"whether it is below {ADULT} years",) if kept else ()),
        ),
        equality=AS_READ,
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
        read=_key,
    )


_SEVERAL: Final = " several"
_WITH_AN: Final = frozenset((8, 11, 18, *range(80, 90)))
_AGREES: Final[Mapping[str, Callable[[int], bool]]] = {
    "an": lambda age: age in _WITH_AN,
    "a": lambda age: age not in _WITH_AN,
    "\u0433\u043e\u0434": lambda age: _one_of_ten(age) == 1,
    "\u0433\u043e\u0434\u0430": lambda age: 2 <= _one_of_ten(age) <= 4,
    "\u043b\u0435\u0442": lambda age: not 1 <= _one_of_ten(age) <= 4,
    "lata": lambda age: 2 <= _one_of_ten(age) <= 4,
    "lat": lambda age: age > 1 and not 2 <= _one_of_ten(age) <= 4,
}
"""Articles before an age, and Russian and Polish units behind it, with the ages that they go with: 2 lata, 5 lat."""
_UNIT_BEHIND: Final = lazy_regex(f" (?P<unit>{'|'.join([own for own in _AGREES if len(own) > 2])})(?![^\\W_])")
_ARTICLE: Final = lazy_regex(r"(?<![^\W_])[Aa]n? \Z")
# Released units behind an age that are of no single year.
_YEARS: Final = lazy_regex(r"(?i) (?:years|yrs|ans|jahren?|a\xf1os|anni|anos|lat)(?![^\W_])")
_RANGES: Final = {
    "baby": (1, 4),
    "child": (3, ADULT - 1),
    "young": (ADULT, 27),
    "offspring": (ADULT, 30),
    "worker": (20, 64),
    "parent": (50, 84),
    "old": (62, None),
    "adult": (ADULT, None),
}
"""The least and the highest age that released words show, at epsilon 0; at others, whether it is a child's."""
_CHILDREN: Final = frozenset(("baby", "child"))
# Released words behind an age that tell a child or an adult.
_SHOWN: Final = lazy_regex(
    r"(?i)(?:[- ]?(?:years?|yrs?)[- ]olds?|[- ]?y/?o)?[ ,-]{0,2}(?:[a-z]{1,20} ){0,2}?"
    r"(?:(?P<baby>toddler|infant|baby)|(?P<child>boy|girl|child|kid|pupil|schoolboy|schoolgirl|teen)"
    r"|(?P<young>student|undergraduate)"
    r"|(?P<adult>man|woman|gentleman|lady|mother|father)|(?P<old>widow(?:er)?|retiree|pensioner)"
    r"|(?P<worker>lawyer|(?:school)?teacher|engineer|nurse|driver))\b"
)
# The same of words around an age at epsilon 0: the nearest word in front, else the first one behind.
_AROUND: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:"
    r"(?P<baby>toddler|infant|baby|newborn|nursery|cr\xe8che|kita|s\xe4ugling|beb\xe9|neonat[oa])"
    rf"|(?P<child>(?:little|kleine[rn]?|petite?|peque\xf1[oa]|piccol[oa]|pequen[oa]|ma\u0142[ya])(?= {A_SPAN})|"
    r"kids?|boys?|girls?|child(?:ren)?|school(?:boy|girl)?|pupils?|year [1-9]|"
    r"grand(?:son|daughter|child|children)s?|kind(?:er|ern)?|enkel(?:in|sohn|tochter)?|enfants?|petits?-(?:fils|enfants)|"
    r"petite-fille|\xe9l\xe8ves?|hijos|ni\xf1[oa]s?|niet[oa]s?|figli|bambin[oaie]|nipotin[oa]|kleinzoon|kleindochter|kinderen|jongetje|"
    r"meisje|filhos|net[oa]s?|crian\xe7as?|menin[oa]|wnu(?:k|czka|czk\u0105)|dziec(?:ko|i)|ch\u0142opiec|dziewczynka|"
    r"\u0432\u043d\u0443\u043a[\u0430\u0443]?|\u0432\u043d\u0443\u0447\u043a[\u0430\u0435\u0443]|\u043c\u0430\u043b\u044c\u0447\u0438\u043a|\u0434\u0435\u0432\u043e\u0447\u043a\u0430|\u0440\u0435\u0431[\u0435\u0451]\u043d\u043e\u043a|\u0434\u0435\u0442\u0438|\xe7ocuk(?:lar[\u0131i]|um)?|torunum?|hijit[oa]s?)"
    r"|(?P<young>student(?:in|em|k\u0105|ka|e|essa)?|undergraduate|\xe9tudiante?|estudiante|studente)"
    r"|(?P<offspring>sons?|daughters?|sohn|tochter|fils|fille|hij[oa]|figli[oa]|zoon|dochter|filh[oa]|syn|c\xf3rka|\u0441\u044b\u043d[\u0430\u0443]?|\u0434\u043e\u0447(?:\u044c|\u0435\u0440\u0438)|o\u011flum?|k\u0131z\u0131m?)"
    r"|(?P<old>gran(?:ny|dma|dad|dpa|dmother|dfather)?|nan|widow(?:er|ed)?|retire[sd]?|pensioner|died|passed away|"
    r"peacefully|hospice|funeral|oma|opa|gro\xdf(?:mutter|vater)|witwer?|rentner(?:in)?|verstorben|gestorben|"
    r"mamie|papi|grand-m\xe8re|grand-p\xe8re|veuve|veuf|retrait\xe9e?|d\xe9c\xe9d\xe9e?|"
    r"abuel[oa]|viud[oa]|jubilad[oa]|falleci\xf3|nonn[oa]|vedov[oa]|pensionat[oa]|decedut[oa]|"
    r"weduwe|weduwnaar|overleden|av[\xf3\xf4]|vi\xfav[oa]|reformad[oa]|faleceu|"
    r"babcia|dziadek|wdowa|wdowiec|emeryt(?:ka)?|zmar\u0142[ay]?)"
    r"|(?P<parent>mother|father|mum|mom|dad|mama|papa|maman|mam\xe1|pap\xe1|mutter|vater|m\xe8re|p\xe8re|madre|padre|\u043c\u0430\u0442\u044c|\u043e\u0442\u0435\u0446|\u043c\u0430\u043c\u0430|annem|babam|"
    r"moeder|vader|m\xe3e|pai|matka|matki|ojciec|ojca)"
    r"|(?P<worker>nurse|(?:school)?teacher|engineer|driver|lawyer|manager|colleague|officer|clerk|builder|works|"
    r"promot[a-z]{1,4}|employed|lehrer(?:in)?|krankenschwester|pfleger(?:in)?|ingenieur(?:in)?|infirmi\xe8?re?|"
    r"enseignante?|boulang\xe8?re?|enfermer[oa]|profesora?|maestr[oa]|infermier[ae]|insegnante|verpleegkundige|leraar|"
    r"professora?|piel\u0119gniarka|nauczyciel(?:ka)?))(?![^\W_])"
)
_APART: Final = lazy_regex(r"[.!?;\n](?:\s|\Z)")


def _shown_groups(mentions: Sequence[Mention], *, is_free: bool) -> dict[str, str]:
    """Return, by key, what released words beside ages tell of them; ``is_free``: at epsilon 0, where all may tell."""
    shown: dict[str, list[str]] = {}
    agreeing: dict[str, list[str]] = {}
    for mention in mentions:
        article = _ARTICLE.search(mention.before[-4:]) if mention.page.language in ("", "en") else None
        article = article or _UNIT_BEHIND.match(mention.after)
        if article is not None:
            agreeing.setdefault(_key(mention.value), []).append(f"+{article[0].strip().lower()}")
        found = _SHOWN.match(mention.after) or (_nearest_word(mention) if is_free else None)
        several = _SEVERAL if _YEARS.match(mention.after) else ""
        group = (found and found.lastgroup) or ""
        if group or several or article is not None:
            shown.setdefault(_key(mention.value), []).append(group + several)
        elif is_free and (mention.before or mention.after):
            shown.setdefault(_key(mention.value), [])
    groups = {key: agreed_on(groups) for key, groups in shown.items()}
    if is_free:
        groups = {key: group if group[:1].strip() else f"adult{group}" for key, group in groups.items()}
    return {key: group + agreed_on(agreeing.get(key, ())) for key, group in groups.items()}


def _without_agreement(shown: str) -> tuple[str, str]:
    """Return what is shown of an age, and the article or unit that it goes with."""
    group, _, agrees = shown.partition("+")
    return group, agrees


def _one_of_ten(age: int) -> int:
    """Return the last digit of an age; 0 from 11 to 14, which are counted as 10 is."""
    return 0 if 11 <= age <= 14 else age % 10


def _row(least: int, most: int, agrees: str) -> range | list[int]:
    """Return the ages of a range that go with an article before them, or a unit behind: an 8, an 11, 22 lata."""
    fitting = [age for age in range(least, most + 1) if _AGREES[agrees](age)] if agrees else []
    return fitting if len(fitting) > 1 else range(least, most + 1)


def _nearest_word(mention: Mention) -> re.Match[str] | None:
    """Return the word of the same sentence that tells whose age it is: the nearest in front, else the first behind."""
    before = list(_AROUND.finditer(_APART.split(mention.before)[-1]))
    return before[-1] if before else _AROUND.search(_APART.split(mention.after)[0])


def _key(value: str) -> str:
    read = _read_age(value)
    return UNREAD + value if read.match is None else f"{read.number} {read.unit}"


def _read_age(value: str) -> _Read:
    tail = _TAIL.search(value)
    match = _AGE.fullmatch(value if tail is None else value[: tail.start()]) if len(value) <= 40 else None
    if match is None:
        return _Read(0, "y", None)
    word = (match["word"] or "").lower().replace(" ", "-")
    number = int(match["digits"]) if match["digits"] is not None else NUMBERS.get(word, -1)
    return _Read(0, "y", None) if number < 0 else _Read(number, (match["unit"] or "y")[0].lower(), match)


def age_of(value: str) -> tuple[int, str] | None:
    """Return the number of an age and the first letter of its unit; None if it cannot be read."""
    read = _read_age(value)
    return None if read.match is None else (read.number, read.unit)


def _written(number: int, read: _Read, top_code: int | None) -> str:
    match, top = read.match, top_code is not None and read.unit == "y" and number >= top_code
    shown = f"{top_code}+" if top else str(number)
    if match is None:
        return shown
    if match["decade"]:
        shown = f"{number // 10 * 10}s"
    elif match["word"] and not top:
        shown = in_case_of(match["word"], WORDS[number] if number < len(WORDS) else str(number))
        shown = shown.capitalize() if match["word"][0].isupper() and not match["word"].isupper() else shown
    unit, old = match["unit"], match["old"] or ""
    if unit is None:
        return (match["before"] or "") + shown
    joined = match["gap"] == "-" or old.startswith("-") or len(unit) == 1
    many = "" if joined or number == 1 else in_case_of(unit, "s")
    return (match["before"] or "") + shown + match["gap"] + unit + many + old
