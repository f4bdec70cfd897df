"""Initials without full stops go where the document names their bearer, or a word tells that somebody signs."""

import pytest

import textveil as tv

NAMED = "Seen: Fenella Strand, Callum Okoro and Ivy Tansley.\n"


def signs(text: str) -> list[str]:
    spans = tv.detect(NAMED + text, min_score=0.35)
    return [
        (NAMED + text)[span.start : span.end] for span in spans if span.start >= len(NAMED) and span.kind == "person"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FS will ask.", ["FS"]),
        ("Agreed. Seconded IT, proposed CO.", ["IT", "CO"]),
        ("The chair (IT) reported.", ["IT"]),
        ("Lungs clear\nFS 11/10 14:20\n", ["FS"]),
        ("All well. CO to ask.", ["CO"]),
        ("Plan: scan per FS. Then FS left.", ["FS", "FS"]),
        ("Copy to FS & CO.", ["FS"]),
        ("CO has two quotes; CO to write.", ["CO", "CO"]),
        ("regards\nFS", ["FS"]),
        ("written xk", ["xk"]),
        ("QV/smc", ["QV", "smc"]),
        ("Thanks,\nF.", ["F"]),
        ("paid, rec'd FS", ["FS"]),
        ("entered xk", ["xk"]),
        ("rec'd xk", ["xk"]),
        ("pages: CO, IT, FS", ["CO", "IT", "FS"]),
        ("Checked: XKJ", ["XKJ"]),
        ("Requested by: XK/Teal side", ["XK"]),
        ("clean signed XK/QV. Visitors came", ["XK", "QV"]),
        ("P. Garvey of Nook & Cranny Lettings: IT, FS, PG", ["IT", "FS", "PG"]),
        ("Jude Skelhorn too; pages: FS/JS/IT", ["Jude Skelhorn", "FS", "JS", "IT"]),
        ("pages: CO, IT, and\nthat is all.\nFD", ["FD"]),
    ],
)
def test_initials_of_somebody_named_go(text: str, found: list[str]) -> None:
    assert signs(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "FS 12 mm",
        "the FS was full",
        "QV will ask.",
        "CO: high, CO 12",
        "written by hand",
        "logged on",
        "IT is down",
        "pages: IT/QV",
        "all.\nQD",
        "B.",
    ],
)
def test_other_letters_stay(text: str) -> None:
    assert signs(text) == []


def test_initials_are_drawn_as_initials() -> None:
    text = NAMED + "FS will ask. Typed jk"
    released = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(4))(text).text
    last = released.removeprefix(released.split("\n")[0]).strip().split()
    assert last[0].isupper()
    assert len(last[0]) == 2
    assert last[-1].islower()
    assert len(last[-1]) == 2
    assert (last[0], last[-1]) != ("FS", "jk")


@pytest.mark.parametrize("sign", ["AMZN", "AN", "AZN", "AZ"])
def test_a_name_of_several_parts_has_each_of_its_initials(sign: str) -> None:
    text = f"Seen: Ada Mary Zuse-Noor.\n{sign} will ask."
    assert sign in [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"]


def test_an_initial_with_a_family_signs_with_both() -> None:
    text = "Seen by: R. Mbeki, FY1; ward quiet.\nRM 11/10 14:20\n"
    for seed in range(8):
        released = tv.Sanitizer("clinical", rng=tv.seeded_generator(seed))(text).text
        first, family, sign = released[9], released[12], released.split("\n")[1][:2]
        assert "Mbeki" not in released and sign == first + family


def test_a_part_of_a_word_or_a_figure_is_no_name_with_a_grade() -> None:
    text = "see Vol. R. mbeki, FY1. E. coli, GP. OR. Mbeki. 3.R. Mbeki, FY1"
    assert not [span for span in tv.detect(text, min_score=0.6) if span.kind == "person"]
