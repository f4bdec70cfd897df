"""Names behind escapes, in chats as the gateway reads them: how many are left in what goes on.

    python benchmarks/attacks/encodings.py [--prompts 100] [--seed 1]

For each encoding: prompts with a name that no draw can give (its letters have accents that no pool has, and detectors
read through), so many that are found where the prompt is sent as it is. Counted are the prompts after which the name,
or a word of it, can be read in what goes on, by a decoder of this script's own; and those that do not come back as they
were where the model repeats what it got. Ends with code 1 where there is one of either.
"""

import argparse
import asyncio
import html
import json
import random
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote, quote_plus, unquote

from textveil.budget.account import Account
from textveil.server.budgets import ledger_of
from textveil.server.conversations import Conversations
from textveil.server.gateway.bodies import sanitized_body
from textveil.server.gateway.chat import CHAT
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService
from textveil.surrogates.pools import pool
from textveil.surrogates.restoring import Restorer

ACCENTS: Final = {"a": "ặ", "e": "ệ", "i": "ḯ", "o": "ộ", "u": "ự"}
"""Of letters that no pool holds; ``detection.found`` reads them as the letters below them."""

Encoding = Callable[[str], Any]


def _parts(text: str) -> list[dict[str, str]]:
    """The text in parts, cut within its name."""
    cut = re.search("[" + "".join(ACCENTS.values()) + "]", text)
    assert cut is not None
    pieces = (text[: cut.start()], text[cut.start() : cut.end() + 3], text[cut.end() + 3 :])
    return [{"type": "text", "text": piece} for piece in pieces]


def _json(text: str) -> str:
    return json.dumps({"note": text, "n": 7})


ENCODINGS: Final[Mapping[str, Encoding]] = {
    "as it is": str,
    "JSON": _json,
    "JSON in UTF-8": lambda text: json.dumps({"note": text}, ensure_ascii=False),
    "JSON behind a word": lambda text: f"Summarize: {_json(text)}",
    "JSON lines": lambda text: "\n".join([_json("Nothing.\n"), _json(text), _json("Yes.")]),
    "JSON in a fence": lambda text: f"Read:\n```json\n{json.dumps([text], indent=2)}\n```\n",
    "a JSON string": json.dumps,
    "JSON in JSON": lambda text: json.dumps({"body": _json(text)}),
    "JSON in JSON in JSON": lambda text: json.dumps([json.dumps({"body": _json(text)})]),
    "JSON with a comma too many": lambda text: _json(text)[:-1] + ",}",
    "JSON with NaN": lambda text: '{"n": NaN, "note": ' + json.dumps(text) + "}",
    "JSON behind a byte order mark": lambda text: "\ufeff" + _json(text),
    "JSON that is cut": lambda text: _json(text)[:-9] + '"',
    "Python": lambda text: repr({"note": text}).encode("ascii", "backslashreplace").decode(),
    "percent-encoding": quote,
    "percent-encoding, twice": lambda text: quote(quote(text)),
    "a form": lambda text: "note=" + quote_plus(text) + "&n=7",
    "HTML": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
    "HTML in JSON": lambda text: _json(html.escape(text).encode("ascii", "xmlcharrefreplace").decode()),
    "JSON in a URL": lambda text: "https://q.org/?q=" + quote(_json(text)),
    "JSON in HTML": lambda text: html.escape(_json(text)),
    "parts": _parts,
    "JSON in parts": lambda text: _parts(json.dumps([text], ensure_ascii=False)),
    "an address in words": lambda text: "Mail " + _address(text) + ".",
}


def _address(text: str) -> str:
    given, family = re.findall(r"[^\W\d_]+", text)[1:3]
    return f"{given}.{family} [at] clinic [dot] org"


def prompt(rng: random.Random) -> tuple[str, list[str]]:
    """A prompt, and the words of the name in it."""
    words = []
    for names in ("given", "family"):
        word = rng.choice([one for one in rng.sample(pool(names), 40) if one.isascii() and one.isalpha()])
        vowel = next((one for one in word[1:] if one in ACCENTS), "")
        words.append(word[0] + (word[1:].replace(vowel, ACCENTS[vowel], 1) if vowel else word[1:] + "ệ"))
    return f'Patient:\n{words[0]} {words[1]}\n"Well" & better,\tsays Dr. {words[1]}.\n', words


def decoded(text: str) -> str:
    """A text without its escapes, by means other than the library's."""
    while True:
        plain = html.unescape(unquote(text))
        plain = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), plain)
        if plain == text:
            return plain
        text = plain


class Outcome(NamedTuple):
    """Of an encoding: prompts, those with a name left, and those that did not come back as they were."""

    prompts: int
    left: int
    changed: int


async def outcomes(prompts: int, seed: int) -> dict[str, Outcome]:
    """What became of so many prompts of each encoding."""
    service = SanitizingService(OfferedPolicies("prompts"), ledger_of(None), threads=1)
    conversations = Conversations(seconds=3600, most_bytes=2**24)
    account = Account("attack")

    async def sent(content: Any) -> tuple[str, bool]:
        """The text that goes on, and whether it comes back."""
        number[0] += 1
        asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": content}]}
        state = conversations.of(account, str(number[0]))
        made = await sanitized_body(service, asked, CHAT, ("model", "messages"), account=account, state=state)
        goes_on, whole = (_text(one["messages"][0]["content"]) for one in (made.body, asked))
        return goes_on, Restorer(made.memory.maps).restore(goes_on).text == whole

    number, rng = [0], random.Random(seed)
    texts: list[tuple[str, list[str]]] = []
    while len(texts) < prompts:
        text, words = prompt(rng)
        goes_on, _ = await sent(text)
        if not any(word in goes_on for word in words):  # what is found plain must be found encoded
            texts.append((text, words))
    found = {}
    for name, encoding in ENCODINGS.items():
        left = changed = 0
        for text, words in texts:
            goes_on, back = await sent(encoding(text))
            left += any(word.casefold() in decoded(goes_on).casefold() for word in words)
            changed += not back
        found[name] = Outcome(prompts, left, changed)
    service.close()
    return found


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def main(arguments: list[str] | None = None) -> int:
    """Attack, print counts, and tell by the code whether it succeeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    found = asyncio.run(outcomes(asked.prompts, asked.seed))
    for name, one in found.items():
        print(f"{name:30} names left in {one.left:4} of {one.prompts}; {one.changed:4} did not come back as they were")
    return int(any(one.left or one.changed for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
