"""Norms, protocols, releases, laws and books of the Bible keep their numbers; what looks like them does not."""

import pytest

import textveil as tv

PUBLIC = """ISO 9001 and DIN EN 1090-2, EN ISO 13485:2016, BS 7671, RFC 2616, PEP 8, IEEE 802.11ac
ABNT NBR 5410, VDE 0100
text/plain; charset=UTF-8, encoding='iso-8859-1', cp1252, windows-1252
"GET / HTTP/1.1" over TLS 1.3, SIP/2.0/UDP, RTSP/1.0
MIME-Version: 1.0, USB 3.0, Wi-Fi 6, SHA-256, AES-128, WPA2, x86_64, base64
the character U+2019
python3.11, Python 3.11, Ubuntu 22.04, PostgreSQL 16.2, Node 18.19.1
Windows 11, Windows Server 2019, Android 14, Java 8
Office 365 and Excel 2016
Version 2.1, in version: v4.0.2, versie 1.4, la versión 2.3, apiVersion: v1
the PS5, an Xbox 360, an iPhone 15, a GTX 1080, a Core i5, a Raspberry Pi 4, a Boeing 747
Apollo 11, World War 2, Covid 19
45 CFR 164.514, 42 U.S.C. 1983, under 45 CFR Part 160
KRS 511.030 and ORS 163-415
1 Corinthians 13, Genesis 1:1, Sure 2:255
Form W-2, form I-94, Form 1040, form 1099-MISC
CVE-2024-3094
Ley 29/1994, de 24 de noviembre, Real Decreto 1619/2012, LO 3/2018, Lei 13.709/2018, D.Lgs. 81/2008, legge 104/1992
loi n° 89-462 du 6 juillet 1989, décret n° 2016-360, article L. 121-1 du Code
ustawa z dnia 29 sierpnia 1997 r., Dz.U. 1997 nr 133 poz. 883
Directive 95/46/EC, Richtlinie 93/13/EWG, Verordnung (EU) Nr. 1215/2012, die (EG) Nr. 1907/2006
BGBl. I S. 1234 und SGB IX
RAL 9010, CAS 67-64-1, WCAG 2.1, Proposition 65""".splitlines()
PRIVATE = """file ISO 4471234567
ACCT NBR 44712
RFC VECJ880326XXX
to BS1 4DJ
Windows 4471
her Visa 4471
Decreto n. 1234/2024
ordonnance n° 123/2020
Peter 3:16
1 John 3:16
owes ARS 1.200
Order 12345
version 4471
version 10.20.30.40
Form 4471
type 4471""".splitlines()


@pytest.mark.parametrize("text", PUBLIC)
def test_public_designations_keep_their_numbers(text: str) -> None:
    numbers = [span for span in tv.detect(text) if any(map(str.isdigit, text[span.start : span.end]))]
    assert {span.kind for span in numbers} <= {"numbering", "quantity"}
    assert tv.Sanitizer("identifiers", rng=tv.seeded_generator(1))(text).text == text


@pytest.mark.parametrize("text", PRIVATE)
def test_what_looks_like_a_designation_is_drawn(text: str) -> None:
    kept = [span for span in tv.detect(text) if span.kind == "numbering"]
    assert not any(character.isdigit() for span in kept for character in text[span.start : span.end])
