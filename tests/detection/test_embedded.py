"""What the embedded detector finds, where its spans end, and that it takes any text."""

import pickle
from calendar import day_name, month_name
from ipaddress import IPv6Address
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers.growth import is_linear

import textveil as tv
from textveil.detection.embedded import embedded_detector
from textveil.detection.spans import checked_spans
from textveil.text.tokens import Kind, tokenize

DETECTOR = embedded_detector()


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.kind) for span in checked_spans(DETECTOR, [text])[0]]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Write to j.doe@example.com.", [("j.doe@example.com", "email")]),
        ("See https://example.com/a?b=1, please.", [("https://example.com/a?b=1", "url")]),
        ("See example.com/path now", [("example.com/path", "url")]),
        ("thanks @maria_g!", [("@maria_g", "handle")]),
        ("from 192.168.0.1 on", [("192.168.0.1", "ip")]),
        ("from 2001:db8::ff00:42:8329.", [("2001:db8::ff00:42:8329", "ip")]),
        ("call (303) 555-0142 today", [("(303) 555-0142", "phone")]),
        ("call +44 20 7946 0958.", [("+44 20 7946 0958", "phone")]),
        ("card 4111 1111 1111 1111,", [("4111 1111 1111 1111", "id")]),
        ("IBAN GB29 NWBK 6016 1331 9268 19.", [("GB29 NWBK 6016 1331 9268 19", "id")]),
        ("SSN 078-05-1120", [("078-05-1120", "id")]),
        ("MRN: 00123456", [("00123456", "id")]),
        ("ether 2d50.fc4e.b49e up", [("2d50.fc4e.b49e", "id")]),
        ("customer no: CU85841/77", [("CU85841/77", "id")]),
        ("Kundennr. KB1297573, Nr klienta: 51368/25", [("KB1297573", "id"), ("51368/25", "id")]),
        ("Ligar para 916 493 676 por favor.", [("916 493 676", "phone")]),
        ("Prosz\u0119 oddzwoni\u0107 na 885 029 329.", [("885 029 329", "phone")]),
        ("Llamar al 978 000 363.", [("978 000 363", "phone")]),
        ("Bitte zur\xfcckrufen: 885 029 329", [("885 029 329", "phone")]),
        ("Veuillez rappeler le 885 029 329", [("885 029 329", "phone")]),
        ("Si prega di richiamare 885 029 329", [("885 029 329", "phone")]),
        ("Graag terugbellen op 885 029 329", [("885 029 329", "phone")]),
        ("Перезвоните по номеру 8 933 926 44 44.", [("8 933 926 44 44", "phone")]),
        ("kom. 732 267 240", [("732 267 240", "phone")]),
        ("hospital no: L6242X, ward", [("L6242X", "id")]),
        ("see incident INC-10442 now", [("INC-10442", "id")]),
        ("reservation: 8A9WJZ", [("8A9WJZ", "id")]),
        ("PNR: 3LX-KWTR", [("3LX-KWTR", "id")]),
        ("x,6.33pm,3 p.m.,y", [("6.33pm", "time"), ("3 p.m.", "time")]),
        ("moved to LS6 3GB then", [("LS6 3GB", "place")]),
        ("we use 3GB of it", [("3GB", "measurement")]),
        ("in 34117 Kassel, 1743 EB Breda", [("34117 Kassel", "place"), ("1743 EB Breda", "place")]),
        ("1743 EB Data\n6370 Salzburg", [("1743", "date"), ("6370 Salzburg", "place")]),
        ("city: Reno, NV 43800", [("Reno, NV 43800", "place")]),
        ("on March 3rd, 2024 at 2:15 pm", [("March 3rd, 2024", "date"), ("2:15 pm", "time")]),
        ("on 2024-03-03T14:15:00Z", [("2024-03-03", "date"), ("14:15:00Z", "time")]),
        ("on 3/4/2024", [("3/4/2024", "date")]),
        ("AC 871 Y 12SEP and 5MAY24", [("12SEP", "date"), ("5MAY24", "date")]),
        ("m. 10JUNE1829, d. 3JULY29", [("10JUNE1829", "date"), ("3JULY29", "date")]),
        ("card expires 05/19 there", [("05/19", "date")]),
        ("Caducidad de la tarjeta: 03/28.", [("03/28", "date")]),
        ("g\xfcltig bis 08/31, geldig t/m 12/27", [("08/31", "date"), ("12/27", "date")]),
        ("scored 05/19, expires 13/19", []),
        ("Card,Expires\nx,05/19\ny,11/22\nz,13/22\n", [("05/19", "date"), ("11/22", "date")]),
        ("school year 2023/24, season 2009/2010", [("2023/24", "date"), ("2009/2010", "date")]),
        ("about 2023/25", []),
        (
            "On\n1.2.1 gout\n1.2.2 asthma\n1.2.2.1 mild\n",
            [("1.2.1", "numbering"), ("1.2.2", "numbering"), ("1.2.2.1", "numbering")],
        ),
        ("On\n10.0.0.1 gout\n10.0.0.2 asthma\n", [("10.0.0.1", "ip"), ("10.0.0.2", "ip")]),
        ("BOARDING 0755  Departure: 0835", [("0755", "time"), ("0835", "time")]),
        ("ETD 0640 ARR 0915", [("0640", "time"), ("0915", "time")]),
        ("BOARDING 0890", []),
        ("DTSTART:20260412T140000Z", [("20260412", "date"), ("140000Z", "time")]),
        ("TZID=Europe/Dublin:20260412T140000", [("20260412", "date"), ("140000", "time")]),
        ("no 20269912T140000", [("20269912T140000", "id")]),
        ("see report_2024-03-11.pdf", [("2024-03-11", "date")]),
        ("see 2024-03-11_report.pdf", [("2024-03-11", "date")]),
        ("see part_2024-13-11", [("2024", "code-number")]),
        (
            "1. Synthroid 88 mcg 2. Norvasc 5 mg",
            [
                ("1.", "numbering"),
                ("Synthroid 88 mcg", "measurement"),
                ("2.", "numbering"),
                ("Norvasc 5 mg", "measurement"),
            ],
        ),
        ("Log\n0515 Cast off.\n0700 Fog.\n1810 Home.\n", [("0515", "time"), ("0700", "time"), ("1810", "time")]),
        ("Life\n1912 Born.\n1925 School.\n1931 Work.\n", [("1912", "date"), ("1925", "date"), ("1931", "date")]),
        (
            "It is Auberon Tench of Tench Mallory LLP.",
            [("Auberon Tench", "person"), ("Tench Mallory LLP", "organization")],
        ),
        ("with Royal Bank of Scotland plc then", [("Royal Bank of Scotland plc", "organization")]),
        ("P. Garvey of Nook & Cranny will join.", [("P. Garvey", "person"), ("Nook & Cranny", "organization")]),
        ("at it 2017.07 - 2019.06, then", [("2017.07", "date"), ("2019.06", "date")]),
        (
            "-rw-r--r-- 1 root root 31 Mar  4 11:20 a\n-rw-r--r-- 1 root root 12 Apr 30 10:11 b",
            [("Mar  4", "date"), ("11:20", "time"), ("Apr 30", "date"), ("10:11", "time")],
        ),
        ("Jun  7 08:15:02 host sshd[4]: open", [("Jun  7", "date"), ("08:15:02", "time"), ("4", "code-number")]),
        ("on July twenty ninth two thousand eight", [("July twenty ninth two thousand eight", "date")]),
        ("born second of the third, fifty-one.", [("second of the third, fifty-one", "date")]),
        (
            "twenty first of the seventh, nineteen forty four",
            [("twenty first of the seventh, nineteen forty four", "date")],
        ),
        ("the first of the second ten were late", []),
        ("AGED: 42", [("42", "age")]),
        ("she is 42 years old", [("42", "age")]),
        ("a 42-year-old man", [("42", "age")]),
        ("he is seventy one years old", [("seventy one", "age")]),
        ("in her 40s", [("40", "age")]),
        ("it is with BrightMoor, Inc. since noon", [("BrightMoor, Inc.", "organization")]),
        ("2019-present, 2021-attuale, 2020-based", [("2019", "date"), ("2021", "date")]),
        ("0613 Medic 14: en route.", [("14", "numbering")]),
        (
            "Venue: The Glasshouse Rooms, 4 Calico Wharf",
            [("The Glasshouse Rooms", "organization"), ("4 Calico Wharf", "place")],
        ),
        ("GET /api/orders/99182 200 41ms", [("99182", "id"), ("41ms", "measurement")]),
        ("order 99182 200 came", [("99182 200", "id")]),
        ("The meeting closed at 8.55 pm. It closed at 9.30.", [("8.55 pm", "time"), ("9.30", "time")]),
        (
            "digest sha256:, crc32 and SatO2 of it",
            [("sha256", "quantity"), ("crc32", "quantity"), ("SatO2", "quantity")],
        ),
        (
            "mia madre affitta un appartamento in via Garibaldi 44 a Parma, da mio padre, in via Roma 12 b, a Pisa.",
            [("via Garibaldi 44", "place"), ("Parma", "place"), ("via Roma 12 b", "place"), ("Pisa", "place")],
        ),
        ("it cost $5.2 million", [("$5.2 million", "money")]),
        ("it cost 20 dollars", [("20 dollars", "money")]),
        ("das kostet 1.250,00 EUR", [("1.250,00 EUR", "money")]),
        ("Ms. Gonzalez's cats", [("Gonzalez", "person")]),
        ("Dr. Maria Gonzalez-Smith, said", [("Maria Gonzalez-Smith", "person")]),
        ("we met Ludwig van Beethoven", [("Ludwig van Beethoven", "person")]),
        ("lives in Denver, CO 80202", [("Denver", "place"), ("CO 80202", "place")]),
        ("at 12 Main Street, Apt. 4.", [("12 Main Street, Apt. 4", "place")]),
        (
            "Salem, OR 97301 or Fargo ND 58102.",
            [("Salem", "place"), ("OR 97301", "place"), ("Fargo", "place"), ("ND 58102", "place")],
        ),
        ("Status OK 20000, Tulsa OK 74101", [("OK 20000", "place"), ("Tulsa", "place"), ("OK 74101", "place")]),
        ("in Twin Falls, near Grand Forks", [("Twin Falls", "place"), ("Grand Forks", "place")]),
        ("the University of California said", [("University of California", "organization")]),
        ("in the '80s and in 1991 we met Maria", [("'80s", "date"), ("1991", "date"), ("Maria", "person")]),
        ("in 1991 and the '80s Jos\u00e9 came", [("1991", "date"), ("'80s", "date"), ("Jos\u00e9", "person")]),
        ("2024-03-03T14:15:00, 9 am", [("2024-03-03", "date"), ("14:15:00", "time"), ("9 am", "time")]),
        ("9 am, 2024-03-03T14:15:00", [("9 am", "time"), ("2024-03-03", "date"), ("14:15:00", "time")]),
        (
            "from St. Mary's Hospital in Springfield",
            [("St. Mary's Hospital", "organization"), ("Springfield", "place")],
        ),
        ("his wife Grace said", [("Grace", "person")]),
        ("Acme Holdings Ltd. said", [("Acme Holdings Ltd.", "organization")]),
    ],
)
def test_each_kind_is_found_with_its_own_characters_alone(text: str, spans: list[tuple[str, str]]) -> None:
    assert found(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "we have to say",
        "from day to day",
        "of Jay",
        "to duly note it",
        "a funday",
        "Turn 0: Ask",
        "in turn 3",
        "at turn 9",
    ],
)
def test_words_that_end_like_a_month_or_a_day_are_no_dates_and_a_turn_is_no_age(text: str) -> None:
    assert not [kind for _, kind in found(text) if kind in ("date", "age")]


def test_months_and_days_are_found_by_their_whole_names() -> None:
    for name in month_name[1:]:
        assert found(f"since {name} it") == [(name, "date")]
    for name in (one for day in day_name for one in (day, day.lower(), day.upper())):
        assert found(f"seen {name} at") == [(name, "date")]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("7,x,1966-10-10,y", ["1966-10-10"]),
        ("7,10/12/1966,y", ["10/12/1966"]),
        ("x,10/12/66,y", ["10/12/66"]),
        ("7,10/12/66,y", []),
        ("1,234.10.1966", []),
        ("service due March.", []),
        ("il due marzo", ["due marzo"]),
    ],
)
def test_dates_stand_between_commas_and_their_words_are_of_one_language(text: str, dates: list[str]) -> None:
    assert [value for value, kind in found(text) if kind == "date"] == dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("it ends in jan or in Feb", ["jan", "Feb"]),
        ("Tues 6 October 2026, then Weds 3 Mar", ["Tues 6 October 2026", "Weds 3 Mar"]),
        ("Thurs 12 Nov", ["Thurs 12 Nov"]),
        ("held in [1998] 2 AC 214 and", ["1998"]),
    ],
)
def test_short_months_and_weekdays_are_dates_and_law_reports_are_no_streets(text: str, dates: list[str]) -> None:
    assert found(text) == [(date, "date") for date in dates]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("filename 2024", [("2024", "date")]),
        ("record from 1983", [("1983", "date")]),
        ("filename 44512", []),
        ("file2024A", [("2024A", "id")]),
        ("caseNo2024", [("2024", "id")]),
        ("casenumber 44512", [("44512", "id")]),
        ("idabc44512", [("abc44512", "id")]),
        ("ref ABCD 1984", [("ABCD 1984", "id")]),
        ("she will turn 30", [("30", "age")]),
        ("Turned 50, she", [("50", "age")]),
    ],
)
def test_ids_follow_a_word_that_names_them_and_years_and_file_names_are_none(
    text: str, spans: list[tuple[str, str]]
) -> None:
    assert found(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The patient has a cough.",
        "on 31/31/2024 and 2024-02-30".replace("2024", "9999"),
        "Will it rain in May be",
        "from 1.2.3 of 300.1.2.999",
        "Crohn's disease and Parkinson's disease",
    ],
)
def test_what_is_no_name_and_no_form_is_left(text: str) -> None:
    assert not [one for one in found(text) if one[1] not in ("date", "phone", "id", "quantity", "code-number")]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("call \uff0b\uff14\uff14 20 7946 0958", "\uff0b\uff14\uff14 20 7946 0958"),
        ("to j\u200b.doe@exam\u200dple.com", "j\u200b.doe@exam\u200dple.com"),
        *[
            (f"use {hidden}, please", hidden)
            for token in ("ghp_pLIix6MEOLeMa61EqJomTEI1JEzO3joOj37H", "ghp_SggMu8vR1oCZ29kfvVPn4KCroYhcH9muZ11K")
            for hidden in ("\u200b".join(token), "\u00ad".join(token))
        ],
        ("saw Jose\u0301 Gonza\u0301lez", "Jose\u0301 Gonza\u0301lez"),
        ("SSN 078\u201305\u20131120", "078\u201305\u20131120"),
        ("saw Sean O\u2019Brien", "Sean O\u2019Brien"),
        ("on \u0663/\u0664/\u0662\u0660\u0662\u0664", "\u0663/\u0664/\u0662\u0660\u0662\u0664"),
    ],
)
def test_other_characters_for_the_same_are_read_alike(text: str, span: str) -> None:
    assert span in [text[one.start : one.end] for one in checked_spans(DETECTOR, [text])[0]]


PIECES = st.sampled_from(
    ["Maria", "maria", "Gonz\u00e1lez", "van", "of", "University", " ", " ", " ", ".", ",", "'s", "\u2019s", "-",
     "Dr. ", "in ", "12",
     "3/4/2024", "March 3", "@", "a@b.co", "://", "+1 303 555 0142", "\u200b",
     "\u0301", "\ud800", "\U0001f600", "\n", "(", ")",
     "$", "years old", "MRN ", "\uff11", "\u2028", "A.", "Inc.",
     "2001:db8::1", "'80s", "1991", "2024-01-02T10:11", "9 am", "42 years old", "12 Main St", "GB29NWBK60161331926819",
     "the secret ", "password ", "pin ", "token ", "key: ", "login ", "user/", "is ", "code ", "born ",
     "Frau ", "street ",
     "acc no ", "PNR ", "P<", "<", "/", "=", ";", "|", "\\", "\"", "+", "#", "<b>", "</b>", "{", "}"]
)  # fmt: skip


def is_annotation(shown: str) -> bool:
    """Whether a handle, with the character behind it, is written as code writes annotations: @aName or @name(."""
    return shown.endswith("(") or any(letter.isupper() for letter in shown[2:])


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@example("that's the secret . It was")
def test_any_text_has_sound_spans_that_end_where_a_value_does(text: str) -> None:
    spans = checked_spans(DETECTOR, [text])[0]
    for span in spans:
        value = text[span.start : span.end]
        assert value == value.strip()
        assert not value.endswith(("'s", "\u2019s"))
        # An address of IPv6 may end in "::", which stands for zeros; a password in any mark.
        zeros = span.kind == "ip" and value.endswith("::") and IPv6Address(value)
        assert value[-1] not in ",;:!?" or zeros or span.kind == "secret"
    assert DETECTOR.detect(["Maria", text, "3/4/2024"])[1] == spans
    addresses = [
        token
        for token in tokenize(text)
        if token.kind in (Kind.EMAIL, Kind.URL)
        or (token.kind is Kind.HANDLE and not is_annotation(text[token.start : token.end + 1]))
    ]
    covered = {place for span in spans for place in range(span.start, span.end)}
    assert all(covered.intersection(range(one.start, one.end)) for one in addresses)


@pytest.mark.parametrize("text", ["old@\u200b.Inc.", "x@Inc.\u0301", "1991-@\u0301.of"])
def test_an_address_that_only_invisible_characters_make_one_is_found(text: str) -> None:
    addresses = [one for one in tokenize(text) if one.kind is Kind.EMAIL]
    spans = [span for span in checked_spans(DETECTOR, [text])[0] if span.kind == "email"]
    assert [(one.start, one.end) for one in addresses] == [(span.start, span.end) for span in spans] != []


def test_it_goes_to_another_process() -> None:
    again = pickle.loads(pickle.dumps(DETECTOR))
    assert again.detect(["Maria"]) == DETECTOR.detect(["Maria"])


@pytest.mark.parametrize(
    "piece",
    ["1", ".", "@", "A", "A ", "a.b.", "1-1-", "(", "((1", "0f", "Aa", "Van der ", "A.", "1 ", "12:",
     "a@", "@a", ".com", "$1,",
     "March ", "1/1/", "St. ", "of A ", "twenty ", "12 Aa ", "\u200b",
     "1\u0301", "http://", "www.", "'s", "A'", "\n", "x-y "],
)  # fmt: skip
def test_hostile_strings_take_no_long_time(piece: str) -> None:
    assert is_linear(lambda text: checked_spans(DETECTOR, [text]), piece)


def test_a_name_that_is_a_verb_elsewhere_is_found_behind_a_title() -> None:
    found = {
        text: [text[one.start : one.end] for one in tv.detect(text)] for text in ("Mr. May came.", "Ask Dr. Will.")
    }
    assert found == {"Mr. May came.": ["May"], "Ask Dr. Will.": ["Will"]}
    assert tv.detect("Will he come? May I? I met Dr. The man.") == []


def test_no_span_has_a_higher_score_than_the_detector_states() -> None:
    """Policies refuse a ``min_score`` above it: whoever raises a score raises it there too."""
    files = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    texts = [Path(__file__).read_text(encoding="utf-8"), *(file.read_text(encoding="utf-8") for file in files[:12])]
    for span in (span for text in texts for span in DETECTOR.detect([text])[0]):
        assert span.score <= DETECTOR.highest_scores.get(span.kind, 1.0), span.kind


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("[10/Oct/2024:13:55:36 +0200] GET", ["10/Oct/2024", "13:55:36 +0200"]),
        (
            "open 08:30-17:00, Mo-Fr 8.30-17.00, horaires : 9h00-18h00",
            ["08:30", "17:00", "8.30", "17.00", "9h00", "18h00"],
        ),
        ("Do, 12.06., 19 Uhr; 22h10; 02.10 u: nights 23/1", ["12.06.", "19", "22h10", "02.10", "23/1"]),
        ("at 14:05:10-05:00", ["14:05:10-05:00"]),
        ("the ratio was 1.30-2.45, TSH 0.40-4.50 mU/L, 24h, 3.47 u/l, section 9.10-9.15", []),
    ],
)
def test_dates_and_times_of_logs_hours_and_other_clocks(text: str, times: list[str]) -> None:
    assert [text[s.start : s.end] for s in tv.detect(text) if s.kind in ("date", "time")] == times
