"""Names in attachments, base64, hexadecimal digits and quoted-printable: how many can be read in what is released.

    python benchmarks/attacks/attachments.py [--names 40] [--seed 1]

For each form and preset that keeps words: texts with a name that is found where it stands plain. Counted are the texts
that are refused, and the releases in which the name can be read by the standard library: as a mail, an archive, base64,
hexadecimal digits or quoted-printable, one within another. Ends with code 1 where there is one.
"""

import argparse
import base64
import contextlib
import email
import email.policy
import io
import json
import quopri
import random
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from email.message import EmailMessage
from typing import Final

import textveil as tv
from textveil.errors import InputError
from textveil.surrogates.pools import pool

PRESETS: Final = ("prompts", "clinical", "identifiers")


def document(text: str) -> bytes:
    """What an office program makes of a text."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:t>{text}</w:t>")
    return buffer.getvalue()


def mail(text: str, *, nested: bool = False) -> str:
    """A mail with the document, or with such a mail, attached."""
    message = EmailMessage()
    message.set_content("See the attachment.\n")
    message.add_attachment(document(text), maintype="application", subtype="zip", filename="a.docx")
    if nested:
        outer = EmailMessage()
        outer.set_content("Fwd.\n")
        outer.add_attachment(message)
        return outer.as_string()
    return message.as_string()


def coded(data: str | bytes) -> str:
    """Base64."""
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "a mail": mail,
    "a mail in a mail": lambda text: mail(text, nested=True),
    "a mail that is quoted": lambda text: "".join(f"> {line}\n" for line in mail(text).splitlines()),
    "a mail in JSON": lambda text: json.dumps({"raw": mail(text)}),
    "a document in a data URI": lambda text: f'<a href="data:application/zip;base64,{coded(document(text))}">a</a>',
    "a document in JSON": lambda text: json.dumps({"file": coded(document(text))}),
    "base64": coded,
    "base64 in JSON": lambda text: json.dumps({"note": coded(text)}),
    "base64 in base64": lambda text: coded(f"It is {coded(text)} here."),
    "base64 in lines": lambda text: base64.encodebytes(text.encode() * 9).decode(),
    "base64 of UTF-16": lambda text: coded(text.encode("utf-16-le")),
    "hexadecimal digits": lambda text: text.encode().hex(),
    "hexadecimal digits in pairs": lambda text: text.encode().hex(" "),
    "quoted-printable": lambda text: quopri.encodestring(text.encode(), quotetabs=True).decode(),
}


def readings(data: bytes, depth: int = 4) -> Iterator[bytes]:
    """Everything that bytes can be read as, by other means than the library's."""
    yield data
    if depth == 0:
        return
    inner = [base64.b64decode(run + b"=" * (-len(run) % 4)) for run in _runs(rb"[A-Za-z0-9+/]{8,}", data)]
    inner += [bytes.fromhex(re.sub(rb"\W", b"", run).decode()) for run in re.findall(rb"(?:[0-9a-f]{2} ?){6,}", data)]
    inner.append(re.sub(rb"(?m)^> ", b"", data.replace(b"\\n", b"\n")))
    lines = re.sub(rb"\\n|\n|> ", b"", data)
    if lines != data:
        inner += [base64.b64decode(run + b"=" * (-len(run) % 4)) for run in _runs(rb"[A-Za-z0-9+/]{60,}", lines)]
    for string in re.findall(rb'"(?:[^"\\\n]|\\.){8,}"', data):
        with contextlib.suppress(ValueError):
            inner.append(json.loads(string).encode())
    if b"=" in data:
        inner.append(quopri.decodestring(data))
    with contextlib.suppress(Exception):
        parts = email.message_from_bytes(data, policy=email.policy.default).walk()
        payloads = (part.get_payload(decode=True) for part in parts if not part.is_multipart())
        inner += [payload for payload in payloads if isinstance(payload, bytes)]
    with contextlib.suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:
        inner += [archive.read(name) for name in archive.namelist()]
    for one in inner:
        if one and one != data:
            yield from readings(one, depth - 1)
            if b"\0" in one:
                yield one.replace(b"\0", b"")


def _runs(pattern: bytes, data: bytes) -> list[bytes]:
    return [run[: len(run) - (len(run) % 4 == 1)] for run in re.findall(pattern, data)]


def read_in(text: str, name: str) -> bool:
    """Whether a name can be read in a text."""
    return any(name.encode() in one for one in readings(text.encode()))


def main(arguments: list[str] | None = None) -> int:
    """Attack, print counts, and tell by the code whether it succeeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    rng = random.Random(asked.seed)
    given, family = (sorted(name for name in pool(names) if name.isascii()) for names in ("given", "family"))
    names = [f"{rng.choice(given)} {rng.choice(family)}" for _ in range(asked.names)]
    sanitizers = [tv.Sanitizer(preset) for preset in PRESETS]
    succeeded = False
    for form, written in FORMS.items():
        counts: Counter[str] = Counter()
        for name in names:
            plain = f"Our client is Mr. {name}, who called."
            assert read_in(written(plain), name), form
            for sanitizer in sanitizers:
                if name in sanitizer(plain).text:
                    continue
                try:
                    counts["left"] += read_in(sanitizer(f"Please read this:\n{written(plain)}\nThank you.").text, name)
                except InputError:
                    counts["refused"] += 1
                counts["all"] += 1
        print(f"{form:30} names left in {counts['left']:4} of {counts['all']}; {counts['refused']:4} refused")
        succeeded |= counts["left"] > 0
    return int(succeeded)


if __name__ == "__main__":
    sys.exit(main())
