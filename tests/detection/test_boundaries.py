"""A value is found whole whatever stands right beside it: a cell's comma, a dash, emphasis, a sign of equality."""

import pytest

from textveil.detection.embedded import embedded_detector
from textveil.detection.segments import spaced_lines

VALUES = (
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "4981 2355 3126 0344",  # its first three groups have the check digit of an Aadhaar
    "3782 822463 10005",
    "587-55-2335",
    "DE89 3704 0044 0532 0130 00",
    "+48 12 341 67 21",
    "+44 7400 149931",
    "203.71.143.116",
    "22:18:fe:84:a9:33",
    "1987-05-23",
    "maria.lopez@example.org",
)
PLACES = (
    "see {} today", "x,{},y", "x;{};y", "x|{}|y", "x\t{}\ty", "x, {}, y", '"x","{}","y"', "['{}']", '{{"a":"{}"}}',
    "({})", "<b>{}</b>", "<{}>", "**{}**", "_{}_",
    "x\u2014{}\u2014y", "\u201c{}\u201d", "\xab{}\xbb", "`{}`", "x={} y",
    "x:{} y", "#{} y", "\n{}\n", "{}...", "{}?", "\u2022{}", "x\u2192{}", "12,{},y", "x,{},12",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_found_whole_whatever_stands_beside_it(place: str) -> None:
    for value in VALUES:
        text = place.format(value)
        start = text.index(value)
        left = set(range(start, start + len(value)))
        for span in embedded_detector().detect([text])[0]:
            if span.kind not in ("code-number", "ordinary", "numbering", "measurement", "quantity"):
                left -= set(range(span.start, span.end))
        assert not [text[at] for at in left if text[at].isalnum()], value


@pytest.mark.parametrize(
    "text", ["inet addr:192.168.1.2", "HWaddr:3f:c7:df:ef:e5:53", "::ffff:10.1.2.3", "cell=+1 617 253 1000"]
)
def test_addresses_are_found_behind_a_colon(text: str) -> None:
    assert [span.kind for span in embedded_detector().detect([text])[0]][-1] in ("ip", "id", "phone")


@pytest.mark.parametrize(
    "text", ["1,234,567 items", "from 2008\u20132010", "x[-5] - 12", "a \u2014 b", "__init__", "12:30:45"]
)
def test_marks_within_numbers_and_words_part_nothing(text: str) -> None:
    found = embedded_detector().detect([text])[0]
    assert not [span for span in found if span.kind in ("id", "phone", "ip", "person")]


def left_of(value: str, text: str) -> list[str]:
    """Return the letters and digits of a value in a text that are in no span."""
    start = text.index(value)
    left = set(range(start, start + len(value)))
    for span in embedded_detector().detect([text])[0]:
        left -= set(range(span.start, span.end))
    return [text[at] for at in left if text[at].isalnum()]


WRAPPED = (
    "4242 4242\n4242 4242", "DE89 3704 0044 0532\n0130 00", "+48 12 341\r\n67 21", "(617)\n253-1000",
    "(617) 253-\n> 1000", "587-55-\n2335", "12\nMaple Street", "12 Maple\nStreet", "3\nMarch 2024", "07400\n149931",
    "020\n7946-0018",
)  # fmt: skip


@pytest.mark.parametrize("value", WRAPPED)
def test_a_value_is_found_whole_across_the_end_of_a_line_of_prose(value: str) -> None:
    text = f"Please note down for later that her details are {value} and that is all we know of it."
    assert not left_of(value, text)


@pytest.mark.parametrize(
    "text",
    [
        "The whole thing took a little longer than expected: 34\n2026-03-01 10:11:12 INFO next request served",
        "We have been waiting for rather a long time here and it was 617\n12.30 lunch with all of them",
        "We ordered what we always order, and then twelve more of 12\n3. Call the plumber about the other tap",
        "count\n4242\n1717\n3131\n",
        'sold to,"Berwick and its surroundings, all of them",yes,Gold,49.90\n100293442,"Athlone",no,Basic,9.90',
        "| a long cell of a table that nobody wraps 4242 4242 |\n| 4242 4242 |",
    ],
)
def test_lines_that_are_no_prose_are_not_read_on(text: str) -> None:
    assert not [span for span in embedded_detector().detect([text])[0] if "\n" in text[span.start : span.end]]


SPACED = (
    "12  Main  Street", "31  January  1979", "GB92  ZCET  9722  0033  2245  38", "SP4N  9AU", "Kharrona  Smith  Ltd",
    "4965  Murray  Fields  Apt.  215", "Marjorie  Tanfield", "0161  496  0732",
)  # fmt: skip


@pytest.mark.parametrize("gap", ["  ", "   ", "    ", "\t"])
@pytest.mark.parametrize("value", SPACED)
def test_a_value_is_found_whole_across_gaps(value: str, gap: str) -> None:
    spaced = value.replace("  ", gap)
    assert not left_of(spaced, f"Her details  are {spaced} and\nthat is  all.  We know nothing else of it.")


def test_a_reading_across_gaps_goes_before_one_that_meets_it() -> None:
    text = "geb. 14.   M\xe4rz   1962, Mobil: 0171   5550183"
    found = [text[span.start : span.end] for span in embedded_detector().detect([text])[0]]
    assert found == ["14.   M\xe4rz   1962", "0171   5550183"]


@pytest.mark.parametrize(
    "text",
    [
        "12  Main  Street\n30  Oak   Avenue\n",
        "Surgeon: Mr H. Fairweather  Asst: J. Pugh",
        "Exam CSE Maths 7  Physics 8",
        "Lot 12  Main: open",
        "Surname: Penhallow   Forename(s): Robin Ira",
        "72070 Ulm   Steuernr. 86/118",
        "12 Oak Lane   Main Street",
        "Lot   12   Main\nBay   30   Oak\n",
        "Lot\t12\tMain\nSlip\t30\tOak\n",
        "Oak shelf            12   Main Street",
        "at 12   Main    Street",
    ],
)
def test_columns_and_labels_are_not_read_across_gaps(text: str) -> None:
    gaps = ("  ", "\t")
    assert not [
        span
        for span in embedded_detector().detect([text])[0]
        if any(gap in text[span.start : span.end] for gap in gaps)
    ]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("He saw it then.  They left.", []),
        ("BP was 120/80.  She left (by car).  So COPD.  He stays", []),
        ("2.  Chronic pain since spring.  3.  Asthma.  4.  Gout again", []),
        ("Call 555  0133 now.  They left", ["Call 555 0133 now.  "]),
        ("They left in May.  Call 555  0133", ["They left in May. Call 555 0133"]),
        ("They left again.  Call 555  0133", ["Call 555 0133"]),
        ("He met Thos.  Hardy in St.  Louis", ["He met Thos. Hardy in St. Louis"]),
        ("14.  Oktober  1990", ["14. Oktober 1990"]),
        ("so  mevr.  Ter  Horst", ["so mevr. Ter Horst"]),
    ],
)
def test_a_wide_gap_behind_a_sentence_or_before_an_item_parts_a_line(text: str, pieces: list[str]) -> None:
    lines = list(spaced_lines(text))
    assert [line.text for line in lines] == pieces
    beside = [(line, gap - 1, gap + 2) for line in lines for gap in line.gaps]
    there = [line.place(start, end) for line, start, end in beside]
    written = [" ".join(text[slice(*place)].split()) for place in there if place is not None]
    assert written == [line.text[start:end] for line, start, end in beside]
