"""Agents behind the gateway: planted persons and secrets that reach the upstream, calls that come back otherwise.

    python benchmarks/agents.py [--turns 100000] [--seed 1] [--show]

Coding, mail, database and browser agents talk through the gateway under ``prompts``, by both APIs, streamed or not.
Each turn sends the history and a new tool result: a file, a diff, shell output, a stack trace, a log, a mail, rows or a
page, as it is or as a field of JSON. Tools differ from turn to turn: they come, go, get other names, parameters and
descriptions, which tell persons and secrets too. The upstream answers with a call whose arguments are the lines that it
got. Counted are:

- values: persons, addresses, numbers and secrets that stand in a tool result or a tool. A leak is a value of which a
  part stands in any byte that the upstream got, and again when the text is sent anew three times (a draw may equal it
  by chance);
- calls whose arguments come back other than the lines that were sent;
- texts (Python, JSON, SQL, CSV, HTML, diffs) that were valid and are not, as the upstream got them or as restored;
- paths and names of functions, tables and columns that the upstream got as they are;
- requests that are refused, by the error's code: none has a reason to be. The conversation ends there.

Ends with code 1 where a call or a text is broken, a value leaks, or a request is refused. No text is printed;
``--show`` prints leaks, and names of code that were drawn, for you alone.
"""

import argparse
import ast
import base64
import csv
import json
import random
import re
import sqlite3
import string
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.upstream import Handler, Provider, answering, chunk, completion, events, send_json, send_pieces

TURNS: Final = 8
"""Tool results of a conversation."""


def _words(text: str) -> list[str]:
    return text.split()


FIRST: Final = _words(
    """Adaeze Agnieszka Ahmed Aisha Alejandra Amara Anders Anjali Antoine Beatriz Bjorn Bronwen Camille
    Carlos Chiara Chinedu Dagmar Deepak Dimitri Eamon Ebony Elif Emeka Esteban Fatima Femi Fernanda
    Gareth Giulia Gwendolyn Haruto Hannah Henrik Ibrahim Ingrid Isabella Jacob Jamal Jelena Joaquin José
    Kamala Karolina Katherine Kenji Kwame Lakshmi Leila Liam Lucía Maja Malik Margarethe Mateusz Megan
    Mehmet Michael Mohammed Naomi Nathan Ngozi Nikolai Olga Oluwaseun Omar Patricia Pedro Priya Rachel
    Rahul Rebecca Renée Rohan Samantha Sanjay Sarah Siobhan Sofia Søren Svetlana Takumi Tariq Thandiwe
    Thomas Valentina Vikram Wojciech Xiomara Yasmin Yuki Zainab Zoltan"""
)
LAST: Final = _words(
    """Abernathy Achterberg Adeyemi Agarwal Almeida Andersson Baptiste Barzani Bergström Bianchi Blackwood
    Bondarenko Campbell Castellanos Chaudhary Chukwu Dąbrowski Delacroix Desrosiers Diallo Eriksen
    Espinoza Fairweather Ferreira Fitzgerald Fujimoto García Ghosh Grzelak Haddad Hakimi Henderson
    Hernández Hoffmann Holmgren Ivanova Iyer Jankowski Johansson Kaczmarek Kamau Katz Kowalczyk Krishnan
    Lindqvist Lombardi MacGregor Martínez Mbeki McAllister Mendoza Moreau Müller Nakamura Ndiaye Novák
    Nwosu O'Brien Obermeier Okafor Oyelaran Papadopoulos Patel Petrov Pfeiffer Quintero Rasmussen Reyes
    Robertson Rossi Rutherford Sandoval Schneider Sharma Silva Sokolov Stavros Svensson Takahashi
    Thompson Torres Tshabalala Vandenberg Vasquez Venkataraman Vogel Whitaker Williams Wiśniewski
    Yamamoto Yilmaz Zhang Zimmerman"""
)
STREETS: Final = _words(
    """Ashgrove Birchwood Clarendon Elmhurst Foxglove Hawthorne Kensington Larkspur Thornbury Wexford"""
)
PATHS: Final = _words(
    """app/models cmd/server internal/store lib/net packages/ui/src services/billing src/api tests/unit"""
)
STEMS: Final = _words(
    """batch cache client config export handler index invoice loader parser queue schema session worker"""
)
VERBS: Final = _words("""build check fetch flush load merge parse read render resolve send store sync update write""")
# ``<<field>>`` is a value, see ``Facts``; "2" behind its name is the second person's.
WRITINGS: Final[dict[str, dict[str, str]]] = {
    "coding": {
        "env": """# <<path>>/.env
DEBUG=false
DATABASE_URL=postgresql://svc_<<stem>>:<<password>>@db.internal:5432/<<table>>
OPENAI_API_KEY=<<openai>>
export AWS_ACCESS_KEY_ID="<<aws>>"
AWS_SECRET_ACCESS_KEY=<<awssecret>>
SMTP_PASSWORD='<<password2>>'
ADMIN_EMAIL=<<email>>
MAX_WORKERS=8
""",
        "python": '''"""Nightly <<stem>>.

Author: <<name>> <<<email>>>
"""
import os
from pathlib import Path

API_KEY = "<<hexkey>>"
OWNERS = {"<<email2>>": "<<name2>>"}


class <<class>>:
    def <<symbol>>(self, path: Path, retries: int = 3) -> dict[str, int]:
        # TODO(<<first>> <<last>>): call <<phone>> before a change
        rows = {line: len(line) for line in path.read_text().splitlines() if line}
        token = os.environ.get("TOKEN", "<<github>>")
        return {key: rows[key] for key in sorted(rows) if key != token}
''',
        "diff": """diff --git a/<<file>> b/<<file>>
index 83db48f..bf2a9c1 100644
--- a/<<file>>
+++ b/<<file>>
@@ -12,7 +12,7 @@ def <<symbol>>(client):
     client.connect(timeout=30)
-    client.login("<<email>>", "<<password>>")
+    client.login("<<email2>>", "<<password2>>")
     return client.<<symbol2>>()
 # maintained by <<name>>
""",
        "git log": """commit 4f2a91c07d5be3186a90cc27e1b54d88f03a6e72
Author: <<name>> <<<email>>>
Date:   Tue Mar 4 11:20:31 2025 +0100

    <<symbol>>: retry when the queue is full

    Reviewed-by: <<name2>> <<<email2>>>
    Signed-off-by: <<name>> <<<email>>>

 <<file>> | 12 +++++++-----
""",
        "stack trace": """Traceback (most recent call last):
  File "/home/<<user>>/work/<<file>>", line 88, in <<symbol>>
    record = self.<<symbol2>>(row)
  File "/home/<<user>>/work/<<path>>/base.py", line 31, in <<symbol2>>
    raise ValueError(f"no match for {row!r}")
ValueError: no match for {'name': '<<name>>', 'email': '<<email>>', 'token': '<<stripe>>'}
""",
        "java trace": """Exception in thread "main" java.lang.IllegalStateException: bill <<name>> (card <<card>>)
\tat com.example.<<stem>>.<<class>>.<<symbol>>(<<class>>.java:57)
\tat com.example.<<stem>>.Main.main(Main.java:12)
Caused by: java.net.ConnectException: user=<<email>> password=<<password>>
\t... 3 more
""",
        "log": """2025-03-04T11:20:31.114Z INFO  [<<stem>>] started <<class>> with 4 workers
2025-03-04T11:20:31.114Z WARN  [auth] login failed for user <<email>> from session <<hexkey>>
2025-03-04T11:20:31.114Z INFO  [<<stem>>] customer="<<name>>" phone="<<phone>>" action=<<symbol>>
2025-03-04T11:20:31.114Z ERROR [http] Authorization: Bearer <<jwt>> rejected
2025-03-04T11:20:31.114Z DEBUG [<<stem>>] wrote <<file>>
""",
        "log of json": """{"level":"info","msg":"<<symbol>>","user":{"name":"<<name>>","email":"<<email>>"},"ms":12}
{"level":"error","msg":"denied for <<name2>>","token":"<<slack>>","path":"<<file>>"}
""",
        "shell": """$ whoami
<<user>>
$ curl -s -H "Authorization: Bearer <<github>>" https://api.example.com/v1/<<stem>> -u "<<email>>:<<password>>"
{"owner":"<<name>>","phone":"<<phone>>"}
$ ls -l <<path>>
-rw-r--r-- 1 <<user>> staff 4096 Mar  4 11:20 <<file>>
$ grep -rn "<<symbol>>" <<path>>
<<file>>:31:    return <<symbol>>(rows)
""",
        "yaml": """# <<file>>
maintainer: <<name>>
contact:
  email: <<email>>
  phone: "<<phone>>"
database:
  host: db.internal
  user: svc_<<stem>>
  password: <<password>>
workers: 4
on_call:
  - <<name2>>
""",
        "xml": """<?xml version="1.0"?>
<users><user name="<<name>>" mail="<<email>>"><phone><<phone>></phone><password><<password>></password></user>
<owner><first_name><<first2>></first_name><last_name><<last2>></last_name></owner></users>
""",
        "plist": """<dict><key>Owner</key><string><<name>></string>
  <key>password</key><string><<password>></string></dict>
""",
        "private key": """# deploy key of <<name>>
-----BEGIN RSA PRIVATE KEY-----
<<pem>>
-----END RSA PRIVATE KEY-----
""",
    },
    "mail": {
        "mail": """From: "<<name>>" <<<email>>>
To: <<name2>> <<<email2>>>
Subject: Invoice for <<name2>>
Date: Tue, 4 Mar 2025 11:20:31 +0100
Message-ID: <20250304.4711@mx.example.com>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Dear <<first2>>,

please send the contract to <<street>>. You can call me at <<phone>>.
The new password is <<password>>.

Best regards,
<<name>>
""",
        "mail thread": """On Tue, Mar 4, 2025 at 11:20 AM <<name>> <<<email>>> wrote:
> Hi <<first2>>,
> our account is <<iban>>, and my card <<card>> was charged twice.
> > <<name2>> wrote:
> > Could you tell me your social security number?
> It is <<ssn>>.
> Kind regards, <<first>>

Thanks, <<first>>! I will forward it to <<email2>>.
""",
        "mailbox": """{"messages": [
  {"id": 1, "from": {"name": "<<name>>", "address": "<<email>>"}, "subject": "Meeting with <<name2>>", "unread": true},
  {"id": 2, "from": {"name": "<<name2>>", "address": "<<email2>>"}, "snippet": "Call <<phone>>, asks <<first>>"}
], "next": null}
""",
    },
    "database": {
        "dump": """COPY public.<<table>> (id, full_name, email, password) FROM stdin;
1\t<<name>>\t<<email>>\t<<password>>
2\t<<name2>>\t<<email2>>\t<<password2>>
\\.
""",
        "columns": """{"columns": ["id", "full_name", "phone", "password"],
 "rows": [[1, "<<name>>", "<<phone>>", "<<password>>"], [2, "<<name2>>", "<<phone2>>", null]]}
""",
        "sql": """CREATE TABLE <<table>> (id INTEGER PRIMARY KEY, full_name TEXT, email TEXT, phone TEXT, api_key TEXT);
INSERT INTO <<table>> (id, full_name, email, phone, api_key) VALUES
  (1, '<<sqlname>>', '<<email>>', '<<phone>>', '<<stripe>>'),
  (2, '<<sqlname2>>', '<<email2>>', '<<phone2>>', NULL);
UPDATE <<table>> SET api_key = '<<hexkey>>' WHERE email = '<<email>>';
""",
        "psql": """ id | first_name | last_name | email | ssn
----+------------+-----------+-------+-----
  1 | <<first>> | <<last>> | <<email>> | <<ssn>>
  2 | <<first2>> | <<last2>> | <<email2>> | <<ssn2>>
(2 rows)
""",
        "mysql": """*************************** 1. row ***************************
      id: 1
customer: <<last>>, <<first>>
   email: <<email>>
  street: <<street>>
password: <<password>>
1 row in set (0.00 sec)
""",
        "csv": """id,customer,email,phone,iban
1,"<<last>>, <<first>>",<<email>>,<<phone>>,<<iban>>
2,"<<last2>>, <<first2>>",<<email2>>,<<phone2>>,<<iban2>>
""",
        "csv of names": """first_name,last_name,street,card_number
<<first>>,<<last>>,<<street>>,<<card>>
<<first2>>,<<last2>>,<<street2>>,<<card2>>
""",
        "rows": """[{"customer_id": 1, "first_name": "<<first>>", "last_name": "<<last>>", "email": "<<email>>"},
 {"customer_id": 2, "first_name": "<<first2>>", "last_name": "<<last2>>", "email": "<<email2>>"}]
""",
    },
    "browser": {
        "resource": """{"contents": [{"uri": "file:///<<file>>", "mimeType": "application/json",
 "text": "{\\"owner\\": \\"<<name>>\\", \\"reviewers\\": [\\"<<name2>>\\"], \\"password\\": \\"<<password>>\\"}"}]}
""",
        "html": """<!DOCTYPE html>
<html><head><title><<name>> - profile</title><meta name="author" content="<<name>>"></head>
<body class="page"><h1 id="top"><<name>></h1>
<a href="mailto:<<email>>">mail</a> <a href="tel:<<phone>>">call</a>
<form action="/<<table>>"><input type="hidden" name="csrf_token" value="<<hexkey>>"><input name="q"></form>
<p>Lives at <<street>>.</p></body></html>
""",
        "html table": """<table id="<<table>>"><tr><th>Name</th><th>E-mail</th><th>Phone</th></tr>
<tr><td><<name>></td><td><<email>></td><td><<phone>></td></tr>
<tr><td><<name2>></td><td><<email2>></td><td><<phone2>></td></tr></table>
""",
        "page": """- heading "Account of <<name>>" [level=1]
- textbox "E-mail": <<email>>
- textbox "Password": <<password>>
- text: Delivered to <<name2>>, <<street>>
- link "Sign out" [ref=e12]
""",
        "cookies": """GET /<<table>>?page=2 HTTP/1.1
Host: shop.example.com
Cookie: session=<<hexkey>>; theme=dark
Authorization: Basic <<basic>>
X-Api-Key: <<hexkey2>>

""",
    },
}
FORMS: Final = {
    "python": "python", "diff": "diff", "log of json": "jsonl", "mailbox": "json", "sql": "sql", "csv": "csv",
    "csv of names": "csv", "rows": "json", "columns": "json", "resource": "json", "html": "html", "html table": "html",
}  # fmt: skip
"""What the text of a writing is, where it can be checked."""

NESTED: Final = ("resource",)
"""Writings with JSON in JSON. A third level has two backslashes before a quote, which may begin a URL: nothing behind
them is restored in a call (docs/restoring.md).
"""

KEPT: Final = ("path", "file", "symbol", "class", "table")
"""Fields that are no private values."""

_FIELD: Final = re.compile(r"<<([a-z]+)(2?)>>")


def _ascii(name: str) -> str:
    """A name as addresses write it."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate({ord("ø"): "o", ord("ł"): "l"}))
    return re.sub(r"[^a-z]", "", plain)


def _letters(draw: random.Random, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(draw.choices(alphabet, k=length))


def _luhn(digits: str) -> str:
    """The digits with their check digit."""
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if place % 2 == 0 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return digits + str(-total % 10)


def _iban(draw: random.Random) -> str:
    account = _letters(draw, 18, string.digits)
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def _password(draw: random.Random) -> str:
    return (
        _letters(draw, 6)
        + draw.choice("!#%+=?")
        + _letters(draw, 5, string.ascii_lowercase)
        + str(draw.randrange(10, 99))
    )


def _base64(draw: random.Random, size: int) -> str:
    return base64.b64encode(draw.randbytes(size)).decode()


SECRETS: Final[dict[str, Callable[[random.Random], str]]] = {
    "password": _password,
    "aws": lambda draw: "AKIA" + _letters(draw, 16, string.ascii_uppercase + "234567"),
    "awssecret": lambda draw: _base64(draw, 30),
    "openai": lambda draw: "sk-proj-" + _letters(draw, 48),
    "github": lambda draw: "ghp_" + _letters(draw, 36),
    "stripe": lambda draw: "sk_live_" + _letters(draw, 24),
    "slack": lambda draw: (
        f"xoxb-{draw.randrange(10**11, 10**12)}-{draw.randrange(10**12, 10**13)}-{_letters(draw, 24)}"
    ),
    "hexkey": lambda draw: draw.randbytes(16).hex(),
    "jwt": lambda draw: "eyJhbGciOiJIUzI1NiJ9.eyJ" + _letters(draw, 40) + "." + _letters(draw, 43),
    "basic": lambda draw: base64.b64encode(f"admin:{_password(draw)}".encode()).decode(),
    "pem": lambda draw: "\n".join(_base64(draw, 48) for _ in range(4)),
}
NUMBERS: Final[dict[str, Callable[[random.Random], str]]] = {
    "phone": lambda draw: draw.choice(
        (
            f"({draw.choice((212, 312, 415, 617))}) 555-01{draw.randrange(100):02d}",
            f"+1 {draw.choice((212, 312, 415, 617))} 555 01{draw.randrange(100):02d}",
            f"+49 30 {draw.randrange(10**6, 10**7)}",
            f"+44 20 7946 0{draw.randrange(100, 1000)}",
        )
    ),
    "card": lambda draw: _luhn("4" + _letters(draw, 14, string.digits)),
    "iban": _iban,
    "ssn": lambda draw: f"{draw.randrange(100, 660)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}",
    "street": lambda draw: (
        f"{draw.randrange(12, 980)} {draw.choice(STREETS)} {draw.choice(('Road', 'Avenue', 'Street'))}"
    ),
}
CODE: Final[dict[str, Callable[[random.Random], str]]] = {
    "path": lambda draw: draw.choice(PATHS),
    "file": lambda draw: (
        f"{draw.choice(PATHS)}/{draw.choice(STEMS)}_{draw.choice(VERBS)}.{draw.choice(('py', 'ts', 'go'))}"
    ),
    "symbol": lambda draw: f"{draw.choice(VERBS)}_{draw.choice(STEMS)}",
    "class": lambda draw: f"{draw.choice(STEMS).title()}{draw.choice(STEMS).title()}",
    "table": lambda draw: f"{draw.choice(STEMS)}_{draw.choice(('rows', 'items', 'events'))}",
    "stem": lambda draw: draw.choice(STEMS),
}


@dataclass
class Facts:
    """Values of one text, drawn when they are first asked for.

    Attributes:
        planted: kind and value of each that must not reach the upstream.
        kept: those that should.
    """

    draw: random.Random
    planted: set[tuple[str, str]] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    _drawn: dict[str, str] = field(default_factory=dict)

    def fill(self, template: str) -> str:
        """A text of its fields."""
        return _FIELD.sub(lambda match: self._use(match[1], match[2]), template)

    def _use(self, name: str, which: str) -> str:
        value = self._value(name, which)
        if name in ("name", "sqlname"):
            self.planted |= {("person", self._value("first", which)), ("person", self._value("last", which))}
        elif name in ("first", "last"):
            self.planted.add(("person", value))
        elif name in KEPT:
            self.kept.add(value)
        elif name not in CODE:
            self.planted.add((name, value))
        return value

    def _value(self, name: str, which: str) -> str:
        if name + which not in self._drawn:
            self._drawn[name + which] = self._made(name, which)
        return self._drawn[name + which]

    def _made(self, name: str, which: str) -> str:
        pools = {"first": FIRST, "last": LAST}
        if name in pools:
            return self.draw.choice(pools[name])
        made = SECRETS.get(name) or NUMBERS.get(name) or CODE.get(name)
        if made is not None:
            return made(self.draw)
        first, last = self._value("first", which), self._value("last", which)
        if name == "name":
            return f"{first} {last}"
        if name == "sqlname":
            return f"{first} {last}".replace("'", "''")
        ascii_first, ascii_last = map(_ascii, (first, last))
        if name == "user":
            return f"{ascii_first[0]}{ascii_last}"
        return f"{ascii_first}.{ascii_last}@{self.draw.choice(('example.com', 'mail.example.org', 'acme.example'))}"


@dataclass
class Result:
    """A tool's result, and what it holds."""

    agent: str
    writing: str
    text: str
    wrapped: bool
    planted: frozenset[tuple[str, str]]
    kept: frozenset[str]

    def valid(self, text: str) -> bool:
        """Whether a text is still of the result's form."""
        try:
            inner = json.loads(text)["stdout"] if self.wrapped else text
            return _shape(FORMS.get(self.writing, ""), inner) == _shape(FORMS.get(self.writing, ""), self.plain())
        except (ValueError, SyntaxError, KeyError, sqlite3.Error, csv.Error):
            return False

    def plain(self) -> str:
        """The text without its wrapping."""
        return str(json.loads(self.text)["stdout"]) if self.wrapped else self.text


def _shape(form: str, text: str) -> object:
    """What must be equal of two texts of a form; raises where a text is not of it."""
    if form == "python":
        return [type(node).__name__ for node in ast.walk(ast.parse(text))]
    if form in ("json", "jsonl"):
        return [_types(json.loads(part)) for part in (text.splitlines() if form == "jsonl" else [text])]
    if form == "csv":
        return [len(row) for row in csv.reader(text.splitlines(), strict=True)]
    if form == "sql":
        with sqlite3.connect(":memory:") as database:
            database.executescript(text)
        return text.count(";") > 0
    if form == "html":
        tags: list[tuple[str, list[str]]] = []
        parser = HTMLParser()
        parser.handle_starttag = lambda tag, attrs: tags.append((tag, [name for name, _ in attrs]))  # type: ignore[method-assign]
        parser.feed(text)
        return tags
    return [line[:1] for line in text.splitlines()] if form == "diff" else text.count("\n")


def _types(data: object) -> object:
    if isinstance(data, dict):
        return {key: _types(value) for key, value in data.items()}
    return [_types(value) for value in data] if isinstance(data, list) else type(data).__name__


# Tools, as (description, parameters): ``<<field>>`` is a value here too.
TOOLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "read_file": ("Reads a file below <<path>>.", {"path": {"type": "string", "examples": ["<<file>>"]}}),
    "find_customer": (
        "Finds a customer, as <<name>> or <<email>>.",
        {"query": {"type": "string", "description": "A name, as <<first2>> <<last2>>, or a number, as <<phone2>>."}},
    ),
    "send_mail": (
        "Sends a mail. Ask <<name>>, <<phone>>, before you send one to a list.",
        {"to": {"type": "string", "default": "<<email>>"}, "reply_to": {"enum": ["<<email>>", "<<email2>>"]}},
    ),
    "run_sql": (
        "Runs SQL on <<table>>, with the password <<password>>.",
        {"statement": {"type": "string"}},
    ),
    "call_api": (
        "Calls the API with the key <<hexkey>>.",
        {"token": {"type": "string", "const": "<<github>>"}, "times": {"type": "integer", "minimum": 1, "maximum": 9}},
    ),
    "assign": (
        "Assigns an issue; a name (<<last2>>, <<first2>>) approves.",
        {
            "assignee": {"anyOf": [{"enum": ["<<name>>", "<<name2>>"]}, {"type": "null"}]},
            "reviewers": {"type": "array", "items": {"enum": ["<<name2>>", "<<first>>"]}},
            "account": {"properties": {"owner": {"const": "<<name>>"}, "password": {"default": "<<password2>>"}}},
        },
    ),
    "log_in": (
        "Logs in.",
        {
            "user": {"default": "<<user>>"},
            "password": {"examples": ["<<password>>"]},
            "first_name": {"default": "<<first>>"},
        },
    ),
    "open_page": (
        "Opens a page.",
        {"url": {"type": "string", "format": "uri"}, "as": {"enum": ["<<name2>>", "guest"]}},
    ),
}
WRITERS: Final = ("write_file", "save_file", "put_file", "fs-write")
"""Names of the tool that the upstream calls."""


@dataclass(frozen=True)
class Toolset:
    """The tools of a turn: the one that is called by its name, and others; and what they plant."""

    writer: str = WRITERS[0]
    others: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    planted: frozenset[tuple[str, str]] = frozenset()

    def declared(self, *, anthropic: bool) -> list[dict[str, Any]]:
        """The tools as an API has them."""
        writer = (self.writer, f"Writes a file, as {self.writer} does.", _PROPERTIES)
        tools = [
            {"name": name, "description": text, "schema": {"type": "object", "properties": properties}}
            for name, text, properties in (*self.others, writer)
        ]
        if anthropic:
            return [{"input_schema": tool.pop("schema"), **tool} for tool in tools]
        return [{"type": "function", "function": {"parameters": tool.pop("schema"), **tool}} for tool in tools]


def toolsets(draw: random.Random) -> Iterator[Toolset]:
    """The tools of each turn of a conversation: some stay, others change."""
    writer, facts = draw.choice(WRITERS), Facts(draw)
    while True:
        names = draw.sample(sorted(TOOLS), draw.randrange(len(TOOLS)))
        writer = draw.choice(WRITERS) if draw.random() < 0.3 else writer
        facts = Facts(draw) if draw.random() < 0.3 else facts
        others = []
        for name in names:
            text, properties = TOOLS[name]
            renamed = name + draw.choice(("", "", "_v2", "2"))
            kept = dict(draw.sample(sorted(properties.items()), draw.randint(1, len(properties))))
            text += draw.choice(("", "", f" Version {draw.randrange(1, 9)}."))
            others.append((renamed, facts.fill(text), json.loads(facts.fill(json.dumps(kept)))))
        yield Toolset(writer, tuple(others), frozenset(facts.planted))


def results(seed: int) -> Iterator[list[Result]]:
    """Conversations without an end: the tool results of each."""
    for number in count():
        draw = random.Random(f"{seed}-{number}")
        agent = list(WRITINGS)[number % len(WRITINGS)]
        yield [_result(draw, agent) for _ in range(TURNS)]


def _result(draw: random.Random, agent: str) -> Result:
    writing = draw.choice(list(WRITINGS[agent]))
    facts = Facts(draw)
    text = facts.fill(WRITINGS[agent][writing])
    wrapped = draw.random() < 0.3 and writing not in NESTED
    if wrapped:
        text = json.dumps({"stdout": text, "stderr": "", "exit_code": 0}, ensure_ascii=draw.random() < 0.5)
    return Result(agent, writing, text, wrapped, frozenset(facts.planted), frozenset(facts.kept))


# The upstream: it calls a tool with lines of what it got.


def lines_of(text: str, turn: int) -> str:
    """The lines that a call of a turn holds: all, or two of them."""
    lines = text.splitlines(keepends=True)
    if "-----BEGIN" in text:  # a part of a key is no mention of it
        return text
    start = turn % max(1, len(lines))
    return text if turn % 2 else "".join(lines[start : start + 2])


def _last_result(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return str(content if isinstance(content, str) else content[-1]["content"])


def _arguments(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "path": "notes/out.txt",
        "content": lines_of(_last_result(body), len(body["messages"]) // 2),
        "append": True,
    }


def _call(handler: Handler, body: dict[str, Any]) -> None:
    if handler.path.endswith("/messages"):
        call = {"type": "tool_use", "id": f"toolu_{len(body['messages'])}", "name": body["tools"][-1]["name"]}
        answering(lambda asked: [{**call, "input": _arguments(asked)}], 40)(handler, body)
        return
    arguments, writer = json.dumps(_arguments(body), ensure_ascii=False), body["tools"][-1]["function"]["name"]
    call = {"id": f"call_{len(body['messages'])}", "type": "function"}
    if not body.get("stream"):
        whole = {**call, "function": {"name": writer, "arguments": arguments}}
        send_json(handler, completion({"content": None, "tool_calls": [whole]}, "tool_calls"))
        return
    begun = {**call, "index": 0, "function": {"name": writer, "arguments": ""}}
    cuts = [{"index": 0, "function": {"arguments": arguments[at : at + 40]}} for at in range(0, len(arguments), 40)]
    pieces = [chunk({"role": "assistant", "tool_calls": [begun]})] + [chunk({"tool_calls": [cut]}) for cut in cuts]
    send_pieces(handler, [events(piece) for piece in (*pieces, chunk({}, "tool_calls"))] + [events(b"[DONE]")])


# The client.

_PROPERTIES: Final = {"path": {"type": "string"}, "content": {"type": "string"}, "append": {"type": "boolean"}}
ASK: Final = "Read the next result, and write what it says to a file."


class Refused(Exception):
    """A request was refused; the message is its status and the error's code."""


class Conversation:
    """A client of one of both APIs."""

    def __init__(self, client: httpx.Client, name: str, anthropic: bool, stream: bool) -> None:
        self._client, self._name, self._anthropic, self._stream = client, name, anthropic, stream
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": ASK}, self._called("{}", 0, WRITERS[0])]

    def send(self, text: str, tools: Toolset) -> str:
        """Send a tool's result, and return the argument of the call that answers it; Refused if it is."""
        turn = len(self._messages) // 2
        result: dict[str, Any] = {"role": "tool", "tool_call_id": f"c{turn - 1}", "content": text}
        if self._anthropic:
            block = {"type": "tool_result", "tool_use_id": f"c{turn - 1}", "content": text}
            result = {"role": "user", "content": [block]}
        self._messages.append(result)
        body = {
            "model": "m",
            "max_tokens": 9,
            "messages": self._messages,
            "tools": tools.declared(anthropic=self._anthropic),
        }
        answer = self._client.post(
            "/v1/messages" if self._anthropic else "/v1/chat/completions",
            json={**body, "stream": self._stream},
            headers={"X-Textveil-Conversation": self._name, "X-Textveil-Policy": "prompts"},
        )
        if answer.status_code != 200:
            raise Refused(
                f"{answer.status_code} {answer.json()['error'].get('code') or answer.json()['error']['type']}"
            )
        arguments = self._read(answer)
        self._messages.append(self._called(arguments, turn, tools.writer))
        return str(json.loads(arguments)["content"])

    def _called(self, arguments: str, turn: int, name: str) -> dict[str, Any]:
        if self._anthropic:
            block = {"type": "tool_use", "id": f"c{turn}", "name": name, "input": json.loads(arguments)}
            return {"role": "assistant", "content": [block]}
        call = {"id": f"c{turn}", "type": "function", "function": {"name": name, "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def _read(self, answer: httpx.Response) -> str:
        """The arguments of the call, as JSON."""
        if not self._stream:
            if self._anthropic:
                return json.dumps(answer.json()["content"][-1]["input"])
            return str(answer.json()["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
        told = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ") and line != "data: [DONE]"]
        if self._anthropic:
            deltas = (json.loads(one).get("delta", {}) for one in told)
            return "".join(delta.get("partial_json", "") for delta in deltas)
        calls = (call for one in told for call in json.loads(one)["choices"][0]["delta"].get("tool_calls") or ())
        return "".join(call["function"].get("arguments") or "" for call in calls)


@dataclass
class Outcome:
    """Counts: of all, and by writing and kind of value.

    Attributes:
        planted: values, by (writing, kind).
        leaks: those that the upstream got.
        broken: calls and texts, by writing.
        refused: requests, by status and code.
        shown: the leaks as (writing, kind, value, line): private.
        changed: names of code that were drawn, as (writing, value).
    """

    counts: Counter[str] = field(default_factory=Counter)
    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    leaks: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    shown: list[tuple[str, str, str, str]] = field(default_factory=list)
    changed: list[tuple[str, str]] = field(default_factory=list)


def play(client: httpx.Client, provider: Provider, turns: int, seed: int) -> Outcome:
    """Let agents take turns, and look at all that the upstream gets."""
    provider.answer = _call
    outcome, names = Outcome(), count()

    def conversation(anthropic: bool, stream: bool) -> Conversation:
        return Conversation(client, f"agents-{seed}-{next(names)}", anthropic, stream)

    def seen(kinds: set[tuple[str, str]]) -> set[tuple[str, str]]:
        body = provider.bodies[-1]
        texts = json.dumps([body["messages"], body["tools"]], ensure_ascii=False)
        return {(kind, value) for kind, value in kinds if stands(kind, value, texts)}

    for number, told in zip(count(), results(seed), strict=False):
        talk = conversation(number // 4 % 2 == 1, number // 8 % 2 == 1)
        tools = toolsets(random.Random(f"{seed}-{number}-tools"))
        for turn, (result, offered) in enumerate(zip(told, tools, strict=False), 1):
            if outcome.counts["turns"] >= turns:
                return outcome
            provider.forget()
            try:
                back = talk.send(result.text, offered)
            except Refused as refused:
                outcome.refused[str(refused)] += 1
                break
            _judge(outcome, result, _last_result(provider.bodies[-1]), back, lines_of(result.text, turn))
            outcome.planted.update(("a tool", kind) for kind, _ in offered.planted)
            leaked = seen({*result.planted, *offered.planted})
            for _ in range(3 if leaked else 0):  # a draw may equal its value by chance
                provider.forget()
                conversation(False, False).send(result.text, offered)
                leaked = seen(leaked)
            for kind, value in sorted(leaked):
                writing = result.writing if (kind, value) in result.planted else "a tool"
                outcome.leaks[writing, kind] += 1
                texts = [
                    *result.plain().splitlines(),
                    *(json.dumps(tool, ensure_ascii=False) for tool in offered.others),
                ]
                line = next((line for line in texts if value in line), "")
                outcome.shown.append((writing, kind, value, line))
    return outcome


def _judge(outcome: Outcome, result: Result, got: str, back: str, sent: str) -> None:
    """Count a turn."""
    outcome.counts["turns"] += 1
    outcome.counts["wrapped"] += result.wrapped
    escapes = back != sent and result.wrapped and json.loads(back) == json.loads(sent)
    outcome.counts["calls restored otherwise"] += back != sent and not escapes
    outcome.counts["calls with other escapes"] += escapes
    outcome.counts["kept"] += len(result.kept)
    outcome.counts["kept as they are"] += sum(value in got for value in result.kept)
    outcome.changed += [(result.writing, value) for value in result.kept if value not in got]
    outcome.planted.update((result.writing, kind) for kind, _ in result.planted)
    if back != sent and not escapes:
        outcome.broken[f"{result.writing}, call"] += 1
    if result.wrapped or result.writing in FORMS:
        outcome.counts["checked texts"] += 1
        if not result.valid(got):
            outcome.broken[f"{result.writing}, as the upstream got it"] += 1
        if sent == result.text and not result.valid(back):
            outcome.broken[f"{result.writing}, restored"] += 1


def stands(kind: str, value: str, texts: str) -> bool:
    """Whether a value or a telling part of it stands in JSON that was written without escapes of letters."""
    if kind == "person":
        return re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", texts, re.IGNORECASE) is not None
    if kind == "email":
        return value.partition("@")[0] in texts
    if kind in ("phone", "card", "iban", "ssn"):
        return re.sub(r"\D", "", value)[-7:] in re.sub(r"(?<=\d)[ ()-]{1,2}(?=\d)", "", texts)
    if kind in ("street", "user"):
        return (value if kind == "user" else value.split()[1]) in texts
    parts = [value] if len(value) < 20 else [value[at : at + 12] for at in range(8, len(value) - 11)]
    return any(part in texts for part in parts if "\n" not in part)


def told(outcome: Outcome) -> str:
    """The report."""
    kept, of = outcome.counts["kept as they are"], outcome.counts["kept"]
    lines = [
        f"turns {outcome.counts['turns']:,} ({outcome.counts['wrapped']:,} as a field of JSON); planted values"
        f" {outcome.planted.total():,}; leaks {outcome.leaks.total():,}",
        f"calls restored otherwise {outcome.counts['calls restored otherwise']:,}, with other escapes"
        f" {outcome.counts['calls with other escapes']:,};"
        f" texts checked {outcome.counts['checked texts']:,}",
        f"paths and names of code as they are: {kept:,} of {of:,} ({kept / max(1, of):.4f})",
        f"refused {outcome.refused.total():,}",
    ]
    lines += [f"leaks in {writing}, {kind}: {number:,} of {outcome.planted[writing, kind]:,}"
              for (writing, kind), number in sorted(outcome.leaks.items())]  # fmt: skip
    lines += [f"refused: {what}: {number:,}" for what, number in sorted(outcome.refused.items())]
    lines += [f"broken: {what}: {number:,}" for what, number in sorted(outcome.broken.items())]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print leaks with their lines: private")
    options = parser.parse_args()
    from programs import served

    with tempfile.TemporaryDirectory() as name, Provider() as provider:
        settings = {"TEXTVEIL_UPSTREAM": provider.url, "TEXTVEIL_POLICY": "prompts"}
        with (
            served(f"{name}/ledger.sqlite", Path(name), settings) as server,
            httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
        ):
            outcome = play(client, provider, options.turns, options.seed)
    print(told(outcome))
    if options.show:
        print("\n".join(" | ".join(leak) for leak in (*outcome.shown, *outcome.changed)))
    if outcome.leaks or outcome.broken or outcome.refused:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
