"""Records of trades in which a tag or a place tells who somebody is."""

import pytest

import textveil as tv

CERTIFICATE = "subject=/C=IE/ST=Leinster/L=Kilwhin/O=Okparaeke & Daughters/CN=x.example\nserial=04:AB:11:98:FE\n"
GAME = "[21:14:02] [Chat/INFO]: <xX_Ngozi_Xx> brb\n[21:15:00] [Server/INFO]: Okparaeke2009 was slain by Zombie\n"
ENTRY = "D3/15/2026\nT-52.10\nPHonora Quigley\nMsupper club\n^\n"
KEPT = {"number", "time", "numbering", "quantity", "money", "date", "code-number"}


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.5) if span.kind not in KEPT]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "NAD+BY+++Okparaeke:Ngozi+Amselweg 9+Bad Driburg++33014+DE'",
            ["Okparaeke", "Ngozi", "Amselweg 9", "Bad Driburg", "33014"],
        ),
        ("CTA+IC+LOH:Petra Lohse'COM+052539871234:TE'", ["Petra Lohse", "052539871234"]),
        ("(0010,0010) PN [OKPARAEKE^Ngozi^A^^Dr]", ["OKPARAEKE", "Ngozi", "A"]),
        ("worklist|PENHALIGON^H|STAT", ["PENHALIGON", "H"]),
        ("TY  - JOUR\nAU  - Okparaeke, N. A.\nER  - \n", ["Okparaeke, N. A."]),
        ("%A M. D. Whitlock\n%T Rain\n", ["M. D. Whitlock"]),
        ('[White "Oyelowo, T"]\n[Site "Kilwhin"]', ["Oyelowo, T", "Kilwhin"]),
        ("=100  1\\$aOkparaeke, Ngozi,$d\n", ["Okparaeke, Ngozi"]),
        (CERTIFICATE, ["Leinster", "Kilwhin", "Okparaeke & Daughters", "04:AB:11:98:FE"]),
        (GAME, ["xX_Ngozi_Xx", "Okparaeke2009"]),
        ("X-Original-To: prudence\n", ["prudence"]),
        ("bapt. Catharina, fil. Petri Wippermann et Evae Lohse.", ["Catharina", "Petri Wippermann", "Evae Lohse"]),
        ('"Umbridge, B" | Okparaeke, N. A. |', ["Umbridge, B", "Okparaeke, N. A."]),
        ("Archer, Leonard\t12/03/1980\nGreen, Lucy | paid\nGreen, Blue | red", ["Archer, Leonard", "Green, Lucy"]),
        (
            "10  4471902  OGLETHORPE  T  07-MAR-1931  W\n10  4471903  OKPARAEKE  P  19-JUN-1950  W\n",
            ["OGLETHORPE", "T", "OKPARAEKE", "P"],
        ),
        ("NGOZI OKPARAEKE, Plaintiff,\nv.\nMARSH LANE LTD, Defendant.", ["NGOZI OKPARAEKE", "MARSH LANE LTD"]),
        ("seen: pt QUIGLEY T, fell", ["QUIGLEY T"]),
        (
            "KENNZ=B-XK 4471;HALTER=Wippermann;ORT=33014 Bad Driburg;FIN=WVWZZZ1JZXW000001",
            ["B-XK 4471", "Wippermann", "33014 Bad Driburg", "WVWZZZ1JZXW000001"],
        ),
        (ENTRY, ["Honora Quigley"]),
        # Names on no list, which nothing else finds.
        ("AU  - Skelhorne, Q.\nAU  - Xu Y\n", ["Skelhorne, Q.", "Xu Y"]),
        ("/C=IE/L=Kilwhin/O=Vrenkmoor/CN=Qorla Skelhorne\n", ["Kilwhin", "Vrenkmoor", "Qorla Skelhorne"]),
        ("[12:00:01] [Chat/INFO]: qorla_vr joined the game\n", ["qorla_vr"]),
        ("X-Sender: qorlavr\n", ["qorlavr"]),
        ("bapt. Skelhorne, fil. Vrenk Qorlu et Morwe Tasselin.", ["Skelhorne", "Vrenk Qorlu", "Morwe Tasselin"]),
        ("seen: pt SKELHORNE Q, fell", ["SKELHORNE Q"]),
        ("Sgt 4471 Skelhorne attended", ["4471", "Skelhorne"]),
        ("QORL SKELHORNE, Plaintiff,\nv.\nMARSH LANE LTD, Defendant.", ["QORL SKELHORNE", "MARSH LANE LTD"]),
        ("D3/15/2026\nT-52.10\nPQorlu Skelhorne\nMsupper club\n^\n", ["Qorlu Skelhorne"]),
    ],
)
def test_a_tag_tells_what_its_value_is(text: str, values: list[str]) -> None:
    assert found(text) == values


def test_a_tag_of_marc_stays() -> None:
    first = tv.detect("=245  10$aRain\n")[0]
    assert (first.start, first.end, first.kind) == (1, 4, "numbering")


def test_letters_of_qif_stay() -> None:
    release = tv.Sanitizer("identifiers")("D3/15/2026\nT-52.10\nPQorlu Skelhorne\nMelda\n^\n").text
    assert [line[:1] for line in release.splitlines()] == ["D", "T", "P", "M", "^"]


@pytest.mark.parametrize(
    "text",
    [
        "CT^HEAD and ADT^A01 and GLUCOSE^SERUM and NA^K",
        "ED TRIAGE NOTE",
        "AU  - World Health Organization\n",
        '"Hepatitis, B" | Vitamin, D | Appendix, C',
        "issuer= /C=US/O=Let's Encrypt/CN=R3",
        "O = n log n, C = 3",
        "pt NBM, pt HAS pain, pt MRI",
        "THE DEFENDANT SHALL PAY",
        "PATH=/usr/bin;HOME=/root;STATUS=OK;TO=ALL",
        "the game was lost in the rain",
        "Sodium  140  H  12-MAR",
    ],
)
def test_what_looks_alike_is_none(text: str) -> None:
    assert not {span.kind for span in tv.detect(text)} & {"person", "handle", "id"}
