"""Requests for completions and embeddings."""

from typing import Any, Final

from textveil.server.gateway.chat import SAMPLING
from textveil.server.gateway.reading import Reader, RequestReading, count, flag, model_name, one_of, refuse, text


def _texts(reading: RequestReading, value: Any, place: str) -> Any:
    """One text or several; the numbers of tokens are texts that cannot be read here."""
    if isinstance(value, str):
        return text(reading, value, place)
    numbers = isinstance(value, list) and any(isinstance(part, int | list) for part in value)
    if numbers:
        refuse(place, "a string or a list of strings", code="unsupported_content", got="tokens", hint="Send text.")
    if value == []:
        refuse(place, "at least one text", got="none")
    return reading.each(value, place, text)


COMPLETION: Final[dict[str, Reader]] = {
    "model": model_name,
    "prompt": _texts,
    "suffix": text,
    "echo": flag,
    "best_of": count(1, 128),
    "logprobs": count(0, 100),
    **SAMPLING,
}
"""A request of the old API of completions."""

EMBEDDING: Final[dict[str, Reader]] = {
    "model": model_name,
    "input": _texts,
    "dimensions": count(1),
    "encoding_format": one_of("float", "base64"),
}
"""A request for vectors of texts."""
