"""Who writes and receives: headers of mails, lines of chats, columns that most of their cells tell."""

import pytest

import textveil as tv
from textveil.detection.found import plain
from textveil.detection.people_in_tables import find_people_in_tables
from textveil.detection.senders import find_senders


def senders(text: str) -> list[str]:
    """What is found as a sender."""
    return [text[span.start : span.end] for span in find_senders(plain(text).text)]


def cells(text: str) -> list[str]:
    """What is found as a person in a table."""
    found = find_people_in_tables(plain(text).text)
    return [text[span.start : span.end] for span in found if span.kind != "ordinary"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "De : Maxence Guilloteau\nÀ : Solenne Kerbiriou\nObjet : chantier\n",
            ["Maxence Guilloteau", "Solenne Kerbiriou"],
        ),
        ("From: Thandeka Mbele via Eventbrite <n@e.example>\nSubject: rain\n", ["Thandeka Mbele"]),
        ("From: Oduya, Temperance <t@f.example>\nSubject: rain\n", ["Oduya, Temperance"]),
        ("To: Ada Zuse, Bea Noor\nSubject: rain\n", ["Ada Zuse", "Bea Noor"]),
        ("Kimden: Oğuzhan Demirtepe <o@d.example>\nKonu: depo\n", ["Oğuzhan Demirtepe"]),
        ("ottilie: did you see it\njorge: yes, red\nottilie: ok\n", ["ottilie", "jorge", "ottilie"]),
        ("Yevgenia_K [11:20] leaks\nStu [11:22] his\nYevgenia_K [11:23] ok\n", ["Yevgenia_K", "Stu", "Yevgenia_K"]),
        ("[3/4/26, 7:07 p.m.] Gio: so", ["Gio"]),
        ("3/4/26, 7:07 p.m. - Gio: so", ["Gio"]),
        ("12/01/2026, 19:06 - Gio: ok", ["Gio"]),
        ("08-06-2024 17:02 - Hennie v/d Broek: wie komt er", ["Hennie v/d Broek"]),
        ("01.12.24, 19:12 - Ulli 2. OG: Medien weggelassen", ["Ulli"]),
        (
            "dmi_v \u2014 Today at 14:02\nhi\nsunny_patt \u2014 Today at 14:03\nlol\ndmi_v \u2014 Today at 14:05\nok\n",
            ["dmi_v", "sunny_patt", "dmi_v"],
        ),
        ("bo.th 18:03: jep\nFay 18:04: ok\nbo.th 18:05: gut\n", ["bo.th", "Fay", "bo.th"]),
    ],
)
def test_senders_of_mails_and_chats_are_found(text: str, names: list[str]) -> None:
    assert senders(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "From: Marketing Team\nSubject: rain\n",
        "Wij hebben nog geen antwoord gekregen\nAan: Tandarts\nOnderwerp: aanvraag\n",
        "note: it is red\nresult: done\nnote: again\n",
        "name: api\nimage: web\nname: db\n",
        "Meeting 10:30 in the hall\nLunch 12:30 outside\n",
        "Ward: 7B\nBed: 4\n",
        "Will: 3\n",
        "pool_main 10:22:01 started\npool_main 10:22:02 stopped\npool_main 10:22:09 started\n",
        "- ROM: Pain with flexion\n- ROM: Full\n- GAIT: slow\n",
    ],
)
def test_labels_and_keys_are_no_senders(text: str) -> None:
    assert senders(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('name,job\n"Ferncastle, Jo",clerk\n"Anand, Priya",cook\n', ["Ferncastle", "Jo", "Anand", "Priya"]),
        ("| Name | Car |\n|---|---|\n| Olwen Trevanion | Mini |\n| Grace Lillywhite | Ceed |\n",
         ["Olwen Trevanion", "Grace Lillywhite"]),
        (
            "Nr.  Name, Vorname   geb.\n1    Winter, Jonas   17.04.2011\n2    Böckle, Maximilian 02.11.2010\n",
            ["Winter", "Jonas", "Böckle", "Maximilian"],
        ),
        ("Bib\tRunner\n2\tLinnea Backström\n3\tWill Power\n4\tSummer Blythe\n",
         ["Linnea Backström", "Will Power", "Summer Blythe"]),
        ('Holder,Car\n"Abner, Rosa",Jazz\n"Bishop, Church",Up\n"D\'Angelo, Pier Luigi",500\n',
         ["Abner, Rosa", "Bishop, Church", "D'Angelo, Pier Luigi"]),
        ('x,"Catanduva, Jussara M.","447"', ["Catanduva, Jussara M."]),
        ("time;user;act\n17;hvandoorn;export\n18;system;stop\n", ["hvandoorn"]),
        ("User,City\nOlwen Trevanion,Bath\n", ["Olwen Trevanion"]),
        ("NO       SURNAME     GIVEN     MON\nE-004    HOLLOWAY    DESMOND   OFF\nE-005    WHITE       SUNNY     OFF\n",
         ["HOLLOWAY", "DESMOND", "WHITE", "SUNNY"]),
    ],
)  # fmt: skip
def test_columns_of_names_are_found_by_their_cells(text: str, names: list[str]) -> None:
    assert cells(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "name,price\nBlue Widget,4\nRed Widget,5\n",
        "name\ttype\ncustomer_id\tint\ncreated_at\tdate\n",
        "Name    Size\nREADME  4 kB\nsetup   1 kB\n",
        "Team    Lead\nBackend Platform\n",
    ],
)
def test_columns_that_name_things_stay(text: str) -> None:
    assert cells(text) == []


def test_a_chat_goes_with_all_its_mentions() -> None:
    text = "tom: did you see it?\nottilie: yes, tom, red\ntom: ask Ottilie\n"
    assert [text[span.start : span.end] for span in tv.detect(text)] == ["tom", "ottilie", "tom", "tom", "Ottilie"]


def test_writers_whose_names_are_words_go_with_their_mentions_in_a_chat_with_times() -> None:
    text = "[12:04] moss: did bear come\n[12:05] bear: no\n[12:06] moss: ring bear, bear the bear\n[12:07] bear: ok"
    found = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"]
    assert found == ["moss", "bear", "bear", "moss", "bear", "bear", "bear"]
    log = text.replace("moss", "info").replace("bear", "error")
    assert [span for span in tv.detect(log) if span.kind == "person"] == []


def test_who_speaks_at_a_hearing_and_who_posts_goes() -> None:
    hearing = "MR LOCKSTOCK: Where were you?\nWITNESS: In bed.\nMR SPEAKER: Order.\n"
    assert [hearing[span.start : span.end] for span in find_senders(hearing)] == ["LOCKSTOCK"]
    posts = "jade_m: love you\nnana_pat: who is it\njade_m: nana please, no"
    assert [posts[span.start : span.end] for span in find_senders(posts)] == ["jade_m", "nana_pat", "jade_m"]
    assert list(find_senders("max_tokens: 3\nbase_url: the one\nuser_ids: many")) == []
    talk = "Big Col: Guilty of that.\nDilly Sharples: no\nBig Col: ok"
    assert [talk[span.start : span.end] for span in find_senders(talk)] == ["Big Col", "Dilly Sharples", "Big Col"]


def test_writers_whose_names_are_words_go_in_a_lively_talk() -> None:
    talk = "kiwi: hey there\nfox: hi you\nkiwi: when are we going?\nfox: at 8\nkiwi: ok\nfox: bring the ball!"
    assert [talk[span.start : span.end] for span in tv.detect(talk) if span.kind == "person"] == ["kiwi", "fox"] * 3
    short = "bex: are you coming?\noz: maybe not\nbex: ok\noz: lol\ntk: hi"
    assert {short[span.start : span.end] for span in tv.detect(short) if span.kind == "person"} == {"bex", "oz", "tk"}
    for parts in (("user", "assistant"), ("name", "value"), ("mum", "me"), ("nurse", "patient")):
        other = talk.replace("kiwi", parts[0]).replace("fox", parts[1])
        assert [span for span in tv.detect(other) if span.kind == "person"] == []
    alone = "kiwi: hi you\nkiwi: are you there?\nkiwi: ok\nkiwi: bye\nfox: who is it?\nfox: no!"
    assert [span for span in tv.detect(alone) if span.kind == "person"] == []
    data = "kiwi: 3\nfox: 4\nkiwi: 5\nfox: 6\nkiwi: 7\nfox: 8"
    assert [span for span in tv.detect(data) if span.kind == "person"] == []
