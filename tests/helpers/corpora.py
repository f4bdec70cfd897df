"""Corpora of made-up words, a few to a line, and what a release of one looks like."""

SECRET = "Xylophonia"
"""A word that no message may hold."""

WORDS = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(40)]


def lines(count: int, start: int = 0) -> str:
    """Documents of one to five words, a line each."""
    return "".join(" ".join(WORDS[: number % 5 + 1]) + "\n" for number in range(start, start + count))


def shape(raw: bytes) -> list[int]:
    """The words of each line."""
    return [len(line.split()) for line in raw.decode().splitlines()]
