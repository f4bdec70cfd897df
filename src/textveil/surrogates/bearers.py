"""Logins of people (of addresses, handles and pages) that are made of their names, with the names' surrogates.

Which logins are made of names of the scope, and how, is public; what is written is a function of what those names were
drawn as. Proof: ``privacy/proofs/pseudonyms.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.detection.mentions import full_names
from textveil.surrogates.drawn import agreed
from textveil.surrogates.person import (
    BEARERS,
    FAMILIES,
    LANGUAGE,
    LOGINS,
    PARTICLES,
    ROLES,
    SECONDS,
    initials_drawn,
    login_form,
    person_of,
)
from textveil.surrogates.pools import names_of
from textveil.surrogates.scopes import Scope, beside
from textveil.surrogates.writing import filled, in_case_of
from textveil.text.patterns import lazy_regex

OF_A_PERSON: Final = (
    "whether it is made of names of the text's persons, and how: which names (one of three letters, or it alone) and "
    "initials of them stand in it, in which order, with which particles, marks and letter case, and how many digits "
    "and other letters and words"
)
"""What is public of a login that is."""

_LONGEST: Final = 64
_SHORTEST: Final = 3  # letters of the name that makes a login its bearer's, beside others
_INITIALS: Final = 2  # letters of a word that are read as initials, if they are no name
_TOKEN: Final = lazy_regex(r"[0-9]+|[a-z]+|[^0-9a-z]")
_SEPARATED: Final = lazy_regex(r"[._+-]|[^._+-]+")
_PARTICLES: Final = frozenset(["van", "von", "der", "den", "de", "del", "della", "di", "da", "la", "le", "du", "dos"])


class _People(NamedTuple):
    """What a scope knows of persons: by how a login writes them, by name, by family and initial, and by family."""

    scope: Scope
    logins: Mapping[str, str]
    roles: Mapping[str, str]
    bearers: Mapping[str, str]
    families: Mapping[str, str]
    seconds: Mapping[str, str]

    def begun(self, letter: str, names: Sequence[str]) -> str:
        """Return the name that a letter beside others begins: of their bearer; empty if there is none."""
        for name in names:
            if (given := self.bearers.get(f"{name} {letter}")) is not None:
                return given
            family = self.families.get(name, "")
            for own in (family, self.seconds.get(family, "")):
                if login_form(own).startswith(letter):
                    return own
        return ""

    def particle(self, piece: str, run: int) -> str:
        """Return what stands for a particle, the first or one behind ``run`` others; nothing if no name has it."""
        pairs = self.scope.remembered(PARTICLES)
        first, _, others = pairs.get(piece, next(iter(pairs.values()), "")).partition(" ")
        return others if run else first


def login_of(login: str, scope: Scope, rng: np.random.Generator, *, words: bool = True) -> str:
    """Return a login made of surrogates as this one is made of names; empty if it is not, or a word hinders it.

    Args:
        login: in small letters.
        scope: as the kind of the login sees it.
        rng: for digits, and for initials and words that the scope has not.
        words: whether words that are no names of the scope may stand in it; they become names.
    """
    people = beside(scope, "person")
    known = _People(people, *map(people.remembered, (LOGINS, ROLES, BEARERS, FAMILIES, SECONDS)))
    if not known.logins or len(login) > _LONGEST:
        return ""
    cut = [_cut(token, known) for token in _TOKEN.findall(login)]
    names = [known.logins[piece] for pieces in cut for piece in pieces if piece in known.logins]
    letters = "".join(filter(str.isalpha, login))
    if not any(len(name) >= _SHORTEST or login_form(name) == letters for name in names):
        return _of_initials(login, known, rng) if len(letters) == _INITIALS else ""
    if not words and any(_is_other(piece, known) for pieces in cut for piece in pieces):
        return ""
    written, run = [], 0
    for piece in (piece for pieces in cut for piece in pieces):
        is_particle = piece in _PARTICLES and piece not in known.logins
        written.append(known.particle(piece, run) if is_particle else _written(piece, names, known, rng))
        run = run + 1 if is_particle else run * (not piece.isalnum())
    return "".join(written)


def in_case_of_words(model: str, login: str) -> str:
    """Return a login with each of its words in capitals, or with one, where the model's is."""
    words, own = _SEPARATED.findall(model), _SEPARATED.findall(login)
    if len(words) != len(own):
        return login
    return "".join(
        drawn.capitalize() if word.istitle() else in_case_of(word, drawn)
        for word, drawn in zip(words, own, strict=True)
    )


def _cut(word: str, known: _People) -> list[str]:
    """Cut a word into names, with particles before them and an initial at an end; the word alone if it has none."""
    if word in known.logins or not word.isalpha():
        return [word]
    behind: dict[int, list[str]] = {len(word): []}
    for start in range(len(word) - 1, -1, -1):
        for end in range(len(word), start, -1):
            piece, rest = word[start:end], behind.get(end)
            if rest is not None and (
                piece in known.logins
                or (piece in _PARTICLES and rest)
                or (len(piece) == 1 and (start == 0) == bool(rest) and end - start < len(word))
            ):
                behind[start] = [piece, *rest]
                break
    pieces = behind.get(0, [])
    names = [known.logins[piece] for piece in pieces if len(piece) >= _SHORTEST and piece in known.logins]
    is_family = any(known.roles.get(name) == "family" for name in names)
    fits = all(
        known.begun(piece, names) or (place == 0 and is_family) for place, piece in enumerate(pieces) if len(piece) == 1
    )
    return pieces if names and fits else [word]


def _is_other(piece: str, known: _People) -> bool:
    return piece.isalpha() and len(piece) > _INITIALS and piece not in known.logins and piece not in _PARTICLES


def _of_initials(login: str, known: _People, rng: np.random.Generator) -> str:
    """Return a login of two initials, if they begin one name of the scope."""
    given, family = filter(str.isalpha, login)
    pairs = [pair for pair in known.bearers if pair[0] == family and pair[-1] == given]
    if len(pairs) != 1:
        return ""
    names = (known.bearers[pairs[0]], pairs[0].rpartition(" ")[0])
    drawn = iter([login_form(person_of(name, known.scope))[:1] for name in names])
    return "".join(next(drawn) if token.isalpha() else _written(token, (), known, rng) for token in login)


def _written(piece: str, names: Sequence[str], known: _People, rng: np.random.Generator) -> str:
    """Return what stands for a piece of a login."""
    if not piece.isalpha():
        return filled("9" * len(piece), rng) if piece.isdigit() else piece
    name = known.logins.get(piece, "")
    begun = [known.begun(letter, names) for letter in piece] if not name and len(piece) <= _INITIALS else [""]
    if all(begun):
        return "".join(login_form(person_of(one, known.scope))[:1] for one in begun)
    if not name and len(piece) <= _INITIALS:
        return initials_drawn(piece, len(piece), known.scope, rng).lower()
    if not name:
        full = [full for full in full_names(piece) if known.roles.get(full) == "given"]
        name = full[0] if len(full) == 1 else ""
    given = names_of("given", known.scope.remembered(LANGUAGE).get("", ""))
    drawn = person_of(name, known.scope) if name else ""
    return login_form(
        drawn
        or agreed(known.scope, "person given", piece, rng, lambda rng: given[rng.integers(len(given))], distinct=True)
    )
