"""Clubs, teams, studios and bands, found whole; letters that are no club's stay."""

import pytest

import textveil as tv
from textveil.detection.institutions import find_clubs


def organizations(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "organization"]


@pytest.mark.parametrize(
    ("text", "club"),
    [
        ("We met FC Tarnbrook twice.", "FC Tarnbrook"),
        ("They lost to Tarnbrook AFC at home.", "Tarnbrook AFC"),
        ("He was let go by Tarnbrook F.C. in May.", "Tarnbrook F.C."),
        ("In der Saison 2011 kam er zum TuS Eversbach 09 und blieb.", "TuS Eversbach 09"),
        ("She scored for Tarnbrook IF last season.", "Tarnbrook IF"),
        ("La temporada pasada el CD Villalobar ganó.", "CD Villalobar"),
        ("They watched Toronto Blue Jays and left.", "Toronto Blue Jays"),
        ("Er unterschrieb bei den Denver Nuggets.", "Denver Nuggets"),
        ("The coach of the Seattle Otters resigned.", "Seattle Otters"),
        ("A striker of Dynamo Tarnbrook was fined.", "Dynamo Tarnbrook"),
        ("She pledged Kappa Alpha Theta at college.", "Kappa Alpha Theta"),
        ("It was distributed by Legend Films in June.", "Legend Films"),
        ("His album was played by The Brass Kettles in June.", "The Brass Kettles"),
        ("The singer left Otto Grey and the Lanterns in June.", "Otto Grey and the Lanterns"),
        ("She sang in the band Children of the Mill for years.", "Children of the Mill"),
        ("She runs the Darpana Academy of Performing Arts here.", "Darpana Academy of Performing Arts"),
        (
            "1994 wurde er Professor an der University of Tarnbrook und blieb dort viele Jahre.",
            "University of Tarnbrook",
        ),
    ],
)
def test_club_is_found_whole(text: str, club: str) -> None:
    assert club in organizations(text)


@pytest.mark.parametrize(
    "text",
    [
        "The FC Switch and the SC Adapter failed.",
        "IF Tarnbrook answers, call back AS Soon as you can.",
        "A coach said IF we must, CC the school.",
        "Echo: mild AS, trace MR, SV normal, FC 72.",
        "He played at the London Olympics last season.",
        "Add an index on the FK Users and sort.",
        "The Paris records and the Miami productions stay.",
        "My favourite album is The Great Escape.",
    ],
)
def test_letters_of_other_things_are_no_club(text: str) -> None:
    assert not organizations(text)


def test_letters_in_order_alone_or_of_honors_are_no_society() -> None:
    text = "The Alpha Beta build of Delta Alpha has Sigma, pi Chi and Phi Phi. Honors: Phi Beta Kappa"
    assert not list(find_clubs(text))
