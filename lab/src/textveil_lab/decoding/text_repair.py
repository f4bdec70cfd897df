"""Repair of releases by a language model behind an endpoint.

This is post-processing: a request holds lines of releases and public facts about the mechanism. An answer is used only
if it has exactly one line for each numbered line.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from textveil.errors import EndpointError, need
from textveil.mechanisms.kinds import Described
from textveil.models.endpoint import Endpoint, Message
from textveil.types import Progress

LINES: Final = 20


"""Largest number of lines in a request."""

_CHARACTERS: Final = 4000


"""Characters after which a request takes no further line."""

_WORKERS: Final = 4


"""Largest number of concurrent requests."""

REPAIRING: Final = (
    "Every line of the user's message was released with differential privacy, {facts}. Each word was replaced at "
    "random by a word of a public vocabulary: by itself, by one of similar meaning, or now and then by any other. "
    "Digits were replaced at random too. Punctuation and the number of words were kept. For each line, write the text "
    "that it most probably was before: keep words that fit, replace words that do not, add nothing. Answer with the "
    "same numbers and one line for each, as in '1: text', and with nothing else."
)

_NUMBERED: Final = re.compile(r"(\d+): ?(.*)")


class RepairedTexts(NamedTuple):
    """Result of a repair."""

    texts: list[str]  # one for each that was given; lines that were not repaired are as they were
    kept: int  # lines that were sent and came back unchanged
    problem: str  # why, in one line; empty if all went well


def channel_facts(mechanism: Described) -> str:
    """Return the public facts about a mechanism in a few words."""
    return f"by the mechanism {mechanism.name} with the guarantee {mechanism.guarantee} for each word"


def repair_texts(
    texts: Sequence[str], endpoint: Endpoint, facts: str, *, workers: int = _WORKERS, progress: Progress | None = None
) -> RepairedTexts:
    """Return released texts as a language model behind an endpoint repairs them; its failures raise no error.

    ``facts``: public facts about the mechanism in words (``channel_facts``), sent with every request.

    Raises:
        ParameterError: ``workers`` is below one, or a text is no string.
    """
    repairer = TextRepairer(endpoint, facts, workers=workers, progress=progress)
    return RepairedTexts(repairer.texts(texts), repairer.kept, repairer.problem)


class TextRepairer:
    """Repairer of one mechanism's texts, batch by batch; see ``repair_texts``.

    After a request without any answer the endpoint is not asked again.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        facts: str,
        *,
        workers: int = _WORKERS,
        progress: Progress | None = None,
    ) -> None:
        need(workers >= 1, "workers", workers, ">= 1")
        self._endpoint, self._system = endpoint, REPAIRING.format(facts=facts)
        self._workers, self._progress = workers, progress
        self._down = threading.Event()
        self._first = ""
        self._lines = 0
        self.kept = 0

    @property
    def problem(self) -> str:
        """First problem and number of lines not repaired, in one line; empty if there was none."""
        if not self._first:
            return ""
        return f"{self.kept} of {self._lines} lines stay as they were released: {self._first}"

    def texts(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> list[str]:
        """Return each text repaired; lines that were not repaired stay. ``numbers`` is not needed."""
        need(all(isinstance(text, str) for text in texts), "texts", "others", "strings")
        split = [text.split("\n") for text in texts]
        places = [(row, at) for row, lines in enumerate(split) for at, line in enumerate(lines) if line.strip()]
        self._lines += len(places)
        where, done = iter(places), 0
        with ThreadPoolExecutor(self._workers, thread_name_prefix="textveil-repair") as pool:
            batches = list(_batches([split[row][at] for row, at in places]))
            for lines, answer in zip(batches, pool.map(self._asked, batches), strict=True):
                if isinstance(answer, EndpointError):
                    self._first = self._first or str(answer)
                    self.kept += len(lines)
                    answer = lines
                for line in answer:
                    row, at = next(where)
                    split[row][at] = line
                done += len(lines)
                if self._progress is not None:
                    self._progress(done, len(places))
        return ["\n".join(lines) for lines in split]

    def _asked(self, lines: list[str]) -> list[str] | EndpointError:
        if self._down.is_set():
            return EndpointError(f"the endpoint {self._endpoint.host} did not answer before.")
        try:
            return _repaired(lines, self._endpoint, self._system)
        except EndpointError as error:
            if not error.answered:
                self._down.set()
            return error


def request_messages(lines: Sequence[str], system: str) -> list[Message]:
    """Return the whole content of a request for some lines, beside the model's name and limits of the answer."""
    numbered = [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1)]
    return [Message("system", system), Message("user", "\n".join(numbered))]


def _repaired(lines: list[str], endpoint: Endpoint, system: str) -> list[str]:
    """Return the lines as the endpoint repaired them.

    Raises:
        EndpointError: no answer, or one of another form.
    """
    most = sum(_longest(line) + 8 for line in lines)
    answer = endpoint.ask(request_messages(lines, system), most)
    numbered = [_NUMBERED.fullmatch(line.strip()) for line in answer.strip().split("\n")]
    numbers = [match and match[1] for match in numbered]
    if numbers != [str(number) for number in range(1, len(lines) + 1)]:
        got = f"{len(numbered)} lines" if len(numbered) != len(lines) else "lines without their numbers"
        raise _refusal(endpoint, f"{len(lines)} numbered lines", got)
    repaired = [match[2].strip() for match in numbered if match is not None]
    for line, new in zip(lines, repaired, strict=True):
        if not new or len(new) > _longest(line):
            raise _refusal(endpoint, "lines about as long as they were", "an empty or a longer one")
        if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in new):
            raise _refusal(endpoint, "lines of plain text", "control characters")
    return [_in_place(line, new) for line, new in zip(lines, repaired, strict=True)]


def _longest(line: str) -> int:
    return 2 * len(line.strip()) + 40


def _in_place(line: str, new: str) -> str:
    content = line.lstrip()
    return line[: len(line) - len(content)] + new + content[len(content.rstrip()) :]


def _refusal(endpoint: Endpoint, wanted: str, got: str) -> EndpointError:
    return EndpointError(f"the endpoint {endpoint.host} must give {wanted}; got {got}. Choose another model.")


def _batches(lines: Sequence[str]) -> Iterator[list[str]]:
    held: list[str] = []
    for line in lines:
        if held and (len(held) == LINES or sum(map(len, held)) + len(line) > _CHARACTERS):
            yield held
            held = []
        held.append(line)
    if held:
        yield held
