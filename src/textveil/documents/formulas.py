"""Formulas of sheets: their strings are text, and what is outside of these is changed apart."""

from __future__ import annotations

from collections.abc import Callable

from textveil.documents.model import Piece


def strings_of(formula: str) -> list[str]:
    """Return the parts of a formula: every second one is a string, without its quotes."""
    parts: list[str] = []
    for part in formula.split('"'):
        if len(parts) > 2 and len(parts) % 2 and not parts[-1]:  # two quotes in a string are one
            parts.pop()
            parts[-1] += f'"{part}'
        else:
            parts.append(part)
    return parts


def quoted(parts: list[str]) -> str:
    """Return a formula of its parts."""
    doubled = [part.replace('"', '""') if number % 2 else part for number, part in enumerate(parts)]
    return '"'.join(doubled)


def outside(formula: str, change: Callable[[str], str]) -> str:
    """Change a formula outside of its strings."""
    return quoted([part if number % 2 else change(part) for number, part in enumerate(strings_of(formula))])


def pieces_of(
    parts: list[str], store: Callable[[str], object], joined: Callable[[list[str]], str] = quoted, between: str = "; "
) -> list[Piece]:
    """Return pieces for every second one of some parts, of which ``store`` keeps what ``joined`` makes of them."""
    pieces: list[Piece] = []
    for place in range(1, len(parts), 2):

        def write(text: str, place: int = place) -> None:
            parts[place] = text
            store(joined(parts))

        if pieces and between:
            pieces.append(Piece(between, lambda text: between))
        pieces.append(Piece(parts[place], write))
    return pieces
