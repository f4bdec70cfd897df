"""Persons, ids and positions in the forms of machines and trades."""

import pytest

import textveil as tv

PASSPORT = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10\n"
CARD = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<\n"
FRENCH = "IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<<\n8806923102858CORINNE<<<<<<<6512068F6\n"
VISA = "V<UTOVAN<DER<BERG<<PIETER<<<<<<<<<<<<<<<<<<<\n"


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[span.start : span.end], span.kind) for span in tv.detect(text, min_score=0.5) if span.kind != "number"
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            PASSPORT,
            [
                "UTO",
                "ERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
                "L898902C36",
                "UTO",
                "7408122",
                "1204159",
                "ZE184226B",
                "10",
            ],
        ),
        (CARD, ["UTO", "D231458907", "7408122", "1204159", "UTO", "6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"]),
        (FRENCH, ["FRA", "BERTHIER<<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858", "CORINNE<<<<<<<", "6512068", "6"]),
        (VISA, ["UTO", "VAN<DER<BERG<<PIETER<<<<<<<<<<<<<<<<<<<"]),
        ("1.1DESMARAIS/LUC MR 2.1NGUYEN/LANMISS on flight", ["DESMARAIS/LUC", "NGUYEN/LAN"]),
        ("BOARDING PASS\nNAME DESMARAIS/LUC MR\nFLIGHT 7", ["DESMARAIS/LUC MR"]),
        ("M1DESMARAIS/LUC       EABC123 YULFRAAC 0834", ["DESMARAIS/LUC", "ABC123"]),
        (
            "SSR DOCS AC HK1/P/CAN/GA302922/CAN/12MAR84/M/15JUN29/DESMARAIS/LUC",
            ["CAN", "GA302922", "CAN", "12MAR84", "15JUN29", "DESMARAIS/LUC"],
        ),
        ("8=FIX.4.4|1=ACC-77831-JOH|116=WILMA JOHANSSON|", ["8", "1", "ACC-77831-JOH", "116", "WILMA JOHANSSON"]),
        ("dn: uid=mferreira,ou=People\nmanager: uid=tbrito,ou=People,dc=x", ["mferreira", "tbrito"]),
        ("dn: ou=x\nuserPassword:: e1NTSEF9c2VjcmV0\njpegPhoto:: /9j/4AAQ", ["e1NTSEF9c2VjcmV0", "/9j/4AAQ"]),
        ("wjohansson pts/0   -\ntbrito  :0   -", ["wjohansson", "tbrito"]),
        ("tbrito:x:1002:1002::/srv:/bin/sh\ndevs:x:1010:okonkwoc", ["tbrito", "okonkwoc"]),
        ("17 3 * * * ngozia /opt/run", ["ngozia"]),
        (r"@ IN SOA ns1.x.example. wilma\.j.x.example. ( 1", [r"wilma\.j"]),
        ("CQ CQ DE EI4ABC OP SIOBHAN QTH SLIGO", ["EI4ABC", "SIOBHAN", "SLIGO"]),
        ("<call:6>DL1XYZ<name:5>Ortwin<gridsquare:6>JO31aa", ["DL1XYZ", "Ortwin", "JO31aa"]),
        ("aircraft G-ABCD, EI-DLH and N123AB", ["G-ABCD", "EI-DLH", "N123AB"]),
        ("(FPL-EIABC-VG -C172", ["EIABC"]),
        ("MMSI: 235012345, Callsign 2ABC5", ["235012345", "2ABC5"]),
        ("51 deg 45' 7.27\" N, 1 deg 15' 27.64\" W", ["51", "45", "7.27", "1", "15", "27.64"]),
        ("$GPGGA,1,4807.038,N,01131.000,E,1", ["1,4807.038", "01131.000"]),
        ("<coordinates>-1.257677,51.752021,0</coordinates>", ["1.257677,51.752021,0"]),
        ('<wpt lat="51.752021" lon="-1.257677">', ["51.752021", "1.257677"]),
        ("at 514507N 0011528W", ["514507", "0011528"]),
        # Names on no list, which nothing else finds.
        ("M1QORLSKEL/VRENQ      EABC123 YULFRAAC 0834", ["QORLSKEL/VRENQ", "ABC123"]),
        (
            ":20:REF9\n:50K:/DE89370400440532013000\nQORLU SKELHORNE\nQUERGASSE 14\n:59:/123\nVRENKMOOR LTD\n-}",
            [
                "20",
                "50K",
                "DE89370400440532013000",
                "QORLU SKELHORNE",
                "QUERGASSE 14",
                "59",
                "VRENKMOOR LTD",
            ],
        ),
        ("dn: ou=x\nuid: qorlvre\nsn: Skelhorne\ngivenName: Qorlu\n", ["qorlvre", "Skelhorne", "Qorlu"]),
        ("<call:6>DL1XYZ<name:5>Qorlu<qth:9>Vrenkmoor", ["DL1XYZ", "Qorlu", "Vrenkmoor"]),
        ("QRZ? JO31aa", ["JO31aa"]),
    ],
)
def test_a_form_tells_what_stands_where(text: str, values: list[str]) -> None:
    assert [value for value, _ in found(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "READ/WRITE access, AND/OR gates, TCP/IP, INPUT/OUTPUT",
        "std::cout << name << endl; int x = a<<b; MASK<<SHIFT",
        "sshd:x:74:74::/var/empty:/sbin/nologin\nreboot   system boot",
        "dn: cn=admin,dc=org; CN=Users,DC=org",
        "5 N and 3 kN, from 20 N to 30 S",
        "the aircraft and B-CELL",
        "Take B12 and A4 paper",
        "root     pts/0\nmysql    tty1",
        "x=1|116=ADA",
    ],
)
def test_what_looks_alike_is_none(text: str) -> None:
    kinds = {kind for _, kind in found(text)}
    assert kinds.isdisjoint({"person", "handle", "id", "secret"})


def test_what_operators_send_for_words_stays() -> None:
    assert "CALL UR RST" in tv.Sanitizer("identifiers")("EI4ABC PSE K DL1XYZ DE EI4ABC CALL UR RST 599 OP SIOBHAN").text


@pytest.mark.parametrize("page", [PASSPORT, CARD, VISA])
def test_a_zone_keeps_its_width_and_no_state(page: str) -> None:
    sanitizer = tv.Sanitizer("identifiers")
    releases = [sanitizer(page).text for _ in range(20)]
    for value in ("UTO", "ERIKSSON", "BERG", "L898902C3", "D23145890"):
        assert not all(value in release for release in releases)  # by chance: 17,000^-20 for a name
    for release in releases:
        assert [len(line) for line in release.splitlines()] == [len(line) for line in page.splitlines()]
