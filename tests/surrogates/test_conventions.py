"""The order of day and month, and the language of names: told by all dates of a text, public, or set."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from tests.helpers.policies import KEEP_WORDS
from tests.helpers.surrogates import outputs

import textveil as tv
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates import dates
from textveil.surrogates.date_lists import convention_of
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention, Page

ORDERS = [
    (["27/02/2015", "04/03/2015"], True, True),
    (["04/03/2015", "02/27/2015"], False, True),
    (["04/03/2015"], False, False),
    (["04-03-15", "5/6"], False, False),
    (["27/02/2015", "02/27/2015"], False, False),
    (["04/03/2015", "5 March 2015"], True, True),
    (["04/03/2015", "March 5, 2015"], False, True),
    (["04/03/2015", "5 March", "March 6"], False, False),
    (["04/03/2015", "05.03.2015"], True, True),
    (["04/03/2015", "3. M\u00e4rz 2015"], True, True),
    (["2024-03-04", "March 2015"], False, True),
    (["1/2 - 25/2/2024"], True, True),
]


@pytest.mark.parametrize(
    ("value", "before", "form"),
    [
        ("05/19", "expires ", r"(0[1-9]|1[0-2])/\d\d"),
        ("05/19", "Valid until ", r"(0[1-9]|1[0-2])/\d\d"),
        ("2023/24", "", "school"),
        ("2009-10", "season ", r"\d{4}-(0[1-9]|1[0-2])"),
        ("2023-24", "season ", "school"),
        ("2023/2024", "", "school"),
        ("10JUNE29", "", r"\d\d?[A-Z]{3}\d\d"),
        ("10JUN1829", "", r"\d\d?[A-Z]{3}\d{4}"),
    ],
)
def test_months_with_a_year_and_years_of_schools_are_written_as_such(value: str, before: str, form: str) -> None:
    for name, epsilon in (("date-window", 0.0), ("date-shift", 1.0)):
        surrogate = make_surrogate(name, epsilon)
        for seed in range(30):
            (drawn,) = surrogate.draw([Mention(value, before)], MemoryScope(), np.random.default_rng(seed))
            if form == "school":
                first, last = int(drawn[:4]), drawn[5:]
                assert str(first + 1).endswith(last) and len(drawn) == len(value) and drawn[4] == value[4]
            else:
                assert re.fullmatch(form, drawn), drawn


def test_a_month_with_its_year_is_one_at_each_of_its_mentions() -> None:
    mentions = [Mention("05/19", "expires "), Mention("05/19", "of "), Mention("06/19", "of ")]
    drawn = make_surrogate("date-window").draw(mentions, MemoryScope(), np.random.default_rng(3))
    assert drawn[0] == drawn[1] and drawn[2] != drawn[0]


@pytest.mark.parametrize(("values", "day_first", "settled"), ORDERS)
def test_the_dates_of_a_text_tell_which_is_first(values: Sequence[str], day_first: bool, settled: bool) -> None:
    for order in (values, values[::-1]):
        convention = convention_of(order, "document", "document")
        assert (convention.day_first, convention.settled) == (day_first, settled)
    assert convention_of(values, "day-first", "document")[::2] == (True, True)


@pytest.mark.parametrize(
    ("values", "language"),
    [
        (["3. August 2021"], "de"),
        (["3 August 2021"], "en"),
        (["3 April 2021", "5. M\u00e4rz"], "de"),
        (["14 juillet", "3 mars"], "fr"),
        (["3 de abril de 2020"], "es"),
        (["3 de mar\u00e7o de 2020", "3 de abril"], "pt"),
        (["12 mei", "3 april"], "nl"),
        (["4 dicembre", "3 agosto"], "it"),
        (["March 3", "March 5", "3 mai 2020"], "en"),
    ],
)
def test_the_dates_of_a_text_tell_the_language(values: Sequence[str], language: str) -> None:
    assert convention_of(values, "document", "document").languages[0] == language


def moved(values: Sequence[str], days: int, monkeypatch: pytest.MonkeyPatch, **options: str) -> list[str]:
    monkeypatch.setattr(dates, "discrete_laplace", lambda scale, source: days)
    return outputs(make_surrogate("date-shift", 1.0, options), values, 0)


def test_a_text_stays_in_its_order_and_language(monkeypatch: pytest.MonkeyPatch) -> None:
    admitted = ["27/02/2015", "04/03/2015", "13/03/2015"]
    assert moved(admitted, 17, monkeypatch) == ["16/03/2015", "21/03/2015", "30/03/2015"]
    assert moved(admitted, 1, monkeypatch, order="month-first") == ["02/28/2015", "04/04/2015", "03/14/2015"]
    for written, other in (
        ("3. M\u00e4rz 2021", "13. April 2021"),
        ("le 14 juillet 2019"[3:], "24 ao\u00fbt 2019"),
        ("3 de mayo de 2020", "13 de junio de 2020"),
        ("12 mei 2018", "22 juni 2018"),
        ("4 dicembre 2020", "14 gennaio 2021"),
        ("5 de mar\u00e7o de 2020", "15 de abril de 2020"),
        ("Montag, 1. M\u00e4rz 2021", "Sonntag, 11. April 2021"),
        ("06-2022", "07-2022"),
        ("March '98", "April '98"),
    ):
        assert moved([written], 41, monkeypatch) == [other]


def test_one_law_for_texts_that_show_one_order() -> None:
    """At epsilon 0 bit by bit: any dates that agree in the order that they show, however early their days are."""
    window = make_surrogate("date-window", options={"within": 100})
    texts = [["27/02/2015", "04/03/2015"], ["13/12/1977", "31/01/1999"], ["05/06/1980", "30/06/2001"]]
    for seed in range(20):
        assert len({tuple(outputs(window, text, seed)) for text in texts}) == 1
    german = [["3. M\u00e4rz 2021", "4. April 2020"], ["31. Mai 1999", "1. Oktober 2001"]]
    for seed in range(20):
        assert len({tuple(outputs(window, text, seed)) for text in german}) == 1


def test_a_conversation_keeps_the_order_that_it_has_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "discrete_laplace", lambda scale, source: 1)
    surrogate, scope, rng = make_surrogate("date-shift", 1.0), MemoryScope(), np.random.default_rng(1)
    texts = (["03/04/2015"], ["27/02/2015"], ["03/04/2015"])
    drawn = [surrogate.draw([Mention(value) for value in text], scope, rng)[0] for text in texts]
    assert drawn == ["03/05/2015", "28/02/2015", "04/04/2015"]


def _dated(name: str, **options: object) -> Sanitizer:
    rule = Rule(
        kind="date",
        action=Action.SURROGATE,
        name=name,
        epsilon=1.0 if name == "date-shift" else None,
        options=options,
    )
    return Sanitizer(
        Policy(name="dated", rules=(KEEP_WORDS, rule), detectors=("embedded",), marks="keep", scope="document")
    )


def test_a_text_in_no_clear_order_is_told_and_never_silently_guessed() -> None:
    said = "ORDER OF DATES UNKNOWN: in 1 text no date tells whether the day or the month is first"
    for name in ("date-shift", "date-window"):
        report = _dated(name)("Seen 03/04/2015 and 05/06/2015.").report()
        assert said in report.summary() and said in "\n".join(report.warnings())
        for text, options in (("Seen 03/04/2015.", {"order": "day-first"}), ("Seen 13/04/2015.", {}), ("No.", {})):
            assert "ORDER OF DATES" not in _dated(name, **options)(text).report().summary()


BIRTHS = "{age}-year-old, DOB {birth}, seen 14/10/2024 and 16/10/2024."


def test_a_birth_date_is_drawn_to_fit_the_released_age() -> None:
    """It tells the age that is released beside it, never the true one: the days to another date are not kept."""
    for name in ("clinical", "prompts"):
        release = tv.Sanitizer(tv.policy(name))(BIRTHS.format(age=66, birth="03/04/1958"))
        words = release.text.replace(",", "").rstrip(".").split()
        age, birth, seen = int(words[0].removesuffix("-year-old")), words[2], words[4]
        years = int(seen[-4:]) - int(birth[-4:])
        assert years - 1 <= age <= years


def test_a_birth_date_has_one_law_whatever_it_is() -> None:
    """Exactly, with one seed: also where it stands again without the word, and under one shift of the others."""
    before = "DOB "
    for name, epsilon in (("date-shift", 1.0), ("date-window", 0.0)):
        surrogate = make_surrogate(name, epsilon)
        drawn = set()
        for birth in ("13/04/1958", "30/12/2001", "31/01/1970"):
            mentions = [Mention(birth, before), Mention("14/10/2024", "seen "), Mention(birth, "see ")]
            drawn.add(tuple(surrogate.draw(mentions, MemoryScope(), np.random.default_rng(5))))
        assert len(drawn) == 1
        (first, _, again) = drawn.pop()
        assert first == again
        together = make_surrogate(name, epsilon, {"births": "with-others"})
        mentions = [Mention("13/04/1958", before), Mention("14/10/2024", "seen ")]
        if name == "date-shift":
            one, other = together.draw(mentions, MemoryScope(), np.random.default_rng(5))
            assert int(other[-4:]) - int(one[-4:]) in (66, 67)


def test_all_dates_of_a_scope_lie_in_one_stretch() -> None:
    surrogate = make_surrogate("date-window", options={"within": 50})
    values = [f"{year}-03-04" for year in range(1950, 1990)]
    for seed in range(5):
        drawn = [np.datetime64(one) for one in outputs(surrogate, values, seed)]
        assert len(set(drawn)) == 40 and (max(drawn) - min(drawn)).astype(int) < 50
    begins = {outputs(surrogate, ["2000-01-01"], seed)[0][:3] for seed in range(200)}
    assert len(begins) == 8, "every decade of the window"


@pytest.mark.parametrize(("language", "months"), [("fr", "janvier"), ("de", "Januar"), ("", "Januar")])
def test_a_month_of_several_languages_is_of_the_released_text(language: str, months: str) -> None:
    surrogate = make_surrogate("date-window", options={"first": "2001-01-01", "last": "2001-01-31"})
    mentions = [Mention("2 mai 1999", page=Page(language))]
    (drawn,) = surrogate.draw(mentions, MemoryScope(), np.random.default_rng(2))
    assert drawn.split()[1].lower() == months.lower()


WINDOW = make_surrogate("date-window", options={"within": 365})
CAREER = ["1997-2001", "2001-2005", "2009", "2003", "1997-2001"]


@pytest.mark.parametrize("seed", range(12))
def test_years_alone_rise_as_the_text_goes_on(seed: int) -> None:
    drawn = outputs(WINDOW, [*CAREER, "3 May 2010"], seed)
    years = [int(year) for value in drawn[:4] for year in value.split("-")]
    assert (
        years == sorted(years)
        and len(set(years)) == 5
        and years[1] == years[2]
        and years[-1] - years[0] < 40
        and drawn[4] == drawn[0]
    )
    assert 0 <= int(drawn[5][-4:]) - years[-1] <= 40


def test_one_law_for_years_whatever_their_order_is() -> None:
    """At epsilon 0 bit by bit: years that fall, rise or repeat nothing else than the same places do."""
    texts = [CAREER, ["2001-2005", "2005-1961", "1800", "1977", "2001-2005"]]
    for seed in range(20):
        assert len({tuple(outputs(WINDOW, text, seed)) for text in texts}) == 1
    assert all(outputs(WINDOW, ["2001", "1950"], seed) == outputs(WINDOW, ["1950", "2001"], seed) for seed in range(9))


LASTING = (
    "-present",
    " - heute",
    "\u2013 aujourd'hui",
    "-actualidad",
    "-attuale",
    "-atual",
    "-heden",
    "-teraz",
    "-...",
)


@pytest.mark.parametrize("open_end", LASTING)
def test_years_fall_where_the_first_of_them_lasts(open_end: str) -> None:
    values = ["2019", "2014-2019", "2010-2014", "2003"]
    for seed in range(6):
        mentions = [Mention(values[0], after=open_end), *map(Mention, values[1:])]
        drawn = WINDOW.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        last, (first, end), (begin, middle), least = (list(map(int, value.split("-"))) for value in drawn)
        assert last == [end] and middle == first and least < [begin] < [first] < [end]
    rising = outputs(WINDOW, values, 1)
    assert int(rising[0]) < int(rising[3])


def test_a_date_of_a_range_is_the_same_alone() -> None:
    for name, options in (("date-window", {"within": 365}), ("date-window", {})):
        surrogate = make_surrogate(name, options=options)
        first, both = outputs(surrogate, ["1 September 2023", "1 September 2023 to 31 August 2024"], 3)
        assert first in both


@pytest.mark.parametrize("name", ["date-window", "date-shift"])
def test_a_birth_goes_before_the_years_of_a_life(name: str) -> None:
    surrogate = WINDOW if name == "date-window" else make_surrogate("date-shift", 1.0)
    mentions = [Mention("7 February 1979", "born "), Mention("2005-2009"), Mention("1997-2001")]
    for seed in range(12):
        birth, *years = surrogate.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        first = min(int(value[:4]) for value in years)
        assert 4 <= first - int(birth[-4:]) <= 25
    dated = [Mention("1987-08-14", "Born:        "), Mention("2009"), Mention("3 May 2015")]
    birth, year, _ = surrogate.draw(dated, MemoryScope(), np.random.default_rng(2))
    assert 4 <= int(year) - int(birth[:4]) <= 25
    aged = [Mention("7 February 1979", "born ", age="40"), Mention("2005"), Mention("2019")]
    birth, _, last = surrogate.draw(aged, MemoryScope(), np.random.default_rng(1))
    assert 39 <= int(last) - int(birth[-4:]) <= 41 or name == "date-window"


@pytest.mark.parametrize("seed", range(8))
def test_dates_within_a_year_rise_as_the_text_goes_on(seed: int) -> None:
    """Whatever they are: a text whose dates fall is drawn bit by bit as one whose dates rise."""
    texts = (
        ["17/04/2024", "17/05/2024", "17/04/2024", "March 2025"],
        ["28/02/1999", "13/01/1980", "28/02/1999", "May 1950"],
    )
    first, second, again, month = outputs(WINDOW, texts[0], seed)
    assert [first, second, again, month] == outputs(WINDOW, texts[1], seed)
    ordered = [value.split("/")[::-1] for value in (first, second)]
    assert ordered[0] < ordered[1] and again == first and second[-4:] <= month[-4:]


COURSES = (["09/2020", "02/2016", "08/2020", "2010", "2016"], ["01/1999", "12/2003", "05/1955", "2001", "1971"])


@pytest.mark.parametrize("now", ["present", "heute", "\u062d\u062a\u0649 \u0627\u0644\u0622\u0646", "\u73fe\u5728"])
def test_months_of_a_life_lie_in_forty_years_as_its_years_do(now: str) -> None:
    """Whatever they are: the second text's stand in another order."""
    after = (f" - {now}   Nurse", " - ", "   Aide", " - ", "   Studies")
    spread = []
    for seed in range(10):
        drawn = [
            WINDOW.draw(
                [Mention(*one) for one in zip(text, [""] * 5, after, strict=True)],
                MemoryScope(),
                np.random.default_rng(seed),
            )
            for text in COURSES
        ]
        assert drawn[0] == drawn[1]
        last, begins, ends, first, second = [int(value[-4:]) for value in drawn[0]]
        assert first <= second <= begins <= ends <= last
        spread.append(last - begins)
    assert max(spread) > 3
    flat = [
        WINDOW.draw([Mention("09/2020"), Mention("02/2016")], MemoryScope(), np.random.default_rng(s))
        for s in range(10)
    ]
    assert all(abs(int(one[-4:]) - int(other[-4:])) <= 1 for one, other in flat)


@pytest.mark.parametrize(
    "before", ["F. nac.: ", "n\xe9. ", "\u062a\u0627\u0631\u064a\u062e \u0627\u0644\u0645\u064a\u0644\u0627\u062f: "]
)
def test_short_and_arabic_words_tell_a_birth(before: str) -> None:
    birth, year = WINDOW.draw(
        [Mention("7 February 1979", before), Mention("2005")], MemoryScope(), np.random.default_rng(2)
    )
    assert 4 <= int(year) - int(birth[-4:]) <= 25


def test_a_birth_goes_before_the_only_month() -> None:
    for seed in range(8):
        mentions = [Mention("March 3, 1938", "born "), Mention("October, 2021")]
        birth, signed = WINDOW.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        assert 17 <= int(signed[-4:]) - int(birth[-4:]) <= 86


BACK = (
    "your letter of ",
    "Ihr Schreiben vom ",
    "votre courrier du ",
    "su carta del ",
    "a lease dated ",
    "umowa z dnia ",
)
AHEAD = ("valid until ", "Due: ", "gültig bis ", "scadenza: ", "vence el ", "expires ")


@pytest.mark.parametrize(("back", "ahead"), list(zip(BACK, AHEAD, strict=True)))
def test_a_day_that_words_refer_back_to_or_ahead_goes_before_the_others_or_behind(back: str, ahead: str) -> None:
    """Whatever the days are: those of the second text stand the other way round."""
    befores = ("Leeds, ", ahead, back, "seen on ", back)
    texts = (
        ["12/05/2024", "30/06/2026", "03/05/2024", "13/05/2024", "30/06/2026"],
        ["12/05/2024", "01/02/1999", "28/09/2030", "13/04/2001", "01/02/1999"],
    )
    for seed in range(10):
        drawn = [
            WINDOW.draw(list(map(Mention, text, befores)), MemoryScope(), np.random.default_rng(seed)) for text in texts
        ]
        assert drawn[0] == drawn[1]
        letter, until, earlier, seen, again = (value.split("/")[::-1] for value in drawn[0])
        assert earlier < letter < seen < until == again  # by its first mention


def test_the_mark_behind_a_polish_year_stays() -> None:
    page = Page("pl")
    dates = [
        Mention("12 kwietnia 2024 r.", page=page),
        Mention("12 kwietnia 2024", page=page),
        Mention("5 maja", page=page),
    ]
    marked, bare, day = WINDOW.draw(dates, MemoryScope(), np.random.default_rng(1))
    assert marked == f"{bare} r." and not day.endswith("r.")
