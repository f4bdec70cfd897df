"""What ordinary English pages hold is drawn whole, and no more: the tables of mails, charts, registers and forms."""

import pytest

import textveil as tv

DRAWN = [
    ("He has had stents at Zorndyke.", "Zorndyke"),
    ("She moved to Zorndyke and rested.", "Zorndyke"),
    ("Ward: Linacre    Bay: C", "Linacre"),
    ("Signed with Ingrid Solheim, Stavanger: it works", "Stavanger"),
    ("E1,Ann,14/02/2019,K Osei,x@y.example", "K Osei"),
    ("E1\tAnn\tA Osei\t4102", "A Osei"),
    ("Direct deposit:  K & D Hennessy\nPaid", "K & D Hennessy"),
    ("TAX INVOICE\nWattlebird Plumbing & Gas\nABN 51", "Wattlebird Plumbing & Gas"),
    ("Auditor: Messrs Clegg & Hay. It closed.", "Clegg & Hay"),
    ("Sumame: HEATHC0TE", "HEATHC0TE"),
    ("Seen by S/N 0kafor today", "0kafor"),
    ("Born l2 / 08 / 1959 here", "l2 / 08 / 1959"),
    ("Date 11-O9-2O23 seen", "11-O9-2O23"),
    ("Eircode: H53 TK28", "H53 TK28"),
    ("Eircode D6W XY00.", "D6W XY00"),
    ("\u2022 Client: Meridian Crop Insurance, here", "Meridian Crop Insurance"),
    ("It began about January this year.", "January"),
    ("TRIAGE NOTE  Sacred Heart Medical Center, Yakima\n", "Sacred Heart Medical Center"),
    ("Seen at Silver Birch Health Centre today.", "Silver Birch Health Centre"),
    ("To: Allington Hughes & Dee, Solicitors for the Claimant", "Allington Hughes & Dee"),
    ("user=sibusiso.mbatha ip=1.2.3.4\nrole ADMIN to s.mbatha (ticket", "s.mbatha"),
    ("Noise complaint, The Rusty Spur Saloon. Owner", "The Rusty Spur Saloon"),
    ("MINUTES of the Meeting of Staveley Bowling and Social Club\nheld", "Staveley Bowling and Social Club"),
]
KEPT = [
    ("He has had stents at Zorndyke v4.1 of it.", "Zorndyke"),
    ("We like Stavanger: it works", "Stavanger"),
    ("Bloods: Hb 142, chol 6.1 today", "chol"),
    ('password: "pL9#vv20"\n  hikari:\n    maximum-pool-size: 10', "hikari"),
    ("Obs fine. Nebs, cultures and rest.", "Nebs"),
    ("The row A1 B22 CD34 and X99 ABCD stay.", "X99 ABCD"),
    ("Write it about now.", "now"),
    ("TRIAGE NOTE  Sacred Heart Medical Center, Yakima\n", "NOTE"),
    ("To: Allington Hughes & Dee, Solicitors for the Claimant", "Solicitors"),
    ("The Regional Medical Center and the Student Health Center opened.", "Center"),
    ("see JIRA LIN-4402 now", "LIN"),
    ("MINUTES of the Meeting of Staveley Bowling and Social Club\nheld", "Meeting"),
]


def drawn(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.35)]


@pytest.mark.parametrize(("text", "value"), DRAWN)
def test_value_is_drawn_whole(text: str, value: str) -> None:
    assert value in drawn(text)


@pytest.mark.parametrize(("text", "word"), KEPT)
def test_word_is_no_value(text: str, word: str) -> None:
    assert not [span for span in drawn(text) if word in span]
