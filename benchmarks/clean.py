"""Transcripts with planted values, cleaned: how long it takes, and what is left.

    python benchmarks/clean.py [--megabytes 50] [--planted 2000] [--seed 0] [--keep FOLDER]

A generator writes sessions of two coding agents (JSON lines), notebooks and histories of three shells. They are filled
with this package's own source and docs, as results of tools; each result stands in a file twice, as agents write it.
Into these it plants values, each once: names of persons in sentences, logs, tables and commits; addresses of mail,
phone numbers, passwords, keys of eight issuers, private keys. ``textveil clean`` runs on the folder as a user runs it.
A value is left if its characters, or those of its escaped form, stand in any file afterwards. Fails with exit code 1 if
a value is left, a file is no JSON any more, or a message lost its identifiers; the time is printed beside what is
wanted (30 s for 50 MB on two processors).
"""

import argparse
import json
import random
import resource
import shutil
import string
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
GIVEN: Final = (
    "Maria", "Tobias", "Aisha", "Henrik", "Priya", "Callum", "Ingrid", "Mateus", "Yusuf", "Siobhan", "Wei", "Katarzyna",
    "Dmitri", "Amara", "Lucía", "Björn", "Chloe", "Rafael", "Noor", "Stefan", "Oluwaseun", "Hannah", "Giulia", "Kenji",
    "Fatima", "Declan", "Ewa", "Santiago", "Mira", "Thaddeus",
)  # fmt: skip
FAMILY: Final = (
    "Gonzalez", "Abernathy", "Okonkwo", "Lindqvist", "Raghavan", "Fitzpatrick", "Nowakowski", "Oliveira", "Haddad",
    "Petrov", "Castellano", "Nakamura", "Bergström", "Delacroix", "Mwangi", "Vasquez", "O'Sullivan", "Schreiber",
    "Kowalczyk", "Ferreira", "Achterberg", "Thibodeaux", "Jankowski", "Rahimi", "Whitcombe", "Halvorsen", "Papadakis",
    "Iyengar", "Szymański", "Quarshie", "Montgomery", "Eriksson", "Bhattacharya", "Castillo", "Drummond",
)  # fmt: skip
SENTENCES: Final = (
    "Please ask {} about the failing build before you merge.",
    "{} wrote this module last year and knows why the retry loop is there.",
    "I talked to {} on the phone; the customer wants the export by Friday.",
    "Customer record for {}: two open invoices, one refund.",
    "Author: {} <build@example.org>",
    "assigned to {} (on call this week)",
    "Thanks,\n{}",
)
LETTERS: Final = string.ascii_letters + string.digits


class Planter:
    """Makes values, each in a text, and remembers them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.values: dict[str, str] = {}

    def _token(self, size: int, letters: str = LETTERS) -> str:
        return "".join(self._rng.choices(letters, k=size))

    def plant(self) -> str:
        """Return a text with a new value."""
        while True:
            kind = self._rng.choice(("person", "person", "email", "phone", "password", "key", "key", "url", "pem"))
            value, text = getattr(self, f"_{kind}")()
            if value not in self.values:
                self.values[value] = kind
                return str(text)

    def _name(self) -> str:
        return f"{self._rng.choice(GIVEN)} {self._rng.choice(FAMILY)}"

    def _person(self) -> tuple[str, str]:
        name = self._name()
        if self._rng.random() < 0.4:  # 30 x 35 names are not enough for all
            name = name.replace(" ", f" {self._rng.choice(string.ascii_uppercase)}. ")
        return name, self._rng.choice(SENTENCES).format(name)

    def _email(self) -> tuple[str, str]:
        given, _, family = self._name().lower().replace("'", "").partition(" ")
        value = f"{given}.{family}{self._rng.randrange(100)}@{self._token(6, string.ascii_lowercase)}.com"
        value = value.encode("ascii", "ignore").decode()
        return value, self._rng.choice(("mail it to {}", "user={} role=admin", '{{"contact": "{}"}}')).format(value)

    def _phone(self) -> tuple[str, str]:
        value = f"+44 20 7946 {self._rng.randrange(10_000):04d}"
        return value, self._rng.choice(("call {} today", "tel: {}", "| support | {} |")).format(value)

    def _password(self) -> tuple[str, str]:
        value = self._token(12, LETTERS + "!#%")
        form = self._rng.choice(("DB_PASSWORD={}", "the password is {}", "mysql -u root -p{} shop", "password: {}"))
        return value, form.format(value)

    def _key(self) -> tuple[str, str]:
        heads = {"AKIA": 16, "ghp_": 36, "sk-ant-api03-": 80, "sk-proj-": 48, "xoxb-": 40, "glpat-": 20, "AIza": 35}
        head = self._rng.choice(list(heads))
        letters = string.ascii_uppercase + "234567" if head == "AKIA" else LETTERS
        value = head + self._token(heads[head], letters)
        return value, self._rng.choice(("export TOKEN={}", "Authorization: Bearer {}", "key is {} ok")).format(value)

    def _url(self) -> tuple[str, str]:
        value = self._token(14)
        return value, f"postgres://app:{value}@db.example.internal:5432/shop"

    def _pem(self) -> tuple[str, str]:
        lines = ["MIIEpAIBAAKCAQEA" + self._token(48), *(self._token(64) for _ in range(4)), self._token(40) + "=="]
        text = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
        return lines[2], text


def _filler() -> list[str]:
    files = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md"))]
    pieces = []
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        pieces += ["".join(lines[at : at + 60]) for at in range(0, len(lines), 60)]
    return pieces


class Generator:
    """Writes files of about so many bytes in all."""

    def __init__(self, seed: int, planted: int, size: int) -> None:
        self._rng = random.Random(seed)
        self.planter = Planter(self._rng)
        self._filler = _filler()
        self._every = max(1.0, size / planted) if planted else float("inf")
        self._planted, self._written = planted, 0

    def text(self) -> str:
        """Return a result of a tool, with values in it where they are due."""
        text = self._rng.choice(self._filler)
        while len(self.planter.values) < min(self._planted, self._written / self._every):
            lines = text.split("\n")
            lines.insert(self._rng.randrange(len(lines)), self.planter.plant())
            text = "\n".join(lines)
        return text

    def _line(self, data: Any) -> str:
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
        self._written += len(line)
        return line

    def claude(self, turns: int) -> str:
        """Return a session as Claude Code writes it."""
        lines, parent, session = [], None, str(uuid.UUID(int=self._rng.getrandbits(128)))
        for turn in range(turns):
            own, text = str(uuid.UUID(int=self._rng.getrandbits(128))), self.text()
            call = "toolu_" + "".join(self._rng.choices(LETTERS, k=24))
            at = f"2026-05-0{1 + turn % 9}T10:{turn % 60:02d}:00.123Z"
            base = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/srv/shop"}
            base |= {"sessionId": session, "version": "2.0.14", "uuid": own, "timestamp": at}
            use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "/srv/shop/app.py"}}
            lines.append(self._line({**base, "type": "assistant", "message": {"role": "assistant", "content": [use]}}))
            own, parent = str(uuid.UUID(int=self._rng.getrandbits(128))), own
            result = {"type": "tool_result", "tool_use_id": call, "content": text}
            said = {"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": {"stdout": text}}
            lines.append(self._line({**base, "parentUuid": parent, "uuid": own, **said}))
            parent = own
        return "".join(lines)

    def codex(self, turns: int) -> str:
        """Return a session as Codex writes it: output as JSON in a string."""
        lines = []
        for turn in range(turns):
            call, text = "call_" + "".join(self._rng.choices(LETTERS, k=24)), self.text()
            time_of = f"2026-05-0{1 + turn % 9}T11:{turn % 60:02d}:00.5Z"
            arguments = json.dumps({"command": ["bash", "-lc", "cat app.py"], "workdir": "/srv/shop"})
            output = json.dumps({"output": text, "metadata": {"exit_code": 0}})
            call_of = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}
            for payload in (call_of, {"type": "function_call_output", "call_id": call, "output": output}):
                lines.append(self._line({"timestamp": time_of, "type": "response_item", "payload": payload}))
        return "".join(lines)

    def notebook(self, cells: int) -> str:
        """Return a notebook."""
        made = []
        for number in range(cells):
            source, output = (self.text().splitlines(keepends=True) for _ in range(2))
            outputs = [{"name": "stdout", "output_type": "stream", "text": output}]
            cell = {"cell_type": "code", "execution_count": number, "id": f"{self._rng.getrandbits(32):08x}"}
            made.append({**cell, "metadata": {}, "outputs": outputs, "source": source})
        text = json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
        self._written += len(text)
        return text

    def history(self, commands: int) -> str:
        """Return a history of zsh."""
        lines = []
        for number in range(commands):
            text = self.planter.plant() if len(self.planter.values) < self._planted else "make test"
            lines.append(f": {1_700_000_000 + number}:0;echo '" + text.replace("\n", "\\\n") + "'\n")
        return "".join(lines)


def generate(folder: Path, size: int, planted: int, seed: int) -> Planter:
    """Write a folder of files with planted values; most bytes are sessions of Claude Code."""
    generator, number = Generator(seed, planted, size), 0
    while generator._written < size:
        number += 1
        (folder / f"session{number}.jsonl").write_text(generator.claude(60), encoding="utf-8")
        (folder / f"rollout{number}.jsonl").write_text(generator.codex(20), encoding="utf-8")
        (folder / f"book{number}.ipynb").write_text(generator.notebook(4), encoding="utf-8")
    (folder / "zsh_history").write_text(generator.history(planted // 40), encoding="utf-8")
    return generator.planter


def left_in(folder: Path, values: dict[str, str]) -> Counter[str]:
    """Return how many values of each kind stand in a file."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())]
    whole = "\n".join(texts)
    return Counter(kind for value, kind in values.items() if value in whole or json.dumps(value)[1:-1] in whole)


def shapes(folder: Path) -> dict[str, list[Any]]:
    """Return, for each file of JSON, what must stay: keys, types of values, and what links messages."""
    kept = {}
    for path in sorted(folder.glob("*.jsonl")) + sorted(folder.glob("*.ipynb")):
        text = path.read_text(encoding="utf-8")
        documents = [text] if path.suffix == ".ipynb" else text.splitlines()
        kept[path.name] = [_shape(json.loads(document)) for document in documents]
    return kept


_LINKS: Final = ("uuid", "parentUuid", "sessionId", "id", "tool_use_id", "call_id", "timestamp", "type", "role", "name")


def _shape(data: Any, key: str = "") -> Any:
    if isinstance(data, dict):
        return {name: _shape(value, name) for name, value in data.items()}
    if isinstance(data, list):
        return "list" if key in ("source", "text") else [_shape(value) for value in data]
    return data if key in _LINKS else type(data).__name__


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--planted", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a new folder for the files before and after")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = (options.keep or Path(name)) / "transcripts"
        folder.mkdir(parents=True)
        planter = generate(folder, int(options.megabytes * 1e6), options.planted, options.seed)
        size = sum(path.stat().st_size for path in folder.iterdir())
        if options.keep:
            shutil.copytree(folder, options.keep / "before")
        before, planted = shapes(folder), left_in(folder, planter.values)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "textveil", "clean", str(folder)], check=False)
        seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        left, same = left_in(folder, planter.values), shapes(folder) == before
        if options.keep:
            (options.keep / "values.json").write_text(json.dumps(planter.values, indent=1))
    print(
        f"{size / 1e6:.1f} MB in {seconds:.1f} s, {size / 1e6 / seconds:.2f} MB/s (wanted 1.67), "
        f"{used.ru_utime + used.ru_stime:.0f} s of processors"
    )
    for kind, count in sorted(planted.items()):
        print(f"{kind:10s} planted {count:5d}   left {left[kind]:5d}")
    print(f"left {left.total()} of {planted.total()}; structure {'kept' if same else 'LOST'}")
    return 0 if same and not left and not done.returncode else 1


if __name__ == "__main__":
    sys.exit(main())
