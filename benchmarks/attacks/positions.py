"""Texts that would move the places of spans, so that a part of a name stays; and values that come out as they were.

    python benchmarks/attacks/positions.py [--texts 3000] [--seed 1]

Three kinds of texts are released under the presets that keep words:

- times with offsets from UTC before a name, of which a word stays outside everything that was replaced;
- what two searches find, side by side with many separators, where the release does not lead back to the text;
- measurements in the digits of every writing, which stay.

A text that is refused gives nothing away, and is counted by itself. Ends with code 1 where anything stays, or where one
of the first two kinds is refused.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from textveil.detection.embedded import PHASES
from textveil.errors import InternalError, TextveilError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

PRESETS: Final = ("identifiers", "clinical", "prompts")

NAMES: Final = ("Maria Gonzalez", "Agnes Pettifer", "Sunil Venkataraman", "Erika Houtman", "Chidi Okonkwo")
OFFSETS: Final = ("+02:00", "-05:00", "+0530", "+02", "Z", "", "-03:30", "+14:00")
CLOCKS: Final = ("T09:34:00", "T23:59", "T09:34:00.123", "T00:00:59.123456789", " 09:34:00", " 9:34", "T09:34:00,5")
FRAMES: Final = (
    "2024-03-05{time} {name} called about the invoice.",
    "2024-03-05{time}, 2024-03-06{time} and {name}, who paid",
    "[2024-03-05{time}] INFO user {name} logged in",
    '{{"at": "2024-03-05{time}", "who": "{name}"}}',
    "at 2024-03-05{time}\t{name}",
    "{name} wrote on 2024-03-05{time}",
)

EXAMPLES: Final = (
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----",
    "postgres://maria:hunter22@db.example.com/x",
    "token ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "mysql -u root -phunter2secret db",
    "password: Xk9fT2bQw",
    "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident",
    '"name": "Maria Gonzalez"',
    "Re: Mrs Agnes PETTIFER, d.o.b. 02.05.1941",
    "x\nVan: Jiska Baas\nOnderwerp: regen",
    "met haar broer Wouter",
    "x\nHosp. no.: 4",
    "in a Kia Ceed",
    "Sian Pryce, MRCVS",
    "under the Housing Act",
    "con enfermedad de Paget",
    "first_name,last_name,age\nMaria,Gonzalez,42\nAgnes,Pettifer,37",
    '{"customer": {"first": "Maria", "last": "Gonzalez"}}',
    "-rw-r--r-- 1 maria staff 31 Mar  4 11:20 a\n-rw-r--r-- 1 maria staff 12 Apr 30 10:11 b",
    "TODO(maria): fix",
    "at com.acme.Foo.bar(Foo.java:42)",
    "write to j.doe@example.com",
    "see example.com/path now",
    "from 192.168.0.1 on",
    "wallet 0x52908400098527886E0F7030069857D2E4169EE7",
    "at 40.7128, -74.0060",
    "IBAN GB29 NWBK 6016 1331 9268 19",
    "SSN 078-05-1120",
    "NINO QQ 12 34 56 C",
    "NHS number 943 476 5919",
    "passport no. X1234567",
    "case no. 2:23-cv-01234",
    "commit 9f86d081",
    "TZ=Europe/Paris",
    "the gate code is 4821",
    "booking reference HJWQRT",
    "customer_id=48213",
    "user,password\nbob,hunter\nana,walnut",
    "CVV 123",
    "license plate ABC-1234",
    "02.01. bis 09.01.2024",
    "3/4/2024-3/8/2024",
    "on 2024-03-05",
    "in Q3 2024",
    "am 3. Mai 2024",
    "Jun  7 08:15:02 host sshd[4]: open",
    "March 3rd, 5th and 7th, 2024",
    "2024-03-05T09:34:00+02:00",
    "2024-03-05 09:34:00.123-05:00",
    "at 2:15 pm",
    "card 4111 1111 1111 1111",
    "G2P1, pT2N0M0, L4-L5, Gleason 4+3=7",
    "MRN: 00123456",
    "US-DL-4710485154",
    "order A1B2C3D4E5F6",
    "it cost $5.2 million",
    "it cost 20 dollars and twenty dollars",
    "a 42-year-old man aged 42, in her 40s",
    "Maria (42) 42F",
    "BP 120/80 mmHg, SpO2 98%, grade 3/6",
    "three apples, 3 out of 10, two thirds",
    "account no. 12345678",
    "12 Main Street, Apt. 4, Salem, OR 97301, Denver, CO.",
    "call (303) 555-0142 today",
    "123 45 6789",
    "from 1991 to 1995, in the '80s and in 1991",
    "on Monday, in March",
    "a German Catholic nurse, Jehovah's Witnesses",
    "/home/maria/x def get_user_name(x):",
    "for three weeks, a fortnight, 24h, 30 min",
    "about 5 percent, the 3rd, version 1.2.3, page 3",
    "1. Gout\n2. Asthma\n3. Flu",
    "the NHS, FBI and UCLA said",
    "we met Ludwig van Beethoven",
    "patient:\n  first_name: Maria\n  surname: Gonzalez\n",
    "CNPJ 11.222.333/0001-81, CPF 529.982.247-25, DNI 12345678Z",
    "NPI 1234567893, Steuer-ID 65929970489, SIN 046 454 286",
    "P.O. Box 123, 221B Baker St, London NW1 6XE, I-95, Highway 66",
    "Herr M\xfcller wohnt in der Goethestra\xdfe 12, 10115 Berlin, und ist krank.",
    "Madame Dupont habite au 12 rue de la Paix, 75002 Paris, et elle est malade.",
    "La se\xf1ora Garc\xeda vive en la Calle Mayor 5, 28013 Madrid, y est\xe1 enferma.",
    "Il signor Rossi abita in Via Roma 10, 00184 Roma, ed \xe8 malato.",
    "O senhor Silva mora na Rua Augusta 100, 1100-053 Lisboa, e est\xe1 doente.",
    "Mevrouw de Vries woont in de Kerkstraat 5, 1017 GA Amsterdam, en zij is ziek.",
    "treated at MGH by the ICU team; the CEO of IBM said",
    "hi my name is maria gonzalez and i live in denver",
    "pay with 4111 1111 1111 1111 12/26 123",
    "she took zero mg and five percent of it",
    *(row.finds for phase in PHASES for row in phase.rows),
)
"""What searches find; of each at least its own example."""

SEPARATORS: Final = ("", " ", "\t", "\n", ", ", "/", "-", "+", "T", "+02:00 ", ":", "; ", "\u200b", "%20", "\xe9")
"""Also nothing at all, and what joins two values to one."""


class Counts(NamedTuple):
    """Texts of one kind: those that were tried, of which something stays, and that were refused."""

    tried: int
    stay: int
    refused: int


def times(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Endless texts of times and a name, each with the name."""
    while True:
        name = rng.choice(NAMES)
        yield rng.choice(FRAMES).format(time=rng.choice(CLOCKS) + rng.choice(OFFSETS), name=name), name


def pairs(rng: random.Random) -> Iterator[str]:
    """Endless texts of two examples, side by side."""
    while True:
        yield rng.choice(EXAMPLES) + rng.choice(SEPARATORS) + rng.choice(EXAMPLES)


def measured() -> Iterator[tuple[str, str]]:
    """A measurement in each decimal digit that there is but those of ASCII, each with its digit."""
    for code in range(0x80, sys.maxunicode + 1):
        digit = chr(code)
        if digit.isdecimal():
            yield f"He takes {digit} mg daily.", digit


def names_that_stay(texts: Sequence[tuple[str, str]], sanitizer: Sanitizer) -> Counts:
    """Texts of which a word of the name stays outside all that was replaced."""
    stay = refused = 0
    for text, name in texts:
        try:
            release = sanitizer(text)
        except TextveilError:
            refused += 1
            continue
        kept, position = "", 0
        for span in release.drawn_spans:
            kept, position = kept + release.text[position : span.start] + "\0", span.end
        kept += release.text[position:]
        stay += any(word in kept for word in name.split())
    return Counts(len(texts), stay, refused)


def releases_that_move(texts: Sequence[str], sanitizer: Sanitizer) -> Counts:
    """Texts whose releases do not lead back to them, piece by piece."""
    moved = refused = 0
    for text in texts:
        try:
            private_map = sanitizer(text).private_map
        except TextveilError:
            refused += 1
            continue
        assert private_map is not None
        own, shown = text, private_map.released
        for piece in reversed(private_map.replaced):  # from the end, as ``PrivateMap`` does not go
            shown = shown[: piece.start] + piece.original + shown[piece.end :]
        moved += shown != own
    return Counts(len(texts), moved, refused)


def digits_that_stay(texts: Sequence[tuple[str, str]], sanitizer: Sanitizer) -> Counts:
    """Measurements whose digit stands in their release."""
    stay = refused = 0
    for text, digit in texts:
        try:
            stay += digit in sanitizer(text).text
        except InternalError:
            refused += 1
    return Counts(len(texts), stay, refused)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=3000, help="of each kind, for each preset")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    rng = random.Random(given.seed)
    succeeds = False
    for preset in PRESETS:
        sanitizer = Sanitizer(policy(preset))
        timed = [text for text, _ in zip(times(rng), range(given.texts), strict=False)]
        paired = [text for text, _ in zip(pairs(rng), range(given.texts), strict=False)]
        for what, counts in (
            ("a word of a name stays behind a time", names_that_stay(timed, sanitizer)),
            ("a release of two values leads elsewhere", releases_that_move(paired, sanitizer)),
        ):
            succeeds |= counts.stay > 0 or counts.refused > 0
            print(f"{preset}: {what}: {counts.stay} of {counts.tried}; {counts.refused} refused")
    counts = digits_that_stay(list(measured()), Sanitizer(policy("identifiers")))
    succeeds |= counts.stay > 0
    print(f"identifiers: a digit of another writing stays: {counts.stay} of {counts.tried}; {counts.refused} refused")
    return int(succeeds)


if __name__ == "__main__":
    sys.exit(main())
