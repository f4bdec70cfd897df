"""Names of users and persons are found by the field that holds them, and roles and code are not."""

import re

import pytest

import textveil as tv
from textveil.detection.embedded import embedded_detector
from textveil.detection.found import Found
from textveil.detection.gates import glance
from textveil.detection.people_in_records import (
    KEY_GATE,
    find_owners,
    find_people_in_fields,
    find_people_under_keys,
    with_addressed,
)
from textveil.detection.people_in_tables import find_people_in_tables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user=rmontalvo ip=203.0.113.18", ["rmontalvo"]),
        ("Failed password for invalid user jpetrosyan from host", ["jpetrosyan"]),
        ("Failed password for invalid user tom.baker from host", ["tom.baker"]),
        ("Accepted publickey for mkowalczyk from host port 2", ["mkowalczyk"]),
        ("session opened for user rvandyke(uid=1000)", ["rvandyke"]),
        ('10.0.0.1 - mkowalczyk [10/Oct/2023:13:55:36] "GET / HTTP/1.1"', ["mkowalczyk"]),
        ('{"username": "kdelacroix", "author": "tnakamura"}', ["kdelacroix", "tnakamura"]),
        ("WHERE c.LastName = 'Papadimitriou'", ["Papadimitriou"]),
        ("u/velvet_kazoo_91: 200 bucks, posted in r/legal, see edu/about", ["u/velvet_kazoo_91"]),
        ("| github: omaccoy | Skype    yannis.bh\nBenutzer: kschoenfeld\n", ["omaccoy", "yannis.bh", "kschoenfeld"]),
        ("GitHub: see the readme. Instagram: none. Telegram: @bot", []),
        ("// TODO(mkowalski): ask; # FIXME(@teun.aarts)", ["mkowalski", "teun.aarts"]),
        ("TODO(team): later; NOTE(see below); TODO(backend)", []),
        ("user=root for user admin; sudo -u postgres psql", []),
        ("user=request.user; user = get_user(); user: User", []),
        ("sort -u file.txt; the user wants a page; product_name: 'Widget'", []),
    ],
)
def test_a_field_tells_a_user_or_a_person(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_people_in_fields(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rashid al-Mansoori (son) called", "Rashid al-Mansoori"),
        ("will see Hyun-woo Bae today", "Hyun-woo Bae"),
        ("She lives at 12 Fallowfield, Durham.", "12 Fallowfield, Durham"),
        ("Callback: +1 786 555 0119, ext. 4", "+1 786 555 0119, ext. 4"),
    ],
)
def test_a_weak_cue_is_enough_for_a_whole_span(text: str, expected: str) -> None:
    spans = embedded_detector().detect([text])[0]
    assert expected in [text[span.start : span.end] for span in spans if span.score > 0.35]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Name: LauraPottery\nLocation: OR\nHi all.", ["LauraPottery", "OR"]),
        ("Seller: KwameBikes", ["KwameBikes"]),
        ("Doctor: Young, are you? Patient: Rich, no.", []),
        ("Doctor: Good, so what do you do?", []),
    ],
)
def test_a_field_holds_a_person_and_a_speaker_does_not(text: str, names: list[str]) -> None:
    kinds = ("person", "place", "organization")
    spans = [span for span in tv.detect(text, "embedded", min_score=0.36) if span.kind in kinds]
    assert [text[span.start : span.end] for span in spans] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("first_name,last_name,sum\nNgozi,Fairweather,3\nnull,Katz,4\n", ["Ngozi", "Fairweather", "Katz"]),
        ('id,customer\n1,"Obermeier, Femi"\n', ["Obermeier", "Femi"]),
        (" id | last_name\n----+-----------\n  1 | Oyelaran\n(1 row)\n", ["Oyelaran"]),
        ("| full name | age |\n|---|---|\n| Haruto Zorn | 7 |\n", ["Haruto Zorn"]),
        ('{"stdout": "surname,x\nKatz,1\n", "code": 0}', ["Katz"]),
        (
            " reviewer | state\n----------+-------\n Quennetia | open\n Backend | open\n postgres | open\n",
            ["Quennetia"],
        ),
        ("customer name, address, phone\nPlease send, it now, or never\n", []),
        ("file_name,size\nReadme,3\n", []),
        ("room  name\n12    Haruto Zorn\n14    Ngozi Katz\n", ["Haruto Zorn", "Ngozi Katz"]),
        ("first_name,last_name\nA sentence with no comma. Katz\n", []),
    ],
)
def test_cells_below_a_header_of_names_are_persons(text: str, names: list[str]) -> None:
    for lines in (text, text.replace("\n", "\r\n")):
        found = find_people_in_tables(lines)
        assert [lines[span.start : span.end] for span in found if span.kind != "ordinary"] == names


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("$ ls -l\n-rw-r--r-- 1 pbaptiste staff 40 x.py\ndrwxr-xr-x@ 2 root wheel 64 y", ["pbaptiste"]),
        ("$ whoami\nklindqvist\n", ["klindqvist"]),
        ("USER PID %CPU %MEM\nqzorndyke  4711  1.0  0.2 python\nroot  1  0.0  0.1 init\n", ["qzorndyke"]),
        ("whoami tells; --x--- 1 nobody", []),
    ],
)
def test_owners_of_files_are_users(text: str, users: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_owners(text)] == users


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("denied: Oyelaran, by haruto.oyelaran@x.org", ["Oyelaran"]),
        ('{"name": "Zoë Dąbrowski", "mail": "zoe.dabrowski@x.org"}', ["Zoë", "Dąbrowski"]),
        ("Ebony Quux asks; ebony.quux@x.org", ["Ebony", "Quux"]),
        ("Support is closed. support@x.org, sales.team@x.org: Team, oyelaran", []),
    ],
)
def test_capitalized_words_of_an_address_are_names(text: str, names: list[str]) -> None:
    found = [Found(match.start(), match.end(), "email", 0.9) for match in re.finditer(r"[\w.]+@x\.org", text)]
    assert [text[span.start : span.end] for span in with_addressed(text, found) if span.kind == "person"] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on_call:\n  - Oyindamola\n  - Quennetia Rovelsky\n  - T. Zorndyke\nslack: Kaya\n", 3),
        ("team:\n  owners:\n  - Zorndyke, Quennetia\n  - QUENNETIA ZORNDYKE\n  - qzorndyke\n  - q.rovelsky\n", 5),
        ("reviewers: [Quennetia, 'Rovelsky', qzorndyke]\nstate: open", 3),
        ('{"assignees": [\n  "Quennetia", "Oyindamola"], "createdBy": "Rovelsky", "title": "Zorndyke"}', 3),
        ("contacts:\n  primary: Quennetia\n  backup: Rovelsky (late)\nregion: Zorndyke", 2),
        ("Cc: Quennetia; Rovelsky <r@x.org>\nApproved-by: Oyindamola\nauthor = 'Zorndyke'\nowner=Kwabenya ms=4", 5),
        ('{"stdout": "passengers:\\n", "x": 1}\nPassengers:\n 1. Rovelsky\n 2. Zorndyke\n', 2),
        ("coauthor: Quennetia Rovelsky", 1),
        ("Hope Winter\nlead: Dawn Meadows\nmanager: Nathan West\n", 2),
        ("owners: Platform Team\nmembers:\n  - Germany\n  - Readers\n  - serviceAccount:x\n  - infra-core\n", 0),
        ("The owner: a person who owns. Contact: Support\nusers: [Admins, root, admin]\nlead: TBD\n", 0),
        ("authors: see the Zorndyke file\nguests:\nRovelsky\nmy-owner: Zorndyke\nx.owner: Zorndyke\n", 0),
    ],
)
def test_values_of_keys_that_hold_persons_are_persons_or_logins(text: str, expected: int) -> None:
    found = list(find_people_under_keys(text))
    assert len(found) == expected, [text[span.start : span.end] for span in found]
    assert all((span.kind == "handle") == text[span.start].islower() for span in found)
    assert not expected or KEY_GATE(text, glance(text))


@pytest.mark.parametrize(
    "piece", ["owner: a, ", "owner: Ada Zorn, ", "owners: [", "- owners:\n", '"owner": "', "owner=["]
)
def test_keys_take_linear_time(piece: str) -> None:
    """A search in quadratic time would not end before the suite's watchdog."""
    for _ in find_people_under_keys(piece * (300_000 // len(piece))):
        pass
    for _ in find_people_under_keys("owners:\n" + "- Ada Zorn\n" * 30_000):
        pass


def test_large_tables_and_long_words_take_linear_time() -> None:
    """A search in quadratic time would not end before the suite's watchdog."""
    for text in ("name_x,last_name\n" * 50_000, "last_name,b\n" + "Katz,1\n" * 50_000, "last_name," * 50_000):
        for _ in find_people_in_tables(text):
            pass
    for word in ("a" * 100_000 + "1", "a-" * 50_000 + "1", "A'b" * 30_000 + "_"):
        with_addressed(f"ada.zuse@x.org {word}", [Found(0, 14, "email", 0.9)])


@pytest.mark.parametrize("mark", ["\t", "|", ",", ";", "  "])
def test_a_run_of_marks_behind_a_header_is_read(mark: str) -> None:
    assert {span.kind for span in find_people_in_tables("name" + mark * 3000 + "\nx")} <= {"ordinary"}


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("a,b\n1,Smith\n2,Qarvel\n3,Jones\n4,Miller\n", ["Smith", "Qarvel", "Jones", "Miller"]),
        (
            "Qarvel Brunth;3\nJohn Brown;4\nPeter Hill;5\nMary Lee;6",
            ["Qarvel Brunth", "John Brown", "Peter Hill", "Mary Lee"],
        ),
        ("| John |\n|---|\n| 1 |", ["John"]),
        ("7\tJohn\n2\tQarvel\n3\tMary\n\n4\tBrunth\n", ["John", "Mary"]),
        ("x,svc\nAnna,api\nplatform-team,db\nJohn,web\nUnassigned,mail\nMary,x\n", ["Anna", "John", "Mary"]),
        ("Jones,x\nKubelet,x\nEtcd,y\nFluentd,z\nBrown,z\nSmith,y\nCeph,x\n", ["Jones", "Brown", "Smith"]),
        ("1,Smith\n2,Gravel\n3,Sand\n4,Water\n5,Jones\n", ["Smith", "Jones"]),
    ],
)
def test_a_column_that_names_persons_in_most_cells_names_them_in_all(table: str, names: list[str]) -> None:
    for text in (table, table.replace("\n", "\r\n")):
        assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"] == names
